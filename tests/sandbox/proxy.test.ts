import { createServer as createWebServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterEach, describe, expect, it } from "vitest";
import { isAllowedHost } from "../../src/sandbox/allowed-hosts.ts";
import { createProxy, isOwnAddress, type ProxyOptions, readClientHello } from "../../src/sandbox/proxy.ts";

const open: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of open.splice(0)) server.close();
});

const portOf = (server: Server) =>
  new Promise<number>(resolve => {
    open.push(server);
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });

/** What a client of TLS sends first, with this name. */
async function helloFor(name: string): Promise<Buffer> {
  const first = new Promise<Buffer>(resolve => {
    const server = createServer(socket => socket.once("data", bytes => resolve(bytes)));
    void portOf(server).then(port => {
      const client = connectTls({ port, host: "127.0.0.1", servername: name });
      client.on("error", () => {});
      open.push({ close: () => client.destroy() });
    });
  });
  return first;
}

interface Scene {
  readonly refused: string[];
  /** sends text to the proxy and reads until the connection ends, or until `enough` was read */
  ask(...parts: readonly (string | Buffer)[]): Promise<string>;
}

async function prepare(options: Partial<ProxyOptions>): Promise<Scene> {
  const refused: string[] = [];
  const proxy = createProxy({
    allowed: [],
    onRefused: (place, reason) => refused.push(`${place}: ${reason}`),
    ...options,
  });
  const port = await portOf(proxy);
  const ask = (...parts: readonly (string | Buffer)[]) =>
    new Promise<string>(resolve => {
      const socket: Socket = connect(port, "127.0.0.1");
      let read = "";
      socket.on("data", bytes => {
        read += bytes;
        if (parts.length > 1 && read === "HTTP/1.1 200 Connection Established\r\n\r\n")
          socket.write(parts[1] ?? "");
        if (read.endsWith("answer")) socket.end();
      });
      socket.on("close", () => resolve(read));
      socket.on("error", () => {});
      socket.write(parts[0] ?? "");
    });
  return { refused, ask };
}

/** Reached under the name `allowed.test`, at any port. */
const here = { resolve: async () => ["127.0.0.1"], isOwn: () => false };

describe("the proxy of a sandbox", () => {
  it("lets a request through to an allowed host, as that host is asked", async () => {
    const server = createWebServer((request, response) => {
      expect(request.headers).not.toHaveProperty("proxy-connection");
      response.end(`${request.method} ${request.url} ${request.headers.host} answer`);
    });
    const port = await portOf(server);
    const { ask, refused } = await prepare({ allowed: [`allowed.test:${port}`], ...here });
    const text = await ask(
      `GET http://allowed.test:${port}/path?a=b HTTP/1.1\r\nHost: allowed.test:${port}\r\nProxy-Connection: x\r\nConnection: close\r\n\r\n`,
    );
    expect(text).toContain(`GET /path?a=b allowed.test:${port} answer`);
    expect(refused).toEqual([]);
  });

  it("connects to an allowed host, and lets the handshake pass unchanged", async () => {
    const seen: Buffer[] = [];
    const server = createServer(socket =>
      socket.once("data", bytes => {
        seen.push(bytes);
        socket.end("answer");
      }),
    );
    const port = await portOf(server);
    const hello = await helloFor("allowed.test");
    const { ask, refused } = await prepare({ allowed: [`allowed.test:${port}`], ...here });
    expect(await ask(`CONNECT allowed.test:${port} HTTP/1.1\r\n\r\n`, hello)).toContain("answer");
    expect(Buffer.concat(seen).equals(hello)).toBe(true);
    expect(refused).toEqual([]);
  });

  it("refuses a handshake that names another host", async () => {
    const server = createServer(socket => socket.on("data", () => socket.end("answer")));
    const port = await portOf(server);
    const { ask, refused } = await prepare({ allowed: [`allowed.test:${port}`], ...here });
    const text = await ask(`CONNECT allowed.test:${port} HTTP/1.1\r\n\r\n`, await helloFor("other.test"));
    expect(text).not.toContain("answer");
    expect(refused).toEqual([`allowed.test:${port}: its TLS names another host`]);
  });

  it("refuses a header that names another host", async () => {
    const { ask, refused } = await prepare({ allowed: ["allowed.test"], ...here });
    const text = await ask(
      "GET http://allowed.test/ HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n",
    );
    expect(text).toContain("403");
    expect(refused).toEqual(["allowed.test: its header names another host"]);
  });

  it.each([
    "CONNECT other.test:443 HTTP/1.1\r\n\r\n",
    "CONNECT allowed.test.evil.test:443 HTTP/1.1\r\n\r\n",
    "CONNECT evilallowed.test:443 HTTP/1.1\r\n\r\n",
    "CONNECT allowed.test:22 HTTP/1.1\r\n\r\n",
    "CONNECT allowed.test:8443 HTTP/1.1\r\n\r\n",
    "CONNECT 93.184.216.34:443 HTTP/1.1\r\n\r\n",
    "CONNECT [2606:2800:220:1::1]:443 HTTP/1.1\r\n\r\n",
    "CONNECT user@other.test:443 HTTP/1.1\r\n\r\n",
    "CONNECT http://allowed.test:443/ HTTP/1.1\r\n\r\n",
    "GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n",
    "GET http://allowed.test@other.test/ HTTP/1.1\r\nHost: other.test\r\nConnection: close\r\n\r\n",
    "GET https://allowed.test/ HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n",
    "GET /path HTTP/1.1\r\nHost: allowed.test\r\nConnection: close\r\n\r\n",
  ])("refuses %j", async request => {
    const { ask, refused } = await prepare({ allowed: ["allowed.test"], ...here });
    expect(await ask(request)).toContain("403");
    expect(refused).toHaveLength(1);
  });

  it.each(["127.0.0.1", "0.0.0.0", "::1", "::ffff:127.0.0.1", "169.254.169.254", "fe80::1"])(
    "refuses an allowed name that leads to this machine by %s",
    async address => {
      const { ask, refused } = await prepare({
        allowed: ["allowed.test"],
        resolve: async () => ["192.0.2.7", address],
      });
      expect(await ask("CONNECT allowed.test:443 HTTP/1.1\r\n\r\n")).toContain("403");
      expect(refused).toEqual(["allowed.test: the name points to this machine"]);
    },
  );

  it("says once of a host that it was refused", async () => {
    const { ask, refused } = await prepare({ allowed: [] });
    for (let times = 0; times < 3; times += 1) await ask("CONNECT other.test:443 HTTP/1.1\r\n\r\n");
    expect(refused).toEqual(["other.test: it is not among the hosts that are allowed"]);
  });
});

describe("an allowed host", () => {
  it.each([
    ["example.com", "example.com", 443, true],
    ["example.com", "EXAMPLE.com.", 80, true],
    ["example.com", "example.com", 8080, false],
    ["example.com", "a.example.com", 443, false],
    ["*.example.com", "a.b.example.com", 443, true],
    ["*.example.com", "example.com", 443, false],
    ["*.example.com", "badexample.com", 443, false],
    ["example.com:8443", "example.com", 8443, true],
    ["example.com:8443", "example.com", 443, false],
  ])("%s for %s at %i: %s", (rule, host, port, isAllowed) => {
    expect(isAllowedHost([rule], host, port)).toBe(isAllowed);
  });
});

describe("the name in a handshake", () => {
  it("is read whole, from pieces, and from several records", async () => {
    const hello = await helloFor("name.example.com");
    expect(readClientHello(hello)).toEqual({ kind: "hello", name: "name.example.com" });
    for (let length = 1; length < hello.length; length += 1)
      expect(readClientHello(hello.subarray(0, length))).toEqual({ kind: "more" });
    const body = hello.subarray(5);
    const record = (part: Buffer) =>
      Buffer.concat([Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part]);
    const cut = Buffer.concat([record(body.subarray(0, 60)), record(body.subarray(60))]);
    expect(readClientHello(cut)).toEqual({ kind: "hello", name: "name.example.com" });
  });

  it("is not looked for in other protocols", () => {
    expect(readClientHello(Buffer.from("GET / HTTP/1.1\r\n"))).toEqual({ kind: "other" });
    expect(readClientHello(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]))).toEqual({ kind: "other" });
  });
});

describe("an address of this machine", () => {
  it.each(["127.9.9.9", "0.0.0.0", "::1", "::", "::ffff:127.0.0.1", "fe80::1%eth0", "169.254.169.254"])(
    "is %s",
    address => {
      expect(isOwnAddress(address)).toBe(true);
    },
  );
  it.each(["192.0.2.1", "10.1.2.3", "2001:db8::1"])("is not %s", address => {
    expect(isOwnAddress(address)).toBe(false);
  });
});
