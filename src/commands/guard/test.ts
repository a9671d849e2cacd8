import {
  CommandError,
  defineCommand,
  FORMAT_OPTION,
  fileFix,
  option,
  type Terminal,
  usageError,
} from "../../cli/index.ts";
import {
  ALLOWED,
  type Explained,
  isHarmlessIn,
  type Judgement,
  judgementJson,
  loadGuard,
} from "../../guard/index.ts";
import { errorText } from "../../protocol/index.ts";
import { resolve, type System, SystemError } from "../../system/index.ts";
import { loadPolicyCases } from "../../verify/index.ts";
import {
  COMMAND_POSITIONAL,
  CWD_OPTION,
  findingLines,
  gapLines,
  JUDGING_OPTIONS,
  openForCommand,
  paintVerdict,
  printJudgement,
  readCommand,
  VERDICT_EXIT,
} from "./judged.ts";

const MAX_CASES_BYTES = 4 * 1024 * 1024;

export const testCommand = defineCommand({
  name: "test",
  summary: "judge one command: exit 0 allow, 3 ask, 2 deny; or a file of cases: exit 0 when all hold, else 1",
  options: {
    ...JUDGING_OPTIONS,
    file: option.string("FILE", "judge the cases of a YAML or JSON file and compare with what each expects"),
    junit: option.boolean("print the cases as JUnit's XML"),
  },
  positionals: [COMMAND_POSITIONAL],
  forAgents: { use: "passes", looks: ["file"] },
  examples: {
    "amplihack guard test 'git push --force origin main'": "prints the verdict, the rules and a safer way",
    "amplihack guard test --json - < deploy.sh": "judges a whole script",
    "amplihack guard test --file policy-cases.yaml --junit > report.xml": "tests a policy in CI",
  },
  async run(invocation) {
    const { options, positionals, rest, system, terminal } = invocation;
    if (options.file !== undefined) {
      if (positionals.length + rest.length > 0)
        throw usageError("either a command or --file", "amplihack guard test --file cases.yaml", 4);
      return testFile(system, terminal, options.file, options);
    }
    if (options.junit)
      throw usageError("--junit needs --file", "amplihack guard test --file cases.yaml --junit", 4);
    const command = readCommand(invocation, "amplihack guard test 'rm -rf build'");
    const { context } = openForCommand(system, terminal, options.cwd);
    // Most are plainly harmless, and a person who reads one word needs no analysis, which is large.
    const isKnown = options.format === "text" && isHarmlessIn(command, context);
    const judgement = isKnown ? ALLOWED : (await loadGuard()).judgeCommand(command, context);
    printJudgement(judgement, terminal, options.format);
    return VERDICT_EXIT[judgement.verdict];
  },
});

/** Compares what the policy in force says with what a file of cases expects of it. */
async function testFile(
  system: System,
  terminal: Terminal,
  file: string,
  {
    cwd,
    format,
    junit,
  }: { readonly cwd?: string | undefined; readonly format: string; readonly junit: boolean },
): Promise<number> {
  const { readPolicyCases, renderJUnit, runPolicyCases } = await loadPolicyCases();
  const { context, config } = openForCommand(system, terminal, cwd);
  const cases = readPolicyCases(readCaseFile(system, file), file);
  const results = runPolicyCases(cases, { ...context, settings: config.guard });
  const failed = results.filter(({ problem }) => problem !== undefined).length;
  const passed = results.length - failed;
  const lines = results.map(({ name, problem }) =>
    problem === undefined
      ? `${terminal.paint("green", "ok")}      ${name}`
      : `${terminal.paint("red", "failed")}  ${name}\n        ${problem}`,
  );
  if (junit) terminal.print(renderJUnit(results));
  else
    terminal.printResult(
      format,
      { passed, failed, cases: results.map(result => ({ ...result, problem: result.problem ?? null })) },
      `${[...lines, "", `${passed} passed, ${failed} failed`].join("\n")}\n`,
    );
  return failed === 0 ? 0 : 1;
}

function readCaseFile(system: System, file: string): string {
  const path = resolve(system.files.workingDirectory() ?? "/", file);
  try {
    return system.text.decode(system.files.read(path, MAX_CASES_BYTES)).text;
  } catch (error) {
    const fix = error instanceof SystemError ? fileFix(error.code) : undefined;
    throw new CommandError(`the cases cannot be read: ${file}`, {
      kind: "unreadable",
      exitCode: 4,
      causes: fix === undefined ? [errorText(error)] : [],
      ...(fix === undefined ? {} : { fix }),
    });
  }
}

export const explainCommand = defineCommand({
  name: "explain",
  summary: "show what a command would run and touch, which rule applies and why",
  options: JUDGING_OPTIONS,
  positionals: [COMMAND_POSITIONAL],
  forAgents: { use: "passes", looks: [] },
  examples: {
    "amplihack guard explain 'd=/; sudo rm -rf \"$d\"'":
      "draws the tree of programs with their resolved words, effects and findings",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const command = readCommand(invocation, "amplihack guard explain 'rm -rf build'");
    const { context } = openForCommand(system, terminal, options.cwd);
    // The full analysis, also for what the pre-filter would let pass: here people want to see it.
    const { judgeText } = await loadGuard();
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
  judgement: Judgement,
  nodes: readonly Explained[],
  terminal: Terminal,
): string {
  const { verdict, findings, notes } = judgement;
  const lines = [
    `${paintVerdict(terminal, verdict)}  ${command.split("\n", 1)[0]}`,
    "",
    ...nodes.filter(node => node.parent === undefined).flatMap(root => renderNode(root, nodes, "", terminal)),
    ...(findings.length === 0 ? [] : [""]),
    ...findings.flatMap(finding => findingLines(finding, terminal)),
    ...gapLines(judgement),
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
  forAgents: { use: "passes", looks: [] },
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
