/**
 * Evaluates text, the expression of a function, and calls it with `args` and two functions more, `done(text)` and
 * `failed(text)`, of which it calls one, now or later. Resolves to the text of `done`; rejects after `failed`, after an
 * exception and when the time is over. Nothing that the text does can keep the caller from going on.
 */
export type RunBounded = (
  text: string,
  path: string,
  args: readonly unknown[],
  timeoutMs: number,
) => Promise<string>;

/** Loads a compiled hook, calls it, and hands on what it returns as JSON, so that nothing of it can run later. */
const CALLER = `function (load, exportName, call, done, failed) {
  var fail = function (error) {
    var text = "it threw something that is no text";
    try { text = String(error instanceof Error ? error.message : error); } catch (_) {}
    failed(text);
  };
  try {
    var module = { exports: {} };
    load(module, module.exports);
    var hook = module.exports[exportName];
    if (hook === null || typeof hook !== "object" || typeof hook.run !== "function")
      throw new Error("it exports no hook named " + exportName);
    Promise.resolve(hook.run(call)).then(function (value) {
      done(value === undefined ? "null" : JSON.stringify(value) || "null");
    }).then(undefined, fail);
  } catch (error) { fail(error); }
}`;

/** What opens and closes a compiled portable hook: it is the expression of a function. */
export const CODE_OPENING = "(function (module, exports) {";
export const CODE_CLOSING = "})";

/** Runs a compiled portable hook and resolves to what it returned, as JSON carries it. */
export async function runCode(
  runBounded: RunBounded,
  hook: { readonly code: string; readonly path: string; readonly exportName: string },
  call: object,
  timeoutMs: number,
): Promise<unknown> {
  const text = `(function (exportName, call, done, failed) {
return (${CALLER})(${hook.code}
, exportName, call, done, failed); })`;
  return JSON.parse(await runBounded(text, hook.path, [hook.exportName, call], timeoutMs));
}
