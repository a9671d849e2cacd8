import { allow, ask, context, defineHook, deny, halt, message, replaceOutput, rewrite } from "./define.ts";

// What stands around a portable hook inside its own realm: the build joins this file and what it imports into one text.
// Nothing but numbers and texts goes in or out, through one function.

/** Asks the program around the realm; takes and gives JSON. */
type Outside = (name: string, args: string) => string;
type Load = (module: object, exports: object, provide: (name: string) => unknown) => void;

const AUTHORING = { allow, ask, context, defineHook, deny, halt, message, replaceOutput, rewrite };

function provide(name: string): unknown {
  if (name === "amplihack/hooks") return AUTHORING;
  throw new Error(`it imports ${name}, which is not part of it`);
}

/** Loads a compiled hook and calls it. Returns the way in for answers that come later, by the number they have. */
export function start(
  load: Load,
  exportName: string,
  given: string,
  outside: Outside,
  /** given where the realm was made long ago */
  seed?: number,
): (id: number, answer: string) => void {
  const { parse, stringify } = JSON;
  if (seed !== undefined) Math.random = randomFrom(seed);
  const waiting = new Map<number, (answer: string) => void>();
  const open = (answer: string): unknown => {
    const { value, problem } = parse(answer) as { readonly value?: unknown; readonly problem?: string };
    if (problem !== undefined) throw new Error(problem);
    return value;
  };
  const question = (name: string, ...args: readonly unknown[]): unknown => {
    let answer: string;
    try {
      answer = outside(name, stringify(args) ?? "[]");
    } catch {
      // An error from outside is an object from outside, and goes no further.
      throw new Error("the program around the hook failed");
    }
    return open(answer);
  };
  const later = (name: string, ...args: readonly unknown[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      waiting.set(question(name, ...args) as number, answer => {
        try {
          resolve(open(answer));
        } catch (error) {
          reject(error as Error);
        }
      });
    });
  const tell = (name: "done" | "failed", text: string): void => void outside(name, text);
  const fail = (error: unknown): void => {
    let text = "it threw something that is not text";
    try {
      text = String(error instanceof Error ? error.message : error);
    } catch {}
    tell("failed", text);
  };
  try {
    const module: { exports: Record<string, unknown> } = { exports: {} };
    load(module, module.exports, provide);
    const hook = Object(module.exports[exportName]) as { run?: (call: object) => unknown };
    if (typeof hook.run !== "function") throw new Error(`it exports no hook named ${exportName}`);
    Promise.resolve(hook.run(makeCall(parse(given) as object, question, later)))
      .then(value => tell("done", stringify(value) ?? "null"))
      .then(undefined, fail);
  } catch (error) {
    fail(error);
  }
  return (id, answer) => {
    const settle = waiting.get(id);
    waiting.delete(id);
    settle?.(answer);
  };
}

/** The engine took its own seed when it made the realm, and would give every run the same numbers. */
function randomFrom(seed: number): () => number {
  const { imul } = Math;
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    const mixed = imul(state ^ (state >>> 15), 1 | state);
    const more = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (more ^ (more >>> 14)) >>> 0;
  };
  return () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53;
}

type Question = (name: string, ...args: readonly unknown[]) => unknown;

/** What `run` is given, as `GivenCall` says. What is expensive is behind a getter: most hooks use little of it. */
function makeCall(
  given: object,
  question: Question,
  later: (name: string, ...args: readonly unknown[]) => Promise<unknown>,
): object {
  const call = {
    ...given,
    transcript: () => question("transcript"),
    files: {
      read: (path: string) => question("read", path),
      exists: (path: string) => question("exists", path),
      list: (path: string) => question("list", path),
      write: (path: string, text: string) => void question("write", path, text),
    },
    clock: { nowMs: () => question("now") },
    log: (text: unknown) => void question("log", String(text)),
    state: { session: openStore("session", question), project: openStore("project", question) },
    exec: (argv: unknown, options: unknown = {}) => later("exec", argv, options),
    signal: {
      get aborted() {
        return question("aborted");
      },
    },
  };
  for (const name of ["session", "cwd", "projectRoot", "env"]) defineOnce(call, name, () => question(name));
  defineOnce(call, "facts", () => withUnknownWords(question("facts")));
  return call;
}

function defineOnce(object: object, name: string, read: () => unknown): void {
  let known: { readonly value: unknown } | undefined;
  const get = () => {
    known ??= { value: read() };
    return known.value;
  };
  Object.defineProperty(object, name, { get, enumerable: true, configurable: true });
}

/** Words that only the run decides are undefined, which JSON has not. */
function withUnknownWords(facts: unknown): unknown {
  const { programs = [], ...rest } = Object(facts) as {
    readonly programs?: readonly { readonly args: readonly (string | null)[] }[];
  };
  return {
    ...rest,
    programs: programs.map(program => ({ ...program, args: program.args.map(word => word ?? undefined) })),
  };
}

const MAX_ATTEMPTS = 100;

/** Outside a value is replaced only if it is still the one that the change was made from. */
function openStore(which: string, question: Question): object {
  return {
    read: () => question("state", which),
    update(change: (current: unknown) => unknown) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const before = question("state", which);
        const kept = JSON.stringify(before);
        const after = question("swap", which, kept, change(before));
        if (after !== undefined) return after;
      }
      throw new Error("others keep changing the state of this hook");
    },
  };
}
