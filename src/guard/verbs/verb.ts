import type { Invocation, ShellFacts } from "../../shell/facts.ts";
import { type OptionSpec, type ParsedOptions, parseOptions } from "../../shell/options.ts";
import { describe, hasUnknown, type Value } from "../../shell/value.ts";
import type { Actor, CommandEffect } from "../effects.ts";
import { lookUp } from "../look-up.ts";
import { globMatches } from "../paths/match.ts";
import { words } from "../words.ts";
import { chosenBefore } from "./chosen.ts";

/**
 * One line of a table: a form of a command that destroys, reveals or publishes something.
 * `command` is program and operands in order: `docker volume rm|prune`, `aws * delete-*`; `…` before a word lets
 * any operands stand between. `needs` names options of which one must be there (a `+` starts another such group),
 * `unless` such that make it harmless.
 */
export interface Verb {
  readonly command: string;
  readonly rule: string;
  readonly what: string;
  readonly needs?: string;
  readonly unless?: string;
  /** only when an operand is unknown or comes from a list: `rm -f $(docker ps -aq)` */
  readonly ofUnknown?: boolean;
  /** only when its question is answered by what is fed to it: `yes yes | terraform apply` */
  readonly isAnswered?: boolean;
  /** a last operand like this makes it harmless */
  readonly freeOn?: string;
  readonly safer?: string;
  /** instead of the rule's own */
  readonly verdict?: "ask" | "deny";
}

/** How the programs of a table read their options; keys are program names. */
export type VerbOptions = Readonly<Record<string, OptionSpec>>;

const DRY_RUN = words("dry-run dryrun what-if whatif simulate preview help version");

export interface VerbTable {
  /** with RAILS_ENV=test and the like nothing of worth is touched */
  readonly isFreeInTests?: boolean;
  readonly verbs: readonly Verb[];
  readonly options: VerbOptions;
}

export function effectsOfVerbs(
  table: VerbTable,
  program: string,
  invocation: Invocation,
  by: Actor,
  facts: ShellFacts,
): readonly CommandEffect[] {
  // Cmdlets are written in any case.
  const rows = rowsOf(table).get(program) ?? rowsOf(table).get(program.toLowerCase());
  if (rows === undefined) return [];
  const spec = lookUp(table.options, program);
  if (spec !== undefined) return effectsOfRows(rows, table, program, invocation, by, facts, spec);
  // Without a table of options, a word behind one may be its value or not: `alembic -c x.ini downgrade base`.
  for (const guess of [DEFAULT_OPTIONS, VALUED_OPTIONS]) {
    const effects = effectsOfRows(rows, table, program, invocation, by, facts, guess);
    if (effects.length > 0) return effects;
  }
  return [];
}

function effectsOfRows(
  rows: readonly Row[],
  table: VerbTable,
  program: string,
  invocation: Invocation,
  by: Actor,
  facts: ShellFacts,
  spec: OptionSpec,
): readonly CommandEffect[] {
  const options = parseOptions(invocation.argv, spec);
  if (isDryRun(options) || (table.isFreeInTests === true && isTestRun(invocation))) return [];
  const operands = options.operands.map(operand => operand.value);
  const shown = operands.map(describe);
  const found = rows.find(({ verb, pattern }) => {
    const matched = matchOperands(pattern, shown);
    if (matched === undefined || !optionsFit(verb, options)) return false;
    if (verb.freeOn?.split("|").some(free => globMatches(free, shown.at(-1) ?? "")) === true) return false;
    if (verb.isAnswered === true && !isFed(invocation)) return false;
    return verb.ofUnknown !== true || invocation.isOpenEnded || operands.slice(matched).some(hasUnknown);
  });
  if (found === undefined) return [];
  const { verb, pattern } = found;
  return [
    {
      kind: "operation",
      by,
      rule: verb.rule,
      what: verb.what,
      target: [program, ...invocation.argv.slice(1).map(describe)].join(" "),
      rest: shown.slice(matchOperands(pattern, shown)).join(" "),
      names: [...namesIn(invocation, options, shown), ...chosenBefore(facts, program, invocation.id)],
      ...(verb.safer === undefined ? {} : { safer: verb.safer }),
      ...(verb.verdict === undefined ? {} : { verdict: verb.verdict }),
    },
  ];
}

const DEFAULT_OPTIONS: OptionSpec = { abbreviates: false };
const VALUED_OPTIONS: OptionSpec = {
  abbreviates: false,
  isSingleDash: true,
  unknownTakesValue: true,
  flags: [...DRY_RUN],
};

interface Row {
  readonly verb: Verb;
  readonly pattern: readonly string[];
}

const compiled = new WeakMap<VerbTable, ReadonlyMap<string, readonly Row[]>>();

function rowsOf(table: VerbTable): ReadonlyMap<string, readonly Row[]> {
  const made = compiled.get(table);
  if (made !== undefined) return made;
  const rows = new Map<string, Row[]>();
  for (const verb of table.verbs) {
    const [programs = "", ...pattern] = verb.command.split(" ");
    for (const program of programs.split("|")) {
      const list = rows.get(program) ?? [];
      list.push({ verb, pattern });
      rows.set(program, list);
    }
  }
  compiled.set(table, rows);
  return rows;
}

/** How many operands the pattern takes; undefined when it does not match. */
function matchOperands(pattern: readonly string[], operands: readonly string[]): number | undefined {
  let position = 0;
  for (const part of pattern) {
    const isLoose = part.startsWith("…");
    const choices = (isLoose ? part.slice(1) : part).split("|");
    const fits = (index: number) => choices.some(choice => globMatches(choice, operands[index] ?? ""));
    if (isLoose) while (position < operands.length && !fits(position)) position += 1;
    if (position >= operands.length || !fits(position)) return undefined;
    position += 1;
  }
  return position;
}

function optionsFit(verb: Verb, options: ParsedOptions): boolean {
  if (verb.unless !== undefined && options.has(...words(verb.unless))) return false;
  if (verb.needs === undefined) return true;
  return verb.needs.split("+").every(group => words(group).some(need => hasOption(options, need)));
}

function hasOption(options: ParsedOptions, need: string): boolean {
  const [name = "", wanted] = need.split("=");
  if (wanted === undefined) return options.has(name);
  return options.valuesOf(name).some(value => globMatches(wanted, describe(value)));
}

export function isDryRun(options: ParsedOptions): boolean {
  return options.options.some(option => {
    if (!DRY_RUN.includes(option.name)) return false;
    return !(option.value !== undefined && /^(none|false|0|no)$/i.test(describe(option.value)));
  });
}

/** Every word that may name a place: option values, operands, and variables that choose an environment. */
function namesIn(
  invocation: Invocation,
  options: ParsedOptions,
  operands: readonly string[],
): readonly string[] {
  const values = options.options.flatMap(option =>
    option.value === undefined ? [] : [describe(option.value)],
  );
  return [...values, ...operands, ...placeNames(invocation), ...describeDirectory(invocation.cwd)];
}

/** Values of variables that choose an environment or a host. */
export function placeNames(invocation: Invocation): readonly string[] {
  return invocation.environment.flatMap(({ name, value }) =>
    value === undefined || !isPlaceVariable(name) ? [] : [describe(value)],
  );
}

function isFed({ stdin, redirections }: Invocation): boolean {
  const files = redirections
    .filter(({ operation }) => operation === "read")
    .map(({ target }) => describe(target));
  if (files.includes("/dev/null")) return false;
  return files.length > 0 || (stdin !== undefined && stdin.pieces.length > 0);
}

function isTestRun(invocation: Invocation): boolean {
  return invocation.environment.some(
    ({ name, value }) => name.endsWith("_ENV") && value !== undefined && describe(value) === "test",
  );
}

function isPlaceVariable(name: string): boolean {
  return /(_ENV|PROFILE|CONTEXT|NAMESPACE|PROJECT|KUBECONFIG|WORKSPACE|DATABASE_URL|STAGE|ENVIRONMENT|HOST)$/.test(
    name,
  );
}

/** A directory such as `envs/prod` chooses what terraform works on. */
function describeDirectory(cwd: Value): readonly string[] {
  const shown = describe(cwd);
  return shown === "" ? [] : [shown.slice(shown.lastIndexOf("/") + 1)];
}
