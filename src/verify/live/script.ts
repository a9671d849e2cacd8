/** What the scripted model answers the n-th time: a command to run, a tool to use, its last text. */
export type ScriptStep =
  | { readonly kind: "command"; readonly command: string }
  | { readonly kind: "call"; readonly call: ToolCall }
  | { readonly kind: "text"; readonly text: string };

/** What a host is told to do. The scripted model knows the conversation by it. */
export const PROMPT = "Run the command that you were told to run.";

/** What the model says to an agent that a host starts on its behalf: whose first message has the mark. */
export interface Delegation {
  readonly mark: string;
  readonly steps: readonly ScriptStep[];
}

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

/** A call of one of the host's tools. */
export interface ToolCall {
  /** of a host that groups its tools and expects the name of the group too */
  readonly namespace?: string;
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
export function shellCall(tools: readonly OfferedTool[], command: string): ToolCall | undefined {
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
