import { createHash } from "node:crypto";
import { connect } from "node:net";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { SCHEMA } from "../../src/postgres/schema.ts";
import { hasPostgres } from "../postgres-server.ts";
import { row, type Scene, serverScene } from "./scene.ts";

/** What a socket says to these bytes. Where nothing more comes, Node answers nothing; where we go, nobody hears it. */
function sayRaw(scene: Scene, bytes: string | Buffer, how: "stay" | "end" | "destroy"): Promise<string> {
  const { port } = new URL(scene.url);
  return new Promise(resolve => {
    let said = "";
    const socket = connect(Number(port), "127.0.0.1", () => {
      if (how === "end") socket.end(bytes);
      else socket.write(bytes, () => how === "destroy" && socket.destroy());
    });
    socket.on("data", data => {
      said += data.toString("latin1");
    });
    socket.on("error", () => resolve(said));
    socket.on("close", () => resolve(said));
  });
}

/** Everything that a team has, as one text: whatever changes shows. */
async function contentOf({ owner }: Scene, team: string): Promise<string> {
  const tables = await owner.run(
    `SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'team'
     WHERE c.relnamespace = '${SCHEMA}'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1`,
  );
  const parts: string[] = [];
  for (const { name } of tables) {
    const [rows] = await owner.run(
      `SELECT coalesce(string_agg(t::text, E'\\n' ORDER BY t::text), '') AS all FROM ${SCHEMA}.${name} t WHERE team = $1`,
      [team],
    );
    parts.push(`${name}: ${rows?.["all"]}`);
  }
  return parts.join("\n");
}

const head = (line: string, ...headers: readonly string[]) =>
  `${[line, "host: x", "connection: close", ...headers].join("\r\n")}\r\n\r\n`;
const POST = "POST /api/v1/seen HTTP/1.1";
const JSON_TYPE = "content-type: application/json";

/** Each with what may be answered: none is let in, and none is a fault. */
const RAW: readonly (readonly [string, (key: string) => string | Buffer, RegExp])[] = [
  ["a version of before there were headers", () => "GET /\r\n\r\n", /^HTTP\/1\.1 40[01]|^$/],
  ["a host twice", () => head("GET / HTTP/1.1", "host: y"), /^HTTP\/1\.1 4/],
  ["no host", () => "GET / HTTP/1.1\r\nconnection: close\r\n\r\n", /^HTTP\/1\.1 400/],
  ["two lengths", () => `${head(POST, "content-length: 2", "content-length: 3")}{}`, /^HTTP\/1\.1 400/],
  ["a length below nothing", () => `${head(POST, "content-length: -1")}{}`, /^HTTP\/1\.1 400/],
  ["a length with a sign", () => `${head(POST, "content-length: +2")}{}`, /^HTTP\/1\.1 400/],
  ["a length in two words", () => `${head(POST, "content-length: 1 2")}{}`, /^HTTP\/1\.1 400/],
  ["a length in hexadecimal", () => `${head(POST, "content-length: 0x2")}{}`, /^HTTP\/1\.1 400/],
  [
    "chunks that are not the last encoding",
    () => head(POST, "transfer-encoding: chunked, identity"),
    /^HTTP\/1\.1 400/,
  ],
  [
    "an encoding that only looks like chunks",
    () => head(POST, "transfer-encoding: xchunked"),
    /^HTTP\/1\.1 400/,
  ],
  [
    "a chunk of more bytes than numbers count",
    () => `${head(POST, "transfer-encoding: chunked")}ffffffffffffffffff\r\n`,
    /^HTTP\/1\.1 4/,
  ],
  ["a chunk of minus one", () => `${head(POST, "transfer-encoding: chunked")}-1\r\n`, /^HTTP\/1\.1 4/],
  [
    "a key behind the body",
    key =>
      `${head(POST, JSON_TYPE, "transfer-encoding: chunked", "trailer: authorization")}2\r\n{}\r\n0\r\nauthorization: Bearer ${key}\r\n\r\n`,
    /^HTTP\/1\.1 401/,
  ],
  [
    "lines that end without a return",
    () => "GET / HTTP/1.1\nhost: x\nconnection: close\n\n",
    /^HTTP\/1\.1 40[01]/,
  ],
  [
    "a header that goes on in the next line",
    key => `${POST}\r\nhost: x\r\nauthorization: Bearer\r\n ${key}\r\ncontent-length: 0\r\n\r\n`,
    /^HTTP\/1\.1 40[01]/,
  ],
  [
    "a blank before the colon",
    key => `${POST}\r\nhost: x\r\nauthorization : Bearer ${key}\r\ncontent-length: 0\r\n\r\n`,
    /^HTTP\/1\.1 400/,
  ],
  [
    "a zero byte in a header",
    key => head(POST, `authorization: Bearer ${key}\0`, "content-length: 0"),
    /^HTTP\/1\.1 400/,
  ],
  [
    "a header of a prototype",
    () => head("GET /settings HTTP/1.1", "__proto__: x", "constructor: y"),
    /^HTTP\/1\.1 401/,
  ],
  [
    "two keys",
    key =>
      head(
        POST,
        `authorization: Bearer ${"A".repeat(43)}`,
        `authorization: Bearer ${key}`,
        "content-length: 0",
      ),
    /^HTTP\/1\.1 401/,
  ],
  [
    "an address of another server",
    () => head("GET http://evil.example/settings HTTP/1.1"),
    /^HTTP\/1\.1 400/,
  ],
  [
    "a tunnel",
    () => "CONNECT evil.example:443 HTTP/1.1\r\nhost: evil.example:443\r\n\r\n",
    /^HTTP\/1\.1 4|^$/,
  ],
  ["what all addresses can", () => head("OPTIONS * HTTP/1.1"), /^HTTP\/1\.1 40[05]/],
  ["an echo", () => head("TRACE / HTTP/1.1", "x-secret: y"), /^HTTP\/1\.1 40[015]/],
  ["a method in small letters", () => head("get /settings HTTP/1.1"), /^HTTP\/1\.1 400/],
  ["a method of nobody's", () => head("GETT /settings HTTP/1.1"), /^HTTP\/1\.1 400/],
  [
    "another protocol, a socket",
    () =>
      "GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\nsec-websocket-version: 13\r\n\r\n",
    /^HTTP\/1\.1 40[01]|^$/,
  ],
  ["another protocol, the next version", () => "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", /^HTTP\/1\.1 4|^$/],
  [
    "another protocol, TLS",
    () => Buffer.from("16030100b1010000ad0303000000000000000000000000000000", "hex"),
    /^HTTP\/1\.1 400|^$/,
  ],
  [
    "a promise of a large body without a key",
    () => head(POST, JSON_TYPE, "content-length: 7000000", "expect: 100-continue"),
    /^HTTP\/1\.1 (?:100 Continue\r\n\r\nHTTP\/1\.1 )?4/,
  ],
  [
    "an expectation of nobody's",
    () => head(POST, "expect: 200-maybe", "content-length: 0"),
    /^HTTP\/1\.1 417/,
  ],
  [
    "an address with bytes that are no text",
    () => Buffer.from("474554202fff80fe20485454502f312e310d0a686f73743a20780d0a0d0a", "hex"),
    /^HTTP\/1\.1 40[01]/,
  ],
  [
    "four thousand headers",
    () => head("GET / HTTP/1.1", ...Array.from({ length: 4_000 }, () => "a: b")),
    /^HTTP\/1\.1 4/,
  ],
  [
    "a body that is cut off",
    key => `${head(POST, JSON_TYPE, `authorization: Bearer ${key}`, "content-length: 100")}{"a":`,
    /^HTTP\/1\.1 400|^$/,
  ],
];

describe.skipIf(!hasPostgres)("what is no request as ours are", () => {
  it("is not let in, and is no fault", { timeout: 60_000 }, async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    for (const [what, bytes, answer] of RAW) {
      const said = await sayRaw(scene, bytes(key), answer.source.endsWith("|^$") ? "end" : "stay");
      expect([what, said.slice(0, 60)]).toEqual([what, expect.stringMatching(answer)]);
      expect([what, said]).toEqual([
        what,
        expect.not.stringMatching(/\n\s+at |Error:|HTTP\/1\.1 (?:101|200|30|5)/),
      ]);
      // Nobody waits for the answer.
      await sayRaw(scene, bytes(key), "destroy");
    }
    expect((await scene.ask("/healthz")).status).toBe(200);
    expect(scene.log).toEqual([]);
  });

  it("is no fault where somebody goes away in the middle of a body", async () => {
    const scene = await serverScene();
    const key = await scene.join(await scene.visit("acme", "olga", "owner"), "acme", "laptop");
    const cutOff = `${head(POST, JSON_TYPE, `authorization: Bearer ${key}`, "content-length: 100")}{"a":`;
    await sayRaw(scene, cutOff, "destroy");
    const refused = async () => /route="refused",status="\d+"/.exec((await scene.ask("/metrics")).body)?.[0];
    await expect.poll(refused, { timeout: 20_000 }).toBe('route="refused",status="400"');
    expect(scene.log).toEqual([]);
  });
});

const hex = (text: string) => createHash("sha256").update(text).digest("hex");

describe.skipIf(!hasPostgres)("secrets in the wrong place or form", () => {
  it("open nothing", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    const [, cookie = ""] = olga.cookie.split("=");
    const begun = (await scene.post("/api/v1/join", undefined, { machine: "second" })).body;
    const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec((await olga.get("/people")).body) ?? [];
    // The last sign of 43 has bits that stand for nothing: another one is other text for the same bytes.
    const last = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const twin = `${key.slice(0, -1)}${last[last.indexOf(key.at(-1) ?? "A") ^ 1]}`;
    for (const authorization of [
      `bearer${key}`,
      `Bearer  ${key}`,
      `Bearer\t${key}`,
      `Bearer ${key}=`,
      `Bearer ${twin}`,
      `Bearer ${hex(key)}`,
      `Bearer ${Buffer.from(key).toString("base64url")}`,
      `Bearer ${Buffer.from(key, "base64url").toString("base64")}`,
      `Bearer "${key}"`,
      `Bearer ${cookie}`,
      `Bearer ${csrf}`,
      `Bearer ${String(begun["secret"])}`,
      `Token ${key}`,
      `Digest response="${key}"`,
      key,
    ]) {
      const { status } = await scene.ask("/api/v1/seen", {
        method: "POST",
        headers: { "content-type": "application/json", authorization },
        body: "{}",
      });
      expect([authorization, status]).toEqual([authorization, 401]);
    }
    for (const sent of [
      `__Host-amplihack=${key}`,
      `__Host-amplihack=${csrf}`,
      `__Host-amplihack=${hex(cookie)}`,
      `__Host-amplihack=${String(begun["secret"])}`,
      `__Host-amplihack="${cookie}"`,
      `__Host-amplihack=${cookie}=`,
      `__host-amplihack=${cookie}`,
      `amplihack=${cookie}`,
      `__Secure-amplihack=${cookie}`,
      `x=1; __Host-amplihack=${cookie}; __Host-amplihack=${"A".repeat(43)}`,
      `__Host-amplihack=${encodeURIComponent(`${cookie};`)}`,
    ])
      expect([sent, (await scene.ask("/people", { headers: { cookie: sent } })).status]).toEqual([sent, 401]);
    expect(scene.log).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)("forms of somebody who is in another team", () => {
  it("change nothing there, however they name it", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const zoe = await scene.visit("zoo", "zoe", "owner");
    const key = await scene.join(zoe, "zoo", "laptop");
    const question = { digest: "a".repeat(64), nonce: "n".repeat(43), command: "rm -rf build" };
    await scene.post("/api/v1/questions", key, question);
    await zoe.send("/policy", {
      team: "zoo",
      do: "propose",
      text: '{ "guard": {} }',
      reason: "first",
      cases: "",
    });
    const hook = { do: "add", form: "json", event: "denial", url: "https://hooks.example/a" };
    await zoe.send("/webhooks", { team: "zoo", ...hook });
    const one = async (table: string, column: string) =>
      String(
        (await scene.owner.run(`SELECT ${column} AS it FROM ${SCHEMA}.${table} WHERE team = 'zoo'`))[0]?.[
          "it"
        ],
      );
    const [machine, asked, webhook] = [
      await one("server_machines", "id"),
      await one("server_questions", "id"),
      await one("server_webhooks", "id"),
    ];
    const before = await contentOf(scene, "zoo");
    const forms: readonly (readonly [string, Record<string, string>])[] = [
      ["/machines", { id: machine, do: "revoke" }],
      ["/questions", { id: asked, answer: "once" }],
      ["/questions", { id: asked, answer: "no" }],
      ["/questions", { id: asked, answer: "always", until: "2099-01-01" }],
      ["/questions", { id: asked, answer: "revoke" }],
      ["/webhooks", { id: webhook, do: "remove" }],
      ["/webhooks", { id: webhook, do: "test" }],
      ["/policy", { do: "roll", version: "1", share: "100" }],
      ["/people", { do: "remove", person: "zoe" }],
      ["/people", { do: "add", person: "zoe", role: "viewer" }],
      ["/people", { do: "link", person: "zoe", role: "owner" }],
      ["/settings", { keep_months: "1", silent_hours: "1" }],
    ];
    // Of one's own team with an id of theirs, and of theirs by every way to write it.
    const names = [
      "acme",
      "zoo",
      " zoo",
      "zoo ",
      "ZOO",
      "ｚｏｏ",
      "zoo\t",
      "zoo%00",
      "acme,zoo",
      "*",
      "%",
      "zo_",
    ];
    for (const [path, form] of forms)
      for (const team of names) {
        const { status } = await olga.send(path, { team, ...form });
        expect([path, team, status < 500]).toEqual([path, team, true]);
        if (team !== "acme") expect([path, team, status]).toEqual([path, team, 403]);
      }
    // A field that is there twice counts once, as the first.
    const body = `csrf=x&team=acme&team=zoo&do=revoke&id=${machine}`;
    const twice = await scene.ask("/machines", {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        origin: "null",
        "sec-fetch-site": "same-origin",
        cookie: olga.cookie,
      },
      body,
    });
    expect(twice.status).toBe(403);
    for (const path of [
      "/",
      "/calls",
      "/sessions",
      "/usage",
      "/machines",
      "/questions",
      "/policy",
      "/people",
      "/settings",
      "/search?q=a",
    ])
      for (const team of names.slice(1)) {
        const { status, body: page } = await olga.get(
          `${path}${path.includes("?") ? "&" : "?"}team=${encodeURIComponent(team)}`,
        );
        expect([path, team, status]).toEqual([path, team, 403]);
        expect(page).not.toContain("zoe");
      }
    expect(await contentOf(scene, "zoo")).toBe(before);
    expect(scene.log).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)("forms from elsewhere", () => {
  it("are refused by where they come from and how they are written", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const [, csrf = ""] = /name="csrf" value="([^"]+)"/.exec((await olga.get("/people")).body) ?? [];
    const before = await contentOf(scene, "acme");
    const { host } = new URL(scene.url);
    const form = "application/x-www-form-urlencoded";
    const ours = { origin: "null", "sec-fetch-site": "same-origin", "content-type": form };
    const fields = `csrf=${csrf}&team=acme&do=add&person=eve&role=owner`;
    const sent: readonly (readonly [string, Record<string, string>, string])[] = [
      ["no origin", { "content-type": form }, fields],
      ["a hidden origin alone", { origin: "null", "content-type": form }, fields],
      ["a name that begins as ours", { origin: `http://${host}.evil.example`, "content-type": form }, fields],
      ["a name that ends as ours", { origin: `http://evil.example#${host}`, "content-type": form }, fields],
      ["another scheme", { origin: `https://${host}`, "content-type": form }, fields],
      ["another port", { origin: "http://127.0.0.1:1", "content-type": form }, fields],
      [
        "another name of this machine",
        { origin: `http://localhost:${new URL(scene.url).port}`, "content-type": form },
        fields,
      ],
      ["a neighbour", { ...ours, "sec-fetch-site": "same-site" }, fields],
      ["another site", { ...ours, "sec-fetch-site": "cross-site" }, fields],
      ["a bookmark", { ...ours, "sec-fetch-site": "none" }, fields],
      [
        "our origin from another site",
        { origin: scene.url, "sec-fetch-site": "cross-site", "content-type": form },
        fields,
      ],
      [
        "a form of files",
        { ...ours, "content-type": "multipart/form-data; boundary=x" },
        `--x\r\ncontent-disposition: form-data; name="csrf"\r\n\r\n${csrf}\r\n--x--`,
      ],
      ["plain text", { ...ours, "content-type": "text/plain" }, fields],
      [
        "JSON",
        { ...ours, "content-type": "application/json" },
        JSON.stringify({ csrf, team: "acme", do: "add", person: "eve", role: "owner" }),
      ],
      ["no type", { origin: "null", "sec-fetch-site": "same-origin" }, fields],
      ["a secret in the address", ours, "team=acme&do=add&person=eve&role=owner"],
      ["a secret of another length", ours, fields.replace(csrf, `${csrf}x`)],
      ["an empty secret", ours, fields.replace(csrf, "")],
      ["a list of secrets", ours, fields.replace("csrf=", "csrf[]=")],
    ];
    for (const [what, headers, body] of sent) {
      const { status } = await scene.ask(`/people?csrf=${csrf}`, {
        method: "POST",
        headers: { cookie: olga.cookie, ...headers },
        body,
      });
      expect([what, status >= 400 && status < 500]).toEqual([what, true]);
    }
    // Names for another method or place count for nothing.
    const overridden = await scene.ask("/people", {
      headers: {
        cookie: olga.cookie,
        "x-http-method-override": "POST",
        "x-original-url": "/settings",
        "x-rewrite-url": "/settings",
        "x-forwarded-host": "evil.example",
        forwarded: "for=1.2.3.4;host=evil.example;proto=https",
        range: "bytes=0-1",
        "if-none-match": "*",
      },
    });
    expect(overridden.status).toBe(200);
    expect(overridden.body).toContain("<h1>People</h1>");
    expect(overridden.body).not.toContain("evil.example");
    expect(overridden.headers["strict-transport-security"]).toBeUndefined();
    expect(await contentOf(scene, "acme")).toBe(before);
    expect(scene.log).toEqual([]);
  });
});

describe.skipIf(!hasPostgres)("an agent with the key of its machine", () => {
  it("answers nothing, by no member, no form and no second asking", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    const second = await scene.join(olga, "acme", "desktop");
    const question = { digest: "a".repeat(64), nonce: "n".repeat(43), command: "git push --force" };
    const answers = {
      answer: "once",
      answered_by: "olga",
      state: "answered",
      used: null,
      until: "2099-01-01",
      statement: "{}",
      signature: "x",
    };
    await scene.post("/api/v1/questions", key, { ...question, ...answers });
    const [asked] = await scene.owner.run(`SELECT id, answer FROM ${SCHEMA}.server_questions`);
    expect(asked?.["answer"]).toBeNull();
    const id = String(asked?.["id"]);
    const as = {
      authorization: `Bearer ${key}`,
      cookie: `__Host-amplihack=${key}`,
      origin: "null",
      "sec-fetch-site": "same-origin",
    };
    for (const [path, type, body] of [
      ["/questions", "application/x-www-form-urlencoded", `csrf=${key}&team=acme&id=${id}&answer=once`],
      ["/questions", "application/json", JSON.stringify({ id, answer: "once" })],
      ["/api/v1/questions/answer", "application/json", JSON.stringify({ id, answer: "once" })],
      [`/api/v1/questions?id=${id}&answer=once`, "application/json", JSON.stringify({ id, answer: "once" })],
      ["/api/v1/policy", "application/json", JSON.stringify({ do: "propose", text: "{}" })],
    ] as const) {
      const { status } = await scene.ask(path, {
        method: "POST",
        headers: { ...as, "content-type": type },
        body,
      });
      expect([path, status < 500]).toEqual([path, true]);
    }
    expect(await scene.owner.run(`SELECT FROM ${SCHEMA}.server_questions WHERE answer IS NOT NULL`)).toEqual(
      [],
    );
    // The person says yes to what was shown. Another text, another call or another machine hears nothing of it.
    await olga.send("/questions", { team: "acme", id, answer: "once" });
    for (const [what, asker, asking] of [
      ["another text", key, { ...question, command: "git push --force --all" }],
      ["another folder", key, { ...question, cwd: "/elsewhere" }],
      ["a rule less", key, { ...question, rules: ["x"] }],
      ["a diff that was not shown", key, { ...question, diff: "- a\n+ b" }],
      ["another call", key, { ...question, digest: "b".repeat(64) }],
      ["another machine", second, question],
    ] as const)
      expect([
        what,
        (await scene.post("/api/v1/questions", asker, { ...asking, nonce: "o".repeat(43) })).body,
      ]).toEqual([what, expect.not.objectContaining({ statement: expect.anything() })]);
    const { body: first } = await scene.post("/api/v1/questions", key, question);
    expect(first["statement"]).toContain(question.nonce);
    const { body: again } = await scene.post("/api/v1/questions", key, {
      ...question,
      nonce: "p".repeat(43),
    });
    expect(again).not.toHaveProperty("statement");
    for (const broken of [
      { ...question, nonce: "" },
      { ...question, nonce: "n".repeat(42) },
      { ...question, nonce: ["n".repeat(43)] },
      { ...question, digest: "A".repeat(64) },
      { ...question, command: "" },
      { ...question, command: "rm x\ud800" },
      { ...question, command: "x".repeat(2_000_000) },
      { ...question, rules: Array.from({ length: 10_000 }, () => "r") },
      { ...question, rules: "git.push" },
      { ...question, found: [{}] },
    ]) {
      const { status } = await scene.post("/api/v1/questions", key, broken);
      expect([JSON.stringify(broken).slice(0, 60), status < 500]).toEqual([
        JSON.stringify(broken).slice(0, 60),
        true,
      ]);
    }
    expect(scene.log).toEqual([]);
  });

  it("is answered with a word for every document that no machine sends", async () => {
    const scene = await serverScene();
    const olga = await scene.visit("acme", "olga", "owner");
    const key = await scene.join(olga, "acme", "laptop");
    const headers = { authorization: `Bearer ${key}` };
    const line = JSON.stringify(row(1));
    const bodies: readonly (readonly [string, Record<string, string>, string | Buffer])[] = [
      ["two members of one name", {}, `{"rows":[],"rows":[${line}]}`],
      ["a mark of the order of bytes", {}, `\ufeff{"rows":[]}`],
      [
        "another encoding of text",
        { "content-type": "application/json; charset=utf-16" },
        Buffer.from('{"rows":[]}', "utf16le"),
      ],
      ["bytes that are no text", {}, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])],
      ["a number beyond numbers", {}, '{"rows":[],"head":{"seq":1e999,"hash":""}}'],
      ["a list", {}, "[]"],
      ["a text", {}, '"rows"'],
      ["nothing", {}, ""],
      ["null", {}, "null"],
      ["two documents", {}, '{"rows":[]}{"rows":[]}'],
      ["a comment", {}, '{"rows":[]/* */}'],
      [
        "gzip with something behind it",
        { "content-encoding": "gzip" },
        Buffer.concat([gzipSync('{"rows":[]}'), Buffer.from("x")]),
      ],
      ["gzip twice", { "content-encoding": "gzip" }, gzipSync(gzipSync('{"rows":[]}'))],
      [
        "many small bombs in one",
        { "content-encoding": "gzip" },
        Buffer.concat(Array.from({ length: 60 }, () => gzipSync(Buffer.alloc(1024 * 1024)))),
      ],
      ["gzip that ends early", { "content-encoding": "gzip" }, gzipSync('{"rows":[]}').subarray(0, 12)],
      ["two encodings", { "content-encoding": "gzip, gzip" }, gzipSync(gzipSync('{"rows":[]}'))],
      ["an encoding in capitals", { "content-encoding": "GZIP" }, gzipSync('{"rows":[]}')],
      ["a time that is no number", {}, JSON.stringify({ rows: [row(1, { ms: "1e3" })] })],
      ["a hash in capitals", {}, JSON.stringify({ rows: [row(1, { hash: "A".repeat(64) })] })],
      ["fields that are a list", {}, JSON.stringify({ rows: [row(1, { fields: [] })] })],
      ["a line that is null", {}, '{"rows":[null]}'],
      ["a head of nobody's log", {}, JSON.stringify({ rows: [], head: { seq: -1, hash: "x" } })],
    ];
    for (const path of ["records", "seen", "usage", "questions", "memory", "policy"])
      for (const [what, more, body] of bodies) {
        const answer = await scene.ask(`/api/v1/${path}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers, ...more },
          body,
        });
        expect([path, what, answer.status < 500]).toEqual([path, what, true]);
        expect(answer.body).not.toMatch(/\n\s+at |amplihack\.|pg_|\.ts:/);
        if (answer.status === 429) break;
      }
    // Each machine is counted by itself.
    const second = await scene.join(olga, "acme", "desktop");
    const usage = (day: object) => scene.post("/api/v1/usage", second, { usage: [day] });
    const known = {
      day: "2026-01-01",
      project: "p",
      host: "h",
      model: "m",
      answers: 1,
      input: 1,
      output: 1,
      cacheRead: 0,
      cacheWrite: 0,
      cost: 1,
      unpriced: 0,
    };
    for (const wrong of [
      { day: "2026-02-31" },
      { day: "infinity" },
      { day: "now" },
      { answers: -1 },
      { cost: -1 },
      { tokens: { input: 1e300 } },
    ])
      expect([wrong, [400, 429].includes((await usage({ ...known, ...wrong })).status)]).toEqual([
        wrong,
        true,
      ]);
    expect(scene.log).toEqual([]);
  });
});
