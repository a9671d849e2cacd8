import {
  bashWith,
  DANGER,
  foreign,
  HOSTS,
  nested,
  type PayloadCase,
  payload,
  withInput,
} from "./scene-payloads.ts";

/** As `scene-payloads.ts`, held out: whoever mends does not read this. */
const PRE = ["pre-tool-use"];
const stop = (name: string, input: string | Uint8Array, words: readonly string[] = PRE): PayloadCase => ({
  name,
  words,
  input,
  expected: "stop",
});
const pass = (name: string, input: string | Uint8Array, words: readonly string[] = PRE): PayloadCase => ({
  name,
  words,
  input,
  expected: "pass",
});
const text = JSON.stringify(DANGER);

export const HELD_OUT: readonly PayloadCase[] = [
  ...foreign(
    HOSTS.filter((_, index) => index % 3 === 2),
    ["pre_run_command", "PreToolUse:Bash", "PostToolUse", "beforeTool", "x".repeat(5_000)],
  ),
  stop("levels of lists and objects in turn", withInput(nested(3_000, text, '{"a":[', "]}"))),
  stop("2 000 levels in a string", bashWith(nested(2_000, `{"command":${text}}`))),
  stop(
    "20 000 levels in the session's id",
    JSON.stringify(payload({ tool_name: "Bash", tool_input: { command: DANGER } })).replace('"s-1"', () =>
      nested(20_000, "1"),
    ),
  ),
  stop(
    "a list of a tool's inputs",
    JSON.stringify(payload({ tool_name: "Bash", tool_input: [{ command: "ls" }, { command: DANGER }] })),
  ),
  stop("the command in pieces", bashWith({ command: ["r", "m -rf ~"].join(""), args: [] })),
  stop("program and arguments", bashWith({ command: "rm", args: ["-rf", "~"] })),
  stop("program and a text of arguments", bashWith({ command: "rm", arguments: "-rf ~" })),
  stop("a list with numbers in it", bashWith({ command: ["rm", "-rf", "~", 7, null] })),
  stop(
    "toolUse form",
    JSON.stringify({ session_id: "s", toolUse: { name: "Bash", input: { command: DANGER } } }),
  ),
  stop(
    "Copilot's names to Claude",
    JSON.stringify({
      sessionId: "s",
      timestamp: 1,
      cwd: "/",
      toolName: "bash",
      toolArgs: JSON.stringify({ command: DANGER }),
    }),
  ),
  stop(
    "Copilot's names, arguments as an object",
    JSON.stringify({
      sessionId: "s",
      timestamp: 1,
      cwd: "/",
      toolName: "bash",
      toolArgs: { command: DANGER },
    }),
  ),
  stop(
    "Cursor's shell event",
    JSON.stringify({
      hook_event_name: "beforeShellExecution",
      cursor_version: "3",
      command: DANGER,
      cwd: "/",
    }),
  ),
  stop(
    "Gemini's tool to Codex",
    JSON.stringify(
      payload({ tool_name: "run_shell_command", tool_input: { command: DANGER } }, "BeforeTool"),
    ),
    [...PRE, "--host", "codex"],
  ),
  stop(
    "OpenCode's form to Claude",
    JSON.stringify({
      hook_event_name: "tool.execute.before",
      cwd: "/",
      input: { tool: "bash", sessionID: "s", callID: "c" },
      output: { args: { command: DANGER } },
    }),
  ),
  stop(
    "OpenCode's form to Amplifier",
    JSON.stringify({
      hook_event_name: "tool.execute.before",
      cwd: "/",
      input: { tool: "bash", sessionID: "s", callID: "c" },
      output: { args: { command: DANGER } },
    }),
    [...PRE, "--host", "amplifier"],
  ),
  stop("toJSON in the input", bashWith({ toJSON: "x", command: DANGER })),
  stop("length in the input", bashWith({ length: 0, command: DANGER })),
  stop("input is a list with a hole", withInput(`[null,${text}]`)),
  stop(
    "a byte that is no UTF-8 in the tool's name",
    Buffer.concat([
      Buffer.from('{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Ba'),
      Buffer.from([0xff]),
      Buffer.from(`sh","tool_input":{"command":${text}}}`),
    ]),
  ),
  stop(
    "a cwd that is a list",
    JSON.stringify({ ...payload({ tool_name: "Bash", tool_input: { command: DANGER } }), cwd: ["/"] }),
  ),
  stop(
    "a session that is an object",
    JSON.stringify({ ...payload({ tool_name: "Bash", tool_input: { command: DANGER } }), session_id: {} }),
  ),
  stop(
    "a tool's name that is a list",
    JSON.stringify(payload({ tool_name: ["Bash"], tool_input: { command: DANGER } })),
  ),
  stop("no tool's name", JSON.stringify(payload({ tool_input: { command: DANGER } }))),
  stop("a wide no-break space in the command", bashWith({ command: "rm\u00a0-rf ~; rm -rf ~" })),
  stop(
    "400 000 keys",
    withInput(
      `{${Array.from({ length: 400_000 }, (_, index) => `"k${index}":0`).join(",")},"command":${text}}`,
    ),
  ),
  pass("a harmless list in an input", bashWith({ command: ["ls", "-la"] })),
  pass(
    "a harmless Copilot call",
    JSON.stringify({
      sessionId: "s",
      timestamp: 1,
      cwd: "/",
      toolName: "bash",
      toolArgs: JSON.stringify({ command: "ls" }),
    }),
  ),
  pass(
    "a harmless unknown tool",
    bashWith({ query: "weather", depth: { a: { b: [1, 2, 3] } } }, "mcp__weather__get"),
  ),
  pass("a harmless list for an unknown tool", bashWith([1, 2, 3], "mcp__math__sum")),
  pass("a harmless text for an unknown tool", bashWith("plain text", "mcp__notes__search")),
];
