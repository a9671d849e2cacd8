import { describe, expect, it } from "vitest";
import type { RunEvent, StepReference } from "../../src/recipes/logs/events.ts";
import { createLiveProgress, createPlainProgress } from "../../src/recipes/progress.ts";
import { stepResult } from "../../src/recipes/steps/run-step.ts";

const step = (id: string, more: Partial<StepReference> = {}): StepReference => ({
  id,
  type: "bash",
  name: undefined,
  depth: 0,
  path: id,
  ...more,
});
const output = (of: StepReference, text: string): RunEvent => ({
  kind: "output",
  step: of,
  stream: "stdout",
  chunk: Buffer.from(text),
});
const end = (of: StepReference, status: "completed" | "failed", error = ""): RunEvent => ({
  kind: "step_end",
  step: of,
  result: stepResult(of, 1500, { status, error }),
});

/** What a terminal shows after the text was written to it: understands only what the display uses. */
function screenAfter(text: string): readonly string[] {
  const lines = [""];
  for (const [part] of text.matchAll(/\u001b\[\d+A|\u001b\[J|\n|[^\u001b\n]+/g)) {
    if (part === "\n") lines.push("");
    else if (part === "\u001b[J") lines.splice(lines.length - 1, 1, "");
    else if (part.startsWith("\u001b["))
      lines.splice(lines.length - 1 - Number.parseInt(part.slice(2), 10), Infinity, "");
    else lines[lines.length - 1] += part;
  }
  return lines.slice(0, -1);
}

describe("progress on a terminal", () => {
  function liveDisplay(columns = 60) {
    let written = "";
    let nowMs = 0;
    const live = createLiveProgress({
      write: text => {
        written += text;
      },
      columns: () => columns,
      nowMs: () => nowMs,
      isVerbose: false,
    });
    return {
      live,
      screen: () => screenAfter(written).map(line => line.replace(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, "*")),
      pass: (ms: number) => {
        nowMs += ms;
        live.tick();
      },
    };
  }

  it("keeps running steps at the bottom with their time and last line, and scrolls finished ones by", () => {
    const { live, screen, pass } = liveDisplay();
    const [a, b] = [step("build"), step("test")];
    live.observe({ kind: "step_start", step: a });
    live.observe({ kind: "step_start", step: b });
    live.observe(output(a, "compiling\n\u001b[32mlinking\u001b[0m\r\n"));
    pass(2300);
    expect(screen()).toEqual(["* build 2.3s  linking", "* test 2.3s"]);
    live.observe(end(a, "completed"));
    expect(screen()).toEqual(["  ✓ build (1.5s)", "* test 2.3s"]);
    live.observe({ kind: "notice", text: "something to say", isWarning: true });
    live.observe(end(b, "failed", "Command failed (exit 1): no"));
    live.close();
    expect(screen()).toEqual([
      "  ✓ build (1.5s)",
      "Warning: something to say",
      "  ✗ test (1.5s)",
      "    Command failed (exit 1): no",
    ]);
  });

  it("shows what a step printed behind its name, and no lines that are meant for programs", () => {
    const { live, screen } = liveDisplay(40);
    const result = stepResult(step("a"), 1500, {
      status: "completed",
      output: `\n\u001b[31mfirst\u202e line\u001b[0m, ${"long ".repeat(9)}\nsecond`,
    });
    live.observe({ kind: "pointer", line: "amplihack.recipe.log_pointer {}" });
    live.observe({ kind: "step_end", step: step("a"), result });
    live.observe({
      kind: "step_end",
      step: step("b"),
      result: stepResult(step("b"), 0, { status: "skipped" }),
    });
    expect(screen()).toEqual(["  ✓ a (1.5s)  first line, long long lo…", "  ⊘ b (0.0s)  skipped"]);
  });

  it("never lets a line wrap", () => {
    const { live, screen, pass } = liveDisplay(20);
    live.observe({ kind: "step_start", step: step("one") });
    live.observe(output(step("one"), `${"漢字".repeat(30)}\n`));
    pass(100);
    const width = [...(screen()[0] ?? "")].reduce(
      (sum, character) => sum + (character > "\u2e80" ? 2 : 1),
      0,
    );
    expect(width).toBeLessThan(20);
  });

  it("does not fill the screen when very many steps run", () => {
    const { live, screen } = liveDisplay();
    for (let index = 0; index < 40; index++) live.observe({ kind: "step_start", step: step(`s${index}`) });
    expect(screen().length).toBeLessThan(20);
    expect(screen().at(-1)).toBe("  … and 28 more");
  });

  it("shows steps of sub-recipes below the step that runs them", () => {
    const { live, screen } = liveDisplay();
    live.observe({ kind: "step_start", step: step("sub", { type: "recipe" }) });
    live.observe({ kind: "step_start", step: step("inner", { depth: 1, path: "sub/inner" }) });
    expect(screen()).toEqual(["▶ sub (recipe)", "  * inner 0.0s"]);
  });
});

describe("progress as lines", () => {
  it("holds no control sequences of others", () => {
    const written: string[] = [];
    const observe = createPlainProgress({
      write: text => written.push(text),
      isVerbose: true,
      isQuiet: false,
    });
    observe({ kind: "step_start", step: step("evil\u001b[2J\u0007", { name: "na\u001b]0;title\u0007me" }) });
    observe(output(step("a"), "\u001b[31mred\u001b[0m\u0008\u0008\ttext\n"));
    observe(end(step("a"), "failed", "bad\u001b[1A\nsecond line"));
    observe({ kind: "notice", text: "\u001b[2Jsaid\u202e so", isWarning: true });
    expect(written.pop()).toBe("Warning: said so\n");
    expect(written.join("")).toBe("▶ evil (name)\n  │ red text\n  ✗ a (1.5s)\n    bad\n    second line\n");
  });

  it("cuts long errors in the middle", () => {
    const written: string[] = [];
    const observe = createPlainProgress({
      write: text => written.push(text),
      isVerbose: false,
      isQuiet: false,
    });
    observe(end(step("a"), "failed", Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n")));
    expect(written.join("").split("\n").length).toBeLessThan(16);
    expect(written.join("")).toContain("    line 0\n    …\n");
    expect(written.join("")).toContain("    line 49\n");
  });
});
