import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HOST_IDS, inspect, normalise, render, renderFailure } from "../../src/exports/hosts.ts";
import {
  checkInput,
  isJsonObject,
  type Json,
  type JsonObject,
  NO_OUTCOME,
} from "../../src/protocol/index.ts";
import { anyCharacter, runs } from "../generated-inputs.ts";
import { fakeEnvironment } from "./fake-environment.ts";
import { FIXTURES } from "./fixtures.ts";

const CODES = [
  "empty-stdin",
  "invalid-json",
  "not-an-object",
  "unknown-event",
  "unmapped-event",
  "missing-tool-name",
];

/** One change somewhere in a payload: a member gone, of another type, or new. */
type Mutation = (payload: Json, pick: (bound: number) => number, value: Json) => Json;

const mutateSomewhere: Mutation = (value, pick, other) => {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    if (items.length === 0 || pick(3) === 0) return other;
    const index = pick(items.length);
    return items.map((item, at) => (at === index ? mutateSomewhere(item, pick, other) : item));
  }
  if (!isJsonObject(value) || Object.keys(value).length === 0) return other;
  const names = Object.keys(value);
  const name = names[pick(names.length)] ?? "";
  const kind = pick(4);
  if (kind === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
  if (kind === 1) return { ...value, [`${name}_`]: other };
  return { ...value, [name]: kind === 2 ? other : mutateSomewhere(value[name] ?? null, pick, other) };
};

const environments = fc.dictionary(
  fc.constantFrom("CLAUDECODE", "COPILOT_CLI", "ATOMCODE_HOOK_CONTEXT", "AMPLIFIER_SESSION_ID", "OPENCODE"),
  fc.constantFrom("1", "", "{", '{"event":"pre_tool_use"}', "[]"),
);

describe("payloads that are not as they should be", () => {
  it("are understood or named by a documented code, and never throw", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...FIXTURES),
        fc.array(fc.nat(), { minLength: 1, maxLength: 24 }),
        fc.jsonValue() as fc.Arbitrary<Json>,
        fc.option(fc.constantFrom(...HOST_IDS), { nil: undefined }),
        environments,
        (fixture, picks, other, host, env) => {
          let at = 0;
          const pick = (bound: number) => (picks[at++ % picks.length] ?? 0) % bound;
          const payload = mutateSomewhere(JSON.parse(fixture.text) as Json, pick, other);
          const options = { env: fakeEnvironment(env), event: fixture.event, host };
          const result = normalise(JSON.stringify(payload), options);
          if (result.ok) checkInput(result.value);
          else expect(CODES).toContain(result.code);
          const known = result.ok ? result.value : result;
          const moment = {
            event: known.event ?? "PreToolUse",
            nativeEvent: known.nativeEvent ?? "PreToolUse",
            payload: known.raw ?? {},
          };
          render(known.host, { ...moment, outcome: NO_OUTCOME });
          renderFailure(known.host, { ...moment, policy: "closed", reason: "r" });
        },
      ),
      { numRuns: runs(3_000) },
    );
  });

  it("never throw on any text at all", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.constantFrom(...HOST_IDS), (text, host) => {
        const result = normalise(text, { env: fakeEnvironment(), host, event: "PreToolUse" });
        if (!result.ok) expect(CODES).toContain(result.code);
      }),
      { numRuns: runs(1_000) },
    );
  });

  it("keep names of the language out of every look-up", () => {
    const hostile = (name: string): JsonObject => ({
      hook_event_name: name,
      tool_name: name,
      tool_input: { command: "ls" },
    });
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty"]) {
      for (const host of HOST_IDS) {
        const text = JSON.stringify(hostile(name));
        expect(normalise(text, { env: fakeEnvironment(), host }).ok).toBe(false);
        const named = JSON.stringify({ ...hostile(name), hook_event_name: undefined });
        const result = normalise(named, { env: fakeEnvironment(), host, event: "PreToolUse" });
        if (result.ok) expect(result.value.canonicalToolName).toBe(name);
      }
    }
  });

  it.each([
    ["", "empty-stdin"],
    ["  \n\t", "empty-stdin"],
    ["\uFEFF", "empty-stdin"],
    ["{", "invalid-json"],
    ['{"a":"b"', "invalid-json"],
    ["nonsense", "invalid-json"],
    ["[".repeat(5_000), "too-deep"],
    ["[]", "not-an-object"],
    ['"text"', "not-an-object"],
    ["null", "not-an-object"],
    ["{}", "unknown-event"],
    ['{"tool_name":"Bash"}', "unknown-event"],
    ['{"hook_event_name":5}', "unknown-event"],
    ['{"hook_event_name":""}', "unknown-event"],
    ['{"hook_event_name":"PreToolUse"}', "missing-tool-name"],
    ['{"hook_event_name":"PreToolUse","tool_name":""}', "missing-tool-name"],
    ['{"hook_event_name":"PreToolUse","tool_name":7}', "missing-tool-name"],
    ['{"hook_event_name":"PostToolUse","tool_name":null}', "missing-tool-name"],
  ])("%j is %s", (text, code) => {
    const env = fakeEnvironment();
    expect(normalise(text, { env })).toMatchObject({ ok: false, code });
    expect(inspect(text, { env })).toEqual({ error: { code, message: expect.any(String) } });
  });

  it("that name an event nobody has pass through, and are no error for people", () => {
    const text = '{"hook_event_name":"NoSuchEvent"}';
    const env = fakeEnvironment();
    expect(normalise(text, { env })).toMatchObject({ ok: false, code: "unmapped-event" });
    expect(inspect(text, { env })).toMatchObject({ event: null, nativeEvent: "NoSuchEvent" });
  });

  it("say what was understood before the problem, so that the host can be answered", () => {
    const text = '{"hook_event_name":"BeforeTool","timestamp":"2026-11-15T03:22:55Z"}';
    expect(normalise(text, { env: fakeEnvironment() })).toMatchObject({
      code: "missing-tool-name",
      host: "gemini-cli",
      event: "PreToolUse",
      nativeEvent: "BeforeTool",
    });
    expect(normalise("{", { env: fakeEnvironment({ COPILOT_CLI: "1" }) })).toMatchObject({
      code: "invalid-json",
      host: "copilot-cli",
    });
  });

  it("never repeat payload text in a message", () => {
    const secret = "hunter2";
    for (const text of [secret, `{"hook_event_name":"${secret}"}`, `["${secret}"]`]) {
      const result = normalise(text, { env: fakeEnvironment() });
      expect(result.ok).toBe(false);
      if (!result.ok) expect(result.message).not.toContain(secret);
    }
  });
});
