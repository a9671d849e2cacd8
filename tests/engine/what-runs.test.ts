import { runInNewContext, runInThisContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createHookEngine } from "../../src/exports/engine.ts";

// What was judged is what runs.

const DANGER = "rm -rf ~";

function guarded() {
  const engine = createHookEngine({ projectDir: "/project", env: {} });
  engine.beforeToolCall("*", ({ args }) =>
    JSON.stringify(args).includes(DANGER) ? { block: true, reason: "no" } : undefined,
  );
  return engine;
}

const HIDDEN: readonly (readonly [string, () => unknown])[] = [
  ["__proto__ as a member", () => JSON.parse(`{"__proto__":{"command":"${DANGER}"}}`)],
  ["__proto__ further down", () => JSON.parse(`{"a":[{"__proto__":{"command":"${DANGER}"}}]}`)],
  [
    "a getter",
    () => ({
      get command() {
        return "ls";
      },
    }),
  ],
  [
    "a getter that changes its mind",
    () => {
      let seen = 0;
      return {
        get command() {
          return seen++ === 0 ? "ls" : DANGER;
        },
      };
    },
  ],
  ["a setter", () => ({ set command(_: string) {} })],
  ["toJSON", () => ({ command: DANGER, toJSON: () => ({ command: "ls" }) })],
  [
    "toJSON of a class",
    () =>
      new (class {
        command = DANGER;
        toJSON() {
          return { command: "ls" };
        }
      })(),
  ],
  ["a member that is not listed", () => Object.defineProperty({}, "command", { value: DANGER })],
  ["a member on a list", () => ({ words: Object.assign(["ls"], { command: DANGER }) })],
  ["a symbol", () => ({ [Symbol("command")]: DANGER })],
  ["an inherited member", () => Object.create({ command: DANGER })],
  [
    "a getter of a class",
    () =>
      new (class {
        get command() {
          return DANGER;
        }
      })(),
  ],
  [
    "a getter of a kind of list",
    () => ({
      words: new (class extends Array {
        get command() {
          return DANGER;
        }
      })(),
    }),
  ],
  [
    "a text that says something else",
    () => ({ command: Object.assign(new String("ls"), { toString: () => DANGER }) }),
  ],
  ["a value that says something else", () => ({ command: { valueOf: () => DANGER } })],
  [
    "a method of a class that says something else",
    () => ({
      command: new (class {
        toString() {
          return DANGER;
        }
      })(),
    }),
  ],
  ["a proxy", () => ({ a: new Proxy({ command: "ls" }, { get: () => DANGER }) })],
  ["a value for every use", () => ({ command: { [Symbol.toPrimitive]: () => DANGER } })],
  [
    "a list that walks differently",
    () => ({ args: Object.assign(["ls"], { [Symbol.iterator]: () => [DANGER].values() }) }),
  ],
  ["a name with a mark that is not seen", () => ({ command: "ls", "command\u200B": DANGER })],
  ["a name that differs in case beyond ASCII", () => ({ key: "a", "\u212Aey": DANGER })],
  ["a function with a member", () => ({ run: Object.assign(() => "ls", { command: DANGER }) })],
  ["a function as all of it", () => Object.assign(() => "ls", { command: DANGER })],
  ["a function that says something else", () => ({ a: Object.assign(() => 1, { toString: () => DANGER }) })],
  [
    "a class with a member of its own",
    () => ({
      a: class {
        static command = DANGER;
        n = 1;
      },
    }),
  ],
  ["a function that inherits", () => ({ a: Object.setPrototypeOf(() => 1, { command: DANGER }) })],
  ["a member on a date", () => ({ at: Object.assign(new Date(0), { command: DANGER }) })],
  ["a member on bytes", () => ({ at: Object.assign(new Uint8Array(1), { command: DANGER }) })],
  ["a member on a map", () => ({ at: Object.assign(new Map(), { command: DANGER }) })],
  [
    "a getter in a map",
    () => ({
      at: new Map([
        [
          "a",
          {
            get command() {
              return DANGER;
            },
          },
        ],
      ]),
    }),
  ],
  ["toJSON in a set", () => new Set([{ command: DANGER, toJSON: () => "ls" }])],
  [
    "a kind of map",
    () => ({
      at: new (class extends Map {
        override get() {
          return DANGER;
        }
      })(),
    }),
  ],
  [
    "a kind of date",
    () => ({
      at: new (class extends Date {
        override toISOString() {
          return DANGER;
        }
      })(0),
    }),
  ],
  [
    "a kind of list",
    () => ({
      words: new (class extends Array {
        override join() {
          return DANGER;
        }
      })(),
    }),
  ],
  [
    "a value of a class for every use",
    () => ({
      a: new (class {
        [Symbol.toPrimitive]() {
          return DANGER;
        }
      })(),
    }),
  ],
  [
    "a hidden member of an instance",
    () => ({ a: Object.defineProperty(new (class A {})(), "command", { value: DANGER }) }),
  ],
  [
    "a getter inside an instance",
    () => ({
      a: new (class A {
        inner = {
          get command() {
            return DANGER;
          },
        };
      })(),
    }),
  ],
  ["a symbol on an instance", () => ({ a: Object.assign(new (class A {})(), { [Symbol("c")]: DANGER }) })],
  [
    "a class that says it is a built-in one",
    () => {
      const inherited = { command: DANGER };
      const made = Object.assign((() => {}).bind(undefined), { prototype: inherited });
      Object.defineProperty(inherited, "constructor", { value: made, enumerable: false });
      return Object.create(inherited);
    },
  ],
  [
    "a class that says of its text that it is native",
    () =>
      runInThisContext(`(() => {
        class Map {
          command() { return "${DANGER}"; }
          toString() { return "${DANGER}"; }
          static toString = () => "function Map() { [native code] }";
        }
        return { at: new Map() };
      })()`),
  ],
  [
    "what an object of no realm inherits",
    () => Object.create(Object.create(null, { command: { value: DANGER } })),
  ],
  [
    "a message that is computed",
    () => ({ a: Object.defineProperty(new Error("ls"), "message", { get: () => DANGER }) }),
  ],
  ["a hidden message of what is no error", () => Object.defineProperty({}, "message", { value: DANGER })],
  ["a getter of another realm", () => runInNewContext(`({ get command() { return "${DANGER}"; } })`)],
  ["an inherited member of another realm", () => runInNewContext(`Object.create({ command: "${DANGER}" })`)],
  [
    "a map that walks differently",
    () => ({ at: Object.assign(new Map(), { [Symbol.iterator]: () => [["command", DANGER]].values() }) }),
  ],
  [
    "bytes that walk differently",
    () => ({ at: Object.assign(new Uint8Array(1), { [Symbol.iterator]: () => [DANGER].values() }) }),
  ],
  [
    "a kind of map of another realm",
    () => runInNewContext("({ at: new (class extends Map { get() {} })() })"),
  ],
  [
    "a member on a date of another realm",
    () => runInNewContext(`({ at: Object.assign(new Date(0), { a: "${DANGER}" }) })`),
  ],
  ["a promise", () => ({ command: Promise.resolve(DANGER) })],
  ["a promise of another realm", () => runInNewContext(`({ command: Promise.resolve("${DANGER}") })`)],
  [
    "a generator",
    () => ({
      command: (function* () {
        yield DANGER;
      })(),
    }),
  ],
  [
    "an asynchronous generator",
    () => ({
      command: (async function* () {
        yield DANGER;
      })(),
    }),
  ],
  ["an iterator", () => ({ command: [DANGER].values() })],
  ["an iterator of a map", () => ({ command: new Map([["a", DANGER]]).values() })],
  ["a reference", () => ({ at: new WeakRef({ command: DANGER }) })],
  ["a blob", () => ({ at: new Blob([DANGER]) })],
  ["a request", () => ({ at: new Request("http://x/", { method: "POST", body: DANGER }) })],
  ["a response", () => ({ at: new Response(DANGER) })],
  ["a stream", () => ({ at: new Blob([DANGER]).stream() })],
  ["where a pattern goes on", () => ({ at: Object.assign(/ls/, { lastIndex: DANGER }) })],
  ["the cause of an error", () => ({ a: new Error("ls", { cause: DANGER }) })],
  ["a member of an error", () => ({ a: Object.assign(new Error("ls"), { command: DANGER }) })],
  ["a name that differs in case", () => ({ command: "ls", Command: DANGER })],
  ["a name that differs in case, further down", () => ({ a: { path: "x", PATH: "/etc/passwd" } })],
];

/** Told as what it says, so that hooks can judge it. */
const SHOWN: readonly (readonly [string, () => unknown])[] = [
  ["a text of an object's own", () => ({ command: new String(DANGER) })],
  ["bytes of a text", () => ({ command: new TextEncoder().encode(DANGER) })],
  ["bytes of a text with an end", () => ({ command: new TextEncoder().encode(`${DANGER}\0`) })],
  ["bytes that are not all text", () => ({ command: new Uint8Array([...Buffer.from(DANGER), 0xff]) })],
  ["a sign with a long name", () => ({ command: Symbol("x".repeat(200) + DANGER) })],
  ["a sign of an object's own", () => ({ command: Object(Symbol(DANGER)) })],
  ["a pattern", () => ({ command: new RegExp(DANGER) })],
  ["a text of another realm", () => runInNewContext(`({ deep: [{ command: "${DANGER}" }] })`)],
  ["a pattern of another realm", () => runInNewContext(`({ command: /${DANGER}/ })`)],
  ["a map of another realm", () => runInNewContext(`({ at: new Map([["a", { command: "${DANGER}" }]]) })`)],
  ["headers", () => ({ headers: new Headers({ command: DANGER }) })],
  [
    "a form",
    () => {
      const form = new FormData();
      form.set("command", DANGER);
      return { form };
    },
  ],
  [
    "shared bytes of a text",
    () => {
      const shared = new SharedArrayBuffer(DANGER.length);
      new Uint8Array(shared).set(new TextEncoder().encode(DANGER));
      return { shared };
    },
  ],
  ["an address", () => ({ command: new URLSearchParams({ c: DANGER }).get("c") })],
];

describe("arguments that another reader would see differently", () => {
  it.each(HIDDEN)("are refused: %s", async (_, make) => {
    let hasRun = false;
    const run = () => {
      hasRun = true;
    };
    const result = await guarded().call("tool", make(), run);
    expect([result.status, hasRun]).toEqual(["denied", false]);
    const decided = await guarded().decide("tool", make());
    expect(decided.kind).toBe("deny");
  });

  it.each(SHOWN)("are shown as what they say: %s", async (_, make) => {
    expect(await guarded().decide("tool", make())).toMatchObject({ kind: "deny", reason: "no" });
  });

  it.each(HIDDEN)("fail every hook of a dispatch, closed: %s", async (_, make) => {
    const { decision } = await guarded().dispatch("PreToolUse", { tool_name: "tool", tool_input: make() });
    expect(decision.kind).toBe("deny");
  });
});

function changing<T>(given: T, change: (given: T) => unknown) {
  return { given, change: () => void change(given) };
}

describe("the tool", () => {
  it("gets what hooks saw, whatever the caller does to it meanwhile", async () => {
    const engine = createHookEngine({ projectDir: "/project", env: {} });
    const given = { command: "ls", deep: { list: [1, { a: "b" }] } };
    engine.beforeToolCall("*", async () => {
      given.command = DANGER;
      given.deep.list.push(2);
      return undefined;
    });
    const got: unknown[] = [];
    await engine.call("tool", given, args => void got.push(args));
    expect(got).toEqual([{ command: "ls", deep: { list: [1, { a: "b" }] } }]);
  });

  it.each([
    ["JSON", {}],
    ["more than JSON", { signal: new AbortController().signal, made: new Date(0), count: 10n }],
  ])("gets what was read once, of %s", async (_, more) => {
    const engine = createHookEngine({ projectDir: "/project", env: {} });
    let reads = 0;
    const target = { command: "ls", list: [{ command: "ls" }], ...more };
    const given = new Proxy(target, {
      get: (from, name) => (name === "command" && ++reads > 1 ? DANGER : Reflect.get(from, name)),
    });
    const seen: unknown[] = [];
    engine.beforeToolCall("*", ({ args }) => void seen.push(Reflect.get(args, "command")));
    const got: unknown[] = [];
    await engine.call(
      "tool",
      given,
      (args: { command: string }) => void got.push(args.command, args.command),
    );
    expect(new Set(got)).toEqual(new Set(seen));
    expect(got).toHaveLength(2);
  });

  it("gets instances of built-in classes and of plain classes as they are", async () => {
    class Point {
      x = 1;
      double() {
        return this.x * 2;
      }
    }
    const given = { point: new Point(), bytes: new Uint8Array(2), map: new Map([["a", 1]]), self: {} };
    given.self = given;
    const engine = createHookEngine({ projectDir: "/project", env: {} });
    const got: (typeof given)[] = [];
    const { status } = await engine.call("tool", given, (args: typeof given) => void got.push(args));
    expect(status).toBe("done");
    expect([got[0]?.point.double(), got[0]?.bytes, got[0]?.map, got[0]?.self === got[0]]).toEqual([
      2,
      given.bytes,
      given.map,
      true,
    ]);
  });

  it("gets values of another realm, and hooks see them as those of their own", async () => {
    const text = `({
      plain: { command: "ls" }, list: [1, { a: "b" }], map: new Map([["a", 1]]), set: new Set(["a"]), date: new Date(0),
      pattern: /a/g, text: new String("a"), bytes: new Uint8Array([97]), error: new TypeError("no"),
      point: new (class Point { x = 1; })(),
    })`;
    const [own, foreign] = [runInThisContext(text), runInNewContext(text)];
    const engine = createHookEngine({ projectDir: "/project", env: {} });
    const seen: unknown[] = [];
    engine.beforeToolCall("*", ({ args }) => void seen.push(args));
    engine.afterToolCall("*", ({ result }) => void seen.push(result));
    const results = [];
    for (const given of [own, foreign])
      results.push(await engine.call("tool", given, (args: typeof given) => ({ got: args })));
    expect(results).toMatchObject([{ status: "done" }, { status: "done" }]);
    expect(seen).toHaveLength(4);
    expect(seen.slice(2)).toEqual(seen.slice(0, 2));
    expect(seen[2]).toMatchObject({ plain: { command: "ls" }, error: { name: "TypeError", message: "no" } });
    expect(results[1]).toMatchObject({ result: { got: { map: foreign.map, point: foreign.point } } });
  });

  it("is not run when a hook throws an error of another realm, which is told", async () => {
    const engine = createHookEngine({ projectDir: "/project", env: {} });
    engine.beforeToolCall("*", () => runInNewContext('throw new RangeError("far away")'));
    const decided = await engine.decide("tool", {});
    expect(decided).toMatchObject({ kind: "deny", reason: expect.stringContaining("RangeError: far away") });
  });

  it("gets what a hook rewrote with an object of another realm", async () => {
    const engine = createHookEngine({ projectDir: "/project", env: {} });
    engine.beforeToolCall("*", () => ({ args: runInNewContext('({ command: "ls -l" })') }));
    const { status, result } = (await engine.call("tool", { command: "ls" }, args => args)) as {
      readonly status: string;
      readonly result: unknown;
    };
    expect([status, result]).toEqual(["done", { command: "ls -l" }]);
  });

  const clean = (text: string) => new TextEncoder().encode(text);
  it.each<readonly [string, () => { given: unknown; change(): void }]>([
    ["map", () => changing(new Map([["command", "ls"]]), map => map.set("command", DANGER))],
    ["set", () => changing(new Set(["ls"]), set => set.add(DANGER))],
    ["date", () => changing(new Date(0), date => date.setTime(1))],
    ["row of bytes", () => changing(clean("ls -l .."), bytes => bytes.set(clean(DANGER)))],
    ["part of bytes with a zero", () => changing(clean("ls\0     "), bytes => bytes.set(clean(DANGER)))],
    ["address", () => changing(new URL("http://a.example"), url => (url.host = "b.example"))],
    ["list of headers", () => changing(new Headers({ a: "ls" }), headers => headers.set("a", DANGER))],
    [
      "object of a class",
      () =>
        changing(
          new (class A {
            command = "ls";
          })(),
          a => (a.command = DANGER),
        ),
    ],
    [
      "text in a map in a list",
      () => changing(new Map([["a", { b: "ls" }]]), map => ((map.get("a") ?? { b: "" }).b = DANGER)),
    ],
  ])("is not run with a %s that was changed while hooks judged it", async (_, make) => {
    const { given, change } = make();
    const engine = createHookEngine({ projectDir: "/project", env: {} });
    engine.beforeToolCall("*", async () => change());
    let hasRun = false;
    const result = await engine.call("tool", { deep: [given] }, () => {
      hasRun = true;
    });
    expect([hasRun, result]).toMatchObject([
      false,
      { status: "denied", reason: expect.stringContaining("was changed") },
    ]);
  });

  it("may change its own arguments", async () => {
    const engine = guarded();
    const result = await engine.call("tool", { n: 1 }, (args: { n: number }) => {
      args.n += 1;
      return args.n;
    });
    expect(result).toMatchObject({ status: "done", result: 2 });
  });
});
