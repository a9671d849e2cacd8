import type { AgentName } from "../state/index.ts";

/** One launch as the user asked for it. */
export interface LaunchRequest {
  readonly agent: AgentName;
  /** words for the agent */
  readonly args: readonly string[];
  readonly directory: string;
  /** this very program, links followed */
  readonly self: string;
  readonly resumes: boolean;
  readonly continues: boolean;
  readonly skipsPermissions: boolean;
  readonly reflects: boolean | undefined;
  readonly isDelegated: boolean;
  readonly usesShims: boolean;
  readonly isStrictVersion: boolean;
  readonly allowsUntrustedHooks: boolean;
}

/** Where the launcher's messages go; `ask` is there only when a person can answer. */
export interface LaunchConsole {
  note(text: string): void;
  warn(text: string): void;
  readonly ask?: (question: string) => boolean;
}
