import { CommandError, defineCommand, option, usageError } from "../../cli/index.ts";
import { HOST_IDS, inspect, resolveHost } from "../../hosts/index.ts";
import { isJsonObject, readJson } from "../../protocol/index.ts";

const MAX_INPUT_BYTES = 10 * 1024 * 1024;
const ANSWERS = ["none", "allow", "ask", "deny", "modify", "context", "crash"] as const;

export const inspectCommand = defineCommand({
  name: "inspect",
  summary: "read one hook payload on standard input and show what was understood of it",
  details: `
The result is one JSON object: host, event, nativeEvent, toolName, canonicalToolName, toolInput, cwd, sessionId,
transcriptPath, facts, shapes and warnings, or error with its code. Shapes are the arguments that the guard reads as
commands, SQL, code or files. With --answer it also holds the exact answer this host would get for such an effect on this
event: stdout, stderr, exitCode, and what the host cannot express.`,
  options: {
    host: option.string("HOST", "who sent it, when the payload does not tell"),
    event: option.string("EVENT", "the event, when the payload does not name it"),
    answer: option.choice(ANSWERS, "also show the answer to this effect"),
    reason: option.string("TEXT", "why, for allow, ask, deny and crash"),
    input: option.string("JSON", "the new tool input, for modify"),
    context: option.string("TEXT", "what to tell the model, for context"),
    format: option.choice(["json"], "the only form there is", {
      short: "f",
      initial: "json",
      isHidden: true,
    }),
  },
  forAgents: "passes",
  examples: {
    [`echo '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}' | amplihack hooks inspect`]:
      "shows the payload in amplihack's own words",
    "amplihack hooks inspect --host codex --answer deny --reason 'not here' < payload.json":
      "shows what Codex would be told",
  },
  async run({ options, system, terminal }) {
    const { event, answer, reason, context } = options;
    const host = options.host === undefined ? undefined : resolveHost(options.host);
    if (host === undefined && options.host !== undefined)
      throw usageError(
        `unknown host '${options.host}'; known are ${HOST_IDS.join(", ")}`,
        "amplihack hooks inspect --help",
      );
    const given = readJson(options.input ?? "", { recover: false, maxDepth: 200 });
    const input = given.ok && isJsonObject(given.value) ? given.value : undefined;
    if (input === undefined && options.input !== undefined)
      throw usageError("--input must be a JSON object", '--input \'{"command":"ls"}\'');
    const read = system.stdio.readInput(MAX_INPUT_BYTES);
    if (read.kind === "too-large") {
      throw new CommandError(`the payload is larger than ${read.limitBytes} bytes`, { kind: "too-large" });
    }
    const text = read.kind === "bytes" ? system.text.decode(read.bytes).text : "";
    const inspection = inspect(text, { host, event, env: system.env, answer, reason, input, context });
    terminal.printJson(inspection);
    return "error" in inspection ? 1 : 0;
  },
});
