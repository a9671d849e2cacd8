/** `amplihack/state`: the state primitives on the disk of this process, unless another system is given. */
import type { Json } from "./protocol/index.ts";
import {
  type AtomicFlagOptions,
  type AtomicJsonFileOptions,
  type CounterOptions,
  type EnvParser,
  type FileLockOptions,
  type NeedsParse,
  Counter as PortableCounter,
  EnvVar as PortableEnvVar,
  AtomicFlag as PortableFlag,
  AtomicJsonFile as PortableJsonFile,
  FileLock as PortableLock,
} from "./state/index.ts";
import { createNodeSystem } from "./system/node.ts";
import type { System } from "./system/system.ts";

export {
  envParsers,
  isStateError,
  StateError,
  type StateErrorCode,
  type UpdateOptions,
} from "./state/index.ts";
export { hasErrorCode, type System, SystemError } from "./system/system.ts";
export { createNodeSystem };

const thisProcess = createNodeSystem();
type WithOptionalSystem<O> = Omit<O, "system"> & { readonly system?: System };

export class AtomicJsonFile<T = Json> extends PortableJsonFile<T> {
  /** Plain JavaScript may leave the options out. */
  constructor(path: string, options: WithOptionalSystem<AtomicJsonFileOptions<T>> & NeedsParse<T>) {
    super(path, { ...options, system: options?.system ?? thisProcess });
  }
}

export class FileLock extends PortableLock {
  constructor(path: string, options: WithOptionalSystem<FileLockOptions> = {}) {
    super(path, { ...options, system: options.system ?? thisProcess });
  }
}

export class AtomicFlag extends PortableFlag {
  constructor(path: string, options: WithOptionalSystem<AtomicFlagOptions> = {}) {
    super(path, { ...options, system: options.system ?? thisProcess });
  }
}

export class Counter extends PortableCounter {
  constructor(path: string, options: WithOptionalSystem<CounterOptions> = {}) {
    super(path, { ...options, system: options.system ?? thisProcess });
  }
}

export class EnvVar<T> extends PortableEnvVar<T> {
  override isSet(source: Pick<System, "env"> = thisProcess): boolean {
    return super.isSet(source);
  }

  override get(source: Pick<System, "env" | "stdio"> = thisProcess, warn?: (message: string) => void): T {
    return super.get(source, warn);
  }

  override getOrError(source: Pick<System, "env"> = thisProcess): T {
    return super.getOrError(source);
  }

  override tryGet(source: Pick<System, "env"> = thisProcess): T | undefined {
    return super.tryGet(source);
  }
}

export type { EnvParser };
