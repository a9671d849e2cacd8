import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProgressLine, tellWhileSilent } from "../../src/cli/progress.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import type { System } from "../../src/system/system.ts";

const CLEAR = "\r\u001b[K";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watched(flags: { readonly isJson?: boolean; readonly isQuiet?: boolean } = {}, isTerminal = true) {
  const said = { stdout: "", stderr: "" };
  const base = createMemorySystem();
  const system: System = {
    ...base,
    clock: { ...base.clock, monotonicMs: () => Date.now() },
    stdio: {
      ...base.stdio,
      isTerminal: () => isTerminal,
      writeOutput(text) {
        said.stdout += text;
        return "written";
      },
      writeError(text) {
        said.stderr += text;
      },
    },
  };
  const terminal = openTerminal(system, { isQuiet: false, noColor: true, isJson: false, ...flags });
  return { said, system, terminal, line: new ProgressLine(system, terminal) };
}

describe("a line of progress", () => {
  it("says what goes on and for how long, and is gone at the end", async () => {
    const { said, line } = watched();
    let end = (): void => {};
    const work = line.during("proving …", say => {
      say("claude: starting …");
      return new Promise<void>(resolve => {
        end = resolve;
      });
    });
    vi.advanceTimersByTime(2_000);
    end();
    await work;
    expect(said.stderr.split(CLEAR)).toEqual([
      "",
      "proving …",
      "claude: starting …",
      "claude: starting … 1 s",
      "claude: starting … 2 s",
      "",
    ]);
    vi.advanceTimersByTime(9_000);
    expect(said.stderr.endsWith(CLEAR)).toBe(true);
  });

  it("is not redrawn for every step of a loop, and never longer than the terminal is wide", () => {
    const { said, line } = watched();
    for (let step = 0; step < 1000; step++) line.show(() => `${step} ${"x".repeat(300)}`);
    vi.advanceTimersByTime(150);
    line.show(() => "last");
    line.clear();
    const [, first = "", ...rest] = said.stderr.split(CLEAR);
    expect(first.length).toBeLessThan(process.stderr.columns || 80);
    expect(rest).toEqual(["last", ""]);
  });

  it.each([
    ["where stderr is no terminal", {}, false],
    ["when JSON was asked for", { isJson: true }, true],
    ["when it shall be quiet", { isQuiet: true }, true],
  ] as const)("is not there %s", async (_, flags, isTerminal) => {
    const { said, system, terminal, line } = watched(flags, isTerminal);
    line.show(() => "x");
    await line.during("x", () => vi.advanceTimersByTime(5_000));
    line.clear();
    const telling = tellWhileSilent(system, terminal, "x");
    expect(telling.terminal).toBe(terminal);
    vi.advanceTimersByTime(5_000);
    telling.stop();
    expect(said).toEqual({ stdout: "", stderr: "" });
  });
});

describe("a command that says nothing", () => {
  it("is told of after a second, until its first word", () => {
    const { said, system, terminal } = watched();
    const telling = tellWhileSilent(system, terminal, "amplihack update …");
    vi.advanceTimersByTime(999);
    expect(said.stderr).toBe("");
    vi.advanceTimersByTime(2_001);
    telling.terminal.print("result\n");
    vi.advanceTimersByTime(5_000);
    telling.terminal.warn("warning\n");
    telling.stop();
    expect(said.stdout).toBe("result\n");
    expect(said.stderr.split(CLEAR)).toEqual([
      "",
      "amplihack update … 1 s",
      "amplihack update … 2 s",
      "amplihack update … 3 s",
      "warning\n",
    ]);
  });

  it("leaves no trace when it was quick", () => {
    const { said, system, terminal } = watched();
    const telling = tellWhileSilent(system, terminal, "amplihack version …");
    telling.terminal.printResult("text", {}, "done\n");
    telling.terminal.printJson({});
    telling.terminal.note("by the way\n");
    telling.stop();
    expect(said).toEqual({ stdout: "done\n{}\n", stderr: "by the way\n" });
  });
});
