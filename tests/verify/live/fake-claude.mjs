// A host in fifty lines, after Claude Code: asks the model, runs the hook before a tool, obeys it or not.
// The file `fault` beside it says what is wrong with it.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const fault = readFileSync(new URL("./fault", import.meta.url), "utf8").trim();
if (process.argv.includes("--version")) {
  console.log("9.9.9 (Fake Code)");
  process.exit(0);
}
if (fault === "crashes") {
  console.error("fake: cannot log in");
  process.exit(41);
}

const settings = JSON.parse(readFileSync(join(process.env.HOME, ".claude", "settings.json"), "utf8"));
const commands = settings.hooks.PreToolUse.flatMap(group => group.hooks.map(hook => hook.command));
const tools = [{ name: "Bash", input_schema: { properties: { command: {}, description: {} } } }];
const messages = [{ role: "user", content: process.argv.at(process.argv.indexOf("-p") + 1) }];

function askHook(input) {
  const payload = {
    hook_event_name: "PreToolUse",
    session_id: "s",
    cwd: process.cwd(),
    tool_name: "Bash",
    tool_input: input,
  };
  for (const command of fault === "runs no hooks" ? [] : commands) {
    const { stdout } = spawnSync("/bin/sh", ["-c", command], {
      input: JSON.stringify(payload),
      encoding: "utf8",
    });
    const said = JSON.parse(stdout).hookSpecificOutput ?? {};
    if (said.permissionDecision === "deny") return said.permissionDecisionReason;
  }
  return undefined;
}

function runTool(input) {
  const reason = askHook(input);
  if (reason !== undefined && fault !== "ignores hooks")
    return fault === "loses the reason" ? "refused" : reason;
  if (fault === "refuses everything") return "refused by itself";
  return execFileSync("/bin/sh", ["-c", input.command], { encoding: "utf8" });
}

for (;;) {
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages`, {
    method: "POST",
    headers: { "x-api-key": process.env.ANTHROPIC_API_KEY },
    body: JSON.stringify({ model: "m", messages, tools }),
  });
  const { content } = await response.json();
  const [block] = content;
  if (block.type !== "tool_use") break;
  messages.push({ role: "assistant", content });
  const result = { type: "tool_result", tool_use_id: block.id, content: runTool(block.input) };
  messages.push({ role: "user", content: [result] });
}
