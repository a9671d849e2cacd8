import type { Invocation, Place, ProgramEffect, Span, Value } from "../shell/index.ts";
import type { GitRun } from "./git/invocation.ts";

/** Who does it and where: gives relative paths their directory and findings their command. */
export interface Actor {
  readonly cwd: Value;
  readonly place: Place;
  readonly program: string;
  readonly invocation: Invocation | undefined;
  readonly span: Span;
  /** a file tool of the agent itself, not a program it starts */
  readonly isTool?: boolean;
}

/** What a command does, whatever the program is called. Rules look at these and never at program names. */
export type CommandEffect = { readonly by: Actor } & (
  | Exclude<ProgramEffect, { readonly kind: "git" }>
  | { readonly kind: "git"; readonly run: GitRun }
);

export type EffectOf<Kind extends CommandEffect["kind"]> = Extract<CommandEffect, { readonly kind: Kind }>;
