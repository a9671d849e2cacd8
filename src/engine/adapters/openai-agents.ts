import { type JsonObject, readJson } from "../../protocol/index.ts";
import { asArguments } from "../calls/describe-value.ts";
import {
  type AdapterOptions,
  type AnyEngine,
  callOptions,
  decideApproval,
  listNotes,
  mapToolList,
  settle,
  toText,
} from "./shared.ts";

/** `amplihack/engine/openai-agents`: hooks in agents of the OpenAI Agents SDK. */

export { type AdapterOptions, approvalReason } from "./shared.ts";

interface RunContext {
  readonly context?: unknown;
  isToolApproved?(approval: { toolName: string; callId: string }): boolean | undefined;
}
interface CallDetails {
  readonly toolCall?: { readonly callId?: string };
  readonly signal?: AbortSignal;
}
/** The members of a function tool that hooks have to do with. */
interface FunctionTool {
  readonly type: "function";
  readonly name: string;
  readonly invoke: (runContext: never, input: string, details?: never) => Promise<unknown>;
  readonly needsApproval: (runContext: never, input: never, callId?: string) => Promise<boolean>;
}

/**
 * The same tools with every hook of the engine before and after them, also the SDK's own shell and editor. Hosted tools run at the provider and stay as
 * they are. A refusal is what the model reads as the tool's output; a question interrupts the run, as the SDK's
 * own approvals do, unless `onAsk` answers at once.
 */
export function hookTools<T extends object[]>(
  engine: AnyEngine,
  tools: [...T],
  options: AdapterOptions = {},
): T {
  return mapToolList(tools, tool => {
    if (isFunctionTool(tool)) return hookTool(engine, tool, options);
    return isLocalTool(tool) ? hookLocalTool(engine, tool, options) : tool;
  });
}

function isFunctionTool(tool: object): tool is FunctionTool {
  const { type, invoke } = tool as Partial<FunctionTool>;
  return type === "function" && typeof invoke === "function";
}

function hookTool(engine: AnyEngine, tool: FunctionTool, options: AdapterOptions): FunctionTool {
  const { name } = tool;
  return {
    ...tool,
    async invoke(runContext: RunContext, input: string, details?: CallDetails) {
      const callId = details?.toolCall?.callId;
      const isApproved =
        callId !== undefined && runContext.isToolApproved?.({ toolName: name, callId }) === true;
      const called = await engine.untyped.call(
        name,
        readJsonText(input),
        args => tool.invoke(runContext as never, JSON.stringify(args), details as never),
        { ...callOptions(options, callId, details?.signal, runContext.context), isApproved },
      );
      if (called.status === "failed") throw called.error;
      const notes = listNotes(called);
      if (called.status === "done") return withNotes(called.result, notes);
      return withNotes(`${name} did not run: ${called.reason}`, notes);
    },
    async needsApproval(runContext: RunContext, input: unknown, callId?: string) {
      const isOwn = await tool.needsApproval(runContext as never, input as never, callId);
      if (options.onAsk !== undefined) return isOwn;
      const call = callOptions(options, callId, undefined, runContext.context);
      const kind = await decideApproval(engine, name, input, call);
      return kind === "ask" || (kind === "run" && isOwn);
    },
  };
}

/** The SDK shows the model text, or a value as JSON. */
function withNotes(output: unknown, notes: readonly string[]): unknown {
  return notes.length === 0 ? output : [toText(output), ...notes].join("\n\n");
}

/** The shell and the editor of the OpenAI Agents SDK that run on this machine: no function tools, but tools all the same. */

type Act = (action: object, context?: unknown) => Promise<unknown>;
interface Approvable {
  readonly name: string;
  readonly needsApproval: (runContext: never, action: never, callId?: string) => Promise<boolean>;
}
interface ShellTool extends Approvable {
  readonly type: "shell";
  readonly shell: { run: Act };
}
interface PatchTool extends Approvable {
  readonly type: "apply_patch";
  readonly editor: { createFile: Act; updateFile: Act; deleteFile: Act };
}
type LocalTool = ShellTool | PatchTool;

function isLocalTool(tool: object): tool is LocalTool {
  const { type, shell, editor } = tool as { type?: unknown; shell?: unknown; editor?: unknown };
  return (type === "shell" && shell !== undefined) || (type === "apply_patch" && editor !== undefined);
}

function hookLocalTool(engine: AnyEngine, tool: LocalTool, options: AdapterOptions): LocalTool {
  const { name } = tool;
  /** The SDK tells the id of a call to `needsApproval` only, and hands both the same action. */
  const ids = new WeakMap<object, string>();
  const hook =
    (act: Act, addNotes: (result: unknown, notes: readonly string[]) => unknown): Act =>
    async (action, context) => {
      const called = await engine.untyped.call(name, action, args => act(args, context), {
        ...callOptions(options, ids.get(action)),
        // What a hook asks about gets here only when the SDK has a person's yes.
        isApproved: options.onAsk === undefined,
      });
      const notes = listNotes(called);
      const result = settle(called);
      return notes.length === 0 ? result : addNotes(result, notes);
    };
  const needsApproval = async (runContext: unknown, action: object, callId?: string): Promise<boolean> => {
    if (callId !== undefined) ids.set(action, callId);
    const isOwn = await tool.needsApproval(runContext as never, action as never, callId);
    if (options.onAsk !== undefined) return isOwn;
    const kind = await decideApproval(engine, name, action, callOptions(options, callId));
    return kind === "ask" || (kind === "run" && isOwn);
  };
  if (tool.type === "shell") {
    const { shell } = tool;
    return { ...tool, needsApproval, shell: { run: hook(action => shell.run(action), withShellNotes) } };
  }
  const { editor } = tool;
  return {
    ...tool,
    needsApproval,
    editor: {
      createFile: hook((action, context) => editor.createFile(action, context), withPatchNotes),
      updateFile: hook((action, context) => editor.updateFile(action, context), withPatchNotes),
      deleteFile: hook((action, context) => editor.deleteFile(action, context), withPatchNotes),
    },
  };
}

function withShellNotes(result: unknown, notes: readonly string[]): unknown {
  const { output = [], ...rest } = result as { readonly output?: readonly unknown[] };
  const note = { stdout: notes.join("\n\n"), stderr: "", outcome: { type: "exit", exitCode: 0 } };
  return { ...rest, output: [...output, note] };
}

function withPatchNotes(result: unknown, notes: readonly string[]): unknown {
  const { output, ...rest } = (result ?? {}) as { readonly output?: string };
  return { ...rest, output: [...(output === undefined ? [] : [output]), ...notes].join("\n\n") };
}

/** Arguments as the model wrote them. */
function readJsonText(text: string): JsonObject {
  const read = readJson(text);
  return asArguments(read.ok ? read.value : text);
}
