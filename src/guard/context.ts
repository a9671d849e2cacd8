import type { Surroundings, Workspace } from "../workspace/index.ts";
import type { Grant } from "./grants.ts";

/** What the caller knows: the places around a call, and what its person has allowed. */
export interface GuardContext extends Surroundings {
  readonly grants?: readonly Grant[] | undefined;
  /** asked only when something was found; without a key no allow-once code is offered */
  readonly machineKey?: (() => string | undefined) | undefined;
}

export type GuardWorkspace = Workspace<GuardContext>;
