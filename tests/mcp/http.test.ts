import { statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { type CallToolResult, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { readToken, serveHttp, tokenFile } from "../../src/mcp/serve.ts";
import { makeContext, PATIENT, textOf } from "./connected.ts";

const TOKEN = "f".repeat(64);

async function start() {
  const scene = makeContext();
  const server = await serveHttp(scene.context, { port: undefined, token: TOKEN });
  onTestFinished(() => server.close());
  return { ...scene, ...server };
}

async function connectTo(url: string, token = TOKEN): Promise<Client> {
  const client = new Client({ name: "web", version: "1.0.0" }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, async () => ({ action: "accept", content: { run: true } }));
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport as never);
  onTestFinished(() => client.close());
  return client;
}

/** The status, by whatever headers: `fetch` would not send some of them. */
function statusOf(
  url: string,
  headers: Record<string, string>,
  body = "{}",
  method = "POST",
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers: { "content-type": "application/json", ...headers } });
    sent.once("error", reject);
    sent.once("response", response => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.end(body);
  });
}

describe("the server on loopback", () => {
  it("serves several clients, and asks each its own questions", async () => {
    const { url } = await start();
    const [one, other] = await Promise.all([connectTo(url), connectTo(url)]);
    const call = async (client: Client, name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args }, undefined, PATIENT)) as CallToolResult;
    await call(one, "memory_store", { key: "port", value: "The service listens on port 8123" });
    expect(textOf(await call(other, "memory_search", { query: "port" }))).toContain("8123");
    expect(textOf(await call(other, "memory_forget", { key: "port" }))).toContain('"forgotten": true');
  });

  it("answers nobody without the token, from another site or by another name", async () => {
    const { url } = await start();
    const authorization = `Bearer ${TOKEN}`;
    await expect(connectTo(url, "0".repeat(64))).rejects.toThrow(/401|token/);
    const statuses = await Promise.all([
      statusOf(url, {}),
      statusOf(url, { authorization: TOKEN }),
      statusOf(url, { authorization, host: "evil.example:80" }),
      statusOf(url, { authorization, origin: "http://evil.example" }),
      statusOf(url, { authorization, "sec-fetch-site": "cross-site" }),
      statusOf(url.replace("/mcp", "/"), { authorization }),
      statusOf(url, { authorization, "mcp-session-id": "unknown" }),
    ]);
    expect(statuses).toEqual([401, 401, 403, 403, 403, 404, 404]);
  });

  it("refuses what is no message, and messages that are too long", async () => {
    const { url } = await start();
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      accept: "application/json, text/event-stream",
    };
    expect(await statusOf(url, headers, "{half")).toBe(400);
    expect(await statusOf(url, headers, JSON.stringify("x".repeat(5 * 1024 * 1024)))).toBe(413);
    expect(await statusOf(url, headers, "", "PUT")).toBe(405);
  });

  it("forgets the client that was idle for longest when there are too many", async () => {
    const { url } = await start();
    const first = await connectTo(url);
    for (let count = 0; count < 32; count++) await connectTo(url);
    await expect(first.listTools()).rejects.toThrow();
  });
});

describe("the token", () => {
  it("is made once, for its owner alone", () => {
    const { context, home } = makeContext();
    const stateHome = join(home, ".amplihack");
    const token = readToken(context.system, stateHome);
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(readToken(context.system, stateHome)).toBe(token);
    expect(statSync(tokenFile(stateHome)).mode & 0o777).toBe(0o600);
  });

  it("is no secret where others can read it, and is made anew where it is damaged", () => {
    const { context, home } = makeContext();
    const stateHome = join(home, ".amplihack");
    const token = readToken(context.system, stateHome);
    writeFileSync(tokenFile(stateHome), "short\n");
    expect(readToken(context.system, stateHome)).not.toBe(token);
    context.system.files.changeMode(tokenFile(stateHome), 0o644);
    expect(() => readToken(context.system, stateHome)).toThrow(/can be read by other users/);
  });
});
