import { describe, expect, it } from "vitest";
import { EnvVar, envParsers, VARIABLES } from "../../src/state/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const withValue = (value: string | undefined, more: Record<string, string> = {}) =>
  createMemorySystem({ env: { ...more, ...(value === undefined ? {} : { X: value }) } });

function parse<T>(parser: ConstructorParameters<typeof EnvVar<T>>[1], raw: string): T | undefined {
  return new EnvVar("X", parser).tryGet(withValue(raw, { HOME: "/home/u" }));
}

describe("environment values are parsed", () => {
  it.each([
    ["5", 5],
    [" -7\t", -7],
    ["+3", 3],
    ["007", 7],
    ["2.5", undefined],
    ["abc", undefined],
    ["", undefined],
    ["1_000", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["٣", undefined],
    ["99999999999999999999", undefined],
  ])("as an integer: %j is %j", (raw, value) => {
    expect(parse(envParsers.integer(), raw)).toBe(value);
  });

  it("as an integer with a least value, which smaller ones are raised to", () => {
    expect(parse(envParsers.integer({ atLeast: 1 }), "-3")).toBe(1);
    expect(parse(envParsers.integer({ atLeast: 1 }), "3")).toBe(3);
  });

  it.each([
    ["1", true],
    [" TRUE ", true],
    ["Yes", true],
    ["on", true],
    ["0", false],
    ["false", false],
    ["NO", false],
    ["off", false],
    ["", false],
    ["2", undefined],
    ["maybe", undefined],
  ])("as a boolean: %j is %j", (raw, value) => {
    expect(parse(envParsers.boolean, raw)).toBe(value);
  });

  it.each([
    ["node", "node"],
    [" NODE ", "node"],
    ["deno", undefined],
    ["", undefined],
  ])("as one of some words: %j is %j", (raw, value) => {
    expect(parse(envParsers.oneOf("node", "native"), raw)).toBe(value);
  });

  it.each([
    ["/a/../b/", "/b"],
    ["~", "/home/u"],
    ["~/x", "/home/u/x"],
    ["a/b", undefined],
    ["", undefined],
    ["~other", undefined],
  ])("as a path: %j is %j", (raw, value) => {
    expect(parse(envParsers.path, raw)).toBe(value);
  });

  it("as text, empty or not", () => {
    expect(parse(envParsers.text, "")).toBe("");
    expect(parse(envParsers.nonEmptyText, "")).toBeUndefined();
    expect(parse(envParsers.nonEmptyText, " x ")).toBe(" x ");
  });
});

describe("an environment variable", () => {
  const optional = new EnvVar("X", envParsers.integer(), 50);
  const required = new EnvVar("X", envParsers.integer());

  it("gives its default when unset, and is then not set", () => {
    const system = withValue(undefined);
    expect(optional.get(system)).toBe(50);
    expect(optional.getOrError(system)).toBe(50);
    expect(optional.tryGet(system)).toBeUndefined();
    expect(optional.isSet(system)).toBe(false);
    expect(optional.isSet(withValue(""))).toBe(true);
  });

  it("is required when it has no default", () => {
    const problem = expect.objectContaining({ code: "environment", subject: "X" });
    expect(() => required.get(withValue(undefined))).toThrow(problem);
    expect(() => required.getOrError(withValue(undefined))).toThrow(/X is required/);
    expect(() => required.get(withValue("abc"))).toThrow(/expected a whole number, found "abc"/);
  });

  it("warns about a bad value and goes on with the default, for hooks", () => {
    const system = withValue("abc");
    expect(optional.get(system)).toBe(50);
    expect(system.stderr()).toBe(
      'amplihack: the environment variable X is not usable: expected a whole number, found "abc"; using the default\n',
    );
    const warnings: string[] = [];
    optional.get(withValue("2.5"), warning => warnings.push(warning));
    expect(warnings).toEqual([expect.stringContaining('"2.5"')]);
  });

  it("is an error with a bad value, for commands", () => {
    expect(() => optional.getOrError(withValue("abc"))).toThrow(/expected a whole number, found "abc"/);
  });

  it("shows bad values of numbers and words clipped and harmless, those of paths and texts never", () => {
    const system = withValue(`${"x".repeat(500)}\n`);
    optional.get(system);
    expect(system.stderr().length).toBeLessThan(200);
    expect(system.stderr().match(/\n/g)).toHaveLength(1);
    const secret = withValue("secret/token");
    expect(() => new EnvVar("X", envParsers.path).getOrError(secret)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("secret") }),
    );
  });
});

describe("the variables of the hooks keep their own rules", () => {
  const read = (name: keyof typeof VARIABLES, value: string | undefined) => {
    const system = createMemorySystem({ env: value === undefined ? {} : { [name]: value } });
    const variable: EnvVar<unknown> = VARIABLES[name];
    return variable.get(system, () => {});
  };

  it.each([
    ["AMPLIHACK_SHUTDOWN_IN_PROGRESS", { "1": true, true: false, " 1": false, "": false }, false],
    ["AMPLIHACK_SKIP_POWER_STEERING", { "1": true, "0": true, false: true, "": false }, false],
    ["AMPLIHACK_SKIP_REFLECTION", { "0": true, "": false }, false],
    ["AMPLIHACK_DEBUG", { "0": true, "": false }, false],
    ["AMPLIHACK_AUTO_DEV", { " FALSE ": false, "0": false, no: false, off: false, "": true, x: true }, true],
    ["AMPLIHACK_SESSION_DEPTH", { "2": 2, "-1": 0, x: 0 }, 0],
    ["AMPLIHACK_MAX_LOCK_ITERATIONS", { " 7 ": 7, "0": 1, "-5": 1, "2.5": 50, "": 50 }, 50],
    ["AMPLIHACK_LOCK_TTL_SECONDS", { "60": 60, "0": 1, x: 86_400 }, 86_400],
    ["PSC_MAX_TRANSCRIPT_LINES", { "10": 10, x: 50_000 }, 50_000],
    ["PSC_PARALLEL_TIMEOUT", { "10": 10, x: 60 }, 60],
    ["PSC_CHECKER_TIMEOUT", { "10": 10, x: 25 }, 25],
    ["AMPLIHACK_PROJECT_ID", { mine: "mine", "": "amplihack" }, "amplihack"],
  ] as const)("%s", (name, values, whenUnset) => {
    for (const [raw, value] of Object.entries(values)) expect([raw, read(name, raw)]).toEqual([raw, value]);
    expect(read(name, undefined)).toBe(whenUnset);
  });

  it("AMPLIHACK_SESSION_TYPE is ignored, AMPLIHACK_HOOK_ENGINE an error, when not known", () => {
    const system = createMemorySystem({
      env: { AMPLIHACK_SESSION_TYPE: "party", AMPLIHACK_HOOK_ENGINE: "steam" },
    });
    expect(VARIABLES.AMPLIHACK_SESSION_TYPE.tryGet(system)).toBeUndefined();
    expect(() => VARIABLES.AMPLIHACK_HOOK_ENGINE.getOrError(system)).toThrow(/one of node, native.*"steam"/);
    system.variables.set("AMPLIHACK_SESSION_TYPE", "development");
    expect(VARIABLES.AMPLIHACK_SESSION_TYPE.tryGet(system)).toBe("DEVELOPMENT");
  });
});
