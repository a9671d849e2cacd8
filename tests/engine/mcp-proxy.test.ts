import { describe, expect, it } from "vitest";
import { McpProxy } from "../../src/engine/adapters/mcp-proxy.ts";
import { makeEngine } from "./fixture.ts";

function newProxy(engine = makeEngine()) {
  const client: unknown[] = [];
  const server: unknown[] = [];
  const warnings: string[] = [];
  const proxy = new McpProxy(engine, "shell", {
    toClient: line => client.push(JSON.parse(line)),
    toServer: line => server.push(JSON.parse(line)),
    warn: message => warnings.push(message),
  });
  return { engine, proxy, client, server, warnings };
}
const request = (id: unknown, args: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "run", arguments: args } });
const answer = (id: unknown, text: string) =>
  JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });

describe("a proxy between client and server", () => {
  const settled = () => new Promise(resolve => setImmediate(resolve));
  const quiet = async () => {
    for (let turn = 0; turn < 50; turn++) await settled();
  };

  it("hands on no answer to a request that there is not", async () => {
    const { proxy, client, warnings } = newProxy();
    const call = proxy.fromClient(request(1));
    await settled();
    for (const id of ["1", 2, "1.0", true]) proxy.fromServer(answer(id, "past the hooks"));
    expect(client).toEqual([]);
    expect(warnings).toHaveLength(4);
    proxy.fromServer(answer(1, "judged"));
    await call;
    expect(client).toEqual([JSON.parse(answer(1, "judged"))]);
    proxy.fromServer(answer(1, "again"));
    expect(client).toHaveLength(1);
  });

  it("sends on the members of a call that were judged, and none beside them", async () => {
    const { proxy, server } = newProxy();
    const params = {
      name: "run",
      arguments: { a: 1 },
      Name: "x",
      Arguments: { b: 1 },
      _meta: { progressToken: 1 },
    };
    void proxy.fromClient(JSON.stringify({ id: 1, method: "tools/call", params, Method: "y", Params: {} }));
    await settled();
    const judged = { name: "run", arguments: { a: 1 }, _meta: { progressToken: 1 } };
    expect(server).toEqual([{ id: 1, method: "tools/call", params: judged }]);
    proxy.close();
  });

  it("runs no call that was cancelled while its question was open", async () => {
    const { engine, proxy, client, server } = newProxy();
    engine.beforeToolCall("*", () => ({ decision: "ask", reason: "sure?" }) as const);
    await proxy.fromClient('{"id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}');
    const call = proxy.fromClient(request(1));
    while (client.length === 0) await settled();
    const { id } = client[0] as { id: string };
    await proxy.fromClient('{"method":"notifications/cancelled","params":{"requestId":1}}');
    await proxy.fromClient(JSON.stringify({ id, result: { action: "accept", content: { run: true } } }));
    await call;
    expect(server.filter(message => (message as { method?: string }).method === "tools/call")).toEqual([]);
  });

  it.each([
    ["a call", (id: unknown) => request(id)],
    ["a resource", (id: unknown) => `{"id":${id},"method":"resources/read","params":{"uri":"file:///x"}}`],
    ["a prompt", (id: unknown) => `{"id":${id},"method":"prompts/get","params":{"name":"p"}}`],
  ])("sends on nothing that was cancelled while hooks looked at it: %s", async (_, make) => {
    const { engine, proxy, client, server } = newProxy();
    let resolve = (): void => undefined;
    const promise = new Promise<void>(done => {
      resolve = done;
    });
    engine.beforeToolCall("*", async () => {
      await promise;
      return undefined;
    });
    const call = proxy.fromClient(make(1));
    await settled();
    await proxy.fromClient('{"method":"notifications/cancelled","params":{"requestId":1}}');
    resolve();
    await call;
    expect(server.map(message => (message as { method?: string }).method)).toEqual([
      "notifications/cancelled",
    ]);
    expect(client).toMatchObject([{ id: 1, error: { message: expect.stringContaining("cancelled") } }]);
    // The id is free again, and what was cancelled says nothing of the next.
    const next = proxy.fromClient(request(1));
    await settled();
    proxy.fromServer(answer(1, "done"));
    await next;
    expect(client[1]).toEqual(JSON.parse(answer(1, "done")));
  });

  it("asks nothing of a client whose answers no person gives", async () => {
    const engine = makeEngine();
    const client: { id?: unknown; method?: string; result?: { isError?: boolean } }[] = [];
    const proxy = new McpProxy(engine, "shell", {
      toClient: line => client.push(JSON.parse(line)),
      toServer: () => undefined,
      warn: () => undefined,
      mayAsk: () => false,
    });
    engine.beforeToolCall("*", () => ({ decision: "ask", reason: "sure?" }) as const);
    await proxy.fromClient('{"id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}');
    await proxy.fromClient(request(1));
    expect(client).toMatchObject([{ id: 1, result: { isError: true } }]);
  });

  it("ends a call whose answer cannot be read", async () => {
    const { proxy, client } = newProxy();
    const call = proxy.fromClient(request(1));
    await settled();
    proxy.fromServer(`{"id":1,"result":${"[".repeat(5_000)}${"]".repeat(5_000)}}`);
    await call;
    expect(client).toMatchObject([{ id: 1, error: { code: -32_700 } }]);
  });

  it("ends a call whose answer is too deep to be read at all", async () => {
    const { proxy, client } = newProxy();
    const call = proxy.fromClient(request(7));
    await settled();
    proxy.fromServer(`{"jsonrpc":"2.0","id":7,"result":${'{"a":'.repeat(200_000)}1`);
    await call;
    expect(client).toMatchObject([{ id: 7, error: { code: -32_700 } }]);
  });

  it.each([
    '{"id":3,"method":"tools/call","params":{"name":["run"],"arguments":{}}}',
    '{"id":3,"method":"resources/read","params":{"uri":["file:///home/user/.ssh/id_rsa"]}}',
    '{"id":3,"method":"prompts/get","params":{"name":{"0":"p"}}}',
    '{"id":3,"method":"tasks/result","params":{"taskId":["t1"]}}',
    '{"id":[3],"method":"tools/call","params":{"name":"run"}}',
    '{"id":null,"method":"tools/call","params":{"name":"run"}}',
    '{"id":1e999,"method":"ping"}',
    '{"id":9007199254740993,"method":"ping"}',
    '{"id":true,"method":"tools/list"}',
  ])("sends on no id and no name that a server reads in another way: %s", async message => {
    const { proxy, client, server } = newProxy();
    await proxy.fromClient(message);
    expect(server).toEqual([]);
    expect(client).toMatchObject([{ error: { code: -32_601 } }]);
  });

  it("writes no sign that a reader may take for the end of a line", async () => {
    const lines: string[] = [];
    const proxy = new McpProxy(makeEngine(), "shell", {
      toClient: line => lines.push(line),
      toServer: line => lines.push(line),
      warn: () => undefined,
    });
    const text = `a\u2028${request(9)}\u2029${request(10)}\u0085b`;
    const call = proxy.fromClient(request(1, { text }));
    await settled();
    proxy.fromServer(answer(1, text));
    await call;
    expect(lines.map(line => /[\u0085\u2028\u2029]/.test(line))).toEqual([false, false]);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ params: { arguments: { text } } });
    expect(JSON.parse(lines[1] ?? "")).toEqual(JSON.parse(answer(1, text)));
  });

  it("hands on what answers no request only where it tells an error", () => {
    const { proxy, client } = newProxy();
    proxy.fromServer('{"id":null,"result":{"content":[{"type":"text","text":"past the hooks"}]}}');
    proxy.fromServer('{"id":null,"error":{"code":-32700,"message":"unread"}}');
    expect(client).toEqual([{ jsonrpc: "2.0", id: null, error: { code: -32_700, message: "unread" } }]);
  });

  it("shows hooks the error that a server answers, with what they say of it in its words, and bounded", async () => {
    const { engine, proxy, client } = newProxy();
    const seen: unknown[] = [];
    engine.on("PostToolUseFailure", "*", ({ error }) => {
      seen.push(error);
      return { context: "a note" } as never;
    });
    for (const [id, error] of [
      [1, { code: -1, message: "do this", data: { x: 1 }, Message: "y" }],
      [2, { code: -1, message: "x".repeat(1_000_000), data: "y".repeat(1_000_000) }],
      [3, "do that"],
    ] as const) {
      const call = proxy.fromClient(request(id));
      await settled();
      proxy.fromServer(JSON.stringify({ id, error }));
      await call;
    }
    expect(seen[0]).toEqual({ code: -1, message: "do this", data: { x: 1 } });
    expect(client[0]).toMatchObject({ id: 1, error: { code: -1, message: "do this\na note" } });
    expect(JSON.stringify(client[1]).length).toBeLessThan(21_000);
    expect(client[2]).toMatchObject({ id: 3, error: { message: expect.stringContaining("a note") } });
  });

  it.each(["tools/Call", "TOOLS/CALL", "tasks/update", "x/y", "__proto__", "constructor"])(
    "knows no method %s of a client, and sends none on",
    async method => {
      const { proxy, client, server, warnings } = newProxy();
      await proxy.fromClient(JSON.stringify({ id: 3, method, params: { name: "run" } }));
      await proxy.fromClient(JSON.stringify({ method, params: { name: "run" } }));
      expect(server).toEqual([]);
      expect(client).toMatchObject([{ id: 3, error: { code: -32_601 } }]);
      expect(warnings).toHaveLength(2);
    },
  );

  it("knows no method of a server beside those of the protocol", () => {
    const { proxy, client, server } = newProxy();
    proxy.fromServer('{"jsonrpc":"2.0","id":1,"method":"shell/run","params":{}}');
    proxy.fromServer('{"jsonrpc":"2.0","method":"notifications/other"}');
    expect(client).toEqual([]);
    expect(server).toMatchObject([{ id: 1, error: { code: -32_601 } }]);
  });

  it("writes every message anew from the members it knows", async () => {
    const { proxy, client, server } = newProxy();
    void proxy.fromClient(
      '{"id":1,"method":"prompts/get","params":{"name":"a","arguments":{"b":"c"},"Name":"x"},"X":1}',
    );
    await settled();
    void proxy.fromClient(
      '{"id":2,"method":"completion/complete","params":{"ref":{},"argument":{},"Ref":1}}',
    );
    await settled();
    expect(server).toEqual([
      { id: 1, method: "prompts/get", params: { name: "a", arguments: { b: "c" } } },
      { id: 2, method: "completion/complete", params: { ref: {}, argument: {} } },
    ]);
    proxy.fromServer('{"id":1,"result":{"messages":[]},"Result":{}}');
    await settled();
    proxy.fromServer('{"id":5,"method":"elicitation/create","params":{"message":"m","Message":"n"}}');
    await settled();
    expect(client).toEqual([
      { jsonrpc: "2.0", id: 1, result: { messages: [] } },
      { jsonrpc: "2.0", id: 5, method: "elicitation/create", params: { message: "m" } },
    ]);
  });

  it("hands on answers of the client to questions of the server only", async () => {
    const { proxy, server } = newProxy();
    proxy.fromServer('{"id":5,"method":"roots/list"}');
    for (const id of ['"5"', "6", "null"]) await proxy.fromClient(`{"id":${id},"result":{"roots":[]}}`);
    expect(server).toEqual([]);
    await proxy.fromClient('{"id":5,"result":{"roots":[]}}');
    await proxy.fromClient('{"id":5,"result":{"roots":[1]}}');
    expect(server).toEqual([{ id: 5, result: { roots: [] } }]);
  });

  it.each(["1.5", "1e999", "9007199254740993", "null", "true", "[1]", '{"a":1}'])(
    "knows no request whose id would not come back as it is: %s",
    async id => {
      const { proxy, client, server } = newProxy();
      await proxy.fromClient(`{"id":${id},"method":"tools/call","params":{"name":"run","arguments":{}}}`);
      await proxy.fromClient(`{"id":${id},"method":"tools/list"}`);
      expect(server).toEqual([]);
      expect(client).toMatchObject([{ error: { code: -32_601 } }, { error: { code: -32_601 } }]);
    },
  );

  it("judges the name that the server gets, however its letters are written", async () => {
    const { engine, proxy, server } = newProxy();
    const seen: unknown[] = [];
    engine.beforeToolCall("*", ({ name }) => {
      seen.push(name);
      return { block: true, reason: "no" } as never;
    });
    for (const params of [
      String.raw`{"n\u0061me":"rm","\u0061rguments":{}}`,
      String.raw`{"name":"ls","n\u0061me":"rm","arguments":{}}`,
      String.raw`{"name":"r\u006d","arguments":{"a":1},"arguments":{}}`,
    ])
      await proxy.fromClient(String.raw`{"id":1,"m\u0065thod":"tools\u002fcall","params":${params}}`);
    expect([seen, server]).toEqual([["mcp__shell__rm", "mcp__shell__rm", "mcp__shell__rm"], []]);
  });

  it.each([
    ["a notice with an id", '{"id":1,"method":"notifications/initialized"}'],
    ["a call inside a list inside a batch", '[[{"id":1,"method":"tools/call","params":{"name":"run"}}]]'],
    [
      "a call beside a result",
      '{"id":1,"result":{},"method":"tools/call","params":{"name":"run","arguments":{}}}',
    ],
    ["an answer of the server's own id", '{"id":"amplihack-1","result":{"action":"accept"}}'],
  ])("lets nothing run unjudged: %s", async (_, line) => {
    const { engine, proxy, server } = newProxy();
    engine.beforeToolCall("*", () => ({ block: true, reason: "no" }) as never);
    await proxy.fromClient(line);
    expect(JSON.stringify(server)).not.toContain("tools/call");
  });

  it("takes no second request of an id that is not answered", async () => {
    const { proxy, client, server } = newProxy();
    const call = proxy.fromClient(request(1));
    await settled();
    await proxy.fromClient(request(1, { other: true }));
    await proxy.fromClient('{"id":1,"method":"tools/list"}');
    expect(server).toHaveLength(1);
    expect(client).toMatchObject([{ error: { code: -32_600 } }, { error: { code: -32_600 } }]);
    proxy.fromServer(answer(1, "once"));
    await call;
  });

  describe("a task", () => {
    const begin = JSON.stringify({
      id: 1,
      method: "tools/call",
      params: { name: "run", arguments: {}, task: { ttl: 1_000 } },
    });
    const created = '{"id":1,"result":{"task":{"taskId":"t1","status":"working"}}}';
    const fetch = (id: number) => JSON.stringify({ id, method: "tasks/result", params: { taskId: "t1" } });

    it("is a call that ends when its result is fetched", async () => {
      const { engine, proxy, client } = newProxy();
      const seen: unknown[] = [];
      engine.afterToolCall("*", ({ result }) => {
        seen.push(result);
        return { result: { content: [{ type: "text", text: "as hooks left it" }] } } as never;
      });
      const call = proxy.fromClient(begin);
      await settled();
      proxy.fromServer(created);
      await settled();
      expect(client).toMatchObject([{ id: 1, result: { task: { taskId: "t1" } } }]);
      expect(seen).toEqual([]);
      const fetched = proxy.fromClient(fetch(2));
      await settled();
      proxy.fromServer(answer(2, "secret"));
      await Promise.all([call, fetched]);
      expect(seen).toEqual([{ content: [{ type: "text", text: "secret" }] }]);
      const asLeft = { result: { content: [{ text: "as hooks left it" }] } };
      expect(client[1]).toMatchObject({ id: 2, ...asLeft });
      await proxy.fromClient(fetch(3));
      expect(client[2]).toMatchObject({ id: 3, ...asLeft });
    });

    it("is refused as a call is, by an error", async () => {
      const { engine, proxy, client, server } = newProxy();
      engine.beforeToolCall("*", () => ({ block: true, reason: "no" }));
      await proxy.fromClient(begin);
      expect(server).toEqual([]);
      expect(client).toMatchObject([{ id: 1, error: { code: -32_001 } }]);
    });

    it.each(["cancelled", "closed"])("that is %s ends its call as a failure", async how => {
      const { engine, proxy } = newProxy();
      const failed: string[] = [];
      engine.on("PostToolUseFailure", "*", ({ tool_name }) => {
        failed.push(String(tool_name));
        return undefined;
      });
      const call = proxy.fromClient(begin);
      await settled();
      proxy.fromServer(created);
      await settled();
      const cancel = proxy.fromClient('{"id":2,"method":"tasks/cancel","params":{"taskId":"t1"}}');
      await settled();
      if (how === "cancelled") proxy.fromServer('{"id":2,"result":{"taskId":"t1","status":"cancelled"}}');
      else proxy.close();
      await Promise.all([call, cancel]);
      expect(failed).toEqual(["mcp__shell__run"]);
    });
  });

  describe("what a server asks of its client", () => {
    const sampling =
      '{"id":5,"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":9}}';

    it.each([
      [sampling, "mcp__shell__sampling"],
      ['{"id":5,"method":"elicitation/create","params":{"message":"your key?"}}', "mcp__shell__elicitation"],
    ])("is seen by hooks before and after, and refused by them: %#", async (request, tool) => {
      const { engine, proxy, client, server } = newProxy();
      const seen: string[] = [];
      let isRefused = false;
      engine.beforeToolCall("*", ({ name }) => {
        seen.push(`before ${name}`);
        return isRefused ? ({ block: true, reason: "no" } as const) : undefined;
      });
      engine.afterToolCall("*", ({ name }) => {
        seen.push(`after ${name}`);
        return undefined;
      });
      proxy.fromServer(request);
      await settled();
      expect(client).toHaveLength(1);
      await proxy.fromClient('{"id":5,"result":{"action":"accept"}}');
      await settled();
      expect(server).toEqual([{ jsonrpc: "2.0", id: 5, result: { action: "accept" } }]);
      expect(seen).toEqual([`before ${tool}`, `after ${tool}`]);
      isRefused = true;
      proxy.fromServer(request);
      await settled();
      expect(client).toHaveLength(1);
      expect(server[1]).toMatchObject({ id: 5, error: { code: -32_001 } });
    });
  });

  it("asks the client for nothing that the server took back while its question was open", async () => {
    const { engine, proxy, client, server } = newProxy();
    engine.beforeToolCall("*", () => ({ decision: "ask", reason: "sure?" }) as const);
    await proxy.fromClient('{"id":0,"method":"initialize","params":{"capabilities":{"elicitation":{}}}}');
    const sampling = '{"id":5,"method":"sampling/createMessage","params":{"messages":[]}}';
    const questions = () =>
      (client as { id: unknown; method?: string }[]).filter(({ method }) => method === "elicitation/create");
    const until = async (isDone: () => boolean) => {
      while (!isDone()) await settled();
    };
    const asked = (times: number) => until(() => questions().length === times);
    proxy.fromServer(sampling);
    await asked(1);
    // The client's own call of that id is another one.
    await proxy.fromClient('{"method":"notifications/cancelled","params":{"requestId":5}}');
    proxy.fromServer('{"method":"notifications/cancelled","params":{"requestId":5}}');
    const yes = { action: "accept", content: { run: true } };
    await proxy.fromClient(JSON.stringify({ id: questions()[0]?.id, result: yes }));
    const answers = () => (server as { id?: unknown }[]).filter(({ id }) => id === 5);
    await until(() => answers().length > 0);
    expect(answers()).toMatchObject([{ error: { code: -32_001 } }]);
    expect(client).not.toContainEqual(expect.objectContaining({ method: "sampling/createMessage" }));
    // The same id again is another question, which the old answer does not reach.
    proxy.fromServer(sampling);
    await asked(2);
    await proxy.fromClient(JSON.stringify({ id: questions().at(-1)?.id, result: yes }));
    await until(() => (client.at(-1) as { id: unknown }).id === 5);
    expect(client.at(-1)).toMatchObject({ method: "sampling/createMessage" });
    proxy.fromServer('{"method":"notifications/cancelled","params":{"requestId":5}}');
    await quiet();
    await proxy.fromClient('{"id":5,"result":{"role":"assistant"}}');
    expect(server).not.toContainEqual(expect.objectContaining({ result: { role: "assistant" } }));
  });

  it("hands on results of bounded size, and says what it left out", async () => {
    const { proxy, client } = newProxy();
    const long = (length: number) => `${"a".repeat(length)}z`;
    const call = proxy.fromClient(request(1));
    await settled();
    const content = [
      { type: "text", text: long(500_000) },
      { type: "text", text: long(10) },
      { type: "image", data: long(9_000_000), mimeType: "image/png" },
      { type: "resource", resource: { uri: "a:b", blob: long(9_000_000) } },
    ];
    const structuredContent = { rows: [long(300_000)] };
    proxy.fromServer(JSON.stringify({ id: 1, result: { content, structuredContent } }));
    await call;
    const text = JSON.stringify(client[0]);
    expect(text.length).toBeLessThan(202_000);
    expect(text).toContain("500001 characters");
    const [{ result }] = client as [{ result: { content: { text?: string }[]; isError?: boolean } }];
    expect(result.isError).toBe(true);
    expect(result.content.map(({ text: part }) => part?.slice(-40))).toEqual([
      expect.stringContaining("500001 characters]"),
      expect.stringContaining("characters]"),
      expect.stringContaining("too large]"),
      undefined,
      expect.stringContaining("too large"),
    ]);
  });

  describe("a resource", () => {
    const read = (uri: string) => JSON.stringify({ id: 1, method: "resources/read", params: { uri } });

    it.each([
      "file:///home/user/.ssh/id_rsa",
      "FILE:///home/user/.ssh/id_rsa",
      "file://localhost/home/user/.ssh/id_rsa",
      "file:///home/user/x/../.ssh/id%5Frsa",
      "file:/home/user/.ssh/id_rsa",
      " file:///home/user/.ssh/id_rsa",
      "fi\tle:///home/user/.ssh/id_rsa",
      "file:\\\\\\home\\user\\.ssh\\id_rsa",
      "file:///home/user/./.ssh/%69d_rsa#x",
      "file:///home/user/.ssh/id_rsa?x=1",
      "file:///home/user/.ssh/id_rsa%00.txt",
    ])("that is a file is judged as reading it: %s", async uri => {
      const { engine, proxy, client, server } = newProxy();
      const seen: unknown[] = [];
      engine.beforeToolCall("*", ({ name, args }) => {
        seen.push([name, args]);
        return { block: true, reason: "a key" } as never;
      });
      await proxy.fromClient(read(uri));
      expect(seen).toEqual([["Read", { file_path: "/home/user/.ssh/id_rsa" }]]);
      expect(server).toEqual([]);
      expect(client).toMatchObject([
        { id: 1, error: { code: -32_001, message: expect.stringContaining("a key") } },
      ]);
    });

    it.each([
      ["ssh-key:///home/user/.ssh/id_rsa", "/home/user/.ssh/id_rsa"],
      ["repo://home/user/.ssh/id%5Frsa", "/home/user/.ssh/id_rsa"],
      ["notes://today", "/today"],
      ["notes:///x%00.txt", "/x"],
      ["https://example.com/.env", undefined],
      ["fs://x?path=/home/user/.ssh/id_rsa", "/x", ["/home/user/.ssh/id_rsa"]],
      ["fs:///?a=..%2F.env&b=%2Ftmp%2Fx%00y", "/", ["../.env", "/tmp/x"]],
      ["fs://x#~/.ssh/id%5Frsa", "/x", ["~/.ssh/id_rsa"]],
      ["/home/user/.ssh/id_rsa", "/home/user/.ssh/id_rsa"],
      [".ssh/id%5Frsa", ".ssh/id_rsa"],
      ["~/.ssh/id_rsa?x=1", "~/.ssh/id_rsa", ["~/.ssh/id_rsa?x=1"]],
      ["../.env%00.txt", "../.env"],
      ["file://.env", ".env", ["/"]],
      ["file:.env", ".env", ["/.env"]],
      ["file://~/.ssh/id_rsa", "~/.ssh/id_rsa", ["/.ssh/id_rsa"]],
      ["file://conf/credentials?x", "conf/credentials", ["/credentials"]],
    ])(
      "of another scheme is judged with the paths that it names: %s",
      async (uri, path, paths = undefined) => {
        const { engine, proxy, server } = newProxy();
        const seen: unknown[] = [];
        engine.beforeToolCall("*", ({ args }) => {
          seen.push(args);
          return { block: true, reason: "a key" } as never;
        });
        await proxy.fromClient(read(uri));
        expect([seen, server]).toEqual([[{ uri, ...(path && { path }), ...(paths && { paths }) }], []]);
      },
    );

    it.each([
      [
        "resources/subscribe",
        { uri: "file:///home/user/.ssh/id_rsa" },
        "Read",
        { file_path: "/home/user/.ssh/id_rsa" },
      ],
      [
        "resources/subscribe",
        { uri: "keys://x/id_rsa" },
        "mcp__shell__resources_subscribe",
        { uri: "keys://x/id_rsa", path: "/x/id_rsa" },
      ],
      [
        "completion/complete",
        { ref: { type: "ref/resource", uri: "file:///{path}" }, argument: { name: "path", value: ".env" } },
        "mcp__shell__completion_complete",
        {
          ref: { type: "ref/resource", uri: "file:///{path}" },
          argument: { name: "path", value: ".env" },
          path: ".env",
        },
      ],
      [
        "completion/complete",
        { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
        "mcp__shell__completion_complete",
        { ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } },
      ],
    ])("is a text of the server however it is asked for: %s", async (method, params, name, args) => {
      const { engine, proxy, client, server } = newProxy();
      const seen: unknown[] = [];
      engine.beforeToolCall("*", call => {
        seen.push([call.name, call.args]);
        return { block: true, reason: "a key" } as never;
      });
      await proxy.fromClient(JSON.stringify({ id: 1, method, params }));
      expect([seen, server]).toEqual([[[name, args]], []]);
      expect(client).toMatchObject([{ id: 1, error: { code: -32_001 } }]);
    });

    it("that is allowed is handed on as it came", async () => {
      const { proxy, client, server } = newProxy();
      const call = proxy.fromClient(read("notes://today"));
      await settled();
      expect(server).toEqual([{ id: 1, method: "resources/read", params: { uri: "notes://today" } }]);
      const result = { contents: [{ uri: "notes://today", text: "x" }] };
      proxy.fromServer(JSON.stringify({ id: 1, result }));
      await call;
      expect(client).toEqual([{ jsonrpc: "2.0", id: 1, result }]);
    });
  });

  it("sends on what is not a call, as it was read", async () => {
    const { proxy, client, server } = newProxy();
    await proxy.fromClient('{"jsonrpc":"2.0","id":1,"method":"tools/list"}');
    proxy.fromServer('{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}');
    expect(server).toEqual([{ jsonrpc: "2.0", id: 1, method: "tools/list" }]);
    expect(client).toEqual([{ jsonrpc: "2.0", id: 1, result: { tools: [] } }]);
  });

  it("judges what it sends: of a member that is there twice, the server gets the one that was judged", async () => {
    const { engine, proxy, server } = newProxy();
    engine.beforeToolCall("*", () => ({ block: true, reason: "no" }));
    await proxy.fromClient('{"id":1,"method":"ping","method":"tools/call","params":{"name":"run"}}');
    expect(server).toEqual([]);
  });

  it("judges every call of a batch, and calls that want no answer", async () => {
    const { engine, proxy, client, server } = newProxy();
    engine.beforeToolCall("*", ({ args }) => ("x" in args ? { block: true, reason: "no" } : undefined));
    await proxy.fromClient(
      `[${request(1, { x: 1 })},{"method":"tools/call","params":{"name":"run","arguments":{"x":1}}}]`,
    );
    await proxy.fromClient('{"method":"tools/call","params":{"name":"run","arguments":{}}}');
    expect(client).toMatchObject([{ id: 1, result: { isError: true } }]);
    expect(server).toMatchObject([{ params: { arguments: {} } }]);
  });

  it("tells numbers and texts apart as ids", async () => {
    const { proxy, client } = newProxy();
    const both = Promise.all([proxy.fromClient(request(1)), proxy.fromClient(request("1"))]);
    await new Promise(resolve => setImmediate(resolve));
    proxy.fromServer(answer("1", "text"));
    proxy.fromServer(answer(1, "number"));
    await both;
    expect(client).toContainEqual(JSON.parse(answer(1, "number")));
    expect(client).toContainEqual(JSON.parse(answer("1", "text")));
  });

  it("answers a line that is no message, and does not send it", async () => {
    const { proxy, client, server } = newProxy();
    await proxy.fromClient("{tools/call");
    await proxy.fromClient("7");
    expect(client).toMatchObject([{ error: { code: -32_700 } }, { error: { code: -32_700 } }]);
    expect(server).toEqual([]);
  });

  it("says so when the server writes what is no message, and hands on what is nested deeply", async () => {
    const { proxy, client, warnings } = newProxy();
    proxy.fromServer("listening on stdio");
    proxy.fromServer("");
    expect(warnings).toEqual([
      "the server shell wrote a line that is not a message (malformed); it is left out",
    ]);
    const call = proxy.fromClient(request(1));
    await new Promise(resolve => setImmediate(resolve));
    proxy.fromServer(
      `{"id":1,"result":{"content":[],"structuredContent":${"[".repeat(300)}${"]".repeat(300)}}}`,
    );
    await call;
    expect(JSON.stringify(client)).toContain("[".repeat(300));
  });

  it("hands on an error of the server, and ends calls when it is gone", async () => {
    const { proxy, client } = newProxy();
    const first = proxy.fromClient(request(1));
    await new Promise(resolve => setImmediate(resolve));
    proxy.fromServer('{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"bad"}}');
    await first;
    const second = proxy.fromClient(request(2));
    await new Promise(resolve => setImmediate(resolve));
    proxy.close();
    await second;
    expect(client).toMatchObject([
      { id: 1, error: { code: -32_602 } },
      { id: 2, error: { message: "the MCP server has ended" } },
    ]);
  });
});
