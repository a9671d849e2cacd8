/** `amplihack/engine`: hooks in any agent. The contract of each name stands where it is declared. */

export * from "../engine/public.ts";
export { type GuardOptions, guard } from "../guard/index.ts";
export { DIAGNOSTIC_CODES, type DiagnosticCode } from "../handlers/index.ts";
export type { Change, PathChange, UndoPlan, UndoResult, UndoSelection } from "../history/index.ts";
export { type LearningOptions, type LearntNote, learnFromCalls } from "../memory/index.ts";
export type { System } from "../system/index.ts";
export { createNodeSystem } from "../system/node.ts";
export * from "./protocol.ts";
