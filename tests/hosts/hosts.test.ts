import { existsSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { abilities, planRegistrations } from "../../src/exports/hosts.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { DRIVERS, type HostDriver, prove } from "../../src/verify/live/live.ts";
import { PACKAGE } from "../install/sandbox.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { PROGRAMS, play, playBroken } from "./harness.ts";
import { HOOKS, NATIVE_HOOKS, playSession } from "./play-session.ts";
import { replay } from "./recording.ts";
import { type Mark, record, recordSkipped, writePage } from "./results.ts";
import { DELEGATION } from "./session.ts";

const ENGINES: readonly ("node" | "native")[] = existsSync(NATIVE_HOOKS) ? ["node", "native"] : ["node"];
const ENGINE_WORDS = { node: [process.execPath, HOOKS], native: [NATIVE_HOOKS] };
const ENGINE_NAMES = { node: "on Node", native: "native" };
const REASON = "the trial says no (7c1f)";
const CONTEXT = "a word from the trial (9b2e)";

/** Hosts in which a hook that ends with an error refuses the call; in all others it is passed over. */
const REFUSES_ON_ERROR = new Set(["copilot-cli"]);

/** Hosts that can be told to refuse when a hook is late: by their settings, or because our module waits itself. */
const REFUSES_LATE_HOOKS = new Set(["claude-code", "opencode", "pi"]);

afterAll(() =>
  writePage(
    DRIVERS.map(driver => driver.host),
    new Date().toISOString().slice(0, 10),
  ),
);

const nativeOf = ({ host }: HostDriver, event: string) =>
  planRegistrations(host).registrations.find(each => each.event === event)?.nativeEvent;

/** What our descriptor says the host can do on an event it is registered for. */
function can(driver: HostDriver, event: string, ability: "deny" | "input" | "context"): boolean {
  const native = nativeOf(driver, event);
  return native !== undefined && abilities(driver.host, event, native)[ability] !== undefined;
}

/** Writes down what was seen, before it is compared with what was expected. */
function note(row: string, driver: HostDriver, isSeen: boolean, isExpected: boolean): void {
  const mark: Mark = isSeen ? "✓" : isExpected ? "✗" : "–";
  record(row, driver.host, mark);
  expect(isSeen, `${driver.host}: ${row}`).toBe(isExpected);
}

for (const driver of DRIVERS) {
  const program = PROGRAMS[driver.host];
  if (program === undefined) {
    recordSkipped(driver.host, "it is not installed");
    describe.skip(`${driver.host} (not installed)`, () => {
      it("is not tried", () => {});
    });
    continue;
  }

  describe(driver.host, () => {
    it.each(ENGINES)("runs our hooks, honours our guard and tells the model why (%s)", async engine => {
      const options = { program, version: undefined, timeoutMs: 120_000, engine };
      const proof = await prove(createNodeSystem(), PACKAGE, driver, options);
      expect(proof, proof.detail ?? "").toMatchObject({ status: "proved" });
      record(`\`doctor --live\` proves it, hooks ${ENGINE_NAMES[engine]}`, driver.host, "✓");
    });

    it("fires every hook that is registered, and runs the command when none has an opinion", async () => {
      const seen = await play(driver, program, {});
      expect(seen.has("made"), seen.end).toBe(true);
      // A run this short is not compacted, and no tool fails in it.
      const expected = planRegistrations(driver.host)
        .registrations.filter(({ event }) => event !== "PreCompact" && event !== "PostToolUseFailure")
        .map(({ subcommand }) => subcommand);
      expect([...new Set(seen.fired)].toSorted(), seen.end).toEqual([...new Set(expected)].toSorted());
      record("every registered hook fires", driver.host, "✓");
    });

    it("does not run a command that is refused, and tells the model why", async () => {
      const effect = { decision: { kind: "deny", reason: REASON } } as const;
      const seen = await play(driver, program, { "pre-tool-use": { effect } });
      note("deny: the command does not run", driver, !seen.has("made"), true);
      note("deny: the reason reaches the model", driver, seen.results.includes(REASON), true);
    });

    it("runs a command that is allowed", async () => {
      const effect = { decision: { kind: "allow" } } as const;
      const seen = await play(driver, program, { "pre-tool-use": { effect } });
      note("allow: the command runs", driver, seen.has("made"), true);
    });

    it("runs a rewritten command instead", async () => {
      const rewrite = { from: "touch made", to: "touch rewritten" };
      const seen = await play(driver, program, { "pre-tool-use": { rewrite } });
      const isRewritten = seen.has("rewritten") && !seen.has("made");
      note("a rewritten command runs instead", driver, isRewritten, can(driver, "PreToolUse", "input"));
    });

    it.each([
      ["SessionStart", "session-start", "context at the start of a session reaches the model"],
      ["UserPromptSubmit", "user-prompt-submit", "context at a prompt reaches the model"],
      ["PreToolUse", "pre-tool-use", "context before a tool reaches the model"],
      ["PostToolUse", "post-tool-use", "context after a tool reaches the model"],
    ])("passes context on %s to the model where we say it does", async (event, subcommand, row) => {
      const seen = await play(driver, program, { [subcommand]: { effect: { context: CONTEXT } } });
      note(row, driver, seen.told.includes(CONTEXT), can(driver, event, "context"));
    });

    it("asks no model about a prompt that is refused, where we say so", async () => {
      const effect = { decision: { kind: "deny", reason: REASON } } as const;
      const seen = await play(driver, program, { "user-prompt-submit": { effect } });
      note(
        "a refused prompt reaches no model",
        driver,
        seen.requests.length === 0,
        can(driver, "UserPromptSubmit", "deny"),
      );
    });

    it("goes on after a stop that is held, where we say so", async () => {
      const effect = { decision: { kind: "deny", reason: REASON } } as const;
      const seen = await play(driver, program, { stop: { effect, isOnce: true } });
      note(
        "a held stop asks the model again, with the reason",
        driver,
        seen.told.includes(REASON),
        can(driver, "Stop", "deny"),
      );
    });

    it("goes on when a hook prints nonsense", async () => {
      const seen = await play(driver, program, { "pre-tool-use": { print: "nonsense\n" } });
      expect(seen.fired).toContain("pre-tool-use");
      note("a hook that prints nonsense is passed over", driver, seen.has("made"), true);
    });

    it("treats a hook that ends with an error as we say", async () => {
      const seen = await play(driver, program, { "pre-tool-use": { complain: "broken\n", exitCode: 1 } });
      expect(seen.fired).toContain("pre-tool-use");
      note(
        "a hook that ends with an error is passed over",
        driver,
        seen.has("made"),
        !REFUSES_ON_ERROR.has(driver.host),
      );
    });

    it("goes on when a hook does not end in time", async () => {
      const seen = await play(driver, program, { "pre-tool-use": { sleepMs: 30_000 } });
      expect(seen.fired).toContain("pre-tool-use");
      note("a hook that does not end in time is passed over", driver, seen.has("made"), true);
    });

    it("refuses when a hook does not end in time and the policy is closed, where that can be said", async () => {
      const seen = await play(driver, program, { "pre-tool-use": { sleepMs: 30_000 } }, "closed");
      expect(seen.fired).toContain("pre-tool-use");
      const row = "a hook that does not end in time refuses under `--failure closed`";
      note(row, driver, !seen.has("made"), REFUSES_LATE_HOOKS.has(driver.host));
    });

    it("refuses when our hook program is broken and the policy is closed", async () => {
      const seen = await playBroken(driver, program);
      note("our broken hook program refuses under `--failure closed`", driver, !seen.has("made"), true);
      expect(seen.results).toMatch(/could not check|hook/i);
    });

    it("has every hook call of a long session answered the same again", async () => {
      const { operations, calls, results, end } = await playSession(driver, program);
      const countOf = (subcommand: string) => calls.filter(({ args }) => args[0] === subcommand).length;
      const agentCalls = DELEGATION.steps.filter(({ kind }) => kind !== "text").length;
      const delegated = operations.filter(({ does }) => does === "start an agent").length;
      expect(new Set(operations.map(({ does }) => does)).size).toBeGreaterThanOrEqual(10);
      expect(results, end).toHaveLength(operations.length);
      expect(countOf("pre-tool-use"), end).toBe(operations.length + delegated * agentCalls);
      expect(countOf("stop") > 0, end).toBe(nativeOf(driver, "Stop") !== undefined);
      for (const [index, { does, isRefused }] of operations.entries())
        expect(/Blocked \[/.test(results[index] ?? ""), does).toBe(isRefused === true);
      for (const engine of ENGINES) {
        const compared = await replay(createNodeSystem(), calls, ENGINE_WORDS[engine], temporaryDirectory());
        expect(compared).toHaveLength(calls.length);
        expect(compared.filter(({ status }) => status !== "match")).toEqual([]);
        const row = `a long session (10 to 20 operations): answers replayed ${ENGINE_NAMES[engine]} do not differ`;
        record(row, driver.host, "✓");
      }
    });
  });
}
