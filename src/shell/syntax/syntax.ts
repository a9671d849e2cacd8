/** The syntax tree the analysis walks. The parser behind it is known here and in `parse.ts` alone. */
export type * from "unbash";
export type { Function as FunctionNode, Redirection as RedirectionNode } from "unbash";
