import {
  errorText,
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  ownValue,
} from "../../protocol/index.ts";
import * as authoring from "./authoring.ts";
import type { ExecOptions, GivenCall, OpenedCall } from "./call.ts";

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
 * Evaluates a compiled hook in a realm of its own, calls it, and resolves to what it returned, as JSON text. Rejects when
 * it throws or does not end in time; nothing that it does can keep the caller from going on, or change anything of ours.
 */
export type RunHook = (
  hook: CompiledHook,
  opened: Extract<OpenedCall, { readonly ok: true }>,
  timeoutMs: number,
) => Promise<string>;

/** Hands in an answer that was waited for. */
export type Resume = (id: number, answer: string) => void;
/** What the inside of a realm can ask; takes and gives JSON. Never throws. */
export type AnswerRealm = (name: string, args: string) => string;

/**
 * Evaluates text, the expression of a function, in a realm that shares no object with this one, and calls it with one
 * function, `outside(name, args)`: `done` and `failed` end the run with their text, everything else goes to what `open`
 * returns. What the function returns is the way back in.
 */
export type RunRealm = (
  text: string,
  path: string,
  open: (resume: Resume) => AnswerRealm,
  timeoutMs: number,
) => Promise<string>;

/** The one module that a compiled hook imports where it is loaded beside us: to be described, never to be run. */
export function requireHooks(name: string): unknown {
  if (name === "amplihack/hooks") return authoring;
  throw new Error(`it imports ${name}, which is not part of it`);
}

/** Runs hooks in realms of the engine at hand. */
export function runInRealm(runRealm: RunRealm): RunHook {
  return ({ code, path, exportName }, { plain, call }, timeoutMs) => {
    const given = JSON.stringify(JSON.stringify(plain));
    // The hook's text stands outside of the function that knows the way out.
    const text = `(function (load) { return function (outside) {
return ${REALM_TEXT}(load, ${JSON.stringify(exportName)}, ${given}, outside); }; })(${code}
)`;
    return runRealm(text, path, resume => answerRealm(call, resume), timeoutMs);
  };
}

/** The expression of `start` of `realm.ts`. */
export const REALM_TEXT = `(function () { ${__AMPLIHACK_REALM__}
return realm.start; })()`;

export function answerRealm(call: GivenCall, resume: Resume): AnswerRealm {
  let asked = 0;
  const services: Readonly<Record<string, (...args: readonly Json[]) => unknown>> = {
    session: () => call.session,
    cwd: () => call.cwd,
    projectRoot: () => call.projectRoot,
    env: () => call.env,
    facts: () => call.facts,
    transcript: () => call.transcript(),
    read: path => call.files.read(String(path)),
    exists: path => call.files.exists(String(path)),
    list: path => call.files.list(String(path)),
    write: (path, text) => call.files.write(String(path), String(text)),
    now: () => call.clock.nowMs(),
    log: text => call.log(String(text)),
    aborted: () => call.signal.aborted,
    state: which => chooseStore(call, which).read(),
    swap: (which, before, after) => swap(call, which, before, after),
    exec(argv, options) {
      const id = ++asked;
      const settle = (answer: object) => resume(id, JSON.stringify(answer));
      execute(call, argv, options).then(
        value => settle({ value }),
        (error: unknown) => settle({ problem: errorText(error) }),
      );
      return id;
    },
  };
  return (name, args) => {
    try {
      const service = ownValue(services, name);
      if (service === undefined) throw new Error(`there is no "${name}"`);
      const value = service(...(JSON.parse(args) as readonly Json[]));
      return JSON.stringify({ value });
    } catch (error) {
      return JSON.stringify({ problem: errorText(error) });
    }
  };
}

function chooseStore({ state }: GivenCall, which: Json | undefined): GivenCall["state"]["session"] {
  return which === "project" ? state.project : state.session;
}

/** The new value, or undefined where another process was faster. */
function swap(call: GivenCall, which?: Json, before?: Json, after?: Json): JsonObject | undefined {
  if (after === undefined || !isJsonObject(after)) throw new TypeError("the state of a hook is an object");
  let isOurs = false;
  const kept = chooseStore(call, which).update(now => {
    isOurs = isSameJson(now, JSON.parse(String(before)) as Json);
    return isOurs ? after : now;
  });
  return isOurs ? kept : undefined;
}

async function execute(call: GivenCall, argv: Json = null, options: Json = {}): Promise<unknown> {
  const words = Array.isArray(argv) ? argv.map(String) : [];
  const [program, ...rest] = words;
  if (program === undefined) throw new TypeError("exec needs a program and its arguments, as a list");
  return call.exec([program, ...rest], (isJsonObject(options) ? options : {}) as ExecOptions);
}
