/**
 * The only door to the outside. Everything is synchronous except child processes, so that a hook run is a
 * straight line; adapters are `node.ts`, `memory.ts` (tests) and the native host.
 *
 * Failures of the operating system are thrown as `SystemError` with the errno name as `code`.
 */
export interface System {
  /** The state home that this program was staged in by an installation; undefined for any other program. */
  readonly installedIn?: string | undefined;
  /** The agent of this run knows no `.claude` folder: none is made in its person's projects. */
  readonly leavesProjectsAlone?: () => boolean;
  /** Hears what does not work as it should beside standard error, so that the person is told in the host. */
  readonly onComplaint?: (text: string) => void;
  readonly files: Files;
  readonly env: Environment;
  readonly clock: Clock;
  readonly random: Random;
  readonly stdio: Stdio;
  readonly text: TextCodec;
  readonly processes: Processes;
}

export class SystemError extends Error {
  override readonly name = "SystemError";
  /** errno name such as `ENOENT`; `EFBIG` when a read passed its limit. */
  readonly code: string;
  readonly operation: string;
  readonly path: string | undefined;

  /** What is loaded lazily is a bundle of its own, with its own copy of this class: the name decides. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === "SystemError";
  }

  constructor(code: string, operation: string, path?: string) {
    super(path === undefined ? `${operation} failed: ${code}` : `cannot ${operation} ${path}: ${code}`);
    this.code = code;
    this.operation = operation;
    this.path = path;
  }
}

/** Tests the name, not the class: each bundle that is loaded later has its own copy of the class. */
export function hasErrorCode(error: unknown, ...codes: readonly string[]): error is SystemError {
  if (!(error instanceof Error) || error.name !== "SystemError") return false;
  return codes.includes((error as SystemError).code);
}

export type FileKind = "file" | "directory" | "symlink" | "other";

export interface FileFacts {
  readonly kind: FileKind;
  readonly size: number;
  /** permission bits only, for instance 0o600 */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly modifiedMs: number;
  /** device and inode: equal for two names of one file */
  readonly identity: string;
}

/** What a name is and when it last changed, as exactly as the file system knows it. */
export interface ExactFacts {
  readonly kind: FileKind;
  readonly size: number;
  /** what it takes on disk; less than `size` for a file with holes */
  readonly allocatedBytes: number;
  /** permission bits with set-user-id, set-group-id and sticky */
  readonly mode: number;
  /** nanoseconds since 1970, decimal */
  readonly modifiedNs: string;
  /** as `FileFacts` has it */
  readonly identity: string;
  /** how many names it has */
  readonly links: number;
  /**
   * Identity, size, times of modification and of change: the same as long as nothing touched the file, on Node and in
   * the native program alike.
   */
  readonly stamp: string;
}

export interface NamedKind {
  readonly name: string;
  readonly kind: FileKind;
}

export interface NamedFacts extends ExactFacts {
  readonly name: string;
}

/**
 * Primitive file operations. Paths are absolute; bytes of names that are not UTF-8 stand in them as `decodeName` has
 * them. Whole-file safety is built on top, in `atomic-write.ts`.
 */
export interface Files {
  /** The whole file; throws `EFBIG` when it is longer than the limit. Never follows more than the OS does. */
  read(path: string, limitBytes: number): Uint8Array;
  /** Bytes from `offset`, at most `length`; shorter at the end of the file. For files too large to hold. */
  readRange(path: string, offset: number, length: number): Uint8Array;
  /** Creates the file with `O_EXCL`, writes all bytes, syncs it to disk. `EEXIST` when the name is taken. */
  createExclusive(path: string, bytes: Uint8Array, mode: number): void;
  /** One `O_APPEND` write of all bytes; the file is made with `mode` when absent. */
  append(path: string, bytes: Uint8Array, mode: number): void;
  /**
   * A new file `to` with the content of the regular file `from`, of exactly this mode. Shares the blocks where the
   * file system can, keeps holes, does not sync. `EEXIST` when `to` exists, `ELOOP` when `from` is a link, `EINVAL` when it is
   * no file. What was half written is removed.
   */
  copy(from: string, to: string, mode: number): void;
  /** Writes the content of `from` into the file `to` where it is, so that every name of it has the content. Not atomic. */
  overwrite(from: string, to: string): void;
  /** SHA-256 of the content in hexadecimal; the file is never held whole. */
  digest(path: string): string;
  rename(from: string, to: string): void;
  /** A hard link; `EEXIST` when `to` exists. */
  link(from: string, to: string): void;
  symlink(target: string, path: string): void;
  readLink(path: string): string;
  remove(path: string): void;
  removeDirectory(path: string): void;
  /** Makes the directory and its missing parents; existing ones keep their mode. */
  makeDirectory(path: string, mode: number): void;
  list(path: string): readonly string[];
  /** Facts of the name itself (`lstat`); undefined when nothing is there. */
  inspect(path: string): FileFacts | undefined;
  /** Facts of what the name leads to (`stat`); undefined when nothing is there or a link dangles. */
  follow(path: string): FileFacts | undefined;
  /** Exact facts of the name itself; undefined when nothing is there. */
  exactFacts(path: string): ExactFacts | undefined;
  /** Exact facts of all names in a directory, by name. What vanishes meanwhile is left out. */
  listFacts(path: string): readonly NamedFacts[];
  /** All names in a directory, in order, and what they are. Absent where that costs as much as their facts. */
  listKinds?(path: string): readonly NamedKind[];
  /**
   * Stamps of many names in one call. The paths are parted by zero bytes, the stamps by line breaks: empty where nothing
   * is there, the errno name of any other failure.
   */
  stampsOf(paths: string): string;
  /**
   * Tracked files below `top` that are not as an index of git notes them, as paths that are parted by zero bytes; undefined
   * where the form of the index is not read. Absent where a look at thousands of files takes longer than git does.
   */
  unlikeIndex?(index: string, top: string): string | undefined;
  realPath(path: string): string;
  changeMode(path: string, mode: number): void;
  /** Sets the time of modification of the name itself, to the microsecond at least; the time of access is now. */
  setModified(path: string, modifiedNs: string): void;
  /** Best effort: makes a rename in that directory durable. */
  syncDirectory(path: string): void;
  /**
   * Opens a directory from the root down without following a link: `ENOTDIR` where one is in the way. Absent where the
   * platform cannot look up names in an open directory.
   */
  holdDirectory?(path: string): HeldDirectory;
  /** The process's working directory; undefined when it was deleted. */
  workingDirectory(): string | undefined;
}

/** A directory that stays the same one whatever becomes of its name. */
export interface HeldDirectory {
  /** names below it are looked up in this very directory */
  readonly path: string;
  /** as `FileFacts` has it */
  readonly identity: string;
  release(): void;
}

export interface Environment {
  get(name: string): string | undefined;
  names(): readonly string[];
}

export interface Clock {
  /** wall clock, milliseconds since 1970 */
  nowMs(): number;
  /** never goes back; only differences mean anything */
  monotonicMs(): number;
  /** blocks the thread */
  sleepMs(ms: number): void;
  /** how long the host still waits for an answer: the only clock that may end work. Absent when no host waits. */
  answerInMs?(): number;
}

const MAX_LEFT_MS = 60_000;

/** No longer than the host waits, nor than a minute. */
export function leftMs({ answerInMs }: Pick<Clock, "answerInMs">): number {
  return Math.max(0, Math.min(MAX_LEFT_MS, answerInMs?.() ?? MAX_LEFT_MS));
}

export interface Random {
  /** `length` lower-case hexadecimal digits from a cryptographic source */
  hex(length: number): string;
}

export type InputRead =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "too-large"; readonly limitBytes: number }
  | { readonly kind: "closed" }
  | { readonly kind: "failed"; readonly code: string };

export interface Stdio {
  /** Reads stdin to its end, never holding more than the limit. */
  readInput(limitBytes: number): InputRead;
  /**
   * Writes everything; `gone` when the reader closed its end, an errno name for other failures. `discarded` is what went to the
   * null device: a person's wish, or what a runtime opens in the place of an output that was closed.
   */
  writeOutput(text: string): "written" | "discarded" | "gone" | { readonly code: string };
  /** Best effort; a failure is not reported anywhere because there is nowhere left. */
  writeError(text: string): void;
  isTerminal(stream: "stdin" | "stdout" | "stderr"): boolean;
}

export interface TextCodec {
  /** `replaced` is true when bytes were not UTF-8 and U+FFFD stands in their place. A BOM is kept. */
  decode(bytes: Uint8Array): { readonly text: string; readonly replaced: boolean };
  /** Lone surrogates become U+FFFD. */
  encode(text: string): Uint8Array;
}

export interface ProcessIdentity {
  readonly pid: number;
  /** distinguishes two processes that had the same pid; undefined where the platform does not tell */
  readonly start: string | undefined;
  readonly host: string;
}

export interface Processes {
  readonly self: ProcessIdentity;
  /** `undefined` when no such process exists; a process of another user counts as alive. */
  look(pid: number): { readonly start: string | undefined } | undefined;
  /** All processes by pid, where there is no `/proc` to read them from; absent where there is. */
  list?(): ReadonlyMap<number, ListedProcess>;
  /** Starts a child as the leader of its own process group. Never throws: a spawn failure is a result. */
  start(request: ProcessRequest): RunningProcess;
  /** Runs `callback` when this process ends normally or by SIGINT, SIGTERM or SIGHUP. */
  onEnd(callback: () => void): { dispose(): void };
}

export interface ListedProcess {
  readonly parent: number;
  readonly start: string | undefined;
  readonly argv: readonly string[];
  /** names that it goes by */
  readonly names: readonly string[];
}

export interface ProcessRequest {
  /** program and arguments; no shell is involved */
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input: Uint8Array;
  readonly timeoutMs: number;
  readonly limits: ProcessLimits;
  /** SIGTERM to the group, then SIGKILL after this long. Default 1000. */
  readonly killAfterMs?: number;
  /** how long to wait for pipes that a grandchild still holds after the exit. Default 250. */
  readonly pipeGraceMs?: number;
  /** Ends what is left of the group when the run is over, also after a normal exit. Default false. */
  readonly endsGroup?: boolean;
  /** sees every chunk as it arrives, also what is not kept; must not throw */
  readonly onOutput?: (stream: "stdout" | "stderr", chunk: Uint8Array) => void;
  /**
   * Is given the pid before the program begins, so that a caller that is killed at any moment has written it down or
   * has started nothing. `argv` must name bash, by which the program is held back. On Node alone; must not throw.
   */
  readonly beforeBegin?: (pid: number) => void;
}

export interface ProcessLimits {
  /** kept from the start of stdout */
  readonly stdoutBytes: number;
  /** kept from the end of stdout once the start is full; 0 keeps nothing */
  readonly tailBytes: number;
  /** kept from stderr; the last bytes, or the first */
  readonly stderrBytes: number;
  readonly keepsFirstErrors?: boolean;
  /** stdout and stderr read and thrown away beyond what is kept, before the child is stopped */
  readonly drainBytes: number;
}

export interface RunningProcess {
  readonly pid: number | undefined;
  readonly done: Promise<ProcessResult>;
  /** Ends the group early: SIGTERM, then SIGKILL. `done` then reports `stopped`. */
  stop(): void;
}

export interface ProcessResult {
  readonly end:
    | { readonly kind: "exit"; readonly code: number }
    | { readonly kind: "signal"; readonly signal: string }
    | { readonly kind: "not-started"; readonly code: string }
    | { readonly kind: "timeout" }
    | { readonly kind: "stopped" }
    | { readonly kind: "overflow" };
  readonly stdout: Uint8Array;
  /** the end of an stdout longer than `stdoutBytes`; empty otherwise */
  readonly stdoutTail: Uint8Array;
  readonly stderr: Uint8Array;
  readonly stdoutTruncated: boolean;
  readonly stderrTruncated: boolean;
  /** SIGKILL was needed */
  readonly killed: boolean;
  /** the child ended while another process still held its pipes */
  readonly pipeHeld: boolean;
  readonly durationMs: number;
}
