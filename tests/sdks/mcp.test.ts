import { Client as SecondClient, InMemoryTransport as SecondTransport } from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { hookClient, hookServer } from "amplihack/engine/mcp";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { askingEngine, changingEngine, guardedEngine, newEngine, type PlainEngine, run } from "./engine.ts";

const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

async function connect(at: "server" | "client", engine: PlainEngine, isApproved = false): Promise<Client> {
  const plain = new McpServer({ name: "shell", version: "1.0.0" });
  const options = isApproved ? { onAsk: () => true } : {};
  const server = at === "server" ? hookServer(engine, plain, options) : plain;
  server.registerTool(
    "bash",
    { description: "runs a command", inputSchema: { command: z.string() } },
    async ({ command }) => text(await run({ command })),
  );
  server.registerTool("broken", { description: "fails" }, async () => ({
    ...text("disk full"),
    isError: true,
  }));
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "test", version: "1.0.0" });
  await Promise.all([plain.connect(there), client.connect(here)]);
  return at === "client" ? hookClient(engine, client, "shell", options) : client;
}
const call = (client: Client, command: string) => client.callTool({ name: "bash", arguments: { command } });

describe.each(["server", "client"] as const)("at the %s", at => {
  it("a refusal is an error that the model reads, and the tool does not run", async () => {
    const result = await call(await connect(at, guardedEngine()), "rm -rf ~");
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toMatch(/bash did not run.*home/);
    expect(run).not.toHaveBeenCalled();
  });

  it("rewrites, changed results and notes reach the tool and the model", async () => {
    const { content } = await call(await connect(at, changingEngine()), "ls");
    expect(content).toEqual([
      { type: "text", text: "[redacted] ls -l" },
      { type: "text", text: "be careful" },
    ]);
  });

  it("a question needs an answer", async () => {
    const { engine } = askingEngine();
    expect(await call(await connect(at, engine), "deploy")).toMatchObject({ isError: true });
    expect(run).not.toHaveBeenCalled();
    expect(await call(await connect(at, engine, true), "deploy")).toMatchObject(text("ran deploy"));
  });

  it("a failure that the tool reports is one to hooks", async () => {
    const engine = newEngine();
    engine.afterToolCall("*", ({ isError }) => (isError ? { context: "seen as failed" } : undefined));
    const client = await connect(at, engine);
    const result = await client.callTool({ name: "broken" });
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result.content)).toMatch(/disk full.*seen as failed/);
  });
});

describe("hookServer", () => {
  it("knows the older way to register a tool too", async () => {
    const server = hookServer(guardedEngine(), new McpServer({ name: "shell", version: "1.0.0" }));
    server.tool("bash", "runs a command", { command: z.string() }, async ({ command }) =>
      text(await run({ command })),
    );
    server.tool("version", async () => text("1.0.0"));
    const [here, there] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "test", version: "1.0.0" });
    await Promise.all([server.connect(there), client.connect(here)]);
    expect(await call(client, "rm -rf ~")).toMatchObject({ isError: true });
    expect(run).not.toHaveBeenCalled();
    expect(await call(client, "ls")).toMatchObject(text("ran ls"));
    expect(await client.callTool({ name: "version" })).toMatchObject(text("1.0.0"));
  });
});

describe("hookClient", () => {
  it("may be connected afterwards, and shares its requests with the client it wraps", async () => {
    const server = new McpServer({ name: "shell", version: "1.0.0" });
    server.registerTool("bash", { inputSchema: { command: z.string() } }, async ({ command }) =>
      text(await run({ command })),
    );
    const [here, there] = InMemoryTransport.createLinkedPair();
    const plain = new Client({ name: "test", version: "1.0.0" });
    const client = hookClient(newEngine(), plain, "shell");
    await Promise.all([server.connect(there), client.connect(here)]);
    const [listed, ...called] = await Promise.all([
      client.listTools(),
      call(client, "ls"),
      call(plain, "pwd"),
      client.listTools(),
    ]);
    expect(listed.tools).toHaveLength(1);
    expect(called).toMatchObject([text("ran ls"), text("ran pwd"), { tools: listed.tools }]);
  });

  it("wraps clients of the second version of the SDK, whose options come second", async () => {
    const server = new McpServer({ name: "shell", version: "1.0.0" });
    server.registerTool("bash", { inputSchema: { command: z.string() } }, async ({ command }) =>
      text(await run({ command })),
    );
    const [here, there] = SecondTransport.createLinkedPair();
    const client = hookClient(guardedEngine(), new SecondClient({ name: "test", version: "1.0.0" }), "shell");
    await Promise.all([server.connect(there as never), client.connect(here)]);
    const callBash = (command: string, signal?: AbortSignal) =>
      client.callTool({ name: "bash", arguments: { command } }, signal === undefined ? {} : { signal });
    expect(await callBash("ls")).toMatchObject(text("ran ls"));
    expect(await callBash("rm -rf ~")).toMatchObject({ isError: true });
    expect(await callBash("ls", AbortSignal.abort())).toMatchObject({ isError: true });
    expect(run).toHaveBeenCalledTimes(1);
  });
});
