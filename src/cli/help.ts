import { wrapWords } from "../text/index.ts";
import { COMMAND_GROUPS, type Command, isFamily, type LeafCommand, type OptionSpec } from "./command.ts";
import { GLOBAL_OPTIONS } from "./parse.ts";
import type { Terminal } from "./terminal.ts";

const MAX_WIDTH = 100;

/** The help page of one command; `path` is how it is typed. */
export function commandHelp(command: Command, path: string, terminal: Terminal): string {
  const heading = (text: string): string => terminal.paint("bold", text);
  const width = helpWidth(terminal);
  const table = (rows: readonly Row[]): string => alignedRows(rows, width);
  const sections = [wrapped(`${path}: ${command.summary}`, width)];
  sections.push(`${heading("Usage:")}\n  ${usageLine(command, path)}`);
  if (command.details !== undefined) sections.push(wrapped(command.details.trim(), width));
  if (isFamily(command)) {
    const rows = command.subcommands.map(sub => [sub.name, sub.summary] as const);
    sections.push(`${heading("Commands:")}\n${table(rows)}`);
    const { initial } = command;
    if (initial !== undefined)
      sections.push(`${heading(`Options of ${path} alone:`)}\n${table(optionRows(initial.options))}`);
  } else {
    const positionals = (command.positionals ?? []).map(spec => [spec.name, spec.summary] as const);
    if (positionals.length > 0) sections.push(`${heading("Arguments:")}\n${table(positionals)}`);
    const options = optionRows(command.options);
    if (options.length > 0) sections.push(`${heading("Options:")}\n${table(options)}`);
  }
  sections.push(`${heading("Everywhere:")}\n${table(optionRows(GLOBAL_OPTIONS))}`);
  const examples = Object.entries(command.examples).map(
    ([line, does]) => `  ${line}\n${wrapped(does, width - 6).replace(/^/gm, "      ")}`,
  );
  sections.push(`${heading("Examples:")}\n${examples.join("\n")}`);
  return `${sections.join("\n\n")}\n`;
}

export function overviewHelp(
  commands: readonly Pick<Command, "name" | "summary" | "group">[],
  terminal: Terminal,
): string {
  const table = (rows: readonly Row[]): string => alignedRows(rows, helpWidth(terminal));
  const sections = [
    wrapped(
      "amplihack: stops coding agents from losing your work, and undoes what they did",
      helpWidth(terminal),
    ),
    `${terminal.paint("bold", "Usage:")}\n  amplihack COMMAND [OPTIONS] [ARGUMENTS]`,
  ];
  for (const group of COMMAND_GROUPS) {
    const rows = commands.filter(one => one.group === group).map(one => [one.name, one.summary] as const);
    if (rows.length > 0) sections.push(`${terminal.paint("bold", `${group}:`)}\n${table(rows)}`);
  }
  sections.push(`${terminal.paint("bold", "Everywhere:")}\n${table(optionRows(GLOBAL_OPTIONS))}`);
  sections.push(`${terminal.paint("bold", "Begin with:")}\n${table(FIRST_STEPS)}`);
  return `${sections.join("\n\n")}\n`;
}

const FIRST_STEPS: readonly Row[] = [
  ["amplihack demo", "see it at work; touches nothing of yours"],
  ["amplihack install", "register with the agents on this machine"],
  ["amplihack undo", "take back what an agent did"],
  ["amplihack guard test 'rm -rf ~'", "ask what the guard says to a command"],
  ["amplihack COMMAND --help", "everything about one command"],
];

function usageLine(command: Command, path: string): string {
  if (isFamily(command)) {
    return command.initial === undefined ? `${path} COMMAND …` : `${path} [OPTIONS]\n  ${path} COMMAND …`;
  }
  const words = [path];
  for (const [name, spec] of Object.entries(command.options)) {
    if (spec.kind === "string" && spec.isRequired === true) words.push(`--${name} ${spec.label}`);
  }
  if (Object.values(command.options).some(spec => spec.isHidden !== true)) words.push("[OPTIONS]");
  for (const spec of command.positionals ?? []) {
    const name = spec.isVariadic === true ? `${spec.name}…` : spec.name;
    words.push(spec.isOptional === true ? `[${name}]` : name);
  }
  if (command.wordsBehind !== undefined) words.push(command.wordsBehind);
  if (command.isPassThrough === true) words.push("[--] [ARGUMENTS OF THE AGENT…]");
  return words.join(" ");
}

function optionRows(options: LeafCommand["options"]): Row[] {
  return Object.entries(options)
    .filter(([, spec]) => spec.isHidden !== true)
    .map(([name, spec]) => [optionLabel(name, spec), optionSummary(spec)] as const);
}

function optionLabel(name: string, spec: OptionSpec): string {
  const short = spec.short === undefined ? "    " : `-${spec.short}, `;
  if (spec.kind === "boolean") return `${short}--${name}`;
  if (spec.kind === "choice") return `${short}--${name} ${spec.choices.join("|")}`;
  return `${short}--${name} ${"bare" in spec ? `[${spec.label}]` : spec.label}`;
}

function optionSummary(spec: OptionSpec): string {
  if (spec.kind === "choice" && spec.initial !== undefined)
    return `${spec.summary} (${spec.initial} by default)`;
  return spec.kind === "string" && spec.isRepeatable === true
    ? `${spec.summary}; may be repeated`
    : spec.summary;
}

type Row = readonly [string, string];

/** No wider than can be read well; unlimited where it does not go to a terminal. */
function helpWidth({ columns }: Terminal): number {
  return columns === undefined ? Number.POSITIVE_INFINITY : Math.min(columns, MAX_WIDTH);
}

/** Wraps paragraphs to the width; indented lines are kept. */
function wrapped(text: string, width: number): string {
  if (width === Number.POSITIVE_INFINITY) return text;
  const paragraphs: string[] = [];
  let isOpen = false;
  for (const line of text.split("\n")) {
    const isFlowing = line !== "" && !line.startsWith(" ");
    if (isFlowing && isOpen) paragraphs[paragraphs.length - 1] += ` ${line}`;
    else paragraphs.push(line);
    isOpen = isFlowing;
  }
  return paragraphs.map(part => (part.startsWith(" ") ? part : wrapWords(part, width).join("\n"))).join("\n");
}

function alignedRows(rows: readonly Row[], width: number): string {
  const left = Math.min(34, Math.max(...rows.map(([label]) => label.length)));
  const gap = `\n${" ".repeat(left + 4)}`;
  return rows
    .map(([label, text]) => {
      const lines = width === Number.POSITIVE_INFINITY ? [text] : wrapWords(text, width - left - 4);
      return label.length > left
        ? `  ${label}${gap}${lines.join(gap)}`
        : `  ${label.padEnd(left)}  ${lines.join(gap)}`;
    })
    .join("\n");
}
