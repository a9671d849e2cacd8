import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { STOCK_SUBCOMMANDS } from "../../src/hosts/subcommands.ts";
import { callProgram } from "../hooks/call-program.ts";

const RUNS = Number(process.env["AMPLIHACK_PROPERTY_RUNS"] ?? 1_500);
const STDOUT_LIMIT = 700_000;
const FIXTURES = new URL("../fixtures/hosts/", import.meta.url).pathname;

const fixtures = readdirSync(FIXTURES, { recursive: true, encoding: "utf8" })
  .filter(name => name.endsWith(".json") && !name.endsWith("index.json"))
  .map(name => readFileSync(join(FIXTURES, name), "utf8"));

/** Payloads of real hosts, with a few members changed, removed, retyped or broken. */
const mutated = fc
  .tuple(
    fc.constantFrom(...fixtures),
    fc.array(
      fc.tuple(
        fc.nat(),
        fc.constantFrom("drop", "retype", "cut", "insert"),
        fc.jsonValue(),
        fc.string({ unit: "binary" }),
      ),
      {
        maxLength: 4,
      },
    ),
  )
  .map(([fixture, changes]) => {
    let text = fixture;
    for (const [at, kind, value, noise] of changes) {
      const index = text.length === 0 ? 0 : at % text.length;
      if (kind === "cut") text = text.slice(0, index);
      else if (kind === "insert") text = text.slice(0, index) + noise + text.slice(index);
      else text = changeMember(text, at, kind === "drop" ? undefined : value);
    }
    return text;
  });

function changeMember(text: string, at: number, value: unknown): string {
  try {
    const object = JSON.parse(text) as Record<string, unknown>;
    const keys = Object.keys(object);
    const key = keys[at % Math.max(1, keys.length)];
    if (key === undefined) return text;
    if (value === undefined) delete object[key];
    else object[key] = value;
    return JSON.stringify(object);
  } catch {
    return text;
  }
}

const payload = fc.oneof(
  { weight: 6, arbitrary: mutated },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
);
const policy = fc.constantFrom("open", "ask", "closed");

describe.each(STOCK_SUBCOMMANDS.map(one => one.name))("%s, given anything", name => {
  it("answers with exit 0 or 2, at most one JSON object, and one telemetry line", async () => {
    await fc.assert(
      fc.asyncProperty(payload, policy, async (stdin, failure) => {
        const env = { HOME: "/home/user", AMPLIHACK_FAILURE_POLICY: failure };
        const { code, stdout, stderr, telemetry } = await callProgram([name], { stdin, env });
        expect([0, 2]).toContain(code);
        expect(stdout.length).toBeLessThan(STDOUT_LIMIT);
        if (stdout !== "") expect(JSON.parse(stdout)).toBeTypeOf("object");
        expect(stdout.trimEnd()).not.toContain("\n");
        expect(stdout).not.toMatch(/\n\s+at /);
        expect(Object.keys(telemetry).slice(0, 3)).toEqual(["hook", "duration_us", "result"]);
        expect(stderr.match(/^\{"hook":/gm)).toHaveLength(1);
      }),
      { numRuns: RUNS },
    );
  });
});

describe("the prototype of objects", () => {
  it("is as it was after all of this", () => {
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
