import { defineCommand, FORMAT_OPTION, type Terminal, usageError } from "../../cli/index.ts";
import { type Explained, type Judgement, judgementJson, loadGuard, loadJudge } from "../../guard/index.ts";
import {
  COMMAND_POSITIONAL,
  CWD_OPTION,
  findingLines,
  JUDGING_OPTIONS,
  openForCommand,
  paintVerdict,
  printJudgement,
  readCommand,
  VERDICT_EXIT,
} from "./judged.ts";

export const testCommand = defineCommand({
  name: "test",
  summary: "judge one command: exit 0 allow, 3 ask, 2 deny",
  options: JUDGING_OPTIONS,
  positionals: [COMMAND_POSITIONAL],
  forAgents: "passes",
  examples: {
    "amplihack guard test 'git push --force origin main'": "prints the verdict, the rules and a safer way",
    "amplihack guard test --json - < deploy.sh": "judges a whole script",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const command = readCommand(invocation, "amplihack guard test 'rm -rf build'");
    const { judgeCommand } = await loadGuard();
    const judgement = judgeCommand(command, openForCommand(system, terminal, options.cwd).context);
    printJudgement(judgement, terminal, options.format);
    return VERDICT_EXIT[judgement.verdict];
  },
});

export const explainCommand = defineCommand({
  name: "explain",
  summary: "show what a command would run and touch, which rule spoke and why",
  options: JUDGING_OPTIONS,
  positionals: [COMMAND_POSITIONAL],
  forAgents: "passes",
  examples: {
    "amplihack guard explain 'd=/; sudo rm -rf \"$d\"'":
      "draws the tree of programs with their resolved words, effects and findings",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const command = readCommand(invocation, "amplihack guard explain 'rm -rf build'");
    const { context } = openForCommand(system, terminal, options.cwd);
    // The full analysis, also for what the pre-filter would let pass: here people want to see it.
    const { judgeText } = await loadJudge();
    const start = system.clock.monotonicMs();
    const judgement = judgeText(command, context);
    const tree = judgement.explain();
    const milliseconds = Number((system.clock.monotonicMs() - start).toFixed(1));
    terminal.printResult(
      options.format,
      { ...judgementJson(judgement), tree, timings: { milliseconds } },
      renderExplanation(command, judgement, tree, terminal) +
        terminal.paint("dim", `judged in ${milliseconds} ms\n`),
    );
    return 0;
  },
});

function renderExplanation(
  command: string,
  { verdict, findings, notes }: Judgement,
  nodes: readonly Explained[],
  terminal: Terminal,
): string {
  const lines = [
    `${paintVerdict(terminal, verdict)}  ${command.split("\n", 1)[0]}`,
    "",
    ...nodes.filter(node => node.parent === undefined).flatMap(root => renderNode(root, nodes, "", terminal)),
    ...(findings.length === 0 ? [] : [""]),
    ...findings.flatMap(finding => findingLines(finding, terminal)),
    ...notes.map(note => `note: ${note}`),
  ];
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
  return [
    `${indent}${road}${terminal.paint("bold", words)}  ${where}`,
    ...node.effects.map(effect => `${indent}  · ${effect}`),
    ...node.findings.map(({ verdict, rule, title, target }) => {
      const mark = terminal.paint(verdict === "deny" ? "red" : "yellow", `✗ ${rule}`);
      return `${indent}  ${mark} ${title}: ${target}`;
    }),
    ...nodes
      .filter(other => other.parent === node.id)
      .flatMap(child => renderNode(child, nodes, `${indent}  `, terminal)),
  ];
}

export const argvCommand = defineCommand({
  name: "argv",
  summary: "judge a program with words that are already expanded; PATH shims use this",
  wordsBehind: "-- PROGRAM [ARGUMENT…]",
  options: { format: FORMAT_OPTION, cwd: CWD_OPTION },
  forAgents: "passes",
  examples: { "amplihack guard argv -- rm -rf /srv/data": "exit 0 allow, 3 ask, 2 deny" },
  async run({ options, rest, system, terminal }) {
    if (rest.length === 0)
      throw usageError("a program is needed after --", "amplihack guard argv -- rm -rf build", 4);
    const { judgeArgv } = await loadGuard();
    const judgement = judgeArgv(rest, openForCommand(system, terminal, options.cwd).context);
    printJudgement(judgement, terminal, options.format);
    return VERDICT_EXIT[judgement.verdict];
  },
});
