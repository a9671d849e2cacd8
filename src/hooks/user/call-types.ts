import type { Json, JsonObject } from "../../protocol/index.ts";
import type { Entry } from "../../transcripts/index.ts";

/** What a command does, as the guard sees it. Empty for calls that are no command. */
export interface CommandFacts {
  /** Every program that would start, also behind `sudo`, `xargs`, `sh -c` and the like. */
  readonly programs: readonly StartedProgram[];
  /** all words of all programs that are known */
  readonly words: readonly string[];
  /** files that are read, written, moved or deleted, as far as they are known; of a file tool its paths */
  readonly paths: readonly string[];
  readonly effects: readonly CommandEffectFact[];
}

export interface StartedProgram {
  /** base name; empty when only the run decides it */
  readonly name: string;
  /** the words behind the name; undefined where only the run decides one */
  readonly args: readonly (string | undefined)[];
  /** through sudo, doas and the like */
  readonly isElevated: boolean;
}

export interface CommandEffectFact {
  /** `delete`, `read`, `write`, `move`, `send`, `git` … */
  readonly kind: string;
  readonly program: string;
  /** undefined where only the run decides it, or the effect has none */
  readonly path: string | undefined;
}

/** Files; a relative path is one below the session's directory. */
export interface HookFiles {
  /** the text of a file; undefined when there is none */
  read(path: string): string | undefined;
  exists(path: string): boolean;
  /** names in a directory; none when there is no such directory */
  list(path: string): readonly string[];
  /** replaces the whole file at once */
  write(path: string, text: string): void;
}

/** A small JSON object that is safe to change from several processes. */
export interface HookStore {
  read(): JsonObject;
  /** Reads, changes and writes under a lock; returns the new value. */
  update(change: (current: JsonObject) => JsonObject): JsonObject;
}

export interface ExecOptions {
  readonly cwd?: string;
  readonly input?: string;
  /** variables besides those of this process */
  readonly env?: Readonly<Record<string, string>>;
  /** at most what is left of the hook's own time */
  readonly timeoutMs?: number;
}

export interface ExecResult {
  /** undefined when it did not end by itself */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** why it did not start or end by itself; undefined when it did */
  readonly problem: string | undefined;
}

/** What every hook is given besides its event. Nothing else is needed, and a hook that uses nothing else is portable. */
export interface GivenCall {
  readonly host: string;
  readonly session: string | undefined;
  readonly cwd: string;
  readonly projectRoot: string;
  /** the payload as the host sent it */
  readonly raw: Json;
  /** The session's messages so far; none where the host records none. Read when it is called. */
  transcript(): readonly Entry[];
  readonly facts: CommandFacts;
  readonly files: HookFiles;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: { nowMs(): number };
  /** a line in the log of users' hooks */
  log(text: string): void;
  readonly state: { readonly session: HookStore; readonly project: HookStore };
  /** Starts a program without a shell and waits for it. */
  exec(argv: readonly [string, ...string[]], options?: ExecOptions): Promise<ExecResult>;
  /** `aborted` once the hook's time is over */
  readonly signal: { readonly aborted: boolean };
}
