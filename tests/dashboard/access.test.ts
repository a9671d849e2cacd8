import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentAtPeer, findPeer } from "../../src/dashboard/peer.ts";
import { agentRunning } from "../../src/hooks/program/process-tree.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { changedMachine, record } from "./changed-machine.ts";
import { newMachine, serve } from "./machine.ts";

describe("who may ask the dashboard", () => {
  it("answers the address that the command prints", async () => {
    const { url, ask } = await serve(newMachine());
    expect(url.hostname).toBe("127.0.0.1");
    expect(url.searchParams.get("token")).toMatch(/^[0-9a-f]{32}$/);
    const { status, headers, body } = await ask("/");
    expect(status).toBe(200);
    expect(headers["content-type"]).toBe("text/html; charset=utf-8");
    expect(body).toContain("<h1>Today</h1>");
    expect(body).toContain("<title>Today · amplihack</title>");
  });

  it.each(["/", "/session", "/change", "/diff", "/api/overview", "/api/runs", "/api/live", "/nothing"])(
    "refuses %s without the token, and with a wrong one",
    async path => {
      const { ask } = await serve(newMachine());
      for (const token of ["", "0".repeat(32), "é", "x".repeat(10_000)]) {
        const { status, body } = await ask(`${path}?token=${encodeURIComponent(token)}`);
        expect(status).toBe(403);
        expect(body).toContain("token");
      }
    },
  );

  it("gives every server a token of its own", async () => {
    const [one, other] = [await serve(newMachine()), await serve(newMachine())];
    expect(one.url.search).not.toBe(other.url.search);
    expect((await one.ask(`/${other.url.search}`)).status).toBe(403);
  });

  it.each(["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example"])(
    "refuses the Host %s, which a rebound name would send",
    async host => {
      const { ask } = await serve(newMachine());
      expect((await ask("/", { headers: { host } })).status).toBe(403);
    },
  );

  it("knows itself as localhost too", async () => {
    const { ask, url } = await serve(newMachine());
    expect((await ask("/", { headers: { host: `localhost:${url.port}` } })).status).toBe(200);
  });

  it.each([{ origin: "http://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }])(
    "refuses requests that come from elsewhere: %o",
    async headers => {
      const { ask } = await serve(newMachine());
      const { status, body } = await ask("/api/overview", { headers });
      expect(status).toBe(403);
      expect(body).not.toContain("calls");
    },
  );

  it("answers its own page", async () => {
    const { ask, url } = await serve(newMachine());
    const headers = { origin: url.origin, "sec-fetch-site": "same-origin" };
    expect((await ask("/api/overview", { headers })).status).toBe(200);
  });

  it.each(["HEAD", "POST", "PUT", "DELETE", "OPTIONS"])("does not know the method %s", async method => {
    const { ask } = await serve(newMachine());
    expect((await ask("/api/overview", { method })).status).toBe(405);
  });

  it.each(["0.0.0.0", "::", "192.168.1.2", "localhost.evil.example"])(
    "is never served on %s",
    async address => {
      await expect(serve(newMachine(), { address })).rejects.toThrow("this machine alone");
    },
  );

  it("refuses what is no address", async () => {
    const { ask } = await serve(newMachine());
    expect((await ask("//?token=x")).status).toBe(400);
  });

  it("says when its port is taken", async () => {
    const { url } = await serve(newMachine());
    await expect(serve(newMachine(), { port: Number(url.port) })).rejects.toThrow("EADDRINUSE");
  });
});

describe("who may change something", () => {
  const PLAN = '{"kind":"undo","ids":["none"]}';

  async function post(path: string, change: Readonly<Record<string, string | undefined>>, body = PLAN) {
    const { ask, url } = await serve(newMachine());
    const token = url.searchParams.get("token") ?? "";
    const headers = {
      origin: url.origin,
      "sec-fetch-site": "same-origin",
      "content-type": "application/json",
      "x-amplihack-token": token,
      ...change,
    };
    const given = Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return ask(path, { method: "POST", headers: Object.fromEntries(given), body });
  }

  it("answers its own page", async () => {
    const { status, body } = await post("/api/plan", {});
    expect(status).toBe(409);
    expect(body).toContain("there is no change none");
  });

  it.each([
    ["without the header that holds the token", { "x-amplihack-token": undefined }, 403],
    ["with a wrong token", { "x-amplihack-token": "0".repeat(32) }, 403],
    ["without an origin, as a program sends it", { origin: undefined }, 403],
    ["from another origin", { origin: "http://evil.example" }, 403],
    ["from a page without an origin", { origin: "null" }, 403],
    ["from this machine under another name", { origin: "http://localhost:1" }, 403],
    ["from another site", { "sec-fetch-site": "cross-site" }, 403],
    ["from the same site on another port", { "sec-fetch-site": "same-site" }, 403],
    ["typed into the address line", { "sec-fetch-site": "none" }, 403],
    ["as a form sends it", { "content-type": "application/x-www-form-urlencoded" }, 415],
    ["as text, which needs no permission", { "content-type": "text/plain" }, 415],
    ["under a rebound name", { host: "evil.example", origin: "http://evil.example" }, 403],
  ])("refuses %s", async (_, headers, status) => {
    for (const path of ["/api/plan", "/api/apply", "/api/forget"])
      expect((await post(path, headers)).status, path).toBe(status);
  });

  it.each(["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])(
    "is not asked by %s, which a link could send",
    async method => {
      const { ask } = await serve(newMachine());
      for (const path of ["/api/plan", "/api/apply", "/api/forget"])
        expect((await ask(path, { method })).status).toBe(405);
    },
  );

  it.each(["no json", "[]", "null", "", '"text"'])("refuses the body %s", async body => {
    expect((await post("/api/plan", {}, body)).status).toBe(400);
  });

  it("refuses a body that is longer than any of ours", async () => {
    expect((await post("/api/plan", {}, `{"ids":["${"x".repeat(300_000)}"]}`)).status).toBe(413);
  });

  it("refuses a plan that was never shown", async () => {
    const { status, body } = await post("/api/apply", {}, `{"plan":"${"0".repeat(32)}","force":true}`);
    expect(status).toBe(409);
    expect(body).toContain("look again");
  });

  it("changes nothing where no person started it, and says so on every page", async () => {
    const { ask, url } = await serve(newMachine(), {
      whyReadOnly: "Nothing can be undone from here: a test.",
    });
    const headers = {
      origin: url.origin,
      "content-type": "application/json",
      "x-amplihack-token": url.searchParams.get("token") ?? "",
    };
    expect(await ask("/api/plan", { method: "POST", headers, body: PLAN })).toMatchObject({ status: 403 });
    expect((await ask("/memory")).body).toContain("Nothing can be undone from here: a test.");
  });
});

describe("an agent that has the token", () => {
  it.each(["/diff", "/change"])("is not shown what files of secrets hold: %s", async page => {
    const { machine, project } = await changedMachine("one\n", "two\n");
    const write = (name: string) =>
      record(machine, project, `write ${name}`, name, () =>
        writeFileSync(`${project}/${name}`, "A=first-value\nB=second-value\n"),
      );
    const [secret, plain] = [await write(".env"), await write("app.txt")];
    const agent = await serve(machine, { refusePeer: () => "claude runs it, process 12" });
    const hidden = await agent.ask(`${page}?id=${secret}`);
    expect(hidden.body).not.toContain("-value");
    expect(hidden.body).toContain("it may hold secrets");
    expect((await agent.ask(`${page}?id=${plain}`)).body).toContain("first-value");
    expect((await (await serve(machine)).ask(`${page}?id=${secret}`)).body).toContain("first-value");
  });

  it("is known by its connection, and changes nothing", async () => {
    const system = createNodeSystem();
    const peers: (number | undefined)[] = [];
    const refusePeer = ({ localPort = 0, remotePort = 0 }: Socket) => {
      peers.push(findPeer(system, { own: localPort, peer: remotePort }));
      return "claude runs it, process 12";
    };
    const { act } = await serve(newMachine(), { refusePeer });
    expect(await act("/api/plan", { kind: "undo", ids: ["none"] })).toEqual({
      status: 403,
      error: "an agent asks for this (claude runs it, process 12)",
    });
    // Where the system does not tell who holds a connection, nobody is accused.
    expect(peers).toEqual([existsSync("/proc/net/tcp") ? process.pid : undefined]);
    expect(findPeer(system, { own: 1, peer: 2 })).toBeUndefined();
  });

  it("cannot leave before anybody has looked who it is", () => {
    const real = createNodeSystem();
    const row = (inode: number) =>
      `  0: 0100007F:0002 0100007F:0001 05 00000000:00000000 00:00000000 00000000  1000        0 ${inode} 1\n`;
    const told = (table: string | undefined) => {
      const read = (path: string): Uint8Array => {
        if (table === undefined) throw new Error(`there is no ${path}`);
        return real.text.encode(table);
      };
      const system = { ...real, files: Object.assign(Object.create(real.files), { read }) };
      return agentAtPeer(system, temporaryDirectory(), { localPort: 1, remotePort: 2 } as Socket);
    };
    expect(told(row(0))).toBe("it has left its connection already");
    expect(told("")).toBe("it has left its connection already");
    // Held by another user's program, such as a tunnel, or on a system that does not tell.
    expect(told(row(4_294_967_294))).toBeUndefined();
    expect(told(undefined)).toBeUndefined();
  });

  it("is known by a mark in its environment, also when nothing runs above it any more", async () => {
    const system = createNodeSystem();
    const env = { PATH: process.env["PATH"], CLAUDECODE: "1" };
    const child = spawn("sleep", ["60"], { env, stdio: "ignore" });
    onTestFinished(() => {
      child.kill("SIGKILL");
    });
    await once(child, "spawn");
    const told = agentRunning(system, temporaryDirectory(), child.pid ?? 0);
    expect(told).toBe(
      existsSync("/proc/self/environ") ? `CLAUDECODE is set in process ${child.pid} above it` : undefined,
    );
  });
});

describe("a browser that is started with the address", () => {
  it("gets a code that works once, and not the token", async () => {
    const { launchUrl, ask, url } = await serve(newMachine());
    const code = new URL(launchUrl).searchParams.get("code");
    expect(launchUrl).not.toContain(url.searchParams.get("token"));
    expect((await ask(`/launch?code=${"0".repeat(32)}&token=`)).status).toBe(403);
    expect((await ask(`/launch?code=${code}&token=`, { headers: { host: "evil.example" } })).status).toBe(
      403,
    );
    const fresh = await serve(newMachine());
    const path = `/launch?${new URL(fresh.launchUrl).searchParams}&token=`;
    const { status, headers } = await fresh.ask(path);
    expect({ status, location: headers["location"] }).toEqual({
      status: 303,
      location: `/${fresh.url.search}`,
    });
    expect((await fresh.ask(path)).status).toBe(403);
  });
});

describe("what the page may do", () => {
  it("runs its own script and style by their hash, and nothing else", async () => {
    const { ask } = await serve(newMachine());
    const { headers, body } = await ask("/");
    const policy = String(headers["content-security-policy"]);
    const hashOf = (element: RegExp) => {
      const text = element.exec(body)?.[1] ?? "";
      expect(text.length).toBeGreaterThan(1000);
      return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
    };
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      `script-src ${hashOf(/<script type="module">([\s\S]*?)<\/script>/)}`,
      `style-src ${hashOf(/<style>([\s\S]*?)<\/style>/)}`,
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ]);
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it("keeps nothing in caches, sends no referrer and guesses no types", async () => {
    const { ask } = await serve(newMachine());
    for (const path of ["/", "/api/overview", "/nothing"]) {
      expect((await ask(path)).headers).toMatchObject({
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
      });
    }
  });
});
