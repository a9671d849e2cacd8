// A whole agent in one file: a loop, two tools, and hooks at every turn. The model is a script, so that it
// runs anywhere; put a real one in `nextTurn`. Run after `npm run build`:
//
//   node examples/agent-loop/main.mjs
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createHookEngine } from "amplihack/engine";

const here = fileURLToPath(new URL(".", import.meta.url));
const project = mkdtempSync(join(tmpdir(), "agent loop "));
cpSync(join(here, "gate.sh"), join(project, "gate.sh"));

// 1. The tools. The guards are what the engine validates calls and rewrites with; a zod, valibot, arktype or
//    TypeBox schema serves as well and gives the hooks below their types.
const isObject = value => typeof value === "object" && value !== null;
const tools = {
  shell: {
    args: value => isObject(value) && typeof value.command === "string",
    run: ({ command }) => execFileSync("sh", ["-c", command], { cwd: project, encoding: "utf8" }),
  },
  write: {
    args: value => isObject(value) && typeof value.path === "string" && typeof value.content === "string",
    run({ path, content }) {
      writeFileSync(join(project, path), content);
      return `wrote ${content.length} characters`;
    },
  },
};

// 2. The engine: configured hooks from a file, and functions of our own.
const engine = createHookEngine({
  projectDir: project,
  tools,
  sources: [{ kind: "project", dialect: "claude", data: readFileSync(join(here, "hooks.jsonc"), "utf8") }],
  // Hooks of a project run once its user agreed to them: `engine.list()` has what to show and the identity to remember.
  // This example agrees to its own.
  trust: { state: () => "trusted" },
});
engine.beforeToolCall("shell", ({ args }) => {
  if (args.command.includes("rm -rf")) return { block: true, reason: "Destructive command blocked" };
  if (args.command.startsWith("npm ")) return { args: { command: `echo "(dry run) ${args.command}"` } };
});
engine.afterToolCall("*", ({ result }) => ({ result: String(result).trimEnd() }));
engine.observe("PreToolUse", ({ tool_name }, { decision }) => say("hooks", `${tool_name}: ${decision.kind}`));

// 3. The loop. Each event is one dispatch; the outcome says what to do.
const session = { session_id: "example", cwd: project };
const conversation = [];
const say = (who, text) => console.log(`${who.padEnd(6)} ${text}`);

for (const { text } of (await engine.dispatch("SessionStart", { ...session, source: "startup" })).context) {
  conversation.push({ role: "system", text });
  say("system", text);
}

for (;;) {
  const turn = nextTurn(conversation);
  if (turn.call === undefined) {
    const { decision } = await engine.dispatch("Stop", { ...session, stop_hook_active: false });
    if (decision.kind !== "deny") break;
    say("hooks", `not yet: ${decision.reason}`);
    conversation.push({ role: "user", text: decision.reason });
    continue;
  }
  const result = await callTool(turn.call);
  say(result.isError ? "error" : "tool", result.text);
  conversation.push({ role: "tool", ...result });
}
await engine.close();
rmSync(project, { recursive: true, force: true });
say("done", `${conversation.length} messages`);

async function callTool({ id, name, args }) {
  const call = { ...session, tool_use_id: id, tool_name: name, tool_input: args };
  say("model", `${name} ${JSON.stringify(args)}`);
  const before = await engine.dispatch("PreToolUse", call);
  // `ask` and `defer` need a person; this agent has none, so they refuse.
  if (before.decision.kind !== "none" && before.decision.kind !== "allow")
    return { text: before.decision.reason ?? "refused", isError: true };
  try {
    const tool_response = await tools[name].run(before.input ?? args);
    const after = await engine.dispatch("PostToolUse", { ...call, tool_response });
    return { text: after.output ?? tool_response, isError: false };
  } catch (error) {
    const after = await engine.dispatch("PostToolUseFailure", { ...call, error: error.message });
    return { text: after.output ?? error.message, isError: true };
  }
}

/** The model: it tries what a model might, and gives up when everything was said. */
function nextTurn(messages) {
  const script = [
    { name: "shell", args: { command: "echo hello" } },
    { name: "shell", args: { command: "rm -rf build" } },
    { name: "shell", args: { command: "npm publish" } },
    { name: "write", args: { path: "../outside.txt", content: "x" } },
    undefined,
    { name: "write", args: { path: "notes.txt", content: "all done" } },
  ];
  const step = messages.filter(({ role }) => role !== "system").length;
  const call = script[step];
  return call === undefined ? {} : { call: { id: `call-${step}`, ...call } };
}
