import { createHookEngine } from "amplihack/engine";
import Type from "typebox";
import { describe, expect, it } from "vitest";

const engine = createHookEngine({
  projectDir: "/project",
  env: {},
  tools: {
    bash: {
      args: Type.Object({
        command: Type.String(),
        mode: Type.Union([Type.Literal("fast"), Type.Literal("safe")]),
        retries: Type.Optional(Type.Integer()),
        paths: Type.Array(Type.String()),
        pair: Type.Tuple([Type.String(), Type.Number()]),
      }),
      result: Type.Object({ stdout: Type.String() }),
    },
  },
});

describe("schemas of TypeBox 1", () => {
  it("give hooks their types", () => {
    engine.beforeToolCall("bash", ({ args }) => {
      args.command satisfies string;
      args.mode satisfies "fast" | "safe";
      args.retries satisfies number | undefined;
      args.paths satisfies readonly string[];
      args.pair satisfies readonly [string, number];
      // @ts-expect-error: there is no such argument
      void args.nothing;
    });
  });

  it("are checked", async () => {
    const good = { command: "ls", mode: "fast", paths: ["a"], pair: ["a", 1] };
    const called = await engine.call("bash", good, ({ command }) => ({ stdout: command }));
    expect(called).toMatchObject({ status: "done", result: { stdout: "ls" } });
    const bad = await engine.call("bash", { ...good, mode: "slow" }, () => ({ stdout: "" }));
    expect(bad.status).toBe("denied");
  });
});
