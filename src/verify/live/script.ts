/** What the scripted model says when it is asked for the n-th time: a command to run, or its last words. */
export type Step =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "text"; readonly text: string };

/** One tool that a host offers to the model. */
export interface OfferedTool {
  readonly name: string;
  /** names of its parameters */
  readonly parameters: readonly string[];
}

/** A request to the model, whatever the protocol: what was offered, what came back from tools, all that was said. */
export interface ModelRequest {
  readonly tools: readonly OfferedTool[];
  /** results of tool calls so far, as the model sees them */
  readonly results: readonly string[];
  /** every text in the request */
  readonly text: string;
}

/** A call of the host's shell tool. */
export interface ShellCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const SHELL_TOOLS = [
  "Bash",
  "bash",
  "run_shell_command",
  "shell_command",
  "exec_command",
  "shell",
  "local_shell",
] as const;

/** How to ask this host for a command; undefined when it offers no shell. */
export function shellCall(tools: readonly OfferedTool[], command: string): ShellCall | undefined {
  const tool = SHELL_TOOLS.map(name => tools.find(each => each.name === name)).find(
    each => each !== undefined,
  );
  if (tool === undefined) return undefined;
  const has = (name: string) => tool.parameters.includes(name);
  const line = has("cmd")
    ? { cmd: command }
    : { command: tool.name === "shell" ? ["bash", "-lc", command] : command };
  return {
    name: tool.name,
    input: {
      ...line,
      ...(has("description") ? { description: "run the command of the test" } : {}),
      ...(has("mode") ? { mode: "sync" } : {}),
    },
  };
}
