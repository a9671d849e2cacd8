import { JSON_DEPTH_LIMIT, numberAt, parseJsonObject, stringAt } from "../protocol/index.ts";
import {
  basename,
  dirname,
  type FileFacts,
  hasErrorCode,
  type Processes,
  type ProcessIdentity,
  type System,
} from "../system/index.ts";
import { removeIfThere, StateError, withParents } from "./files.ts";

/**
 * JSON text of a value that survives the way back unchanged. What `JSON.stringify` would drop or bend without a
 * word (undefined, non-finite numbers, dates, promises, cycles) is an error naming the place in the value.
 */
export function serialise(value: unknown, subject: string, indent: 0 | 2): string {
  check(value, "$", subject, 0);
  return JSON.stringify(value, null, indent);
}

function check(value: unknown, place: string, subject: string, depth: number): void {
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (!Number.isFinite(value)) refuse(subject, place, String(value));
      return;
    case "object":
      break;
    default:
      refuse(subject, place, typeof value);
  }
  if (value === null) return;
  if (depth >= JSON_DEPTH_LIMIT) refuse(subject, place, `more than ${JSON_DEPTH_LIMIT} levels of nesting`);
  if (Array.isArray(value)) {
    // By index, because holes are not visited otherwise.
    for (let index = 0; index < value.length; index++)
      check(value[index], `${place}[${index}]`, subject, depth + 1);
    return;
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) refuse(subject, place, "an object of a class");
  for (const [key, member] of Object.entries(value)) check(member, `${place}.${key}`, subject, depth + 1);
}

function refuse(subject: string, place: string, found: string): never {
  throw new StateError(
    "not-serialisable",
    subject,
    `cannot store a value in ${subject}: expected plain JSON at ${place}, found ${found}`,
  );
}

export interface FileLockOptions {
  readonly system: System;
  /** 0 makes one attempt. Default 5000. */
  readonly timeoutMs?: number;
  /** of a parent that has to be made. Default 0700. */
  readonly directoryMode?: number;
  /**
   * how long a lock of another host counts, whose processes cannot be looked at. More than anybody holds it for.
   * Default 600000.
   */
  readonly foreignMs?: number;
  /** told when the lock of a process that no longer lives was removed */
  readonly onBroken?: (message: string) => void;
}

export const DEFAULT_LOCK_TIMEOUT_MS = 5_000;
/**
 * For records behind an answer. The host has the answer but waits for the process to end, so that a lock which somebody
 * keeps must not hold the call up: the record is written without it, or its absence is told.
 */
export const RECORD_LOCK_TIMEOUT_MS = 200;
const MIN_PAUSE_MS = 10;
const PAUSE_SPREAD_MS = 41;
/** Unreadable content younger than this may be a lock in the making. */
const UNFINISHED_MS = 2_000;
/** Containers come and go under new host names. What runs under this lock takes seconds; ten minutes are plenty. */
const DEFAULT_FOREIGN_MS = 10 * 60_000;
const CONTENT_LIMIT = 4_096;
/** How many levels of breaker locks there may be. A further one is needed only when a process is killed while it breaks a lock. */
const MAX_BREAKER_DEPTH = 3;
const NO_HARD_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"] as const;

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly start: string | undefined;
}

/** A lock file as it was found. Two sightings are of one lock when all of it is equal. */
interface Sighting {
  readonly facts: FileFacts;
  /** undefined when it may not be read, or is no file: then nothing is concluded from it */
  readonly content: string | undefined;
}

/**
 * Mutual exclusion between processes by a lock file. Never waits beyond its timeout, which is an error. A lock
 * left by a process that no longer lives is broken, one of a living process never; one of another host when it is
 * older than anybody holds it. Not reentrant: a second acquire of one path, also in one process, times out.
 */
export class FileLock {
  readonly path: string;
  private readonly options: FileLockOptions;
  private readonly timeoutMs: number;
  private readonly breakerDepth: number;
  private held: { readonly nonce: string; readonly atEnd: { dispose(): void } } | undefined;

  constructor(path: string, options: FileLockOptions, breakerDepth = 0) {
    this.path = path;
    this.options = options;
    this.timeoutMs = options.timeoutMs ?? DEFAULT_LOCK_TIMEOUT_MS;
    this.breakerDepth = breakerDepth;
  }

  get isHeld(): boolean {
    return this.held !== undefined;
  }

  /** Throws a `StateError` with code `lock-timeout` when another holder keeps the lock for too long. */
  acquire(): void {
    if (!this.tryAcquire()) {
      throw new StateError(
        "lock-timeout",
        this.path,
        `could not lock ${this.path} within ${this.timeoutMs} ms: ${this.describeHolder()}`,
      );
    }
  }

  /** As `acquire`; false instead of the error. */
  tryAcquire(): boolean {
    const { clock, processes } = this.options.system;
    const deadline = clock.monotonicMs() + this.timeoutMs;
    for (let attempt = 1; ; attempt++) {
      const sighting = this.look();
      if (sighting === undefined) {
        if (this.tryCreate()) return true;
      } else if (this.isDead(sighting) && this.break(sighting) && this.tryCreate()) {
        return true;
      }
      const leftMs = deadline - clock.monotonicMs();
      if (leftMs <= 0) return false;
      const pauseMs = MIN_PAUSE_MS + ((processes.self.pid * 7 + attempt * 13) % PAUSE_SPREAD_MS);
      clock.sleepMs(Math.min(pauseMs, leftMs));
    }
  }

  /** Gives the lock back; harmless when it is not held. */
  release(): void {
    const { held } = this;
    if (held === undefined) return;
    this.held = undefined;
    held.atEnd.dispose();
    const content = this.look()?.content;
    if (content !== undefined && readNonce(content) === held.nonce)
      removeIfThere(this.options.system.files, this.path);
  }

  /** Runs `action`, which is not asynchronous, while holding the lock. */
  run<T>(action: () => T): T {
    this.acquire();
    try {
      return action();
    } finally {
      this.release();
    }
  }

  /** Runs `action` and holds the lock until its promise is settled. */
  async runAsync<T>(action: () => Promise<T>): Promise<T> {
    this.acquire();
    try {
      return await action();
    } finally {
      this.release();
    }
  }

  private look(path: string = this.path): Sighting | undefined {
    const { files, text } = this.options.system;
    const facts = files.inspect(path);
    if (facts === undefined) return undefined;
    if (facts.kind !== "file") return { facts, content: undefined };
    try {
      return { facts, content: text.decode(files.read(path, CONTENT_LIMIT)).text };
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return undefined;
      if (hasErrorCode(error, "EFBIG")) return { facts, content: "" };
      if (hasErrorCode(error, "EACCES", "EPERM")) return { facts, content: undefined };
      throw error;
    }
  }

  /** The content is complete before the name exists, so that it is never read half-written. */
  private tryCreate(): boolean {
    const { system } = this.options;
    const { files, text } = system;
    const nonce = system.random.hex(32);
    const { pid, host, start } = system.processes.self;
    const created = new Date(system.clock.nowMs()).toISOString();
    const content = text.encode(serialise({ pid, host, start: start ?? null, created, nonce }, this.path, 0));
    const temporary = `${dirname(this.path)}/.${basename(this.path).slice(-60)}.${nonce}.tmp`;
    try {
      // An append and not an exclusive create, because that would wait for the disk and a lock need not last.
      withParents(files, temporary, this.options.directoryMode, () =>
        files.append(temporary, content, 0o600),
      );
      this.linkOrCreate(temporary, content);
      this.held = { nonce, atEnd: system.processes.onEnd(() => this.release()) };
      return true;
    } catch (error) {
      if (hasErrorCode(error, "EEXIST")) return false;
      throw error;
    } finally {
      this.removeTemporary(temporary);
    }
  }

  private linkOrCreate(temporary: string, content: Uint8Array): void {
    const { files } = this.options.system;
    try {
      files.link(temporary, this.path);
    } catch (error) {
      if (!hasErrorCode(error, ...NO_HARD_LINKS)) throw error;
      files.createExclusive(this.path, content, 0o600);
    }
  }

  /** On a full disk the lock file is incomplete. If it cannot be removed either, the lock counts as not held. */
  private removeTemporary(temporary: string): void {
    try {
      removeIfThere(this.options.system.files, temporary);
    } catch (error) {
      this.release();
      throw error;
    }
  }

  private isDead({ facts, content }: Sighting): boolean {
    if (content === undefined) return false;
    const { clock, processes } = this.options.system;
    const holder = readHolder(content);
    if (holder === undefined) return clock.nowMs() - facts.modifiedMs > UNFINISHED_MS;
    const { foreignMs = DEFAULT_FOREIGN_MS } = this.options;
    if (holder.host !== processes.self.host) return clock.nowMs() - facts.modifiedMs > foreignMs;
    return hasEnded(processes, holder);
  }

  /**
   * Removes a lock judged dead. Only the holder of the breaker lock removes locks of others, so what it
   * sees does not change meanwhile; the check after the rename covers a breaker that was itself broken.
   */
  private break(judged: Sighting): boolean {
    if (this.breakerDepth >= MAX_BREAKER_DEPTH) return this.moveAside(judged);
    const breaker = new FileLock(
      `${this.path}.break`,
      { ...this.options, timeoutMs: 0 },
      this.breakerDepth + 1,
    );
    if (!breaker.tryAcquire()) return false;
    try {
      return isSame(judged, this.look()) && this.moveAside(judged);
    } finally {
      breaker.release();
    }
  }

  private moveAside(judged: Sighting): boolean {
    const { files, random } = this.options.system;
    const aside = `${this.path}.${random.hex(16)}.stale`;
    try {
      files.rename(this.path, aside);
    } catch (error) {
      if (hasErrorCode(error, "ENOENT")) return true;
      throw error;
    }
    const isJudgedOne = isSame(judged, this.look(aside));
    if (!isJudgedOne) this.putBack(aside);
    removeIfThere(files, aside);
    if (isJudgedOne) this.options.onBroken?.(`broke the lock ${this.path}, whose holder is gone`);
    return isJudgedOne;
  }

  private putBack(aside: string): void {
    try {
      this.linkOrCreate(aside, this.options.system.files.read(aside, CONTENT_LIMIT));
    } catch (error) {
      if (!hasErrorCode(error, "EEXIST")) throw error;
    }
  }

  private describeHolder(): string {
    const sighting = this.look();
    if (sighting === undefined) return "others kept taking it; try again";
    if (sighting.facts.kind !== "file") return `a ${sighting.facts.kind} has its name; remove it`;
    const holder = sighting.content === undefined ? undefined : readHolder(sighting.content);
    if (holder === undefined) return "its content is not readable; remove it if no amplihack process runs";
    const place = holder.host === this.options.system.processes.self.host ? "" : ` on host ${holder.host}`;
    return `process ${holder.pid}${place} holds it; remove the file only if that process is gone`;
  }
}

function isSame(judged: Sighting, now: Sighting | undefined): boolean {
  return (
    now !== undefined &&
    now.content === judged.content &&
    now.facts.identity === judged.facts.identity &&
    now.facts.modifiedMs === judged.facts.modifiedMs
  );
}

function readNonce(content: string): string | undefined {
  return stringAt(parseJsonObject(content, 2), "nonce");
}

function readHolder(content: string): Holder | undefined {
  const members = parseJsonObject(content, 2);
  const pid = numberAt(members, "pid") ?? 0;
  const host = stringAt(members, "host");
  if (!Number.isSafeInteger(pid) || pid <= 0 || host === undefined || readNonce(content) === undefined)
    return undefined;
  return { pid, host, start: stringAt(members, "start") };
}

/** Is that process no more? Of another machine it is not known. */
export function hasEnded(processes: Processes, { host, pid, start }: ProcessIdentity): boolean {
  if (host !== processes.self.host) return false;
  const found = processes.look(pid);
  if (found === undefined) return true;
  return start !== undefined && found.start !== undefined && start !== found.start;
}
