import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { PassThrough, Writable } from "node:stream";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { serveStdio } from "../../src/mcp/serve.ts";
import { AMPLIHACK, newUserInside } from "../commands/run-command.ts";
import { makeContext, textOf } from "./connected.ts";

const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "raw", version: "1" } },
};

/** What the server writes for these bytes, when they are all it gets. */
async function converse(chunks: readonly string[]) {
  const { context, warnings } = makeContext();
  const input = new PassThrough();
  const output = new PassThrough();
  let written = "";
  output.on("data", (chunk: Buffer) => {
    written += chunk.toString();
  });
  const served = serveStdio(context, { input, output, onStop: () => undefined });
  for (const chunk of chunks) input.write(chunk);
  input.end();
  const code = await served;
  return {
    code,
    warnings,
    messages: written
      .split("\n")
      .filter(Boolean)
      .map(line => JSON.parse(line)),
  };
}

describe("the server on standard input and output", () => {
  it("goes on after lines that are no messages, and logs nothing of them", async () => {
    const { code, messages, warnings } = await converse([
      '{"secret-word": half\n',
      `${JSON.stringify(INITIALIZE)}\n`,
      "[]\n\n",
      '{"jsonrpc":"2.0","id":2,"method":"no/such/method"}\n',
      '{"jsonrpc":"2.0","id":3,"method":"ping"}\n',
    ]);
    expect(code).toBe(0);
    expect(messages).toHaveLength(3);
    expect(messages).toContainEqual(expect.objectContaining({ id: 2, error: expect.anything() }));
    expect(messages).toContainEqual(expect.objectContaining({ id: 3, result: {} }));
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.join()).not.toContain("secret-word");
  });

  it("ends the connection when a line is too long to be kept", async () => {
    const megabyte = "x".repeat(1024 * 1024);
    const { code, messages, warnings } = await converse(Array(20).fill(megabyte));
    expect([code, messages]).toEqual([1, []]);
    expect(warnings.at(-1)).toContain("longer than");
  });

  it("says in plain words what was left out, also a last line without an end", async () => {
    const { code, warnings, messages } = await converse([
      "half\n5\n",
      `${JSON.stringify(INITIALIZE)}\n`,
      '{"jsonrpc":"2.0","id":3,"method":"ping"}',
    ]);
    expect([code, messages.length]).toEqual([0, 1]);
    expect(warnings).toEqual([
      "a message was left out: the line is not JSON",
      "a message was left out: the line is not a JSON-RPC message",
      "the last message was left out: its line has no end",
    ]);
  });

  it.each([
    ["ENOSPC", 1, ["the connection ended: an answer could not be written (ENOSPC)"]],
    ["EPIPE", 0, []],
  ])("ends when its answers cannot be written: %s", async (problem, exitCode, told) => {
    const { context, warnings } = makeContext();
    const input = new PassThrough();
    const output = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error(problem), { code: problem })),
    });
    const served = serveStdio(context, { input, output, onStop: () => undefined });
    input.write(`${JSON.stringify(INITIALIZE)}\n`);
    expect(await served).toBe(exitCode);
    expect(warnings).toEqual(told);
  });

  it("ends when it is told to", async () => {
    const { context } = makeContext();
    const output = new PassThrough();
    const input = new PassThrough();
    let stop: () => void = () => undefined;
    const served = serveStdio(context, { input, output, onStop: given => (stop = given) });
    stop();
    expect(await served).toBe(0);
  });
});

describe("amplihack mcp", () => {
  const [command = "", ...args] = AMPLIHACK;
  const envOf = (home: string) => ({ PATH: process.env["PATH"] ?? "", HOME: home });

  it("is a server that a client starts", async () => {
    const { home, project } = makeContext();
    const client = new Client({ name: "real", version: "1.0.0" });
    const program = { command, args: [...args, "mcp"], env: envOf(home), cwd: project };
    await client.connect(new StdioClientTransport(program));
    onTestFinished(() => client.close());
    expect(client.getServerVersion()?.name).toBe("amplihack");
    await client.callTool({
      name: "memory_store",
      arguments: { key: "port", value: "The service listens on port 8123" },
    });
    const found = await client.callTool({ name: "memory_search", arguments: { query: "service port" } });
    expect(textOf(found as never)).toContain("8123");
  });

  it("listens on loopback until it is told to end", async () => {
    const { home, project } = makeContext();
    const server = spawn(command, [...args, "mcp", "serve", "--http"], { cwd: project, env: envOf(home) });
    onTestFinished(() => void server.kill("SIGKILL"));
    const ended = once(server, "exit");
    const [line] = (await once(createInterface({ input: server.stdout }), "line")) as [string];
    expect(line).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
    const token = readFileSync(join(home, ".amplihack/mcp/token"), "utf8").trim();
    const client = new Client({ name: "real", version: "1.0.0" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(line), { requestInit }) as never);
    expect((await client.listTools()).tools).toHaveLength(8);
    await client.close();
    server.kill("SIGTERM");
    expect(await ended).toEqual([143, null]);
  });

  it("needs no package beside its own", () => {
    const dist = new URL("../../dist/", import.meta.url);
    const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter(name =>
      /^(chunks|commands)\/.*\.js$/.test(name),
    );
    const texts = files.map(name => readFileSync(new URL(name, dist), "utf8"));
    expect(texts.some(text => text.includes("memory_forget"))).toBe(true);
    expect(texts.filter(text => /(?:from|import\()\s*"(?:@modelcontextprotocol|zod)/.test(text))).toEqual([]);
  });

  it("refuses a port that is none", async () => {
    const user = newUserInside();
    const type = async (...words: string[]) => (await user.type(["mcp", "serve", ...words])).code;
    expect([await type("--port", "80"), await type("--http", "--port", "70000")]).toEqual([2, 2]);
  });
});
