import type { GuardHook, KnownOfSession } from "../guard/index.ts";
import {
  canonicalToolName,
  claudeCode,
  deriveFacts,
  makeToolNames,
  NO_FACTS,
  readToolInput,
} from "../hosts/index.ts";
import {
  CALL_VALUE_LIMIT,
  type CheckedInput,
  checkInput,
  type EventDescriptor,
  FIELD_NAMES,
  type Hook,
  type HookInput,
  type InputWarning,
  type JsonObject,
  readField,
} from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { NO_SESSION_FACTS } from "../workspace/index.ts";
import { onEvent, type RegisteredHook, register } from "./registration.ts";
import { readEffect, refuse } from "./reply.ts";
import type { Session } from "./session.ts";
import type { UseOptions } from "./types.ts";

export function registerHook(
  hook: Hook<System>,
  event: EventDescriptor,
  system: System,
  given: UseOptions,
  sequence: number,
  runHook: (input: HookInput, known: () => KnownOfSession) => ReturnType<Hook<System>["run"]> = (
    input,
    known,
  ) => (isGuard(hook) ? hook.run(input, system, known()) : hook.run(input, system)),
): RegisteredHook {
  const run: RegisteredHook["run"] = async ({ payload, names, isRecorded }, scope) => {
    const checked = toHookInput(event, payload, names, scope.cwd);
    if (!checked.ok) return refuse("field-type", checked.problem);
    const known = () => ({ ...toKnownSession(scope.session), ...(isRecorded ? { examineAll: true } : {}) });
    return readEffect(await runHook(checked.input, known));
  };
  const isJudge = hook.isJudge === true;
  return register({ ...onEvent(event, hook.matcher), run, isJudge }, { ...given, id: hook.id }, sequence);
}

export function isGuard(hook: Hook<System>): hook is GuardHook {
  return hook.id === "guard" && "judge" in hook && "answer" in hook;
}

/** What the guard's rules over sequences look at. */
function toKnownSession({ secretsShown }: Session): KnownOfSession {
  if (secretsShown.length === 0) return {};
  const shown = secretsShown.map(({ secret, tool }) => `${secret} in the result of ${tool}`);
  return { facts: { ...NO_SESSION_FACTS, shown } };
}

/** The engine's payloads are in the form of this host. */
const HOST = claudeCode;

/** The engine's payload as hooks written against the `Hook` type see it. */
export function toHookInput(
  event: EventDescriptor,
  payload: JsonObject,
  toolNames: readonly string[],
  projectDir: string,
): CheckedInput {
  const base = {
    host: HOST.id,
    event: event.name,
    nativeEvent: event.name,
    cwd: textAt(payload, FIELD_NAMES.cwd) ?? projectDir,
    sessionId: textAt(payload, FIELD_NAMES.sessionId),
    transcriptPath: textAt(payload, FIELD_NAMES.transcriptPath),
    raw: payload,
  };
  if (!event.requiresTool) {
    const noTool = { toolName: null, canonicalToolName: null, toolInput: null };
    return checkInput({ ...base, ...noTool, facts: NO_FACTS, warnings: [] });
  }
  const warnings: InputWarning[] = [];
  const toolInput = readToolInput(HOST, payload, event.name, warnings);
  if (toolInput === undefined)
    return { ok: false, problem: `the tool input is larger than ${CALL_VALUE_LIMIT} values` };
  const toolName = textAt(payload, FIELD_NAMES.toolName);
  const canonical = toolName === null ? null : canonicalName([toolName, ...toolNames]);
  const facts = canonical === null ? NO_FACTS : deriveFacts(HOST, toolName ?? "", canonical, toolInput);
  return checkInput({ ...base, toolName, canonicalToolName: canonical, toolInput, facts, warnings });
}

let knownNames: ReadonlyMap<string, string> | undefined;

/**
 * The name that rules use for a tool of the embedding agent: the first of its names, aliases included, that any
 * host has. Without it a guard would miss a shell that goes by another name.
 */
function canonicalName(names: readonly string[]): string {
  knownNames ??= new Map(makeToolNames());
  for (const name of names) {
    const canonical = knownNames.get(name);
    if (canonical !== undefined) return canonical;
  }
  return canonicalToolName(HOST, names[0] ?? "", {});
}

function textAt(payload: JsonObject, names: readonly string[]): string | null {
  const value = readField(payload, names)?.value;
  return typeof value === "string" ? value : null;
}
