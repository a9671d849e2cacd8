import { supplyChecksum } from "./checksum.ts";
import { supplySha256 } from "./sha256.ts";
import {
  type FileFacts,
  type FileKind,
  type NamedFacts,
  type ProcessIdentity,
  type ProcessResult,
  type System,
  SystemError,
} from "./system.ts";
import { decodeName } from "./utf8.ts";

/**
 * What the native host puts into the engine. A primitive answers with its value, or with the errno name as a
 * plain string; text comes in a one-element list so that the two are never confused. In text that it is given, a
 * lone surrogate counts as U+FFFD.
 */
export interface NativeHost {
  read(path: string, limit: number): Uint8Array | string;
  readRange(path: string, offset: number, length: number): Uint8Array | string;
  createExclusive(path: string, bytes: Uint8Array, mode: number): undefined | string;
  append(path: string, bytes: Uint8Array, mode: number): undefined | string;
  copy(from: string, to: string, mode: number): undefined | string;
  overwrite(from: string, to: string): undefined | string;
  digest(path: string): readonly [string] | string;
  rename(from: string, to: string): undefined | string;
  link(from: string, to: string): undefined | string;
  symlink(target: string, path: string): undefined | string;
  readLink(path: string): readonly [NativeName] | string;
  remove(path: string): undefined | string;
  removeDirectory(path: string): undefined | string;
  makeDirectory(path: string, mode: number): undefined | string;
  list(path: string): NativeName[] | string;
  /** an index of `KINDS`, and the facts in `room`, which an object with names would be slower to carry */
  inspect(path: string, room: Float64Array): number | string;
  follow(path: string, room: Float64Array): number | string;
  /** one entry without a name, or none when nothing is there */
  exactFacts(path: string): ExactFields | string;
  listFacts(path: string): ExactFields | string;
  stampsOf(paths: string): string;
  unlikeIndex(index: string, top: string): NativeName | undefined;
  realPath(path: string): readonly [NativeName] | string;
  changeMode(path: string, mode: number): undefined | string;
  setModified(path: string, modifiedNs: string): undefined | string;
  syncDirectory(path: string): void;
  workingDirectory(): string | undefined;
  getEnvironment(name: string): string | undefined;
  environmentNames(): string[];
  nowMs(): number;
  monotonicMs(): number;
  sleepMs(ms: number): void;
  /** the run is interrupted this long after its start */
  setDeadlineMs(ms: number): void;
  randomHex(length: number): readonly [string] | string;
  encode(text: string): Uint8Array;
  decode(bytes: Uint8Array): { readonly text: string; readonly replaced: boolean };
  /** in hexadecimal */
  sha256(bytes: Uint8Array): string;
  /** FNV-1a over UTF-16 units; undefined for a text that may have lone surrogates */
  checksum(text: string): number | undefined;
  readInput(limit: number): Uint8Array | string;
  writeOutput(text: string): string | undefined;
  writeError(text: string): void;
  /** what is written, and the exit code, should this process crash before it has answered */
  keepAnswer(stdout: string, stderr: string, exitCode: number): void;
  isTerminal(descriptor: number): boolean;
  processId(): number;
  hostName(): string;
  startTime(pid: number): string | undefined;
  isAlive(pid: number): boolean;
  start(request: NativeProcessRequest): NativeProcessResult;
  /** A new realm in which `text`, the expression of a function that starts a hook, was evaluated. */
  openRealm(text: string): NativeRealm;
}

/**
 * Evaluates the text that loads a hook in the realm, calls the function that starts it with `outside`, which hands texts to
 * `answer` and back, and works off what waits until `isEnded`. `begin` is given the way back in. Why it did not come to an
 * end, or undefined. For one hook alone: the next one needs a realm of its own.
 */
export type NativeRealm = (
  hook: readonly [code: string, exportName: string, given: string],
  answer: (name: string, args: string) => string,
  begin: (resume: (id: number, answer: string) => void) => void,
  isEnded: () => boolean,
  timeoutMs: number,
) => string | undefined;

/** Text, or the bytes of a name that is not UTF-8. In paths that the host is given, such bytes are as `decodeName` has them. */
type NativeName = string | Uint8Array;

function toName(name: NativeName): string {
  return typeof name === "string" ? name : decodeName(name);
}

/** name, kind, size, allocated bytes, mode, time of modification, identity, stamp and names of one entry after another */
type ExactFields = readonly (NativeName | number)[];
const EXACT_FIELD_COUNT = 9;

interface NativeProcessRequest {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: readonly (readonly [string, string])[];
  readonly input: Uint8Array;
  readonly timeoutMs: number;
  readonly killAfterMs?: number | undefined;
  readonly pipeGraceMs?: number | undefined;
  readonly stdoutBytes: number;
  readonly tailBytes: number;
  readonly stderrBytes: number;
  readonly keepsFirstErrors?: boolean;
  readonly drainBytes: number;
  readonly onOutput?: ((stream: "stdout" | "stderr", chunk: Uint8Array) => void) | undefined;
}

type NativeProcessResult = Omit<ProcessResult, "end"> & {
  readonly kind: ProcessResult["end"]["kind"];
  readonly detail: number | string | undefined;
};

/** A digest and a checksum that are not interpreted. */
export function supplyDigest(host: NativeHost): void {
  supplySha256(bytes => host.sha256(bytes));
  supplyChecksum(text => host.checksum(text) ?? undefined);
}

/** As in `node-realm.ts`: what the hook calls `done` or `failed` with ends it. */
export async function runRealm(
  realm: NativeRealm,
  hook: readonly [code: string, exportName: string, given: string],
  open: (resume: (id: number, answer: string) => void) => (name: string, args: string) => string,
  timeoutMs: number,
): Promise<string> {
  let ended: { readonly text: string; readonly isFailure: boolean } | undefined;
  let resume: (id: number, answer: string) => void = () => {};
  const answer = open((id, said) => resume(id, said));
  const problem = realm(
    hook,
    (name, args) => {
      if (name !== "done" && name !== "failed") return answer(name, args);
      ended ??= { text: args, isFailure: name === "failed" };
      return "{}";
    },
    wayIn => {
      resume = wayIn;
    },
    () => ended !== undefined,
    timeoutMs,
  );
  if (ended === undefined) throw new Error(problem ?? "it gave no answer");
  if (ended.isFailure) throw new Error(ended.text);
  return ended.text;
}

const DESCRIPTORS = { stdin: 0, stdout: 1, stderr: 2 } as const;

/** The system of the native executable, and what is to run when the process ends. */
export function createQuickJsSystem(host: NativeHost): { readonly system: System; readonly end: () => void } {
  const endings = new Set<() => void>();
  const files = openFiles(host);
  const system: System = {
    get installedIn() {
      return stagedPlace(files);
    },
    files,
    env: {
      get: name => host.getEnvironment(name) ?? undefined,
      names: () => host.environmentNames(),
    },
    clock: {
      nowMs: () => host.nowMs(),
      monotonicMs: () => host.monotonicMs(),
      sleepMs: ms => host.sleepMs(ms),
    },
    random: { hex: length => unwrapText(host.randomHex(length), "read random bytes from", "/dev/urandom") },
    stdio: openStdio(host),
    text: { decode: bytes => host.decode(bytes), encode: text => host.encode(text) },
    processes: openProcesses(host, endings),
  };
  return {
    system,
    end() {
      for (const callback of endings) callback();
      endings.clear();
    },
  };
}

/** The state home around `.claude/bin/amplihack-hooks`, where an installation puts a copy of this program. */
function stagedPlace(files: System["files"]): string | undefined {
  try {
    return /^(\/.+)\/\.claude\/bin\/amplihack-hooks$/.exec(files.readLink("/proc/self/exe"))?.[1];
  } catch {
    // A system without /proc does not tell.
    return undefined;
  }
}

function openStdio(host: NativeHost): System["stdio"] {
  return {
    readInput(limitBytes) {
      const bytes = host.readInput(limitBytes);
      if (typeof bytes !== "string") return { kind: "bytes", bytes };
      if (bytes === "EFBIG") return { kind: "too-large", limitBytes };
      return bytes === "EBADF" ? { kind: "closed" } : { kind: "failed", code: bytes };
    },
    writeOutput(text) {
      const code = host.writeOutput(text) ?? undefined;
      if (code === undefined) return "written";
      if (code === "discarded") return code;
      return code === "EPIPE" ? "gone" : { code };
    },
    writeError: text => host.writeError(text),
    isTerminal: stream => host.isTerminal(DESCRIPTORS[stream]),
  };
}

function openProcesses(host: NativeHost, endings: Set<() => void>): System["processes"] {
  let self: ProcessIdentity | undefined;
  return {
    get self() {
      // An image may hold that of the process that made it.
      const pid = host.processId();
      if (self?.pid !== pid) self = { pid, start: host.startTime(pid) ?? undefined, host: host.hostName() };
      return self;
    },
    look: pid => (host.isAlive(pid) ? { start: host.startTime(pid) ?? undefined } : undefined),
    start(request) {
      const { limits, killAfterMs, pipeGraceMs, onOutput } = request;
      const result = host.start({
        argv: request.argv,
        cwd: request.cwd,
        env: Object.entries(request.env),
        input: request.input,
        timeoutMs: request.timeoutMs,
        killAfterMs,
        pipeGraceMs,
        ...limits,
        onOutput,
      });
      return { pid: undefined, done: Promise.resolve(toResult(result)), stop() {} };
    },
    onEnd(callback) {
      endings.add(callback);
      return { dispose: () => void endings.delete(callback) };
    },
  };
}

const KINDS: readonly (FileKind | undefined)[] = [undefined, "file", "directory", "symlink", "other"];

/** Most facts are looked at for their kind alone, so the identity is written out when it is asked for. */
class NativeFacts implements FileFacts {
  readonly kind: FileKind;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly modifiedMs: number;
  private readonly device: number;
  private readonly upperInode: number;
  private readonly lowerInode: number;

  constructor(kind: FileKind, room: Float64Array) {
    this.kind = kind;
    this.size = room[0] ?? 0;
    this.mode = room[1] ?? 0;
    this.uid = room[2] ?? 0;
    this.modifiedMs = room[3] ?? 0;
    this.device = room[4] ?? 0;
    this.upperInode = room[5] ?? 0;
    this.lowerInode = room[6] ?? 0;
    this.gid = room[7] ?? 0;
  }

  get identity(): string {
    const { device, upperInode, lowerInode } = this;
    // Almost all inodes are exact as numbers.
    const inode =
      upperInode < 2 ** 21
        ? upperInode * 2 ** 32 + lowerInode
        : (BigInt(upperInode) << 32n) | BigInt(lowerInode);
    return `${device}:${inode}`;
  }
}

function toExactFacts(fields: ExactFields): NamedFacts[] {
  const found: NamedFacts[] = [];
  for (let at = 0; at < fields.length; at += EXACT_FIELD_COUNT) {
    found.push({
      name: toName(fields[at] as NativeName),
      kind: KINDS[fields[at + 1] as number] ?? "other",
      size: fields[at + 2] as number,
      allocatedBytes: fields[at + 3] as number,
      mode: fields[at + 4] as number,
      modifiedNs: fields[at + 5] as string,
      identity: fields[at + 6] as string,
      stamp: fields[at + 7] as string,
      links: fields[at + 8] as number,
    });
  }
  return found;
}

function openFiles(host: NativeHost): System["files"] {
  const room = new Float64Array(8);
  const toFacts = (kind: number | string, path: string) => {
    const found = KINDS[unwrap(kind, "inspect", path)];
    return found === undefined ? undefined : new NativeFacts(found, room);
  };
  return {
    read: (path, limit) => unwrap(host.read(path, limit), "read", path),
    readRange: (path, offset, length) => unwrap(host.readRange(path, offset, length), "read", path),
    createExclusive: (path, bytes, mode) => unwrap(host.createExclusive(path, bytes, mode), "create", path),
    append: (path, bytes, mode) => unwrap(host.append(path, bytes, mode), "append to", path),
    copy: (from, to, mode) => unwrap(host.copy(from, to, mode), "copy", from),
    overwrite: (from, to) => unwrap(host.overwrite(from, to), "overwrite", to),
    digest: path => unwrapText(host.digest(path), "digest", path),
    rename: (from, to) => unwrap(host.rename(from, to), "rename", from),
    link: (from, to) => unwrap(host.link(from, to), "link", to),
    symlink: (target, path) => unwrap(host.symlink(target, path), "symlink", path),
    readLink: path => unwrapText(host.readLink(path), "read link", path),
    remove: path => unwrap(host.remove(path), "remove", path),
    removeDirectory: path => unwrap(host.removeDirectory(path), "remove directory", path),
    makeDirectory: (path, mode) => unwrap(host.makeDirectory(path, mode), "make directory", path),
    list: path => unwrap(host.list(path), "list", path).map(toName).sort(),
    inspect: path => toFacts(host.inspect(path, room), path),
    follow: path => toFacts(host.follow(path, room), path),
    exactFacts: path => toExactFacts(unwrap(host.exactFacts(path), "inspect", path))[0],
    listFacts: path =>
      toExactFacts(unwrap(host.listFacts(path), "list", path)).sort((one, other) =>
        one.name < other.name ? -1 : 1,
      ),
    stampsOf: paths => host.stampsOf(paths),
    unlikeIndex(index, top) {
      const paths = host.unlikeIndex(index, top) ?? undefined;
      return paths === undefined ? undefined : toName(paths);
    },
    realPath: path => unwrapText(host.realPath(path), "resolve", path),
    changeMode: (path, mode) => unwrap(host.changeMode(path, mode), "change mode of", path),
    setModified: (path, modifiedNs) => unwrap(host.setModified(path, modifiedNs), "set the time of", path),
    syncDirectory: path => host.syncDirectory(path),
    workingDirectory: () => host.workingDirectory() ?? undefined,
  };
}

function unwrap<T>(answer: T | string, operation: string, path: string): T {
  if (typeof answer === "string") throw new SystemError(answer, operation, path);
  return answer;
}

function unwrapText(answer: readonly [NativeName] | string, operation: string, path: string): string {
  return toName(unwrap(answer, operation, path)[0]);
}

function toResult({ kind, detail, ...facts }: NativeProcessResult): ProcessResult {
  return { ...facts, end: toEnd(kind, detail) };
}

function toEnd(
  kind: ProcessResult["end"]["kind"],
  detail: number | string | undefined,
): ProcessResult["end"] {
  switch (kind) {
    case "exit":
      return { kind, code: Number(detail) };
    case "signal":
      return { kind, signal: String(detail) };
    case "not-started":
      return { kind, code: String(detail) };
    default:
      return { kind };
  }
}
