import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_LIMITS } from "../../../src/engine/options.ts";
import { interpretAtomcode, interpretBatuta } from "../../../src/engine/output/dialects.ts";
import { encodeEffect } from "../../../src/engine/output/encode.ts";
import { decodeOutput } from "../../../src/handlers/decode.ts";
import {
  describeEvent,
  type Effect,
  EVENTS,
  isJsonObject,
  type Json,
  type JsonObject,
} from "../../../src/protocol/index.ts";
import { utf8 } from "../../../src/system/utf8.ts";
import { runs } from "../../generated-inputs.ts";
import { rawResult, readClaude, withoutDiagnostics } from "./reading.ts";

const eventName = fc.constantFrom(...EVENTS.map(({ name }) => name));
const text = fc
  .string({ minLength: 1, maxLength: 20 })
  .filter(value => value.trim() === value && value !== "");
const optional = <V>(arbitrary: fc.Arbitrary<V>) => fc.option(arbitrary, { nil: undefined });
const object = fc.dictionary(
  fc.string({ maxLength: 5 }).filter(key => key !== "__proto__"),
  fc.jsonValue({ maxDepth: 1 }),
) as fc.Arbitrary<JsonObject>;

/** A legal answer with at least one protocol key, as hooks print it. */
const answer: fc.Arbitrary<JsonObject> = fc
  .record({
    continue: optional(fc.boolean()),
    stopReason: optional(text),
    suppressOutput: optional(fc.boolean()),
    systemMessage: optional(text),
    decision: optional(fc.constantFrom("block", "approve", "ask", "allow", "deny")),
    reason: optional(text),
    hookSpecificOutput: optional(
      fc.record({
        permissionDecision: optional(fc.constantFrom("allow", "ask", "defer", "deny")),
        permissionDecisionReason: optional(text),
        updatedInput: optional(object),
        updatedToolOutput: optional(fc.jsonValue({ maxDepth: 1 })),
        additionalContext: optional(text),
      }),
    ),
  })
  .map(members => JSON.parse(JSON.stringify(members)) as JsonObject)
  .filter(members => Object.keys(members).length > 0);

/** Lines that are no JSON object and cannot become one. */
const noise = fc
  .array(
    fc.string({ maxLength: 30 }).map(line => line.replace(/[{}\r\n\u2028\u2029]/g, "")),
    { minLength: 1, maxLength: 4 },
  )
  .filter(lines => lines.some(line => line.trim() !== ""));

interface Privileges {
  readonly isAllowed: boolean;
  readonly input: Json | undefined;
  readonly output: Json | undefined;
  readonly context: string | undefined;
}
function privilegesOf(effect: Effect): Privileges {
  return {
    isAllowed: effect.decision?.kind === "allow",
    input: effect.input,
    output: effect.output,
    context: effect.context,
  };
}
const NO_PRIVILEGES: Privileges = {
  isAllowed: false,
  input: undefined,
  output: undefined,
  context: undefined,
};

function restrictionsOf({ decision, halt }: Effect) {
  return { decision: decision?.kind === "allow" ? undefined : decision, halt };
}

describe("reading what a hook printed", () => {
  it("10: ends for any bytes, throws nothing and keeps within its limits", () => {
    const limits = { ...DEFAULT_LIMITS, stdoutBytes: 64, tailBytes: 32, contextChars: 40, reasonChars: 20 };
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        eventName,
        fc.integer({ min: 0, max: 255 }),
        (stdout, event, code) => {
          const { effect } = readClaude(event, { stdout, code, limits, stderr: "x".repeat(100) });
          expect(effect.context?.length ?? 0).toBeLessThanOrEqual(40);
          expect(effect.decision?.reason?.length ?? 0).toBeLessThanOrEqual(20);
          for (const dialect of [interpretBatuta, interpretAtomcode]) {
            const raw = rawResult({ stdout, code, limits });
            const verdict = dialect(raw, { event: describeEvent(event), limits, promptNonZero: "warn" });
            expect(verdict.effect.context?.length ?? 0).toBeLessThanOrEqual(40);
          }
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it("11: is never given a privilege by noise, and keeps every restriction", () => {
    fc.assert(
      fc.property(
        answer,
        noise,
        noise,
        fc.constantFrom("before", "after", "both"),
        eventName,
        (said, before, after, where, event) => {
          const line = JSON.stringify(said);
          const lines = [...(where === "after" ? [] : before), line, ...(where === "before" ? [] : after)];
          const clean = readClaude(event, { stdout: line });
          const noisy = readClaude(event, { stdout: lines.join("\n") });
          const isStillClean = lines.join("\n").trim() === line;
          expect(privilegesOf(noisy.effect)).toEqual(
            isStillClean ? privilegesOf(clean.effect) : NO_PRIVILEGES,
          );
          expect(restrictionsOf(noisy.effect)).toEqual(restrictionsOf(clean.effect));
          expect(noisy.failure).toBeUndefined();
        },
      ),
      { numRuns: runs(500) },
    );
  });

  it("11: keeps the restrictions of an answer that is spread over several lines", () => {
    fc.assert(
      fc.property(answer, noise, noise, eventName, (said, before, after, event) => {
        const clean = readClaude(event, { stdout: JSON.stringify(said) });
        const stdout = [...before, JSON.stringify(said, null, 2), ...after].join("\n");
        expect(restrictionsOf(readClaude(event, { stdout }).effect)).toEqual(restrictionsOf(clean.effect));
      }),
    );
  });

  it("12: takes any JSON value without throwing and without touching a prototype", () => {
    const keys = Object.getOwnPropertyNames(Object.prototype);
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), eventName, (stdout, event) => {
        const poisoned = `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"reason":${stdout}}`;
        for (const said of [stdout, poisoned]) readClaude(event, { stdout: said });
        expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(keys);
        expect("polluted" in {}).toBe(false);
      }),
    );
  });

  const effectOf = (event: string): fc.Arbitrary<Effect> => {
    const { rewrites } = describeEvent(event);
    return fc
      .record({
        decision: optional(
          fc.record({ kind: fc.constantFrom("allow", "ask", "defer", "deny"), reason: text }),
        ),
        halt: optional(fc.record({ reason: text })),
        ...(rewrites.includes("input") ? { input: optional(object) } : {}),
        ...(event === "PostToolUse" ? { output: optional(object) } : {}),
        context: optional(text),
        message: optional(text.map(value => ({ text: value, level: "info" }))),
        suppress: optional(fc.constant(true)),
      })
      .map(members => JSON.parse(JSON.stringify(members)) as Effect);
  };

  it("13: gives back the effect that was encoded in the Claude protocol", () => {
    fc.assert(
      fc.property(
        eventName.chain(event => fc.tuple(fc.constant(event), effectOf(event))),
        ([event, effect]) => {
          const { stdout, stderr, exitCode, lost } = encodeEffect("claude", describeEvent(event), effect);
          expect(lost).toEqual([]);
          const verdict = readClaude(event, { stdout, stderr, code: exitCode });
          expect(withoutDiagnostics(verdict.effect)).toEqual(effect);
        },
      ),
      { numRuns: runs(400) },
    );
  });

  it("13: gives back what the batuta dialect can say", () => {
    const effect = fc.oneof(
      fc.constant<Effect>({}),
      text.map((reason): Effect => ({ decision: { kind: "deny", reason } })),
      text.map((value): Effect => ({ message: { text: value, level: "warn" } })),
    );
    fc.assert(
      fc.property(effect, said => {
        const { stdout, stderr, exitCode, lost } = encodeEffect("batuta", describeEvent("PreToolUse"), said);
        expect(lost).toEqual([]);
        const raw = rawResult({ stdout, stderr, code: exitCode });
        expect(
          interpretBatuta(raw, { event: describeEvent("PreToolUse"), limits: DEFAULT_LIMITS }).effect,
        ).toEqual(said);
      }),
    );
  });

  it("13: gives back what the atomcode dialect can say", () => {
    const tool = fc.oneof(
      fc.constant<Effect>({}),
      text.map((reason): Effect => ({ decision: { kind: "deny", reason } })),
      object.map((input): Effect => ({ input })),
    );
    const prompt = fc.oneof(
      fc.constant<Effect>({}),
      text.map((reason): Effect => ({ decision: { kind: "deny", reason } })),
      text.map((context): Effect => ({ context })),
    );
    const roundTrip = (event: string, said: Effect) => {
      const { stdout, stderr, exitCode, lost } = encodeEffect("atomcode", describeEvent(event), said);
      expect(lost).toEqual([]);
      const reading = { event: describeEvent(event), limits: DEFAULT_LIMITS, promptNonZero: "warn" as const };
      expect(interpretAtomcode(rawResult({ stdout, stderr, code: exitCode }), reading).effect).toEqual(said);
    };
    fc.assert(fc.property(tool, said => roundTrip("PreToolUse", said)));
    fc.assert(fc.property(prompt, said => roundTrip("UserPromptSubmit", said)));
  });

  it("says what a dialect has no words for", () => {
    const rich: Effect = { decision: { kind: "ask" }, context: "c", input: { a: 1 } };
    const event = describeEvent("PreToolUse");
    expect(encodeEffect("batuta", event, rich).lost.toSorted()).toEqual(["context", "decision", "input"]);
    expect(encodeEffect("atomcode", event, rich).lost.toSorted()).toEqual(["context", "decision"]);
    expect(encodeEffect("claude", describeEvent("Stop"), { input: { a: 1 } }).lost).toEqual(["input"]);
  });

  it("14: is not changed by unknown keys", () => {
    const key = fc.string({ minLength: 1, maxLength: 6 }).map(name => `x-${name}`);
    fc.assert(
      fc.property(answer, key, fc.jsonValue({ maxDepth: 2 }), eventName, (said, name, value, event) => {
        const specific = said["hookSpecificOutput"];
        const more = {
          ...said,
          [name]: value,
          ...(isJsonObject(specific) ? { hookSpecificOutput: { ...specific, [name]: value } } : {}),
        };
        expect(readClaude(event, { stdout: JSON.stringify(more) })).toEqual(
          readClaude(event, { stdout: JSON.stringify(said) }),
        );
      }),
    );
  });

  it("15: loses a mistyped field and its privileges, nothing else", () => {
    fc.assert(
      fc.property(
        answer,
        fc.nat(),
        fc.constantFrom<Json>(null, 7, ["x"]),
        eventName,
        (said, pick, wrong, event) => {
          const names = Object.keys(said);
          const name = names[pick % names.length] ?? "";
          const clean = readClaude(event, { stdout: JSON.stringify(said) }).effect;
          const { [name]: _, ...without } = said;
          const broken = readClaude(event, { stdout: JSON.stringify({ ...said, [name]: wrong }) });
          const missing = readClaude(event, {
            stdout: JSON.stringify({ ...without, reason: without["reason"] ?? undefined }),
          }).effect;
          expect(restrictionsOf(broken.effect)).toEqual(restrictionsOf(missing));
          expect(privilegesOf(broken.effect)).toEqual(NO_PRIVILEGES);
          expect(broken.effect.suppress).toEqual(name === "suppressOutput" ? undefined : clean.suppress);
          expect((broken.effect.diagnostics ?? []).some(({ code }) => code === "field-type")).toBe(true);
        },
      ),
    );
  });

  it("16: never turns a cut answer into a privilege", () => {
    fc.assert(
      fc.property(answer, fc.nat(), eventName, (said, at, event) => {
        const bytes = utf8.encode(JSON.stringify(said));
        const cut = bytes.subarray(0, at % bytes.length);
        const whole = readClaude(event, { stdout: bytes }).effect;
        const { effect } = readClaude(event, { stdout: cut });
        expect(privilegesOf(effect)).toEqual(NO_PRIVILEGES);
        expect([undefined, whole.decision?.kind]).toContain(effect.decision?.kind);
        const limited = readClaude(event, {
          stdout: bytes,
          limits: { stdoutBytes: cut.length, tailBytes: 0 },
        });
        expect(privilegesOf(limited.effect)).toEqual(NO_PRIVILEGES);
      }),
      { numRuns: runs(500) },
    );
  });

  it("17: reads the answer below a banner object, without its privileges", () => {
    const banner = fc
      .dictionary(
        fc.string({ minLength: 1, maxLength: 6 }).map(name => `banner-${name}`),
        fc.string(),
      )
      .map(value => JSON.stringify(value));
    fc.assert(
      fc.property(banner, answer, eventName, (before, said, event) => {
        const clean = readClaude(event, { stdout: JSON.stringify(said) }).effect;
        const { effect } = readClaude(event, { stdout: `${before}\n${JSON.stringify(said)}` });
        expect(restrictionsOf(effect)).toEqual(restrictionsOf(clean));
        expect(privilegesOf(effect)).toEqual(NO_PRIVILEGES);
        expect(effect.message).toEqual(clean.message);
      }),
    );
  });

  it("does not run for ever on lines that look like objects", () => {
    const stdout = `${"{\n".repeat(200_000)}`;
    const { decoded } = decodeOutput(rawResult({ stdout }).stdout, 200);
    expect(decoded.kind).toBe("broken");
  });

  it("finds an answer in the kept end of an output that is too long", () => {
    const stdout = `${"noise\n".repeat(1000)}{"decision":"block","reason":"end"}\n`;
    const verdict = readClaude("PreToolUse", { stdout, limits: { stdoutBytes: 100, tailBytes: 200 } });
    expect(verdict.effect.decision).toEqual({ kind: "deny", reason: "end" });
    expect(verdict.effect.diagnostics?.map(({ code }) => code)).toEqual(["output-truncated", "output-noise"]);
  });

  it("does not call a character cut in two invalid", () => {
    const stdout = "é".repeat(100);
    const verdict = readClaude("SessionStart", { stdout, limits: { stdoutBytes: 101, tailBytes: 51 } });
    expect(verdict.effect.diagnostics?.map(({ code }) => code)).toEqual(["output-truncated"]);
  });
});
