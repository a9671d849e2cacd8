/** The shell and the editor of the OpenAI Agents SDK that run on this machine: no function tools, but tools all the same. */
import { type AdapterOptions, type AnyEngine, callOptions, notesOf, settle } from "./shared.ts";

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
export type LocalTool = ShellTool | PatchTool;

export function isLocalTool(tool: object): tool is LocalTool {
  const { type, shell, editor } = tool as { type?: unknown; shell?: unknown; editor?: unknown };
  return (type === "shell" && shell !== undefined) || (type === "apply_patch" && editor !== undefined);
}

export function hookLocalTool(engine: AnyEngine, tool: LocalTool, options: AdapterOptions): LocalTool {
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
      const notes = notesOf(called);
      const result = settle(called);
      return notes.length === 0 ? result : addNotes(result, notes);
    };
  const needsApproval = async (runContext: unknown, action: object, callId?: string): Promise<boolean> => {
    if (callId !== undefined) ids.set(action, callId);
    const isOwn = await tool.needsApproval(runContext as never, action as never, callId);
    if (options.onAsk !== undefined) return isOwn;
    const { kind } = await engine.untyped.decide(name, action, callOptions(options, callId));
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
