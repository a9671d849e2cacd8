import { mkdtempSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it, vi } from "vitest";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A real client, our program between, a real server. */
async function connect(
  answer?: () => { action: "accept" | "decline"; content?: { run: boolean } },
): Promise<Client> {
  const home = mkdtempSync(join(homedir(), ".amplihack-mcp-test-"));
  folders.push(home);
  const client = new Client(
    { name: "test", version: "1.0.0" },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  );
  if (answer !== undefined) client.setRequestHandler(ElicitRequestSchema, async () => answer());
  const program = [path("../../dist/bin/amplihack.cjs"), "mcp", "guard", "--name", "shell", "--"];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...program, process.execPath, path("programs/shell-server.mjs")],
      env: { PATH: process.env["PATH"] ?? "", HOME: home },
      cwd: home,
    }),
  );
  return client;
}
const call = (client: Client, command: string) =>
  client.callTool({ name: "run_command", arguments: { command } });

describe("amplihack mcp guard", () => {
  it("hands everything on but what the guard refuses", async () => {
    const client = await connect();
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["run_command"]);
    expect(await call(client, "ls")).toMatchObject({ content: [{ text: "ran ls" }] });
    const refused = await call(client, "rm -rf ~");
    expect(refused.isError).toBe(true);
    expect(JSON.stringify(refused.content)).toContain("fs.home");
    const asked = await call(client, "git push --force origin feature");
    expect(JSON.stringify(asked.content)).toContain("this client cannot ask the person");
    await client.close();
  });

  it("asks the person through a client that can", async () => {
    const answer = vi.fn<() => { action: "accept" | "decline"; content?: { run: boolean } }>();
    const client = await connect(answer);
    answer.mockReturnValueOnce({ action: "accept", content: { run: true } });
    expect(await call(client, "git push --force origin feature")).toMatchObject({
      content: [{ text: "ran git push --force origin feature" }],
    });
    answer.mockReturnValueOnce({ action: "decline" });
    expect((await call(client, "git push --force origin feature")).isError).toBe(true);
    expect(answer).toHaveBeenCalledTimes(2);
    await client.close();
  });
});
