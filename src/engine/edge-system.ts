import { type GuardHook, type GuardOptions, guard as guardHook } from "../guard/index.ts";
import type { Hook } from "../protocol/index.ts";
import {
  type Clock,
  type ExactFacts,
  type FileFacts,
  isAbsolute,
  type NamedFacts,
  type Random,
  type System,
  SystemError,
} from "../system/index.ts";
import { createMemorySystem, Faults, MemoryFiles, type SeedEntry } from "../system/memory.ts";
import type { SystemHook } from "./parts.ts";
import { registerHook } from "./system-hooks.ts";

/** Makes a hook that looks at a system usable in an engine that has none. */
export function withSystem(hook: Hook<System>, system: System): SystemHook {
  return {
    id: hook.id,
    register: (describeEvent, options, sequence) =>
      registerHook(hook, describeEvent(hook.event), system, options, sequence),
  };
}

/**
 * The guard, as `amplihack/guard` has it, for engines without a system of their own. What `system` does not know is
 * judged by its name.
 */
export function guard(options: GuardOptions = {}, system: System = createEdgeSystem()): SystemHook {
  const hook = guardHook(options);
  const placed: GuardHook = {
    ...hook,
    run: (input, given, known) => hook.run(input, startedIn(given, input.cwd ?? ""), known),
  };
  return withSystem(placed, system);
}

/** A system that does not know a call's directory must not take another one for it. */
function startedIn(system: System, directory: string): System {
  if (!isAbsolute(directory)) return system;
  return {
    ...system,
    files: Object.assign(Object.create(system.files), { workingDirectory: () => directory }),
  };
}

export interface EdgeSystemOptions {
  /** what hooks may know of the machine that the tools run on, by absolute path */
  readonly files?: Readonly<Record<string, SeedEntry>>;
  /** whether `files` are all there are; without it any other path may be there or not */
  readonly isComplete?: boolean;
  /** the environment that the tools run with; default: none */
  readonly env?: Readonly<Record<string, string>>;
  /** where the tools run, if a call does not say; default `/` */
  readonly cwd?: string;
}

const ROOT_UID = 0;
const UMASK = 0o022;

/**
 * The machine that tools run on, as far as a runtime without files and processes can know it. Nothing outside is
 * touched: files are in memory, no program can be started, time and randomness are those of the runtime.
 */
export function createEdgeSystem(options: EdgeSystemOptions = {}): System {
  const { files, isComplete = false, env = {}, cwd = "/" } = options;
  if (!isAbsolute(cwd)) throw new TypeError(`cwd must be an absolute path, not ${JSON.stringify(cwd)}`);
  const memory = createMemorySystem({ files: files ?? {}, env, cwd, nowMs: Date.now() });
  const Kind = isComplete ? MemoryFiles : KnownFiles;
  return {
    files: new Kind({
      disk: memory.machine.disk,
      faults: new Faults(),
      nowMs: Date.now,
      uid: ROOT_UID,
      umask: UMASK,
      cwd,
      onCall() {},
    }),
    env: memory.env,
    clock,
    random,
    stdio: memory.stdio,
    text: memory.text,
    processes: memory.processes,
  };
}

/** Some files of a machine. Of all others it cannot be told whether they are there, which is no reason to say no. */
class KnownFiles extends MemoryFiles {
  override inspect(path: string): FileFacts {
    return super.inspect(path) ?? unknown("inspect", path);
  }

  override follow(path: string): FileFacts {
    return super.follow(path) ?? unknown("inspect", path);
  }

  override exactFacts(path: string): ExactFacts {
    return super.exactFacts(path) ?? unknown("inspect", path);
  }

  override list(path: string): readonly string[] {
    return unknown("list", path);
  }

  override listFacts(path: string): readonly NamedFacts[] {
    return unknown("list", path);
  }
}

function unknown(operation: string, path: string): never {
  throw new SystemError("EACCES", operation, path);
}

const clock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleepMs() {
    throw new SystemError("ENOSYS", "sleep");
  },
};

const random: Random = {
  hex: length =>
    Array.from(crypto.getRandomValues(new Uint8Array(Math.ceil(length / 2))), byte =>
      byte.toString(16).padStart(2, "0"),
    )
      .join("")
      .slice(0, length),
};
