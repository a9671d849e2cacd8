import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { runRealm } from "../../src/system/node-realm.ts";
import { bundleProgram } from "../bundle-program.ts";

const PATIENT_MS = 200_000;
/** `given()` is answered later, by the realm's way in. */
const PRELUDE = `
  const done = text => outside("done", text), failed = text => outside("failed", text);
  const waiting = [];
  const given = () => new Promise(resolve => { waiting.push(resolve); outside("given", ""); });
`;
const run = (body: string, timeoutMs = PATIENT_MS) =>
  runRealm(
    `(function (outside) { ${PRELUDE} ${body}; return (id, text) => waiting.shift()(text); })`,
    "test.js",
    resume => () => {
      setTimeout(resume, 5, 1, "ours");
      return "{}";
    },
    timeoutMs,
  );

const ENDED_LOOP = bundleProgram(new URL("programs/ended-loop.ts", import.meta.url));

describe("text that is evaluated under a limit", () => {
  it("answers now, or after a promise of its own or of ours", async () => {
    expect(await run(`done("now")`)).toBe("now");
    expect(await run(`Promise.resolve().then(() => done("own"))`)).toBe("own");
    expect(await run(`(async () => { const text = await given(); done(text + await given()); })()`)).toBe(
      "oursours",
    );
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
    await expect(run(body, 60)).rejects.toThrow(/no answer within 60 ms/);
  });

  it("does not take the process with it where somebody listens to promises", () => {
    expect(execFileSync(process.execPath, [ENDED_LOOP], { encoding: "utf8" })).toBe("went on\n");
  });

  it.each([
    ["an exception", `throw new Error("broke")`, /^broke$/],
    ["an exception that is no error", `throw undefined`, /not an error/],
    ["text that is no program", `)`, /Unexpected token/],
    ["a failure that it tells", `failed("told")`, /^told$/],
  ])("%s is told", async (_, body, message) => {
    await expect(run(body)).rejects.toThrow(message);
  });

  it.each([
    ["the function that leads out", `outside`],
    ["an error that comes from outside", `(() => { try { outside.x.y } catch (error) { return error } })()`],
    ["the global object", `globalThis`],
    ["what it is called with", `arguments`],
  ])("reaches nothing of ours through %s", async (_, value) => {
    const body = `let found = "nothing";
      try { found = typeof (${value}).constructor.constructor("return process")(); } catch (error) { found = "threw"; }
      done(found)`;
    // The function itself is ours: whoever writes the text keeps it away from others.
    const expected = value === "outside" ? "object" : /^(undefined|threw)$/;
    expect(await run(body)).toMatch(expected);
  });

  it("counts the first answer alone", async () => {
    expect(await run(`done("one"); done("two"); failed("three")`)).toBe("one");
  });

  it("may use a hundred megabytes", async () => {
    expect(
      await run(
        `const a = []; for (let i = 0; i < 13; i++) a.push(new Float64Array(1024 * 1024).fill(i)); done(String(a.length))`,
      ),
    ).toBe("13");
  });
});
