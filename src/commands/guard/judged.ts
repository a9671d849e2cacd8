import {
  CommandError,
  type CommandInvocation,
  FORMAT_OPTION,
  type OptionSpecs,
  option,
  type PositionalSpec,
  type Terminal,
  usageError,
  wrapText,
} from "../../cli/index.ts";
import { isUnderstood, type Judgement, judgementJson, type Verdict } from "../../guard/index.ts";
import { type ConfiguredGuard, openGuard } from "../../hooks/index.ts";
import { errorText } from "../../protocol/index.ts";
import { resolve, type System } from "../../system/index.ts";

/** Exit codes of everything that judges; a shim refuses on 2 and 3. */
export const VERDICT_EXIT: Readonly<Record<Verdict, number>> = { allow: 0, ask: 3, deny: 2 };
const MAX_COMMAND_BYTES = 10 * 1024 * 1024;

export const CWD_OPTION = option.string(
  "DIR",
  "judge as if the command ran there (this directory by default)",
);

/** Of the commands that judge shell text as a person would type it. */
export const JUDGING_OPTIONS = {
  format: FORMAT_OPTION,
  cwd: CWD_OPTION,
} as const satisfies OptionSpecs;

export const COMMAND_POSITIONAL: PositionalSpec = {
  name: "COMMAND",
  summary: "shell text, or - for standard input",
  isOptional: true,
  isVariadic: true,
  isCommandLine: true,
};

/** The guard for the directory asked for; what is wrong with the configuration is told on stderr. */
export function openForCommand(system: System, terminal: Terminal, cwd: string | undefined): ConfiguredGuard {
  const here = system.files.workingDirectory() ?? "/";
  const directory = cwd === undefined ? here : resolve(here, cwd);
  if (system.files.follow(directory)?.kind !== "directory") {
    throw new CommandError(`${directory} is not a directory`, { kind: "not-found", exitCode: 4 });
  }
  const guard = openGuard(system, directory, error =>
    terminal.warn(`Warning: no allow-once code can be offered: ${errorText(error)}\n`),
  );
  for (const notice of guard.notices) terminal.warn(`Warning: ${notice.message}\n`);
  return guard;
}

/** The command as words, or from standard input when there are none or the one word `-`. */
export function readCommand(
  { positionals, rest, system }: CommandInvocation<OptionSpecs>,
  usage: string,
): string {
  const words = [...positionals, ...rest];
  if (words.length > 0 && !(words.length === 1 && words[0] === "-")) return words.join(" ");
  if (words.length === 0 && system.stdio.isTerminal("stdin")) {
    throw usageError("a command is needed, as words or on standard input", usage, 4);
  }
  const read = system.stdio.readInput(MAX_COMMAND_BYTES);
  if (read.kind === "too-large") {
    throw new CommandError(`the command is longer than ${read.limitBytes} bytes`, { kind: "too-large" });
  }
  const text = read.kind === "bytes" ? system.text.decode(read.bytes).text.replace(/\n$/, "") : "";
  if (text === "") throw usageError("a command is needed, as words or on standard input", usage, 4);
  return text;
}

const STYLES = { allow: "green", ask: "yellow", deny: "red" } as const;

export function paintVerdict(terminal: Terminal, verdict: Verdict): string {
  return terminal.paint(STYLES[verdict], verdict.toUpperCase());
}

/** A finding for a person: what would happen, whether it can be undone, and what to run instead. */
export function findingLines(finding: Judgement["findings"][number], terminal: Terminal): readonly string[] {
  const { rule, lost, person, model, safer, verdict, atRisk } = finding;
  const kept = "In a session it passes when a copy can be kept first.";
  const text = [lost, atRisk === undefined || verdict === "deny" ? person : kept].join(" ");
  return [
    `  ${terminal.paint("bold", rule)}`,
    ...[text, ...told("instead", model), ...told("safer", safer)].flatMap(line => indented(line, terminal)),
  ];
}

/** Whether the call is understood, and what stands in the way; a refused one has its findings instead. */
export function gapLines(judgement: Judgement): readonly string[] {
  if (judgement.verdict !== "allow" || judgement.all.length > 0) return [];
  if (isUnderstood(judgement)) return ["", "understood: everything that it does is known"];
  return [
    "",
    "not understood:",
    ...judgement.gaps().map(({ kind, what, why }) => `  ${kind}: ${what}: ${why}`),
  ];
}

function told(label: string, text: string): readonly string[] {
  return text === "" ? [] : [`${label}: ${text}`];
}

function indented(text: string, terminal: Terminal): readonly string[] {
  return wrapText(text, terminal, 4).map(line => `    ${line}`);
}

export function printJudgement(judgement: Judgement, terminal: Terminal, format: string): void {
  const { verdict, findings, notes } = judgement;
  // A refusal needs one reason, the strongest; who is asked has to see all that they would agree to.
  const told = verdict === "deny" ? findings.slice(0, 1) : findings;
  const others = [...new Set(findings.slice(told.length).map(({ rule }) => rule))];
  const lines = [
    paintVerdict(terminal, verdict),
    ...told.flatMap(finding => findingLines(finding, terminal)),
    ...(others.length === 0
      ? []
      : indented(`also: ${others.join(", ")} (amplihack guard explain shows all)`, terminal)),
    ...notes.flatMap(note => indented(`note: ${note}`, terminal)),
  ];
  // What is not known of a harmless command is worked out for programs that ask, not for a person who reads one word.
  const document = format === "json" ? judgementJson(judgement) : undefined;
  terminal.printResult(format, document, `${lines.join("\n")}\n`);
}
