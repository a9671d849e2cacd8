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
  ["a name that differs in case", () => ({ command: "ls", Command: DANGER })],
  ["a name that differs in case, further down", () => ({ a: { path: "x", PATH: "/etc/passwd" } })],
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

  it.each(HIDDEN)("fail every hook of a dispatch, closed: %s", async (_, make) => {
    const { decision } = await guarded().dispatch("PreToolUse", { tool_name: "tool", tool_input: make() });
    expect(decision.kind).toBe("deny");
  });
});

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

  it("may change its own arguments", async () => {
    const engine = guarded();
    const result = await engine.call("tool", { n: 1 }, (args: { n: number }) => {
      args.n += 1;
      return args.n;
    });
    expect(result).toMatchObject({ status: "done", result: 2 });
  });
});
