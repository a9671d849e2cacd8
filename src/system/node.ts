import { Buffer, isUtf8 } from "node:buffer";
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
  writeSync,
} from "node:fs";
import type { Readable } from "node:stream";
import { Script } from "node:vm";
import { createNodeFiles, errorCode, loadTerminal, sleepMs, toSystemError } from "./node-files.ts";
import { createNodeProcesses } from "./node-processes.ts";
import type { Clock, Environment, Random, Stdio, System, TextCodec } from "./system.ts";

const DESCRIPTORS = { stdin: 0, stdout: 1, stderr: 2 } as const;
const FIRST_CHUNK_BYTES = 64 * 1024;
/** A non-blocking descriptor is asked again after this long. */
const RETRY_MS = 2;
/** An answer waits for its reader as long as it takes; words on stderr are not worth hanging for. */
const ERROR_PATIENCE_MS = 1_000;

/** Reads and writes the descriptors themselves: the stream objects of Node are slow to make and may be async. */
function createNodeStdio(): Stdio {
  return {
    readInput,
    writeOutput(text) {
      const code = writeAll(DESCRIPTORS.stdout, text, Number.POSITIVE_INFINITY);
      if (code === undefined) return isNullDevice(fstatSync(DESCRIPTORS.stdout)) ? "discarded" : "written";
      return code === "EPIPE" || code === "ECONNRESET" ? "gone" : { code };
    },
    writeError(text) {
      writeAll(DESCRIPTORS.stderr, text, ERROR_PATIENCE_MS);
    },
    isTerminal: stream => mayBeTerminal(DESCRIPTORS[stream]) && loadTerminal().isatty(DESCRIPTORS[stream]),
  };
}

const NULL_DEVICE = "/dev/null";

/** Asked first: what knows terminals loads sockets and streams with it. Services and scripts often give /dev/null. */
function mayBeTerminal(descriptor: number): boolean {
  try {
    const facts = fstatSync(descriptor);
    return facts.isCharacterDevice() && !isNullDevice(facts);
  } catch {
    return false;
  }
}

function isNullDevice(facts: Stats): boolean {
  return facts.isCharacterDevice() && facts.rdev === statSync(NULL_DEVICE, { throwIfNoEntry: false })?.rdev;
}

const readInput: Stdio["readInput"] = limitBytes => {
  let buffer = Buffer.allocUnsafeSlow(Math.min(FIRST_CHUNK_BYTES, limitBytes + 1));
  let length = 0;
  for (;;) {
    if (length === buffer.length) {
      const grown = Buffer.allocUnsafeSlow(Math.min(buffer.length * 4, limitBytes + 1));
      buffer.copy(grown);
      buffer = grown;
    }
    let count: number;
    try {
      count = readSync(DESCRIPTORS.stdin, buffer, length, buffer.length - length, null);
    } catch (error) {
      const code = errorCode(error);
      if (code === "EAGAIN") {
        sleepMs(RETRY_MS);
        continue;
      }
      return code === "EBADF" ? { kind: "closed" } : { kind: "failed", code };
    }
    if (count === 0) return { kind: "bytes", bytes: new Uint8Array(buffer.buffer, 0, length) };
    length += count;
    if (length > limitBytes) return { kind: "too-large", limitBytes };
  }
};

/** Undefined when everything was written, else the errno name. */
function writeAll(descriptor: number, text: string, patienceMs: number): string | undefined {
  const bytes = Buffer.from(text, "utf8");
  let waitedMs = 0;
  for (let written = 0; written < bytes.length; ) {
    try {
      written += writeSync(descriptor, bytes, written);
    } catch (error) {
      const code = errorCode(error);
      if (code !== "EAGAIN" || waitedMs >= patienceMs) return code;
      sleepMs(RETRY_MS);
      waitedMs += RETRY_MS;
    }
  }
  return undefined;
}

type Exports = Readonly<Record<string, unknown>>;

interface CompiledFile {
  readonly script: Script;
  run(require: (name: string) => unknown): Exports;
}

/**
 * Where the compiled code of a bundled file lies. V8 does not notice that code was made for another architecture, and crashes on
 * it: a home or a checkout may be shared by several.
 */
export function codeCachePath(file: string): string {
  return `${file}.${process.arch}.cache`;
}

export function readCache(file: string): Buffer | undefined {
  try {
    return readFileSync(codeCachePath(file));
  } catch {
    return undefined;
  }
}

/**
 * Compiles one bundled CommonJS file, with the machine code of an earlier run where there is some. V8 itself checks
 * that it fits this Node and this source, and compiles as usual where it does not.
 */
export function compileFile(file: string, cachedData: Buffer | undefined): CompiledFile {
  // The bundles are plain ASCII, so that the text needs no decoding, and are functions of what CommonJS gives to a
  // file, so that it need not be copied.
  const script = new Script(readFileSync(file, "latin1"), {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  return {
    script,
    run(require) {
      const module = { exports: {} };
      const wrapper = script.runInThisContext() as (...words: readonly unknown[]) => void;
      wrapper(module.exports, require, module, file, file.slice(0, file.lastIndexOf("/")));
      return module.exports;
    },
  };
}

/** The system of this very process. Cheap to make: what a run does not use is not loaded. */
/** `installedIn`: the state home that the program was staged in, as its wrapper says. */
export function createNodeSystem(installedIn?: string): System {
  return {
    installedIn,
    files: createNodeFiles(),
    env: environment,
    clock,
    random,
    stdio: createNodeStdio(),
    text,
    processes: createNodeProcesses(),
  };
}

const environment: Environment = {
  get(name) {
    const value: unknown = process.env[name];
    return typeof value === "string" ? value : undefined;
  },
  names: () => Object.keys(process.env),
};

const clock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => Number(process.hrtime.bigint()) / 1e6,
  sleepMs,
};

/** The kernel's generator: the crypto module would cost more to load than a whole hook to run. */
const random: Random = {
  hex(length) {
    const bytes = Buffer.alloc(Math.ceil(length / 2));
    let descriptor: number | undefined;
    try {
      descriptor = openSync("/dev/urandom", "r");
      for (let filled = 0; filled < bytes.length; )
        filled += readSync(descriptor, bytes, filled, bytes.length - filled, null);
    } catch (error) {
      throw toSystemError(error, "read random bytes from", "/dev/urandom");
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
    return bytes.toString("hex").slice(0, length);
  },
};

const text: TextCodec = {
  decode(bytes) {
    const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { text: view.toString(), replaced: !isUtf8(view) };
  },
  encode(content) {
    const encoded = Buffer.from(content, "utf8");
    return new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength);
  },
};

export { errorCode } from "./node-files.ts";
export {
  afterPending,
  createGroupWatcher,
  type GroupWatcher,
  onEnd,
  onExit,
  startGroupWatcher,
} from "./node-processes.ts";
export { runRealm } from "./node-realm.ts";
export const loadNodeRealm = () => import("./node-realm.ts");

/** What is kept of both ends of a line that is too long. */
const ENDS = 4_096;
/** No JSON has it: what stands around it is no message. */
const CUT = "\0";

/**
 * Each line of a stream, and only a line feed ends one: some readers take more for an end, and would see other messages.
 * A line above the limit comes as its two ends.
 */
export function readLines(input: Readable, limit: number, take: (line: string) => void): void {
  let parts: string[] = [];
  let length = 0;
  const keep = (part: string): void => {
    length += part.length;
    if (length > limit) parts = cutMiddle(parts, part);
    else parts.push(part);
  };
  const end = (): void => {
    const line = parts.join("");
    [parts, length] = [[], 0];
    take(line.endsWith("\r") ? line.slice(0, -1) : line);
  };
  input.setEncoding("utf8");
  input.on("data", (chunk: string) => {
    const lines = chunk.split("\n");
    lines.forEach((line, index) => {
      keep(line);
      if (index < lines.length - 1) end();
    });
  });
  input.on("end", () => {
    if (length > 0) end();
  });
}

function cutMiddle(parts: readonly string[], part: string): string[] {
  const [begin = "", cut, end = ""] = parts;
  if (cut === CUT) return [begin, CUT, `${end}${part}`.slice(-ENDS)];
  const whole = [...parts, part].join("");
  return [whole.slice(0, ENDS), CUT, whole.slice(-ENDS)];
}
