import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import * as core from "../../src/engine/core.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const CORE = `${root}dist/engine/core.js`;

/** A module as a user's bundler makes it from the published files. */
function bundle(contents: string, options: { minify?: boolean; format?: "esm" | "iife" } = {}): string {
  const { outputFiles } = buildSync({
    stdin: { contents, loader: "ts", resolveDir: `${root}tests/runtimes` },
    bundle: true,
    platform: "neutral",
    format: "esm",
    globalName: "bundled",
    alias: { "amplihack/engine/core": CORE },
    // Only names that nothing in the bundle declares are replaced.
    define: Object.fromEntries(NOT_AT_THE_EDGE.map(name => [name, `forbidden_${name}`])),
    logLevel: "error",
    write: false,
    ...options,
  });
  return outputFiles[0]?.text ?? "";
}

const NOT_AT_THE_EDGE = [
  "Buffer",
  "__dirname",
  "__filename",
  "clearImmediate",
  "eval",
  "exports",
  "global",
  "module",
  "process",
  "require",
  "setImmediate",
  "window",
];

/** What workers have beyond the language, as far as the core may use it. */
const GLOBALS = { AbortController, TextDecoder, TextEncoder, clearTimeout, crypto, performance, setTimeout };

const TYPED_HOOK = `
  import { createHookEngine } from "amplihack/engine/core";
  export const engine = createHookEngine({ projectDir: "/project" });
  engine.beforeToolCall("*", ({ args }) =>
    String(args.command).includes("rm -rf") ? { block: true, reason: "no" } : undefined,
  );`;
const MAX_DISPATCH_BYTES = 40_000;

describe("the core's bundle", () => {
  const whole = bundle('export * from "amplihack/engine/core";');

  it("imports nothing", () => {
    expect(whole).not.toMatch(/^\s*import\b/m);
    expect(whole).not.toMatch(/\b(?:import|require)\(\s*["'`]/);
    expect(whole).not.toMatch(/from\s*["']node:|getBuiltinModule/);
  });

  it.each(NOT_AT_THE_EDGE)("does not use %s", name => {
    expect(whole).not.toContain(`forbidden_${name}`);
  });

  it("would be caught using one", () => {
    expect(bundle("export const home = process.env.HOME;")).toContain("forbidden_process");
  });

  it("is under 40 kB for typed hooks and their dispatch", () => {
    expect(Buffer.byteLength(bundle(TYPED_HOOK, { minify: true }))).toBeLessThan(MAX_DISPATCH_BYTES);
  });

  it("does nothing when nothing of it is used", () => {
    const bytes = Buffer.byteLength(bundle('import "amplihack/engine/core";', { minify: true }));
    expect(bytes).toBe(0);
  });

  it("keeps its promises in a context that has nothing but the language and timers, without eval", async () => {
    const scenario = bundle('export * from "./scenario.mjs";', { format: "iife" });
    const context = createContext({ ...GLOBALS }, { codeGeneration: { strings: false, wasm: false } });
    const { runScenario, EXPECTED } = runInContext(`${scenario}; bundled`, context) as {
      readonly runScenario: () => Promise<string>;
      readonly EXPECTED: object;
    };
    expect(JSON.parse(await runScenario())).toEqual(JSON.parse(JSON.stringify(EXPECTED)));
  });
});

describe("an edge system", () => {
  const known = core.createEdgeSystem({ files: { "/project/a/b.txt": "text" }, env: { USER: "me" } });
  const complete = core.createEdgeSystem({ files: { "/project/a/b.txt": "text" }, isComplete: true });

  it("has the files that it was given", () => {
    expect(known.files.inspect("/project/a/b.txt")?.kind).toBe("file");
    expect(known.files.follow("/project/a")?.kind).toBe("directory");
    expect(known.files.exactFacts("/project/a")?.kind).toBe("directory");
    expect(known.env.names()).toEqual(["USER"]);
  });

  it("does not take what it was not told for absent", () => {
    const { files } = known;
    for (const look of [
      () => files.inspect("/project/c"),
      () => files.follow("/project/c"),
      () => files.exactFacts("/project/c"),
      () => files.list("/project"),
      () => files.listFacts("/project"),
    ])
      expect(look).toThrow(/EACCES/);
  });

  it("knows all there is when it is complete", () => {
    expect(complete.files.inspect("/project/c")).toBeUndefined();
    expect(complete.files.list("/project")).toEqual(["a"]);
  });

  it("has the time and the randomness of the runtime, and no processes", async () => {
    expect(Math.abs(known.clock.nowMs() - Date.now())).toBeLessThan(3_600_000);
    expect(known.clock.monotonicMs()).toBeLessThanOrEqual(known.clock.monotonicMs());
    expect(() => known.clock.sleepMs(1)).toThrow(/ENOSYS/);
    expect(known.random.hex(7)).toMatch(/^[0-9a-f]{7}$/);
    const limits = { stdoutBytes: 1, tailBytes: 0, stderrBytes: 1, drainBytes: 1 };
    const request = {
      argv: ["ls"] as const,
      cwd: "/",
      env: {},
      input: new Uint8Array(),
      timeoutMs: 1,
      limits,
    };
    expect((await known.processes.start(request).done).end.kind).toBe("not-started");
  });

  it("is told where it is by an absolute path", () => {
    expect(() => core.createEdgeSystem({ cwd: "project" })).toThrow(TypeError);
  });
});

describe("the guide's example for edge runtimes", () => {
  const guide = readFileSync(`${root}docs/engine.md`, "utf8");
  const [, example = ""] = /## Edge runtimes[\s\S]*?```ts\n([\s\S]*?)```/.exec(guide) ?? [];

  it("is a worker that refuses what the guard refuses", async () => {
    expect(example).toContain("amplihack/engine/core");
    const text = bundle(example, { format: "iife" });
    const worker = new Function("Response", "Request", `${text}; return bundled.default;`)(
      Response,
      Request,
    ) as { fetch(request: Request): Promise<Response> };
    const ask = async (command: string): Promise<{ readonly kind: string }> => {
      const body = JSON.stringify({ command });
      return (
        await worker.fetch(new Request("https://edge.test/", { method: "POST", body }))
      ).json() as never;
    };
    expect((await ask("rm -rf /")).kind).toBe("deny");
    expect((await ask("git status")).kind).toBe("run");
  });
});
