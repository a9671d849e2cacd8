import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { type McpServer, readServer } from "../../../src/install/user-hooks/compiled.ts";
import { collectHandlers } from "../../../src/install/user-hooks/handlers.ts";
import { callMcpTool } from "../../../src/install/user-hooks/mcp-call.ts";
import { TrustedHooks } from "../../../src/install/user-hooks/sources.ts";
import type { Json } from "../../../src/protocol/index.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";

/** A server with the tools `echo`, `facts`, `broken`; it asks back before it answers, and ends at `die`. */
const MCP_SERVER = `
const answer = message => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
require("node:readline").createInterface({ input: process.stdin }).on("line", line => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") return answer({ id, result: { protocolVersion: params.protocolVersion } });
  if (method !== "tools/call") return;
  process.stdout.write("a line that is no message\\n");
  answer({ id: 77, method: "ping" });
  answer({ id: 78, method: "roots/list" });
  const text = value => ({ content: [{ type: "text", text: value }] });
  switch (params.name) {
    case "echo": return answer({ id, result: text(JSON.stringify(params.arguments) + (process.env.MARK ?? "")) });
    case "facts": return answer({ id, result: { content: [], structuredContent: { decision: "block" } } });
    case "broken": return answer({ id, result: { ...text("no disk"), isError: true } });
    case "die": return process.exit(3);
    case "hang": return;
  }
  answer({ id, error: { code: -32602, message: "unknown tool" } });
});
`;

const stdio = (): McpServer => {
  const path = join(temporaryDirectory(), "server.cjs");
  writeFileSync(path, MCP_SERVER);
  return { kind: "stdio", command: process.execPath, args: [path], env: { MARK: " marked" } };
};
const call = (server: McpServer, tool: string, signal = new AbortController().signal) =>
  callMcpTool(server, { tool, input: { path: "a" }, cwd: "/", signal });

describe("a tool of an MCP server", () => {
  it("is called through pipes, and every way of failing is told", async () => {
    const server = stdio();
    expect(await call(server, "echo")).toBe('{"path":"a"} marked');
    expect(await call(server, "facts")).toBe('{"decision":"block"}');
    await expect(call(server, "broken")).rejects.toThrow("the tool failed: no disk");
    await expect(call(server, "other")).rejects.toThrow("the server refused: unknown tool");
    await expect(call(server, "die")).rejects.toThrow("ended with code 3");
    const aborted = new AbortController();
    const hanging = call(server, "hang", aborted.signal);
    aborted.abort();
    await expect(hanging).rejects.toThrow("could not be run");
    const missing: McpServer = { kind: "stdio", command: "/nowhere/server", args: [], env: {} };
    await expect(call(missing, "echo")).rejects.toThrow("could not be run");
  });

  it("is heard to the end, whenever the end of the server is noticed", async () => {
    const server = (ending: string): McpServer => {
      const begin = `read -r _; echo '{"id":0,"result":{}}'; read -r _; read -r _`;
      return { kind: "stdio", command: "sh", args: ["-c", `${begin}; ${ending}`], env: {} };
    };
    const answer = `echo '{"id":1,"result":{"content":[{"type":"text","text":"last"}]}}'`;
    // The number of the process is taken until its end was noticed.
    const behind = `(while kill -0 $$ 2>/dev/null; do sleep 0.01; done; ${answer}) & exit 0`;
    expect(await call(server(behind), "echo")).toBe("last");
    const deaf = `exec 0<&-; echo '{"id":77,"method":"ping"}'; exit 3`;
    await expect(call(server(deaf), "echo")).rejects.toThrow("ended with code 3");
  });

  it("is called over HTTP, with an answer or a stream of events", async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString();
      });
      request.on("end", () => {
        const { id, method, params } = JSON.parse(body);
        seen.push(`${method} ${request.headers["mcp-session-id"] ?? ""} ${request.headers["x-key"]}`);
        const status = id === undefined ? 202 : params.name === "missing" ? 404 : 200;
        if (status !== 200) return void response.writeHead(status).end();
        if (params.name === "silent") return void response.end("nothing");
        const answer = JSON.stringify({
          jsonrpc: "2.0",
          id,
          result: { content: [{ type: "text", text: "yes" }] },
        });
        response.setHeader("mcp-session-id", "s1");
        response.end(method === "initialize" ? answer : `event: message\ndata: ${answer}\n\n`);
      });
    });
    await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
    const read = readServer({ url: "${WHERE}", headers: { "x-key": "${KEY:-none}" } }, name =>
      name === "WHERE" ? url : undefined,
    );
    if (!read.ok) throw new Error(read.problem);
    expect(await call(read.server, "echo")).toBe("yes");
    expect(seen).toEqual(["initialize  none", "notifications/initialized s1 none", "tools/call s1 none"]);
    await expect(call(read.server, "missing")).rejects.toThrow("status 404");
    await expect(call(read.server, "silent")).rejects.toThrow("no answer that could be read");
  });
});

describe("handlers of every kind", () => {
  it("are run, or named with the reason why not; none is passed over in silence", () => {
    const home = temporaryDirectory();
    const places = { home, stateHome: join(home, ".amplihack"), projectRoot: join(home, "project") };
    const write = (path: string, value: Json) => {
      mkdirSync(join(home, path, ".."), { recursive: true });
      writeFileSync(join(home, path), JSON.stringify(value));
    };
    const hooks = (...entries: readonly Json[]): Json => ({ PreToolUse: [{ hooks: entries }] });
    const tool = (server: string): Json => ({ type: "mcp_tool", server, tool: "check" });
    write(".amplihack/hooks.jsonc", {
      import: ["claude"],
      mcpServers: { own: { command: "own-server" }, old: { type: "sse", url: "https://x.test" } },
      hooks: hooks(
        tool("own"),
        tool("known"),
        tool("nowhere"),
        tool("old"),
        { type: "prompt", prompt: "is it safe?" },
        { type: "http", url: "https://x.test" },
      ),
    });
    write(".claude.json", {
      projects: { [places.projectRoot]: { mcpServers: { known: { command: "k" } } } },
    });
    write(".claude/settings.json", { hooks: hooks({ type: "agent", prompt: "look" }) });
    const system = createNodeSystem();
    const { handlers, skipped, problems } = collectHandlers(
      system,
      places,
      new TrustedHooks(system, places.stateHome),
    );
    expect(handlers.map(({ action }) => action)).toMatchObject([
      { kind: "mcp_tool", server: "own", tool: "check", description: { command: "own-server" } },
      { kind: "mcp_tool", server: "known", describedIn: join(home, ".claude.json") },
      { kind: "http" },
    ]);
    expect(skipped.map(({ why }) => why)).toEqual([
      expect.stringContaining('"nowhere" is described neither under "mcpServers" of this file'),
      expect.stringContaining('of type "sse" it cannot be reached'),
      expect.stringContaining("which only Claude Code gives to hooks"),
      expect.stringContaining("it runs there and in no other host"),
    ]);
    expect(problems).toEqual([]);
  });
});
