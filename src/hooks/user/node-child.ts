import {
  type Effect,
  errorText,
  type HookInput,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  PAYLOAD_DEPTH_LIMIT,
  readJson,
  stringAt,
} from "../../protocol/index.ts";
import { childEnvironment, describeEnd, join, type ProcessResult, type System } from "../../system/index.ts";
import { type HookResult, readAnswer } from "./answer.ts";
import { deeperEnvironment } from "./depth.ts";
import { type BuiltHandler, buildFolder } from "./manifest.ts";
import { withToolInput } from "./user-hooks.ts";
import type { WantedHook } from "./wanted.ts";

/** What the child is asked on stdin. It answers with one line for each hook, as soon as it has it. */
export interface ChildRequest {
  /** begins every line of its answer: hooks may print what they like */
  readonly mark: string;
  /** where programs, state and logs of this installation are */
  readonly stateHome: string;
  readonly input: HookInput;
  readonly hooks: readonly {
    readonly path: string;
    readonly name: string;
    readonly exportName: string;
    readonly timeoutMs: number;
    readonly wantsKnownTool: boolean;
    readonly usesFacts: boolean;
  }[];
}

const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const MAX_STDERR_BYTES = 16 * 1024;
/** Starting Node takes time that is not the hook's. */
const START_MS = 1_500;
const KILL_AFTER_MS = 300;

export interface NodePlace {
  readonly stateHome: string;
  readonly deadlineMs: number;
  readonly runner: readonly string[];
}

function newMark({ random }: System): string {
  return `amplihack-hook-${random.hex(32)}`;
}

/** Runs hooks that need Node, all of them in one child. Never rejects; the results are in the order of `hooks`. */
export async function runInNode(
  hooks: readonly WantedHook[],
  input: HookInput,
  system: System,
  place: NodePlace,
): Promise<readonly HookResult[]> {
  const all = (problem: string): readonly HookResult[] => hooks.map(() => ({ ok: false, problem }));
  const leftMs = place.deadlineMs - system.clock.monotonicMs() - KILL_AFTER_MS;
  const ownMs = hooks.reduce((sum, { hook }) => sum + hook.timeoutMs, 0);
  const timeoutMs = Math.min(leftMs, ownMs + START_MS);
  const mark = newMark(system);
  const request: ChildRequest = {
    mark,
    stateHome: place.stateHome,
    input,
    hooks: hooks.map(({ hook, file }) => ({
      path: join(buildFolder(place.stateHome), file.code ?? ""),
      name: hook.name,
      exportName: hook.exportName,
      timeoutMs: hook.timeoutMs,
      wantsKnownTool: hook.tools.length > 0,
      usesFacts: file.usesFacts,
    })),
  };
  const asked = await ask(request, input, system, place, timeoutMs);
  return "problem" in asked ? all(asked.problem) : readResults(hooks, input, asked.answers, asked.end);
}

/** Asks handlers that are web addresses or tools of MCP servers. Never rejects; the results are in the order of `handlers`. */
export async function askInNode(
  handlers: readonly BuiltHandler[],
  payload: JsonObject,
  input: HookInput,
  system: System,
  place: NodePlace,
): Promise<readonly HookResult[]> {
  const leftMs = place.deadlineMs - system.clock.monotonicMs() - KILL_AFTER_MS;
  const ownMs = Math.max(...handlers.map(({ timeoutMs }) => timeoutMs));
  const mark = newMark(system);
  const asked = handlers.map(({ event, action, timeoutMs }) => ({ event, action, timeoutMs }));
  const result = await ask(
    { mark, payload, asked },
    input,
    system,
    place,
    Math.min(leftMs, ownMs + START_MS),
  );
  return handlers.map((_, index): HookResult => {
    if ("problem" in result) return { ok: false, problem: result.problem };
    const answer = result.answers.get(index);
    const problem = answer === undefined ? result.end : stringAt(answer, "problem");
    return problem === undefined
      ? { ok: true, effect: memberAt(answer, "effect") as Effect }
      : { ok: false, problem };
  });
}

/** What the child is to ask elsewhere. */
export interface AskRequest {
  readonly mark: string;
  readonly payload: JsonObject;
  readonly asked: readonly Pick<BuiltHandler, "event" | "action" | "timeoutMs">[];
}

type Asked =
  | { readonly answers: ReadonlyMap<number, JsonObject>; readonly end: string }
  | { readonly problem: string };

/** One child, one request on its stdin, one line of answer for each thing that was asked. */
async function ask(
  request: ChildRequest | AskRequest,
  { cwd }: HookInput,
  system: System,
  { runner: [node, ...script] }: NodePlace,
  timeoutMs: number,
): Promise<Asked> {
  if (node === undefined) return { problem: "no Node is known that could run it; run amplihack hooks build" };
  if (timeoutMs <= 0) return { problem: "no time was left" };
  try {
    const result = await system.processes.start({
      argv: [node, ...script],
      cwd: cwd ?? system.files.workingDirectory() ?? "/",
      env: childEnvironment(system, deeperEnvironment(system)),
      input: system.text.encode(JSON.stringify(request)),
      timeoutMs,
      killAfterMs: KILL_AFTER_MS,
      endsGroup: true,
      limits: {
        stdoutBytes: MAX_ANSWER_BYTES,
        tailBytes: MAX_ANSWER_BYTES,
        stderrBytes: MAX_STDERR_BYTES,
        drainBytes: 16 * MAX_ANSWER_BYTES,
      },
    }).done;
    const said = system.text.decode(result.stderr).text;
    if (said.trim() !== "") system.stdio.writeError(said.endsWith("\n") ? said : `${said}\n`);
    return { answers: readAnswers(result, request.mark, system), end: describeProcessEnd(result, timeoutMs) };
  } catch (error) {
    return { problem: errorText(error) };
  }
}

/** What the child said, by the place of the hook. */
function readAnswers(result: ProcessResult, mark: string, system: System): ReadonlyMap<number, JsonObject> {
  const text = [result.stdout, result.stdoutTail].map(bytes => system.text.decode(bytes).text).join("\n");
  const answers = new Map<number, JsonObject>();
  for (const line of text.split("\n")) {
    if (!line.startsWith(mark)) continue;
    const read = readJson(line.slice(mark.length), { recover: false, maxDepth: PAYLOAD_DEPTH_LIMIT });
    const index = read.ok ? numberAt(read.value, "index") : undefined;
    if (read.ok && index !== undefined) answers.set(index, read.value as JsonObject);
  }
  return answers;
}

function readResults(
  hooks: readonly WantedHook[],
  input: HookInput,
  answers: ReadonlyMap<number, JsonObject>,
  end: string,
): readonly HookResult[] {
  let current = input;
  let isFirstMissing = true;
  return hooks.map((_, index): HookResult => {
    const answer = answers.get(index);
    if (answer === undefined) {
      const problem = isFirstMissing ? end : `it was not reached: a hook before it ${end}`;
      isFirstMissing = false;
      return { ok: false, problem };
    }
    const problem = stringAt(answer, "problem");
    if (problem !== undefined) return { ok: false, problem };
    const result = readAnswer(memberAt(answer, "returned") as Json | undefined, current);
    if (result.ok && result.effect.input !== undefined) current = withToolInput(current, result.effect.input);
    return result;
  });
}

function describeProcessEnd({ end }: ProcessResult, timeoutMs: number): string {
  if (end.kind === "exit") return `ended the process with code ${end.code} before it had answered`;
  if (end.kind === "not-started")
    return `could not be started: Node is missing (${end.code}); run amplihack hooks build`;
  return describeEnd(end, timeoutMs);
}
