import type { OperationRule } from "../../config/index.ts";
import {
  callEnvironment,
  describe,
  hasUnknown,
  type Invocation,
  knownText,
  type OperationEffect,
  type OptionGrammar,
  type ParsedOptions,
  type ProgramCall,
  parseOptions,
  type Value,
  words,
} from "../../shell/index.ts";
import { compileGlob, type Glob, matchesGlob } from "../../system/index.ts";
import { namesOfRow, type Operation, type OperationRow, type ParsedCall, type Program } from "./program.ts";
import { readRow } from "./text-table.ts";
import { destroyingVerb, isResource, type Said, singular } from "./vocabulary.ts";

const DRY_RUN = words("dry-run dry dryrun what-if whatif simulate preview");
const TELLING = ["help", ...DRY_RUN];
const DEFAULT_OPTIONS: OptionGrammar = { abbreviates: false, flags: `help ${DRY_RUN.join(" ")}` };
const VALUED_OPTIONS: OptionGrammar = {
  abbreviates: false,
  isSingleDash: true,
  unknownTakesValue: true,
  flags: `help ${DRY_RUN.join(" ")}`,
};
const CMDLET_OPTIONS: OptionGrammar = {
  isSingleDash: true,
  isCmdlet: true,
  unknownTakesValue: true,
  flags: "whatif confirm force help",
};
const CMDLET =
  /^(?:add|clear|disable|format|initialize|new|remove|reset|restart|set|stop|suspend|uninstall)-[a-z]+$/;

const CELLS = [
  "needs",
  "unless",
  "free on",
  "of unknown",
  "answered",
  "ask",
  "deny",
  "safer",
  "stops",
  "passes",
] as const;
const read = new WeakMap<Program, readonly Operation[]>();

/** The operations of a record, for all of its names. */
export function operationsOfRecord(program: Program): readonly Operation[] {
  const known = read.get(program);
  if (known !== undefined) return known;
  const operations = (program.operations ?? []).map(row => readOperation(row, program.names));
  read.set(program, operations);
  return operations;
}

/** The programs that a command names: `docker|podman volume rm`. */
export function listPrograms(command: string): readonly string[] {
  return command.slice(0, `${command} `.indexOf(" ")).split("|");
}

function readOperation(row: OperationRow, ofRecord: string): Operation {
  const some = namesOfRow(row);
  const { columns, cells } = readRow(some === "" ? row : row.slice(some.length + 2), 2, CELLS);
  const [first = "", what = ""] = columns;
  const [rule = "", ...operands] = first.split(" ");
  const { needs, unless, safer, "free on": freeOn } = cells;
  const verdict = cells.deny !== undefined ? "deny" : cells.ask !== undefined ? "ask" : undefined;
  const names = words(some === "" ? ofRecord : some).join("|");
  return {
    rule: rule as OperationRule,
    command: operands[0] === "-" ? names : [names, ...operands].join(" "),
    what,
    // Against a test database they may.
    ...(rule.startsWith("db.") || rule === "cloud.container" || rule === "cloud.cluster"
      ? { isFreeInTests: true }
      : {}),
    ...(needs === undefined ? {} : { needs }),
    ...(unless === undefined ? {} : { unless }),
    ...(freeOn === undefined ? {} : { freeOn }),
    ...(safer === undefined ? {} : { safer }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(cells.stops === undefined ? {} : { stops: cells.stops }),
    ...(cells.passes === undefined ? {} : { passes: cells.passes }),
    ...(cells["of unknown"] === undefined ? {} : { ofUnknown: true }),
    ...(cells.answered === undefined ? {} : { isAnswered: true }),
  };
}

/** The operations that this call is, at most one of each group of rows. */
export function findOperations(
  groups: readonly (readonly Operation[])[],
  program: string,
  call: ProgramCall,
  record: Program | undefined,
): readonly OperationEffect[] {
  if (groups.length === 0) return [];
  const grammar = findGrammar(record);
  // Without a grammar, a word behind an option may be its value or not: `alembic -c x.ini downgrade base`.
  const readings = (grammar === undefined ? guessesFor(program) : [grammar])
    .map(guess => parseOptions(call.argv, guess))
    .filter(options => !onlyTells(options))
    .map(options => ({ options, shown: options.operandValues.map(describe) }));
  const found: OperationEffect[] = [];
  for (const rows of groups) {
    for (const { options, shown } of readings) {
      const operation = findOperation(rows, program, call, options, shown, record);
      if (operation === undefined) continue;
      found.push(operation);
      break;
    }
  }
  return found;
}

/** Operations have options behind their operands, so a grammar that ends at the first one does not serve them. */
function findGrammar(program: Program | undefined): OptionGrammar | undefined {
  return program?.options?.stopsAtOperand === true ? undefined : program?.options;
}

function guessesFor(program: string): readonly OptionGrammar[] {
  return CMDLET.test(program.toLowerCase()) ? [CMDLET_OPTIONS] : [DEFAULT_OPTIONS, VALUED_OPTIONS];
}

function findOperation(
  rows: readonly Operation[],
  program: string,
  call: ProgramCall,
  options: ParsedOptions,
  shown: readonly string[],
  record: Program | undefined,
): OperationEffect | undefined {
  const operands = options.operandValues;
  for (const operation of rows) {
    const matched = matchOperands(operandPattern(operation), shown);
    if (matched === undefined || !applies(operation, matched, operands, options, call, record)) continue;
    const { rule, what, safer, verdict } = operation;
    return {
      kind: "operation",
      rule,
      what,
      target: [program, ...call.argv.slice(1).map(describe)].join(" "),
      rest: shown.slice(matched).join(" "),
      names: [...listNames(call, options, shown), ...chosenBefore(record, call)],
      ...(safer === undefined ? {} : { safer }),
      ...(verdict === undefined ? {} : { verdict }),
    };
  }
  return undefined;
}

/** Whether a row is about these words and says when they are free: `unless`, `free on`; or all is free where it is done. */
export function isSpokenFor(
  rows: readonly (readonly Operation[])[],
  call: ParsedCall,
  record: Program | undefined,
): boolean {
  if (choosesOwnCluster(call, record)) return true;
  const { options } = call;
  let operands: readonly string[] | undefined;
  const isAbout = (operation: Operation): boolean => {
    const { unless, freeOn } = operation;
    if (unless === undefined && freeOn === undefined) return false;
    operands ??= options.operandValues.map(describe);
    const matched = matchOperands(operandPattern(operation), operands);
    if (matched === undefined) return false;
    return isFree(operation, operands, matched) || (unless !== undefined && options.isOn(...words(unless)));
  };
  return rows.some(some => some.some(isAbout));
}

/** Whether a row is about these words, and something it needs is not there: then they are known, and harmless. */
export function isKnownToRows(rows: readonly (readonly Operation[])[], { options }: ParsedCall): boolean {
  const operands = options.operandValues.map(describe);
  return rows.flat().some(operation => {
    const pattern = operandPattern(operation);
    const open = pattern.findIndex(({ isLoose, globs }) => isLoose || globs.length > 0);
    const named = open < 0 ? pattern : pattern.slice(0, open);
    // One word with anything behind it says little: `iam *`.
    const isNamed = named.length > 1 || (named.length === 1 && open < 0);
    return isNamed && matchOperands(named, operands) !== undefined;
  });
}

function applies(
  operation: Operation,
  matched: number,
  operands: readonly Value[],
  options: ParsedOptions,
  call: ProgramCall,
  record: Program | undefined,
): boolean {
  const { unless, needs, isAnswered, ofUnknown, isFreeInTests } = operation;
  if (unless !== undefined && options.isOn(...words(unless))) return false;
  // Behind an option that nobody knows it may be read as a value.
  if (unless?.includes("dry") === true && call.argv.some(isTrial)) return false;
  const hasNeeds = needs?.split("+").every(group => words(group).some(need => hasOption(options, need)));
  if (hasNeeds === false) return false;
  if (operation.freeOn !== undefined && isFree(operation, operands.map(describe), matched)) return false;
  if (isAnswered === true && !isFed(call)) return false;
  if (
    isFreeInTests === true &&
    (isTestRun(call) || choosesTests(call) || choosesOwnCluster(call, record) || startsItself(call))
  )
    return false;
  return ofUnknown !== true || call.isOpenEnded || operands.slice(matched).some(hasUnknown);
}

/** What stands in the place of an operand, word by word or as patterns; `isLoose`: others may stand before it. */
interface OperandPattern {
  readonly isLoose: boolean;
  readonly words: readonly string[];
  readonly globs: readonly Glob[];
}

const WILDCARD = /[*?[\\]/;
const patterns = new WeakMap<Operation, readonly OperandPattern[]>();

function operandPattern(operation: Operation): readonly OperandPattern[] {
  const known = patterns.get(operation);
  if (known !== undefined) return known;
  const [, ...parts] = operation.command.split(" ");
  const pattern = parts.map(part => {
    const isLoose = part.startsWith("…");
    const choices = (isLoose ? part.slice(1) : part).split("|");
    return {
      isLoose,
      words: choices.filter(choice => !WILDCARD.test(choice)),
      globs: choices.filter(choice => WILDCARD.test(choice)).map(choice => compileGlob(choice, "fnmatch")),
    };
  });
  patterns.set(operation, pattern);
  return pattern;
}

/** How many operands the pattern takes; undefined when it does not match. */
function matchOperands(pattern: readonly OperandPattern[], operands: readonly string[]): number | undefined {
  let position = 0;
  for (const place of pattern) {
    if (place.isLoose) while (position < operands.length && !fits(place, operands[position])) position += 1;
    if (position >= operands.length || !fits(place, operands[position])) return undefined;
    position += 1;
  }
  return position;
}

function fits({ words, globs }: OperandPattern, operand = ""): boolean {
  return words.includes(operand) || (globs.length > 0 && globs.some(glob => matchesGlob(glob, operand)));
}

/** By its last operand; `pod web-*`: by a kind and then by each of the names behind it. */
function isFree({ freeOn }: Operation, operands: readonly string[], matched: number): boolean {
  const free = freeOn?.split("|") ?? [];
  const [kind = "", ...named] = operands.slice(matched);
  const isOfKind = (name: string) => free.some(one => matchesPattern(one, `${kind} ${name}`));
  return (
    free.some(one => !one.includes(" ") && matchesPattern(one, operands.at(-1) ?? "")) ||
    (named.length > 0 && named.every(isOfKind))
  );
}

function matchesPattern(pattern: string, text: string): boolean {
  return matchesGlob(compileGlob(pattern, "fnmatch"), text);
}

function hasOption(options: ParsedOptions, need: string): boolean {
  const [name = "", wanted] = need.split("=");
  if (wanted === undefined) return options.mayBeOn(name);
  return options.valuesOf(name).some(value => matchesPattern(wanted, describe(value)));
}

/** Nothing is done: it is only said what would be. */
export function isTrial(word: Value): boolean {
  const shown = describe(word);
  return shown.startsWith("--") && /^--(?:dry(?:[-_]?run)?|what-?if|simulate|validate[-_]only)$/.test(shown);
}

/** Only looks, or helps. A version is asked for in front of everything; further on it is one that the command is about. */
export function onlyTells(parsed: ParsedOptions): boolean {
  return parsed.options.length > 0 && (parsed.isOn(...TELLING) || asksForVersion(parsed));
}

export function asksForVersion({ options, operands }: ParsedOptions): boolean {
  const [first] = operands;
  return options.some(
    ({ name, value, index, mayBeValue }) =>
      name === "version" &&
      value === undefined &&
      !mayBeValue &&
      (first === undefined || index < first.index),
  );
}

/** Every word that may name a place: option values, operands, and variables that choose an environment. */
export function listNames(
  call: ProgramCall,
  { options }: ParsedOptions,
  operands: readonly string[],
): readonly string[] {
  const values = options.flatMap(({ value }) => (value === undefined ? [] : [describe(value)]));
  return [...values, ...operands, ...placeNames(call), ...directoryName(call.cwd)];
}

/** Values of variables that choose an environment or a host. */
export function placeNames(call: ProgramCall): readonly string[] {
  return callEnvironment(call).flatMap(({ name, value }) =>
    value === undefined || !PLACE_VARIABLE.test(name) ? [] : [describe(value)],
  );
}

const PLACE_VARIABLE =
  /(_ENV|PROFILE|CONTEXT|NAMESPACE|PROJECT|KUBECONFIG|WORKSPACE|DATABASE_URL|STAGE|ENVIRONMENT|HOST)$/;

function isFed({ stdin, redirections }: ProgramCall): boolean {
  const files = redirections
    .filter(({ operation }) => operation === "read")
    .map(({ target }) => describe(target));
  if (files.includes("/dev/null")) return false;
  return files.length > 0 || (stdin !== undefined && stdin.pieces.length > 0);
}

export function isTestRun(call: ProgramCall): boolean {
  return callEnvironment(call).some(
    ({ name, value }) => name.endsWith("_ENV") && value !== undefined && describe(value) === "test",
  );
}

/** A name that says that what it names is made for tests, and made again by the next run. */
export function isForTests(name: string): boolean {
  return /(?:^|[^a-z])(?:tests?|testing|ci|e2e)(?:[^a-z]|$)/i.test(name) && !/prod|live/i.test(name);
}

/** Options that name the file, project or environment that a command works on, wherever among its words they stand. */
const CHOOSER = /^(?:-[fnpeE]|--(?:file|namespace|project-name|env|environment|dotenv))(?:=(.*))?$/s;

function choosesTests({ argv }: ProgramCall): boolean {
  const given = argv.map(describe);
  const chosen = given.flatMap((word, index) => {
    const found = CHOOSER.exec(word);
    const next = given[index + 1] ?? "-";
    return found === null ? [] : (found[1] ?? (next.startsWith("-") ? [] : next));
  });
  return chosen.length > 0 && chosen.every(isForTests);
}

/** Names that the makers of clusters on this machine give to their contexts: such a cluster is made again. */
export const OWN_CLUSTER =
  /^(?:kind-[\w-]+|k3d-[\w-]+|minikube|docker-desktop|docker-for-desktop|rancher-desktop|orbstack|colima(?:-[\w-]+)?)$/;

/** `--context kind-dev`, also chosen by an earlier part of the same text. */
function choosesOwnCluster(call: ProgramCall, record: Program | undefined): boolean {
  const given = call.argv.map(describe);
  const named = given.flatMap((word, index) => {
    const found = /^--(?:kube-?)?context(?:=(.*))?$/s.exec(word);
    return found === null ? [] : [found[1] ?? given[index + 1] ?? ""];
  });
  const chosen = named.at(-1) ?? chosenBefore(record, call).at(-1);
  return chosen !== undefined && OWN_CLUSTER.test(chosen);
}

/** `supabase start && supabase db reset`: without an option that says where, it is what was started here. */
function startsItself({ id, argv, scope }: ProgramCall): boolean {
  const [name = "", ...given] = argv.map(describe);
  return (
    given.every(word => /^\w/.test(word)) &&
    scope.session.invocations.slice(0, id).some(one => one.argv.map(describe).join(" ") === `${name} start`)
  );
}

/** A directory such as `envs/prod` chooses what terraform works on. */
function directoryName(cwd: Value): readonly string[] {
  const shown = describe(cwd);
  return shown === "" ? [] : [shown.slice(shown.lastIndexOf("/") + 1)];
}

/** Names of contexts, workspaces and projects that the same text went to before. */
function chosenBefore(record: Program | undefined, { id, scope }: ProgramCall): readonly string[] {
  const chooser = record?.chosenBy;
  if (chooser === undefined) return [];
  return scope.session.invocations.slice(0, id).flatMap(({ program: name, argv }: Invocation) => {
    const line = [name ?? "", ...argv.slice(1).map(describe)].join(" ");
    return chooser.test(line) ? [line.slice(line.lastIndexOf(" ") + 1)] : [];
  });
}

const MAX_LINES = 40;
const MAX_LINE_WORDS = 8;

/** Consoles take their commands from their input: `console <<< 'purge volume=x'`, `nsupdate <<< 'update delete x A'`. */
export function operationsOfLines(program: string, call: ParsedCall): readonly OperationEffect[] {
  const lines = (call.stdin === undefined ? "" : (knownText(call.stdin) ?? "")).split(/[\n;]/, MAX_LINES);
  for (const line of lines) {
    const said = line.trim().split(/\s+/);
    const at = said
      .slice(0, 2)
      .map(destroyingVerb)
      .findIndex((verb, index) => verb !== undefined && verb === said[index]);
    const noun = said[at + 1] ?? "";
    // A sentence goes on with words, a command with a thing or its name.
    const isNamed = /[=./:\d]/.test(noun) || isResource(singular(noun));
    const isCommand =
      at === 0 ? isNamed : at === 1 && /^(?:update|record|zone|volume|job|set)$/.test(said[0] ?? "");
    // A directory is told by a member what is done to an entry.
    const isEntry = /^changetype:\s*(?:delete|modify|modrdn)$/i.test(line.trim());
    if (isEntry || (at >= 0 && isCommand && said.length <= MAX_LINE_WORDS))
      return [
        {
          kind: "operation",
          rule: "cloud.other",
          what: isEntry ? "change an entry for everybody" : `${said[at]} something`,
          target: `${program}: ${line.trim()}`,
          names: listNames(call, call.options, said),
        },
      ];
  }
  return [];
}

/** `update realm -s bruteForceProtected=false`: members that are set one by one. */
export function assignmentsIn(argv: readonly Value[]): Said["options"] {
  return argv.slice(1).flatMap(word => {
    const shown = describe(word);
    if (!shown.includes("=")) return [];
    const [, name, value] = /^([A-Za-z][\w.-]*)=(\S+)$/.exec(shown) ?? [];
    return name === undefined ? [] : [{ name, value }];
  });
}
