import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runBounded } from "../../src/system/node-bounded.ts";
import { bundleProgram } from "../bundle-program.ts";

const PATIENT_MS = 200_000;
const run = (body: string, timeoutMs = PATIENT_MS, ...args: readonly unknown[]) =>
  runBounded(`(function (given, done, failed) { ${body} })`, "test.js", [args[0]], timeoutMs);

const ENDED_LOOP = bundleProgram(new URL("programs/ended-loop.ts", import.meta.url));

describe("text that is evaluated under a limit", () => {
  it("answers now, or after a promise of its own or of ours", async () => {
    expect(await run(`done("now")`)).toBe("now");
    expect(await run(`Promise.resolve().then(() => done("own"))`)).toBe("own");
    const later = () => new Promise(resolve => setTimeout(resolve, 5, "ours"));
    expect(
      await run(
        `(async () => { const text = await given(); done(text + await given()); })()`,
        PATIENT_MS,
        later,
      ),
    ).toBe("oursours");
  });

  it("has none of Node's globals", async () => {
    const names = "process require setTimeout fetch Buffer URL globalThis.process";
    expect(
      await run(
        `done("${names}".split(" ").map(name => { try { return typeof eval(name); } catch { return "undefined"; } }).join())`,
      ),
    ).toBe(
      names
        .split(" ")
        .map(() => "undefined")
        .join(),
    );
  });

  it.each([
    ["an endless loop", `for (;;);`],
    ["an endless loop behind an await", `(async () => { await undefined; for (;;); })()`],
    ["an endless loop behind a promise of ours", `(async () => { await given(); for (;;); })()`],
    ["an endless chain of promises", `const again = () => Promise.resolve().then(again); again()`],
    ["silence", `new Promise(() => {})`],
  ])("%s is ended", async (_, body) => {
    await expect(run(body, 60, () => Promise.resolve())).rejects.toThrow(/no answer within 60 ms/);
  });

  it("does not take the process with it where somebody listens to promises", () => {
    expect(execFileSync(process.execPath, [ENDED_LOOP], { encoding: "utf8" })).toBe("went on\n");
  });

  it.each([
    ["an exception", `throw new Error("broke")`, /^broke$/],
    ["an exception that is no error", `throw undefined`, /no error/],
    ["text that is no program", `)`, /Unexpected token/],
    ["a failure that it tells", `failed("told")`, /^told$/],
  ])("%s is told", async (_, body, message) => {
    await expect(run(body)).rejects.toThrow(message);
  });

  it("counts the first answer alone", async () => {
    expect(await run(`done("one"); done("two"); failed("three")`)).toBe("one");
  });

  it("may use a hundred megabytes", async () => {
    expect(
      await run(
        `const a = []; for (let i = 0; i < 13; i++) a.push(new Float64Array(1024 * 1024).fill(i)); done(a.length)`,
      ),
    ).toBe("13");
  });
});
