import * as authoring from "./authoring.ts";

/** A compiled portable hook: the expression of a function of `module`, `exports` and `require`. */
export interface CompiledHook {
  readonly code: string;
  /** the compiled file, for messages */
  readonly path: string;
  readonly exportName: string;
}

/** What opens and closes a compiled portable hook. */
export const CODE_OPENING = "(function (module, exports, require) {";
export const CODE_CLOSING = "})";

/**
 * Evaluates a compiled hook in the engine at hand, calls it, and resolves to what it returned, as JSON text. Rejects when
 * it throws or does not end in time; nothing that it does can keep the caller from going on.
 */
export type RunHook = (hook: CompiledHook, call: object, timeoutMs: number) => Promise<string>;

/**
 * Evaluates text, the expression of a function, and calls it with `args` and two functions more, `done(text)` and
 * `failed(text)`, of which it calls one, now or later.
 */
export type RunBounded = (
  text: string,
  path: string,
  args: readonly unknown[],
  timeoutMs: number,
) => Promise<string>;

type Load = (module: object, exports: object, require: (name: string) => unknown) => void;

/** The one module that a portable hook imports. */
export function requireHooks(name: string): unknown {
  if (name === "amplihack/hooks") return authoring;
  throw new Error(`it imports ${name}, which is not part of it`);
}

/**
 * Loads a compiled hook, calls it, and hands on what it returns as JSON, so that nothing of it can run later. Some
 * engines evaluate the text of this function, so it uses nothing from outside.
 */
export function callHook(
  load: Load,
  exportName: string,
  require: (name: string) => unknown,
  call: object,
  done: (answer: string) => void,
  failed: (problem: string) => void,
): void {
  const fail = (error: unknown): void => {
    let text = "it threw something that is no text";
    try {
      text = String(error instanceof Error ? error.message : error);
    } catch {}
    failed(text);
  };
  try {
    const module: { exports: Record<string, unknown> } = { exports: {} };
    load(module, module.exports, require);
    const hook = Object(module.exports[exportName]) as { run?: (call: object) => unknown };
    if (typeof hook.run !== "function") throw new Error(`it exports no hook named ${exportName}`);
    Promise.resolve(hook.run(call))
      .then(value => done(JSON.stringify(value) ?? "null"))
      .then(undefined, fail);
  } catch (error) {
    fail(error);
  }
}

/** Runs hooks where text is evaluated apart from everything else. */
export function runInText(runBounded: RunBounded): RunHook {
  return ({ code, path, exportName }, call, timeoutMs) => {
    const text = `(function (exportName, require, call, done, failed) {
return (${callHook})(${code}
, exportName, require, call, done, failed); })`;
    return runBounded(text, path, [exportName, requireHooks, call], timeoutMs);
  };
}
