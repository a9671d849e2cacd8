import { defineCommand, FORMAT_OPTION, loadProgress } from "../../cli/index.ts";
import { count, escapeControls, sizeText } from "../../text/index.ts";

export const verifyCommand = defineCommand({
  name: "verify",
  summary: "check that everything kept is still what was written",
  details: "Reads every kept file. Exit code 1 when something is damaged or missing; it is named.",
  options: { format: FORMAT_OPTION },
  forAgents: { use: "passes", looks: [] },
  examples: { "amplihack history verify": "checks all of it and says what is damaged" },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const { openForCommand } = await import("./open.ts");
    const { ProgressLine } = await loadProgress();
    const { history } = openForCommand(invocation);
    const progress = new ProgressLine(system, terminal);
    const report = await progress.during("reading everything that is kept …", () => history.verify());
    const ok = report.problems.length === 0;
    const held = `${count(report.changes, "change")}, ${count(report.objects, "kept file")}, ${sizeText(report.bytes)}`;
    const lines = [
      ...report.problems.map(problem => `${terminal.paint("red", "✗")} ${escapeControls(problem)}`),
      ok
        ? `${terminal.paint("green", "✓")} ${held}: all as it was written`
        : `${held}: ${count(report.problems.length, "problem")}`,
    ];
    terminal.printResult(options.format, { ok, ...report }, `${lines.join("\n")}\n`);
    return ok ? 0 : 1;
  },
});
