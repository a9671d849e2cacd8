import { AtomicFlag, Counter, readText } from "../../../state/index.ts";
import { hasErrorCode, join, type System } from "../../../system/index.ts";

/** What `.lock_active` says of itself; every part may be missing. */
export interface LockFacts {
  readonly lockedAt: string | undefined;
  readonly ownerId: string | undefined;
}

const CONTENT_LIMIT = 64 * 1024;

/** The files of continuous-work mode, all in one directory. */
export class LockFiles {
  readonly active: AtomicFlag;
  readonly messagePath: string;
  readonly promptPath: string;
  private readonly goalPath: string;
  private readonly directory: string;
  private readonly system: System;

  constructor(system: System, directory: string) {
    this.system = system;
    this.directory = directory;
    this.active = new AtomicFlag(join(directory, ".lock_active"), { system });
    this.goalPath = join(directory, ".lock_goal");
    this.messagePath = join(directory, ".lock_message");
    this.promptPath = join(directory, ".continuation_prompt");
  }

  /** Lines `key: value`; anything else, a directory included, is a lock that says nothing. */
  facts(): LockFacts {
    const values = new Map<string, string>();
    for (const line of this.content().split("\n")) {
      const colon = line.indexOf(":");
      if (colon > 0) values.set(line.slice(0, colon).trim(), line.slice(colon + 1).trim());
    }
    return { lockedAt: nonEmpty(values.get("locked_at")), ownerId: nonEmpty(values.get("session_id")) };
  }

  private content(): string {
    try {
      return readText(this.system, this.active.path, CONTENT_LIMIT) ?? "";
    } catch (error) {
      if (hasErrorCode(error, "EISDIR", "EFBIG")) return "";
      throw error;
    }
  }

  counter(sessionId: string): Counter {
    return new Counter(join(this.directory, sessionId, "lock_invocations.txt"), { system: this.system });
  }

  /** The counter that moved last since the lock was set, for a lock that does not say whose it is. */
  latestCounter(): Counter | undefined {
    const { files } = this.system;
    const since = files.inspect(this.active.path)?.modifiedMs ?? 0;
    const counters = files.list(this.directory).flatMap(name => {
      const counter = this.counter(name);
      const facts = files.inspect(counter.path);
      return facts === undefined || facts.modifiedMs < since ? [] : [{ counter, at: facts.modifiedMs }];
    });
    return counters.sort((one, other) => other.at - one.at)[0]?.counter;
  }

  /** Removes the four files and tells which could not be removed. */
  remove(): readonly string[] {
    const paths = [this.active.path, this.goalPath, this.messagePath, this.promptPath];
    return paths.flatMap(path => {
      try {
        new AtomicFlag(path, { system: this.system }).clear();
        return [];
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        return [error.message];
      }
    });
  }
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}

/** Milliseconds since 1970 of `2026-01-02T03:04:05`, local unless it names a zone; undefined for anything else. */
export function parseLockTime(text: string): number | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}(?::\d{2})?)(?:\.(\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?$/.exec(
    text,
  );
  if (match === null) return undefined;
  const [, day, time, fraction = "0", zone = ""] = match;
  const seconds = time?.length === 5 ? `${time}:00` : time;
  const offset = zone.replace(/^([+-]\d{2})(\d{2})$/, "$1:$2");
  const ms = Date.parse(`${day}T${seconds}.${fraction.padEnd(3, "0").slice(0, 3)}${offset}`);
  return Number.isNaN(ms) ? undefined : ms;
}
