import { executionAsyncId } from "node:async_hooks";
import { createContext, Script } from "node:vm";

const POLL_MS = 2;
const PROCEED = new Script("undefined");

/**
 * Evaluates the expression of a function in a context of its own, without any of Node's globals, and calls it with one
 * function, `outside(name, args)`. Numbers and texts go in and out, no object does. Endless loops are ended, also behind
 * an `await`: what waits in the context is worked off under the same limit, and nowhere else.
 */
export function runRealm(
  text: string,
  path: string,
  open: (resume: (id: number, answer: string) => void) => (name: string, args: string) => string,
  timeoutMs: number,
): Promise<string> {
  const endMs = performance.now() + timeoutMs;
  const context = createContext(Object.create(null), { microtaskMode: "afterEvaluate" });
  return new Promise((resolve, reject) => {
    let isSettled = false;
    const settle = (action: () => void): void => {
      if (!isSettled) action();
      isSettled = true;
    };
    const fail = (problem: string): void => settle(() => reject(new Error(problem)));
    const late = (): void => fail(`it gave no answer within ${Math.round(timeoutMs)} ms`);
    const run = (script: Script): unknown => {
      const timeout = Math.ceil(endMs - performance.now());
      if (timeout <= 0) return late();
      const asyncId = executionAsyncId();
      try {
        return script.runInContext(context, { timeout });
      } catch (error) {
        leaveAsyncContexts(asyncId);
        const isLate = Reflect.get(Object(error), "code") === "ERR_SCRIPT_EXECUTION_TIMEOUT";
        return isLate ? late() : fail(errorMessage(error));
      }
    };
    // Answers that come from outside, such as the end of a child process, wait in the context until it runs again.
    const poll = (): void => {
      if (isSettled) return;
      run(PROCEED);
      setTimeout(poll, POLL_MS);
    };
    let resume: unknown;
    const answer = open((id, said) => {
      if (!isSettled && typeof resume === "function") resume(id, said);
    });
    const outside = (name: unknown, args: unknown): string => {
      if (typeof name !== "string" || typeof args !== "string") return "{}";
      if (name === "done") settle(() => resolve(args));
      else if (name === "failed") fail(args);
      else return answer(name, args);
      return "{}";
    };
    Reflect.set(context, "outside", outside);
    const call = `(${text})((() => { const given = outside; outside = undefined; return given; })())`;
    resume = run(makeScript(call, path, fail));
    poll();
  });
}

function makeScript(text: string, filename: string, fail: (problem: string) => void): Script {
  try {
    return new Script(text, { filename });
  } catch (error) {
    fail(errorMessage(error));
    return PROCEED;
  }
}

/** Errors of the other context are no instances of this one's `Error`. */
function errorMessage(error: unknown): string {
  const message: unknown =
    typeof error === "object" && error !== null ? Reflect.get(error, "message") : error;
  return typeof message === "string" ? message : "it threw something that is not an error";
}

/**
 * A promise callback that is ended leaves its entry on Node's stack of asynchronous contexts when somebody listens to
 * promises, as tracers and `AsyncLocalStorage` do; Node then aborts the program (nodejs/node#38503). Nothing public
 * takes such entries away.
 */
function leaveAsyncContexts(asyncId: number): void {
  if (executionAsyncId() === asyncId) return;
  const { noDeprecation = false } = process;
  process.noDeprecation = true;
  try {
    const { popAsyncContext } = (process as unknown as NodeInternals).binding("async_wrap");
    while (executionAsyncId() !== asyncId && popAsyncContext(executionAsyncId()));
  } finally {
    process.noDeprecation = noDeprecation;
  }
}

interface NodeInternals {
  /** `popAsyncContext` tells whether entries are left */
  binding(name: "async_wrap"): { readonly popAsyncContext: (asyncId: number) => boolean };
}
