/** `amplihack/state`: the state primitives on the disk of this process, unless another system is given. */
import type { Json } from "../protocol/index.ts";
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
} from "../state/index.ts";
import type { System } from "../system/index.ts";
import { createNodeSystem } from "../system/node.ts";

export {
  envParsers,
  isStateError,
  StateError,
  type StateErrorCode,
  type UpdateOptions,
} from "../state/index.ts";
export { hasErrorCode, type System, SystemError } from "../system/index.ts";
export { createNodeSystem };

const thisProcess = createNodeSystem();
type WithOptionalSystem<O> = Omit<O, "system"> & { readonly system?: System };

export class AtomicJsonFile<T = Json> extends PortableJsonFile<T> {
  /** Plain JavaScript may leave the options out. `lockTimeout` is `lockTimeoutMs` under its short name. */
  constructor(
    path: string,
    options: WithOptionalSystem<AtomicJsonFileOptions<T>> & NeedsParse<T> & { readonly lockTimeout?: number },
  ) {
    const lockTimeoutMs = options?.lockTimeoutMs ?? options?.lockTimeout;
    const patience = lockTimeoutMs === undefined ? {} : { lockTimeoutMs };
    super(path, { ...options, ...patience, system: options?.system ?? thisProcess });
  }
}

export class FileLock extends PortableLock {
  /** A number is the timeout in milliseconds. */
  constructor(path: string, given: WithOptionalSystem<FileLockOptions> | number = {}) {
    const options = typeof given === "number" ? { timeoutMs: given } : given;
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

/** Reads a value; throws, saying what was expected, when it cannot. */
export type ReadValue<T> = (raw: string) => T;

export class EnvVar<T> extends PortableEnvVar<T> {
  /** What a function of your own could not read is never shown: it may be a secret. */
  constructor(name: string, parser: EnvParser<T> | ReadValue<T>, fallback?: T) {
    super(name, typeof parser === "function" ? toParser(parser) : parser, fallback);
  }

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

function toParser<T>(read: ReadValue<T>): EnvParser<T> {
  return {
    isShown: false,
    parse(raw) {
      try {
        return { ok: true, value: read(raw) };
      } catch (error) {
        return { ok: false, expected: error instanceof Error ? error.message : "another value" };
      }
    },
  };
}

export type { EnvParser };
