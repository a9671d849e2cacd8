import type { Effect } from "./effect.ts";
import type { HookInput } from "./input.ts";

/**
 * One hook, a stock hook or a user's. `event` is a canonical event name; `matcher`, when given, is
 * compared with the event's subject. `run` returns what the hook has to say, or nothing; throwing means "could
 * not run", which the failure policy decides. `system` is the only way to the outside.
 */
export interface Hook<S> {
  readonly id: string;
  readonly event: string;
  readonly matcher?: string;
  /** asked again when a hook after it changed the tool's input: what runs is what was judged */
  readonly isJudge?: boolean;
  run(input: HookInput, system: S): Effect | undefined | Promise<Effect | undefined>;
}
