import { describe, expect, it } from "vitest";
import { codesOf, readClaude, type Said } from "./reading.ts";

const DENY = '{"hookSpecificOutput":{"permissionDecision":"deny","permissionDecisionReason":"no"}}';
const ALLOW = '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"ls"}}}';

describe("exit codes of the Claude protocol", () => {
  it("exit 0 reads stdout", () => {
    expect(readClaude("PreToolUse", { stdout: ALLOW })).toEqual({
      effect: { decision: { kind: "allow" }, input: { command: "ls" } },
    });
  });

  it("exit 2 denies with stderr and reads nothing else of stdout", () => {
    const stdout =
      '{"systemMessage":"m","suppressOutput":true,"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{},"additionalContext":"c"}}';
    expect(readClaude("PreToolUse", { code: 2, stderr: "  not here \n", stdout })).toEqual({
      effect: { decision: { kind: "deny", reason: "not here" } },
    });
  });

  it("exit 2 without stderr takes the reason that is legible on stdout", () => {
    expect(readClaude("PreToolUse", { code: 2, stdout: DENY }).effect.decision).toEqual({
      kind: "deny",
      reason: "no",
    });
    expect(
      readClaude("Stop", { code: 2, stdout: 'profile\n{"decision":"block","reason":"r"}' }).effect.decision,
    ).toEqual({ kind: "deny", reason: "r" });
  });

  it("exit 2 without any reason still denies, and says that the reason is missing", () => {
    const verdict = readClaude("PreToolUse", { code: 2 });
    expect(verdict.effect.decision).toEqual({ kind: "deny" });
    expect(codesOf(verdict)).toEqual(["reason-missing"]);
  });

  it.each([
    [1, "exit-nonblocking"],
    [3, "exit-nonblocking"],
    [126, "command-not-found"],
    [127, "command-not-found"],
    [255, "exit-nonblocking"],
  ])("exit %d is the failure %s; the first line of stderr is shown", (code, failure) => {
    const verdict = readClaude("PreToolUse", { code, stdout: ALLOW, stderr: "first\nsecond" });
    expect(verdict.failure?.code).toBe(failure);
    expect(verdict.effect).toEqual({ message: { text: "first", level: "warn" } });
  });

  const FAILED_ENDS: readonly [string, Said][] = [
    ["exit 1", { code: 1 }],
    ["exit 127", { code: 127 }],
    ["a signal", { end: { kind: "signal", signal: "SIGSEGV" } }],
    ["a timeout", { end: { kind: "failed", failure: { code: "timeout", detail: "late" } } }],
    ["too much output", { end: { kind: "failed", failure: { code: "output-overflow", detail: "much" } } }],
  ];
  it.each(FAILED_ENDS)("a restriction that was stated before %s stands", (_, end) => {
    expect(readClaude("PreToolUse", { ...end, stdout: DENY }).effect.decision).toEqual({
      kind: "deny",
      reason: "no",
    });
    expect(
      readClaude("PreToolUse", { ...end, stdout: '{"continue":false,"stopReason":"s"}' }).effect.halt,
    ).toEqual({ reason: "s" });
    expect(readClaude("PreToolUse", { ...end, stdout: '{"decision":"ask"}' }).effect.decision).toEqual({
      kind: "ask",
    });
  });
  it.each(FAILED_ENDS)("%s is a failure and loses every privilege", (_, end) => {
    const verdict = readClaude("PreToolUse", { ...end, stdout: ALLOW });
    expect(verdict.failure).toBeDefined();
    expect(verdict.effect.decision).toBeUndefined();
    expect(verdict.effect.input).toBeUndefined();
  });

  it("any non-zero exit refuses a worktree; at exit 0 stdout is its path", () => {
    expect(readClaude("WorktreeCreate", { code: 1, stderr: "no space" }).effect.decision).toEqual({
      kind: "deny",
      reason: "no space",
    });
    expect(readClaude("WorktreeCreate", { stdout: "/srv/tree\n" }).effect).toEqual({
      extras: { worktreePath: "/srv/tree" },
    });
  });
});

describe("fields of the Claude protocol", () => {
  const said = (event: string, answer: unknown) =>
    readClaude(event, { stdout: JSON.stringify(answer) }).effect;

  it.each(["allow", "ask", "defer", "deny"] as const)("permissionDecision %s", kind => {
    const hookSpecificOutput = {
      hookEventName: "PreToolUse",
      permissionDecision: kind,
      permissionDecisionReason: "r",
    };
    expect(said("PreToolUse", { hookSpecificOutput })).toEqual({ decision: { kind, reason: "r" } });
  });

  it.each([
    ["block", "deny"],
    ["deny", "deny"],
    ["approve", "allow"],
    ["allow", "allow"],
    ["ask", "ask"],
  ] as const)("decision %s means %s", (decision, kind) => {
    expect(said("PreToolUse", { decision, reason: "r" })).toEqual({ decision: { kind, reason: "r" } });
  });

  it("takes the stricter of two decisions in one answer", () => {
    const effect = said("PreToolUse", {
      decision: "approve",
      reason: "a",
      hookSpecificOutput: { permissionDecision: "deny" },
    });
    expect(effect.decision?.kind).toBe("deny");
  });

  it("reads the nested decision of a permission request", () => {
    const decision = { behavior: "allow", updatedInput: { a: 1 }, updatedPermissions: [{ mode: "x" }] };
    expect(said("PermissionRequest", { hookSpecificOutput: { decision } })).toEqual({
      decision: { kind: "allow" },
      input: { a: 1 },
      extras: { updatedPermissions: [{ mode: "x" }] },
    });
    const refusal = { behavior: "deny", message: "m", interrupt: true };
    expect(said("PermissionRequest", { hookSpecificOutput: { decision: refusal } })).toEqual({
      decision: { kind: "deny", reason: "m" },
      halt: {},
    });
  });

  it("reads halt, message, suppression and context", () => {
    const answer = {
      continue: false,
      stopReason: "enough",
      suppressOutput: true,
      systemMessage: "note",
      hookSpecificOutput: { additionalContext: "more" },
    };
    expect(said("UserPromptSubmit", answer)).toEqual({
      halt: { reason: "enough" },
      suppress: true,
      message: { text: "note", level: "info" },
      context: "more",
    });
  });

  it("takes a new output after a tool and nowhere else", () => {
    const answer = { hookSpecificOutput: { updatedToolOutput: { out: "x" } } };
    expect(said("PostToolUse", answer)).toEqual({ output: { out: "x" } });
    expect(said("PreToolUse", answer)).toEqual({});
  });

  it("takes a new input only where the event has one", () => {
    const answer = { hookSpecificOutput: { updatedInput: { a: 1 } } };
    expect(said("PreToolUse", answer)).toEqual({ input: { a: 1 } });
    expect(said("Stop", answer)).toEqual({});
  });

  it.each([
    ["PermissionDenied", "retry", true],
    ["SessionStart", "sessionTitle", "t"],
    ["Elicitation", "action", "accept"],
    ["MessageDisplay", "displayContent", "d"],
    ["CwdChanged", "watchPaths", ["/a"]],
  ])("hands on what only %s knows: %s", (event, name, value) => {
    expect(said(event, { hookSpecificOutput: { [name]: value } })).toEqual({ extras: { [name]: value } });
    expect(said("Stop", { hookSpecificOutput: { [name]: value } })).toEqual({});
  });

  it("an answer for another event may restrict and cannot grant", () => {
    const other = (permissionDecision: string) => ({
      hookSpecificOutput: { hookEventName: "PostToolUse", permissionDecision },
    });
    expect(said("PreToolUse", other("allow")).decision).toBeUndefined();
    expect(said("PreToolUse", other("deny")).decision?.kind).toBe("deny");
    expect(codesOf(readClaude("PreToolUse", { stdout: JSON.stringify(other("allow")) }))).toEqual([
      "event-mismatch",
    ]);
  });

  it("clips reasons and context and says so for context", () => {
    const limits = { contextChars: 5, reasonChars: 4 };
    const stdout = JSON.stringify({
      decision: "block",
      reason: "abcdefgh",
      hookSpecificOutput: { additionalContext: "1234😀78" },
    });
    const verdict = readClaude("PostToolUse", { stdout, limits });
    expect(verdict.effect.decision?.reason).toBe("abcd");
    expect(verdict.effect.context).toBe("1234");
    expect(codesOf(verdict)).toEqual(["context-truncated"]);
  });
});

describe("plain text and broken output", () => {
  it.each(["UserPromptSubmit", "UserPromptExpansion", "SessionStart"])("text is context on %s", event => {
    expect(readClaude(event, { stdout: " hello \n" }).effect).toEqual({ context: "hello" });
  });
  it.each(["PreToolUse", "PostToolUse", "Stop", "Notification"])("text is ignored on %s", event => {
    expect(readClaude(event, { stdout: "hello" }).effect).toEqual({});
  });
  it.each(["{", '{"decision":"block"', "{not json}", '{"a":1} trailing'])(
    "%s is a failure and never context",
    stdout => {
      const verdict = readClaude("UserPromptSubmit", { stdout });
      expect(verdict.failure?.code).toBe("output-invalid-json");
      expect(verdict.effect.context).toBeUndefined();
    },
  );
  it("JSON that is no object is text", () => {
    expect(readClaude("SessionStart", { stdout: "[1]" }).effect).toEqual({ context: "[1]" });
  });
  it("a byte order mark and blanks around an answer are no noise", () => {
    expect(readClaude("PreToolUse", { stdout: `\uFEFF\n ${ALLOW} \n` }).effect.decision?.kind).toBe("allow");
  });
  it("noise before an allow drops it and says so", () => {
    const verdict = readClaude("PreToolUse", { stdout: `Welcome!\n${ALLOW}` });
    expect(verdict.effect.decision).toBeUndefined();
    expect(codesOf(verdict)).toEqual(["output-noise", "noise-privilege-dropped"]);
  });
  it("bytes that are not UTF-8 drop privileges and keep a deny", () => {
    const broken = (json: string) =>
      Uint8Array.from([
        ...new TextEncoder().encode(json.slice(0, -1)),
        0x2c,
        0x22,
        0xff,
        0x22,
        0x3a,
        0x31,
        0x7d,
      ]);
    const allow = readClaude("PreToolUse", { stdout: broken(ALLOW) });
    expect(allow.effect.decision).toBeUndefined();
    expect(codesOf(allow)).toEqual(["output-invalid-utf8", "noise-privilege-dropped"]);
    expect(readClaude("PreToolUse", { stdout: broken(DENY) }).effect.decision?.kind).toBe("deny");
  });
  it("an answer nested too deeply is broken", () => {
    const deep = `{"hookSpecificOutput":{"updatedInput":${'{"a":'.repeat(300)}1${"}".repeat(300)}}}`;
    expect(readClaude("PreToolUse", { stdout: deep }).failure?.code).toBe("output-invalid-json");
  });
  it("a prototype key is removed and reported", () => {
    const verdict = readClaude("PreToolUse", {
      stdout: '{"hookSpecificOutput":{"updatedInput":{"__proto__":{"x":1},"a":1}}}',
    });
    expect(verdict.effect.input).toEqual({ a: 1 });
    expect(codesOf(verdict)).toEqual(["proto-key-dropped"]);
  });
});
