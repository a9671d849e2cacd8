import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { ask, DELETE, modelReads, PUSH } from "./agent.ts";

// The person's own files: the proxy uses what stands in ~/.amplihack, here a hook that redacts.
const home = mkdtempSync(join(homedir(), ".mcp-proxy-example-"));
mkdirSync(join(home, ".amplihack"));
writeFileSync(
  join(home, "redact.mjs"),
  `import { text } from "node:stream/consumers";
const { tool_response } = JSON.parse(await text(process.stdin));
const updatedToolOutput = JSON.parse(JSON.stringify(tool_response).replace(/sk-[\\w-]+/g, "[redacted]"));
console.log(JSON.stringify({ hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput } }));`,
);
const hooks = [{ type: "command", command: `node '${join(home, "redact.mjs")}'`, onFailure: "closed" }];
writeFileSync(
  join(home, ".amplihack", "hooks.jsonc"),
  JSON.stringify({ hooks: { PostToolUse: [{ matcher: "*", hooks }] } }),
);

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const amplihack = here("../../../dist/bin/amplihack.cjs");
const server = here("mcp-shell-server.js");
const transport = new StdioClientTransport({
  command: process.execPath,
  args: [amplihack, "mcp", "guard", "--name", "shell", "--", process.execPath, server],
  env: { PATH: process.env["PATH"] ?? "", HOME: home },
  cwd: home,
});

// A client that can show questions is asked through elicitation; for any other, a question is a refusal.
const client = new Client({ name: "example", version: "1.0.0" }, { capabilities: { elicitation: {} } });
client.setRequestHandler(ElicitRequestSchema, async ({ params }) => ({
  action: "accept",
  content: { run: ask(params.message) },
}));
await client.connect(transport);
for (const command of [DELETE, PUSH]) {
  const { content } = await client.callTool({ name: "bash", arguments: { command } });
  modelReads(JSON.stringify(content));
}
await client.close();
rmSync(home, { recursive: true });
