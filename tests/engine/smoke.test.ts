import { expect, it } from "vitest";
import { createHookEngine } from "../../src/engine/index.ts";
import { z } from "zod";
it("works", async () => {
  const e = createHookEngine({ projectDir: "/tmp", tools: { bash: { args: z.object({ command: z.string() }) } }, sources: [{ kind: "project", dialect: "claude", data: { hooks: { PreToolUse: [{ matcher: "bash", hooks: [{ type: "command", command: "cat >&2; exit 2" }] }] } } }] });
  const o = await e.dispatch("PreToolUse", { tool_name: "bash", tool_input: { command: "ls" } });
  console.log(JSON.stringify(o, null, 1));
  e.beforeToolCall("bash", c => c.args.command.includes("rm") ? { block: true, reason: "no" } : { args: { command: c.args.command + "!" } });
  console.log(JSON.stringify(await e.dispatch("PreToolUse", { tool_name: "bash", tool_input: { command: "rm" } }), null, 1));
  console.log(JSON.stringify(await e.dispatch("PreToolUse", { tool_name: "bash", tool_input: { command: "ls" } }), null, 1));
  console.log(e.list());
  await e.close();
});
