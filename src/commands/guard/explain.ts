import { defineCommand } from "../../cli/command.ts";
import type { Terminal } from "../../cli/terminal.ts";
import type { Explained, Judgement } from "../../guard/index.ts";
import {
  COMMAND_POSITIONAL,
  JUDGING_OPTIONS,
  judgementJson,
  openForCommand,
  paintVerdict,
  readCommand,
} from "./judged.ts";

export const explainCommand = defineCommand({
  name: "explain",
  summary: "show what a command would run and touch, which rule spoke and why",
  options: JUDGING_OPTIONS,
  positionals: [COMMAND_POSITIONAL],
  examples: {
    "amplihack guard explain 'd=/; sudo rm -rf \"$d\"'":
      "draws the tree of programs with their resolved words, effects and findings",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const command = readCommand(invocation, "amplihack guard explain 'rm -rf build'");
    const { context } = openForCommand(system, terminal, options.cwd);
    // The full analysis, also for what the pre-filter would let pass: here people want to see it.
    const { judgeText } = await import("../../guard/judge.ts");
    const start = system.clock.monotonicMs();
    const judgement = judgeText(command, context);
    const tree = judgement.explain();
    const milliseconds = Number((system.clock.monotonicMs() - start).toFixed(1));
    if (options.json || options.format === "json")
      terminal.printJson({ ...judgementJson(judgement), tree, timings: { milliseconds } });
    else {
      terminal.print(renderExplanation(command, judgement, terminal));
      terminal.print(terminal.paint("dim", `judged in ${milliseconds} ms\n`));
    }
    return 0;
  },
});

function renderExplanation(command: string, judgement: Judgement, terminal: Terminal): string {
  const nodes = judgement.explain();
  const roots = nodes.filter(node => node.parent === undefined);
  const lines = [`${paintVerdict(terminal, judgement.verdict)}  ${command.split("\n", 1)[0]}`, ""];
  for (const root of roots) lines.push(...renderNode(root, nodes, "", terminal));
  if (judgement.reason !== undefined)
    lines.push(
      "",
      ...judgement.findings.flatMap(one => [
        `${terminal.paint("bold", one.rule)}: ${one.lost}`,
        `  safer: ${one.safer}`,
      ]),
    );
  for (const note of judgement.notes) lines.push(`note: ${note}`);
  return `${lines.join("\n")}\n`;
}

function renderNode(
  node: Explained,
  nodes: readonly Explained[],
  indent: string,
  terminal: Terminal,
): string[] {
  const where = terminal.paint(
    "dim",
    `[${node.span.start}–${node.span.end}] in ${node.cwd}${node.place === "local" ? "" : `, ${node.place}`}`,
  );
  const road = node.road === undefined ? "" : terminal.paint("dim", `${node.road}: `);
  const words = node.argv
    .map(word => (/^[\w@%+=:,./~-]+$/.test(word) ? word : JSON.stringify(word)))
    .join(" ");
  const lines = [`${indent}${road}${terminal.paint("bold", words)}  ${where}`];
  for (const effect of node.effects) lines.push(`${indent}  · ${effect}`);
  for (const finding of node.findings) {
    lines.push(
      `${indent}  ${terminal.paint(finding.verdict === "deny" ? "red" : "yellow", `✗ ${finding.rule}`)} ${finding.title}: ${finding.target}`,
    );
  }
  for (const child of nodes.filter(other => other.parent === node.id)) {
    lines.push(...renderNode(child, nodes, `${indent}  `, terminal));
  }
  return lines;
}
