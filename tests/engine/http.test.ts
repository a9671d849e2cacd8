import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createHttpClient, refuseAddress } from "../../src/engine/run/http.ts";
import type { JsonObject, Outcome } from "../../src/exports/engine.ts";
import { BASH_CALL, codesOf, makeEngine, source } from "./fixture.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

interface Received {
  readonly method: string | undefined;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

async function serve(
  answer: (response: ServerResponse, received: Received) => void,
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const got = {
        method: request.method,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
      };
      received.push(got);
      answer(response, got);
    });
  });
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, received };
}

async function post(url: string, more: JsonObject = {}, options: JsonObject = {}): Promise<Outcome> {
  const data = { hooks: { PreToolUse: [{ hooks: [{ type: "http", url, ...more }] }] } };
  return makeEngine({ ...options, sources: [source("claude", data)] }).dispatch("PreToolUse", BASH_CALL);
}

describe("HTTP hooks", () => {
  it("post the payload and read a 2xx body like stdout", async () => {
    const { url, received } = await serve(response =>
      response.end('{"decision":"block","reason":"by http"}'),
    );
    expect((await post(url)).decision).toMatchObject({ kind: "deny", reason: "by http" });
    expect(received).toMatchObject([{ method: "POST", headers: { "content-type": "application/json" } }]);
    expect(JSON.parse(received[0]?.body ?? "")).toEqual({ hook_event_name: "PreToolUse", ...BASH_CALL });
  });

  it.each([200, 204])("an empty %d is silence", async status => {
    const { url } = await serve(response => response.writeHead(status).end());
    expect(await post(url)).toMatchObject({
      decision: { kind: "none" },
      diagnostics: [],
      runs: [{ status: "ok" }],
    });
  });

  it.each<[number, string]>([
    [400, "http-status"],
    [403, "http-status"],
    [500, "http-status"],
    [302, "http-redirect"],
    [304, "http-redirect"],
  ])("%d is the failure %s", async (status, code) => {
    const { url, received } = await serve(response =>
      response.writeHead(status, { location: "/elsewhere" }).end('{"decision":"block"}'),
    );
    const outcome = await post(url);
    expect(outcome.decision.kind).toBe("none");
    expect(codesOf(outcome)).toEqual([code]);
    expect(received).toHaveLength(1);
  });

  it("a failure follows the policy", async () => {
    const { url } = await serve(response => response.writeHead(500).end());
    expect((await post(url, { onFailure: "closed" })).decision.kind).toBe("deny");
  });

  it("a server that never answers, or hangs up, is given up", async () => {
    const silent = await serve(() => {});
    expect(codesOf(await post(silent.url, { timeout: 0.1 }))).toEqual(["timeout"]);
    const rude = await serve(response => response.destroy());
    expect(codesOf(await post(rude.url))).toEqual(["http-transport"]);
    const half = await serve(response => {
      response.writeHead(200, { "content-length": "100" });
      response.write("{");
      response.destroy();
    });
    expect(codesOf(await post(half.url))).toEqual(["http-transport"]);
  });

  it("an answer over the limit is cut and can grant nothing", async () => {
    const { url } = await serve(response =>
      response.end(`{"decision":"approve","pad":"${"x".repeat(5000)}"}`),
    );
    const outcome = await post(url, {}, { limits: { httpBodyBytes: 1000 } });
    expect(outcome.decision.kind).toBe("none");
    expect(codesOf(outcome)).toEqual(["output-truncated", "output-invalid-json"]);
  });

  it("an abort ends the request", async () => {
    const { url } = await serve(() => {});
    const engine = makeEngine({
      sources: [source("claude", { hooks: { PreToolUse: [{ hooks: [{ type: "http", url }] }] } })],
    });
    const controller = new AbortController();
    const dispatch = engine.dispatch("PreToolUse", BASH_CALL, { signal: controller.signal });
    controller.abort();
    expect(await dispatch).toMatchObject({ aborted: true, decision: { kind: "deny" } });
  });

  it("headers may name variables, and only those allowed have a value", async () => {
    const { url, received } = await serve(response => response.end());
    const headers = {
      "x-a": "$ALLOWED_TOKEN",
      "x-b": "pre-${ALLOWED_TOKEN}-post",
      "x-c": "[$SECRET]",
      "x-d": "$UNSET",
      Cookie: "c=1",
      Host: "evil",
    };
    await post(
      url,
      { headers, allowedEnvVars: ["ALLOWED_TOKEN", "UNSET"] },
      { env: { ALLOWED_TOKEN: "t", SECRET: "s", PATH: "/bin" } },
    );
    expect(received[0]?.headers).toMatchObject({
      "x-a": "t",
      "x-b": "pre-t-post",
      "x-c": "[]",
      "x-d": "",
      host: new URL(url).host,
    });
    expect(received[0]?.headers).not.toHaveProperty("cookie");
  });

  it("a header that would split the request is refused", async () => {
    const { url, received } = await serve(response => response.end());
    const outcome = await post(
      url,
      { headers: { "x-a": "$A" }, allowedEnvVars: ["A"] },
      { env: { A: "x\r\nEvil: 1", PATH: "/bin" } },
    );
    expect(codesOf(outcome)).toEqual(["http-transport"]);
    expect(received).toEqual([]);
  });

  it.each<[string, JsonObject]>([
    ["http://example.org/hook", {}],
    ["http://10.0.0.1/hook", { allowPrivateNetwork: true }],
    ["ftp://127.0.0.1/x", {}],
    ["https://user:secret@127.0.0.1/x", {}],
    ["https://169.254.169.254/latest/meta-data", { allowPrivateNetwork: true }],
    ["https://[fe80::1]/x", { allowPrivateNetwork: true }],
    ["https://0.0.0.0/x", {}],
    ["https://192.168.1.1/x", {}],
    ["https://[::ffff:10.0.0.1]/x", {}],
    ["https://0x0a000001/x", {}],
    ["https://127.0.0.1/other", { allowedHttpHookUrls: ["https://127.0.0.1/hooks/*"] }],
  ])("%s is refused", async (url, options) => {
    expect(codesOf(await post(url, {}, options))).toEqual(["http-url-refused"]);
  });

  it("a URL that the list allows is used", async () => {
    const { url } = await serve(response => response.end('{"decision":"block","reason":"x"}'));
    expect((await post(url, {}, { allowedHttpHookUrls: ["http://127.0.0.1:*/hook"] })).decision.kind).toBe(
      "deny",
    );
  });

  const lookUp = async (addresses: readonly string[], url: string) => {
    const asked: string[] = [];
    const client = createHttpClient((hostname, _, callback) => {
      asked.push(hostname);
      callback(
        null,
        addresses.map(address => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
    });
    const reply = await client.post({
      url: new URL(url.replace("127.0.0.1", "hooks.example")),
      headers: {},
      body: new Uint8Array(),
      maxBodyBytes: 10,
      addresses: { loopbackOnly: false, allowPrivateNetwork: false },
      signal: AbortSignal.timeout(5000),
    });
    return { kind: reply.kind, asked };
  };

  it("a name is asked for once, and the connection goes to the address that was checked", async () => {
    const { url, received } = await serve(response => response.end());
    expect(await lookUp(["127.0.0.1"], url)).toEqual({ kind: "reply", asked: ["hooks.example"] });
    expect(received).toHaveLength(1);
  });

  it("a name is refused when any address it stands for is", async () => {
    const { url, received } = await serve(response => response.end());
    expect((await lookUp(["127.0.0.1", "10.0.0.1"], url)).kind).toBe("refused");
    expect((await lookUp(["169.254.169.254"], url)).kind).toBe("refused");
    expect((await lookUp([], url)).kind).toBe("failed");
    expect(received).toEqual([]);
  });
});

describe("addresses", () => {
  const anywhere = { loopbackOnly: false, allowPrivateNetwork: false };
  it.each(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "8.8.8.8", "2001:4860:4860::8888"])(
    "%s may be used",
    address => {
      expect(refuseAddress(address, anywhere)).toBeUndefined();
    },
  );
  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12::1",
    "ff02::1",
    "::ffff:10.0.0.1",
    "::ffff:a9fe:a9fe",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "::10.0.0.1",
    "not an address",
  ])("%s may not", address => {
    expect(refuseAddress(address, anywhere)).toBeDefined();
  });
  it("private ones may when the host says so, link-local ones never", () => {
    const rules = { loopbackOnly: false, allowPrivateNetwork: true };
    expect(refuseAddress("10.0.0.1", rules)).toBeUndefined();
    expect(refuseAddress("fd00::1", rules)).toBeUndefined();
    expect(refuseAddress("169.254.169.254", rules)).toBeDefined();
  });
  it("plain http stays on this machine", () => {
    const rules = { loopbackOnly: true, allowPrivateNetwork: true };
    expect(refuseAddress("127.0.0.1", rules)).toBeUndefined();
    expect(refuseAddress("8.8.8.8", rules)).toBeDefined();
    expect(refuseAddress("10.0.0.1", rules)).toBeDefined();
  });
});
