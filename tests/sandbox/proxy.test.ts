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

  describe("behind a CONNECT without TLS", () => {
    /** A server at port 80 of `allowed.test`, which answers with what it was asked. */
    const behindPort80 = async (requests: string) => {
      const server = createWebServer((request, response) => {
        response.end(`[${request.method} ${request.url} of ${request.headers.host}]`);
      });
      const port = await portOf(server);
      const { ask, refused } = await prepare({
        allowed: [`allowed.test:${port}`],
        ...here,
      });
      const text = await ask(
        `CONNECT allowed.test:${port} HTTP/1.1\r\n\r\n`,
        requests.replaceAll("PORT", String(port)),
      );
      return { text, refused: refused.map(line => line.replaceAll(String(port), "PORT")) };
    };
    const HEADER_NAMES_ANOTHER = ["allowed.test:PORT: its header names another host"];
    const LAST = "Connection: close\r\n\r\n";

    it("lets requests through that name its host, one after the other", async () => {
      const { text, refused } = await behindPort80(
        `GET /one HTTP/1.1\r\nHost: allowed.test:PORT\r\n\r\nGET /two HTTP/1.1\r\nHost: ALLOWED.test:PORT\r\n${LAST}`,
      );
      expect(text).toContain("[GET /one of allowed.test:");
      expect(text).toContain("[GET /two of ALLOWED.test:");
      expect(refused).toEqual([]);
    });

    it.each([
      ["another host", `GET / HTTP/1.1\r\nHost: other.test\r\n${LAST}`],
      ["another host behind empty lines", `\r\n\r\nGET / HTTP/1.1\r\nHost: other.test\r\n${LAST}`],
      ["another port", `GET / HTTP/1.1\r\nHost: allowed.test:1\r\n${LAST}`],
      ["two hosts", `GET / HTTP/1.1\r\nHost: allowed.test:PORT\r\nHost: other.test\r\n${LAST}`],
      ["another host behind a user", `GET / HTTP/1.1\r\nHost: other.test@allowed.test:PORT\r\n${LAST}`],
      [
        "another host in the address",
        `GET http://other.test/ HTTP/1.1\r\nHost: allowed.test:PORT\r\n${LAST}`,
      ],
      ["another host in both", `GET http://other.test/ HTTP/1.1\r\nHost: other.test\r\n${LAST}`],
      ["no host", `GET / HTTP/1.0\r\n${LAST}`],
    ])("refuses a request that names %s", async (_, request) => {
      const { text, refused } = await behindPort80(request);
      expect(text).not.toContain("[GET");
      expect(refused).toEqual(HEADER_NAMES_ANOTHER);
    });

    it.each(["ftp://other.test/", "x://other.test/", "wss://other.test/", "other.test/", "?x"])(
      "refuses a request for %s, which a server may take for another host",
      async address => {
        const { text, refused } = await behindPort80(
          `GET ${address} HTTP/1.1\r\nHost: allowed.test:PORT\r\n${LAST}`,
        );
        expect(text).not.toContain("[GET");
        expect(refused).toHaveLength(1);
      },
    );

    it("refuses the second of two requests when it names another host", async () => {
      const { text, refused } = await behindPort80(
        `GET /one HTTP/1.1\r\nHost: allowed.test:PORT\r\n\r\nGET /two HTTP/1.1\r\nHost: other.test\r\n${LAST}`,
      );
      expect(text).not.toContain("/two");
      expect(refused).toEqual(HEADER_NAMES_ANOTHER);
    });

    it("refuses a second host behind the body of the first request", async () => {
      const { text } = await behindPort80(
        `POST /one HTTP/1.1\r\nHost: allowed.test:PORT\r\nContent-Length: 3\r\n\r\nabcGET /two HTTP/1.1\r\nHost: other.test\r\n${LAST}`,
      );
      expect(text).not.toContain("/two");
    });

    it("refuses HTTP/2, whose requests it does not read", async () => {
      const { text, refused } = await behindPort80("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
      expect(text).not.toContain("[");
      expect(refused).toEqual(["allowed.test:PORT: its requests cannot be read"]);
    });

    it("refuses to be led on to another host", async () => {
      const { text, refused } = await behindPort80("CONNECT other.test:443 HTTP/1.1\r\n\r\n");
      expect(text.split("Established")).toHaveLength(2);
      expect(refused).toHaveLength(1);
    });

    it.skipIf(process.getuid?.() !== 0)(
      "refuses what is neither TLS nor HTTP at the usual ports",
      async () => {
        const seen: string[] = [];
        const server = createServer(socket => socket.on("data", bytes => seen.push(String(bytes))));
        open.push(server);
        // An address that nobody else uses.
        await new Promise<void>(resolve => server.listen(80, "127.61.2.3", () => resolve()));
        const { ask, refused } = await prepare({
          allowed: ["allowed.test"],
          resolve: async () => ["127.61.2.3"],
          isOwn: () => false,
        });
        await ask("CONNECT allowed.test:80 HTTP/1.1\r\n\r\n", "SSH-2.0-x\r\n");
        expect(seen).toEqual([]);
        expect(refused).toEqual(["allowed.test: it speaks neither TLS nor HTTP/1"]);
      },
    );

    it("lets a server speak first at a port that a person named", async () => {
      const server = createServer(socket => socket.end("220 mail answer"));
      const port = await portOf(server);
      const { ask } = await prepare({ allowed: [`allowed.test:${port}`], ...here });
      expect(await ask(`CONNECT allowed.test:${port} HTTP/1.1\r\n\r\n`)).toContain("220 mail answer");
    });
  });

  it("tries the next address of a name when the first does not answer", async () => {
    const server = createServer(socket => socket.end("220 answer"));
    const port = await portOf(server);
    const { ask } = await prepare({
      allowed: [`allowed.test:${port}`],
      resolve: async () => ["127.255.255.254", "127.0.0.1"],
      isOwn: () => false,
    });
    expect(await ask(`CONNECT allowed.test:${port} HTTP/1.1\r\n\r\n`)).toContain("220 answer");
  });

  it.each(["$(reboot)", "a;b", "`a`", "a'b", "a&b"])(
    "never shows a name that a shell would take for more: %s",
    async name => {
      const { ask, refused } = await prepare({ allowed: [] });
      await ask(`CONNECT ${name}:443 HTTP/1.1\r\n\r\n`);
      expect(refused.join()).not.toContain(name);
    },
  );

  it("says of a bounded number of hosts that they were refused", async () => {
    const { ask, refused } = await prepare({ allowed: [] });
    for (let number = 0; number < 60; number += 1)
      await ask(`CONNECT other${number}.test:443 HTTP/1.1\r\n\r\n`);
    expect(refused).toHaveLength(50);
  });

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
    expect(readClientHello(hello)).toEqual({ kind: "hello", name: "name.example.com", isHidden: false });
    for (let length = 1; length < hello.length; length += 1)
      expect(readClientHello(hello.subarray(0, length))).toEqual({ kind: "more" });
    const body = hello.subarray(5);
    const record = (part: Buffer) =>
      Buffer.concat([Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part]);
    const cut = Buffer.concat([record(body.subarray(0, 60)), record(body.subarray(60))]);
    expect(readClientHello(cut)).toEqual({ kind: "hello", name: "name.example.com", isHidden: false });
  });

  /** A handshake that holds these extensions alone. */
  const helloWith = (...extensions: readonly Buffer[]) => {
    const all = Buffer.concat(extensions);
    const body = Buffer.concat([
      Buffer.concat([Buffer.from([3, 3]), Buffer.alloc(32), Buffer.from([0, 0, 2, 0x13, 1, 1, 0])]),
      Buffer.from([all.length >> 8, all.length & 255]),
      all,
    ]);
    return Buffer.concat([
      Buffer.from([22, 3, 1, (body.length + 4) >> 8, (body.length + 4) & 255]),
      Buffer.from([1, 0, body.length >> 8, body.length & 255]),
      body,
    ]);
  };
  const extension = (kind: number, data: Buffer) =>
    Buffer.concat([Buffer.from([kind >> 8, kind & 255, data.length >> 8, data.length & 255]), data]);
  const names = (...list: readonly string[]) => {
    const each = list.map(name => Buffer.concat([Buffer.from([0, 0, name.length]), Buffer.from(name)]));
    const all = Buffer.concat(each);
    return extension(0, Buffer.concat([Buffer.from([0, all.length]), all]));
  };

  it("is none where several are given, or none", () => {
    expect(readClientHello(helloWith(names("a.test")))).toMatchObject({ name: "a.test" });
    expect(readClientHello(helloWith(names("a.test", "b.test")))).toMatchObject({ name: "" });
    expect(readClientHello(helloWith(names("a.test"), names("b.test")))).toMatchObject({ name: "" });
    expect(readClientHello(helloWith())).toMatchObject({ kind: "hello", name: undefined });
  });

  it("is not believed where another one may be hidden", async () => {
    const hello = helloWith(names("allowed.test"), extension(0xfe0d, Buffer.from([0, 1, 2])));
    expect(readClientHello(hello)).toMatchObject({ name: "allowed.test", isHidden: true });
  });

  it.each([
    ["no name", () => helloWith(), "its TLS names another host"],
    [
      "a hidden name",
      () => helloWith(names("allowed.test"), extension(0xfe0d, Buffer.from([0]))),
      "its TLS hides the name that it asks for (ECH)",
    ],
  ])("a handshake with %s is refused", async (_, make, reason) => {
    const server = createServer(socket => socket.on("data", () => socket.end("answer")));
    const port = await portOf(server);
    const { ask, refused } = await prepare({ allowed: [`allowed.test:${port}`], ...here });
    expect(await ask(`CONNECT allowed.test:${port} HTTP/1.1\r\n\r\n`, make())).not.toContain("answer");
    expect(refused).toEqual([`allowed.test:${port}: ${reason}`]);
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
