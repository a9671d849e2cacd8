import {
  baseName,
  components,
  couldBe,
  describe,
  dropKnown,
  endingAtOperand,
  type Followed,
  findEnvironmentValue,
  hasUnknown,
  knownPrefix,
  knownText,
  type OperationEffect,
  type Output,
  type ProgramCall,
  type ProgramEffect,
  type Programs,
  parseOptions,
  text,
  type Value,
  wordAt,
  words,
} from "../../shell/index.ts";
import { looksOfAdministration } from "../records/administration.ts";
import { knownStdin } from "../records/file-access.ts";
import { installEffects } from "../records/installs.ts";
import { isOwnName } from "../records/own-wrapper.ts";
import { effectsOfEndingAll } from "../records/processes.ts";
import { runsElsewhere } from "../records/remote.ts";
import { restoredInto } from "../records/remote-copy.ts";
import { isLocalAddress, requestOfInput, requestOfOptions } from "../records/requests.ts";
import { runNamedTasks } from "../records/task-files.ts";
import { shownSecrets } from "./asked-secrets.ts";
import { effectsOfRows, listingBehind, listReads, plainReads } from "./effects.ts";
import {
  asksForVersion,
  findOperations,
  isKnownToRows,
  isSpokenFor,
  isTrial,
  operationsOfLines,
} from "./operations.ts";
import type { OwnPrograms } from "./own-programs.ts";
import type { Operation, ParsedCall, Program } from "./program.ts";
import {
  canonicalName,
  dangerousNames,
  findDangerous,
  findOperationRows,
  findProgram,
  hasTrait,
  isBare,
  isEveryday,
  isInterpreter,
  isOfReachingField,
  namesWithTrait,
  programNames,
} from "./registry.ts";
import { runOptionText } from "./run.ts";
import { runInterpreterCode } from "./run-code.ts";
import { runOwn } from "./run-own.ts";
import {
  databaseLosses,
  findEndsAll,
  givenFiles,
  isNamedForEnding,
  operationOfOthers,
  operationOfVerbs,
  outputEffects,
  readSettings,
  runUnknown,
  saidBy,
  takenFolders,
  UNKNOWN,
} from "./unknown.ts";
import { administers, unusualWork } from "./unusual-work.ts";
import { namesEverybody, sendsMessages, skipsApproval } from "./vocabulary.ts";

const MAX_TOOLS = 3;
const NO_EFFECTS: readonly ProgramEffect[] = [];

/** Everything that is known about programs, as the shell asks for it; the user's own records come first. */
export function programsWith(own: OwnPrograms): Programs {
  return {
    follow(name, call, runs) {
      if (name === undefined) return { output: undefined, effects: guess(call) };
      if (runs && call.argv.some(word => isOwnName(knownPrefix(word)))) runOwn(name, call);
      return followProgram(name, own.find(name) ?? findProgram(name), call, runs, own.operationRowsOf(name));
    },
    interpret(name, code, operands, call, source) {
      const language =
        name === "bun" ? "javascript" : name === "other" ? "other" : findProgram(name)?.language;
      return language === undefined ? undefined : runInterpreterCode(language, code, operands, call, source);
    },
    isKnown(name) {
      const program = findProgram(name);
      return (program !== undefined && !isBare(program)) || dangerousNames().has(name);
    },
    get names() {
      return programNames();
    },
    seldomFails: name => hasTrait(name, "seldomFails"),
    runsCode: isInterpreter,
    findDangerous,
  };
}

function followProgram(
  name: string,
  program: Program | undefined,
  call: ProgramCall,
  runs: boolean,
  ownRows: readonly Operation[] = [],
): Followed {
  const parsed = parseCall(name, program, call);
  noteNames(program, parsed);
  const isOnlyHelp = asksForHelp(program, parsed);
  const effects = isOnlyHelp ? [] : collectEffects(program, parsed);
  const isUnknown = program === undefined || isBare(program);
  if (runs && isUnknown && !isOnlyHelp) runUnknown(parsed);
  if (runs && !isOnlyHelp) runNamedTasks(parsed);
  // `make --version` reads no file of the project.
  const startsNothing = isOnlyHelp && program?.is?.includes("runsTargets") === true;
  const output = runs && !startsNothing ? runProgram(program, parsed) : undefined;
  const later = isOnlyHelp ? [] : (program?.effectsAfter?.(parsed) ?? []);
  const operations = operationEffects(name, program, parsed);
  const own = ownRows.length === 0 ? NO_EFFECTS : findOperations([ownRows], name, parsed, program);
  const installs = isOnlyHelp ? NO_EFFECTS : installEffects(parsed.program, call);
  const unsaid = isOnlyHelp ? NO_EFFECTS : unsaidEffects(program, isUnknown, parsed, effects);
  const added = unsaid.length + later.length + operations.length + own.length + installs.length;
  return {
    output,
    effects: added === 0 ? effects : [...effects, ...later, ...unsaid, ...operations, ...own, ...installs],
  };
}

/** What options and texts tell beyond the record. Everyday programs tell everything. */
function unsaidEffects(
  program: Program | undefined,
  isUnknown: boolean,
  call: ParsedCall,
  effects: readonly ProgramEffect[],
): readonly ProgramEffect[] {
  if (program !== undefined && isEveryday(call.program))
    return tellsNothing(program) ? outputEffects(call, false) : NO_EFFECTS;
  const told = new Set(effects.flatMap(effect => (effect.kind === "write" ? [describe(effect.path)] : [])));
  const outputs = outputEffects(call, program?.options?.stopsAtOperand === true).filter(
    effect => effect.kind !== "write" || !told.has(describe(effect.path)),
  );
  const isClient =
    program !== undefined && (program.is?.includes("fetches") === true || program.operations !== undefined);
  const given =
    // A record that tells what is sent has read the options already.
    (isUnknown || isClient) && program?.language === undefined && !effects.some(({ kind }) => kind === "send")
      ? plainReads(givenFiles(call, program?.options?.stopsAtOperand === true, isUnknown))
      : NO_EFFECTS;
  const takesQueries = isUnknown || (program !== undefined && mayTakeQueries(program));
  const isRead = effects.some(effect => effect.kind === "operation");
  return [
    ...outputs,
    ...given,
    ...(isUnknown || isClient ? takenFolders(call, program?.takes) : NO_EFFECTS),
    ...(isUnknown || isClient ? requestOfOptions(parseOptions(call.argv, UNKNOWN), call.argv) : NO_EFFECTS),
    ...(isUnknown ? requestOfInput(call.argv.slice(1), call.stdin) : NO_EFFECTS),
    ...(isUnknown ? restoredInto(call) : NO_EFFECTS),
    ...(takesQueries && !isRead ? databaseLosses(call) : []),
    ...(program === undefined || program.is?.includes("socket") === true
      ? operationsOfLines(call.program, call)
      : NO_EFFECTS),
  ];
}

/** Of programs that are listed by their names alone nothing is known but what they usually do. */
function tellsNothing({ options, effects, run }: Program): boolean {
  return options === undefined && effects === undefined && run === undefined;
}

/** Code is read in its own language, a forge keeps texts, and what a wrapper starts is judged by itself. */
function mayTakeQueries({ language, is, options, bringsHere, harmless }: Program): boolean {
  return (
    is?.includes("keepsTexts") !== true &&
    language === undefined &&
    is?.includes("shell") !== true &&
    options?.stopsAtOperand !== true &&
    bringsHere === undefined &&
    harmless === undefined
  );
}

/** BSD's programs take everything behind the first operand for names, so there only GNU's would stop and help. */
function asksForHelp(program: Program | undefined, { options }: ParsedCall): boolean {
  if (!options.isOn("help")) return asksForVersion(options);
  const asked = options.options.find(({ name }) => name === "help");
  const [first] = options.operands;
  return program?.isGnu !== true || first === undefined || (asked?.index ?? first.index) < first.index;
}

function parseCall(name: string, program: Program | undefined, call: ProgramCall): ParsedCall {
  const argv = program?.rewrite?.(call.argv) ?? call.argv;
  const options = parseOptions(argv, program?.options ?? UNKNOWN);
  const operands = options.operandValues;
  // Every member by its name, as when the call was started.
  return {
    argv,
    isOpenEnded: call.isOpenEnded,
    cwd: call.cwd,
    stdin: call.stdin,
    environment: call.environment,
    isCleared: call.isCleared,
    redirections: call.redirections,
    declarations: call.declarations,
    place: call.place,
    isElevated: call.isElevated,
    parent: call.parent,
    isInShell: call.isInShell,
    skipsFunctions: call.skipsFunctions,
    wrappers: call.wrappers,
    span: call.span,
    scope: call.scope,
    id: call.id,
    program: canonicalName(name, program),
    options,
    operands,
  };
}

/** What is printed as a list of files, and who makes files vanish: other programs are judged by it. */
function noteNames(program: Program | undefined, call: ParsedCall): void {
  const { listings, removers } = call.scope.session;
  if (program?.is?.includes("removes") === true) removers.add(call.id);
  const listing = program?.lists?.(call) ?? passedOn(program, call);
  if (listing !== undefined) listings.set(call.id, listing);
}

function passedOn(program: Program | undefined, call: ParsedCall): ReturnType<NonNullable<Program["lists"]>> {
  if (call.stdin === undefined || program?.is?.includes("passesOn") !== true) return undefined;
  const whole = listingBehind(call.stdin, call);
  if (whole === undefined) return undefined;
  const isChosen = whole.selection === "all" && program.is.includes("selects");
  const rest = { ...whole, isSearch: false, ...(isChosen ? { selection: "some" as const } : {}) };
  return program.narrows?.(rest, call) ?? rest;
}

function runProgram(program: Program | undefined, call: ParsedCall): Output | undefined {
  if (program === undefined) return undefined;
  runShellTexts(program, call);
  return program.run?.(call);
}

/** Programs can be told, by an option, a line of their input or a variable, to start another one. */
function runShellTexts({ shellOptions, shellLines, shellVariables }: Program, call: ParsedCall): void {
  if (shellOptions !== undefined) {
    const [first, ...names] = words(shellOptions.names);
    for (const { name, value } of call.options.options) {
      if (value === undefined || (name !== first && !names.includes(name))) continue;
      const match = shellOptions.prefix?.exec(knownPrefix(value));
      if (match !== null && match !== undefined) runOptionText(dropKnown(value, match[0].length), call);
      else if (shellOptions.prefix === undefined || name !== first) runOptionText(value, call);
    }
  }
  if (shellLines !== undefined) {
    for (const content of [...call.argv.slice(1), ...knownStdin(call)]) {
      for (const match of (knownText(content) ?? "").matchAll(shellLines))
        runOptionText(text(match[1] ?? match[2] ?? ""), call);
    }
  }
  if (shellVariables === undefined) return;
  for (const name of words(shellVariables)) {
    const value = findEnvironmentValue(call, name);
    if (value !== undefined && value.pieces.length > 0) runOptionText(value, call);
  }
}

function collectEffects(program: Program | undefined, call: ParsedCall): readonly ProgramEffect[] {
  const effects = program?.effects;
  if (effects === undefined) return listReads(program, call);
  return typeof effects === "function" ? effects(call) : effectsOfRows(effects, call);
}

/** The tool that a runner starts, through a few of them. */
function toolBehind(
  name: string,
  call: ParsedCall,
): { readonly name: string; readonly argv: readonly Value[] } {
  let tool = { name, argv: call.argv };
  for (let hops = 0; hops < MAX_TOOLS; hops += 1) {
    const program = findProgram(tool.name);
    const argv =
      program?.tool?.(parseCall(tool.name, program, { ...call, argv: tool.argv })) ??
      findService(tool.argv) ??
      findScript(program, tool.argv);
    if (argv === undefined) break;
    const next = baseName(describe(wordAt(argv, 0)));
    const isSame = next === tool.name;
    tool = { name: next, argv };
    if (isSame) break;
  }
  return tool;
}

/** The operations of the tool behind runners: `bundle exec rails`, `php artisan`, `python -m alembic`. */
function operationEffects(
  name: string,
  record: Program | undefined,
  call: ParsedCall,
): readonly ProgramEffect[] {
  const tool = toolBehind(name, call);
  // Their words are files and patterns: `grep -r stop all` ends nothing, where the name of `del *` is the verb.
  const isOfFiles = isEveryday(tool.name);
  if (isOfFiles && !isNamedForEnding(tool.name)) return NO_EFFECTS;
  const found = findProgram(tool.name);
  const rows = findOperationRows(tool.name);
  const there = tool.argv === call.argv ? call : parseCall(tool.name, found, { ...call, argv: tool.argv });
  const operations = findOperations(rows, tool.name, there, found).filter(
    ({ rule }) => !/^(?:cloud\.|publish$)/.test(rule) || !isAtLocalEndpoint(there),
  );
  const known = operations.map(one => withoutQuestion(one, there));
  // What only costs money, or deploys to a place that nobody names, may do more than that.
  if (known.some(({ rule, verdict }) => !/^(?:spend|deploy)\./.test(rule) || verdict !== undefined))
    return known;
  const extension = findExtension(tool.name, there);
  if (extension !== undefined) return operationOfVerbs(extension.program, extension, false);
  const isUnknown = found === undefined ? record === undefined || tool.name !== name : isBare(found);
  const isTask = found?.is?.includes("runsTasks") === true;
  const isTarget = found?.is?.some(trait => trait === "runsTargets" || trait === "mayRunPackage") === true;
  // Rows are what is known of a program, not all that it can do: their kinds are looked for in its words as well.
  if (isSpokenFor(rows, there, found)) return known;
  const kinds = isUnknown ? undefined : kindsOfOperations(rows);
  // A record without options and rows knows no subcommand of the program.
  const hasNoVerbs = found?.options === undefined && found?.language === undefined && rows.length === 0;
  // One that only says how the program starts others knows none of its own verbs either.
  const startsOnly = !isTask && !isTarget && rows.length === 0 && tellsOnlyStarts(found);
  const isClient = (found?.changesMore === true && hasNoVerbs && !isOfFiles) || startsOnly;
  // What git drops has rules of its own, and a script of the project is judged by its text: `npm run wipe`.
  const ofOthers =
    !isTarget &&
    (kinds?.has("cloud") === true || (kinds?.has("sec") === true && !hasTrait(tool.name, "ruledApart")));
  const readsVerbs = isUnknown || isTask || isClient || ofOthers;
  // Containers are stopped as a whole every day, and processes have rules of their own.
  const endsAny = !hasTrait(tool.name, "endsDaily");
  const said: readonly ProgramEffect[] = [
    ...known,
    ...(isOfFiles ? [] : shownSecrets(tool.name, there)),
    ...(endsAny ? effectsOfEndingAll(there) : []),
    ...(endsAny && !isUnknown && !isTask && !isTarget ? findEndsAll(tool.name, there) : []),
    ...readSettings(name, call, isUnknown),
    ...(isOfFiles ? [] : [...toldToEverybody(tool.name, there), ...opened(tool.name, there, found)]),
    ...(readsVerbs
      ? operationOfVerbs(tool.name, there, !isUnknown && !isTask, isToolOfProject(name, call))
      : []),
    ...(isUnknown || isTask || isTarget
      ? operationOfOthers(tool.name, there, { isTarget: !isUnknown })
      : kinds !== undefined && (kinds.size > 0 || startsOnly)
        ? operationOfOthers(tool.name, there, startsOnly ? OF_STARTERS : { isTarget: false, only: kinds })
        : []
    ).filter(({ rule }) => known.every(one => one.rule !== rule)),
  ];
  return said.length > 0
    ? said
    : describeUnusual(tool.name, found, there, {
        isOfService: endsAny && ofOthers && kinds?.has("deploy") === true && !isKnownToRows(rows, there),
        // `python3 -m venv`: a module is no program of the machine.
        isBehindRunner: tool.name !== name,
      });
}

/** `mail -s x all@acme.com`, `acme post '@channel …'`; in a loop over names that nobody sees, to all of them. */
function toldToEverybody(name: string, call: ParsedCall): readonly OperationEffect[] {
  const { operandValues, options } = call.options;
  // A message of a commit is a text, and what a client sends is read as a request.
  if (hasTrait(name, "ruledApart") || hasTrait(name, "fetches")) return [];
  if (!sendsMessages(name, operandValues.map(describe)) || call.argv.some(isTrial)) return [];
  const recipients = options.flatMap(({ name: option, value }) =>
    value !== undefined && /^(?:to|t|number|phone|phone-number|recipients?|destination)$/.test(option)
      ? [value]
      : [],
  );
  const isMail = /mail|mutt|swaks|wall/.test(name);
  const isForAll =
    (isMail && operandValues.some(isFromList)) ||
    call.argv.slice(1).some(word => namesEverybody(describe(word))) ||
    recipients.some(isFromList);
  return isForAll ? [saidBy(name, call, [], "publish", "send it to people")] : [];
}

const LOGIN = /(?:^|[._-])(?:token|password|auth|authentication|login|security)$/i;
const NO_LOGIN = /^--?(?:no|without|disable|skip)-?(?:auth\w*|login|password|token|security)$|^--?insecure$/i;

/** For whoever reaches this machine, who need not say who they are: `--ip=0.0.0.0 --token=''`; or from anywhere. */
function opened(name: string, call: ParsedCall, found: Program | undefined): readonly OperationEffect[] {
  const shown = call.argv.map(describe);
  const isTunnel = found === undefined && shown[1] === "tunnel";
  if (!isTunnel && !shown.some(word => /(?:^|[=:])(?:0\.0\.0\.0|::|\*)(?::\d+)?$/.test(word))) return [];
  const isOpen = shown.some((word, at) => {
    const [, option = "", value] = /^--?([\w.-]+)(?:=(.*))?$/.exec(word) ?? [];
    const given = value ?? (LOGIN.test(option) ? shown[at + 1] : undefined);
    const isLeftOut = given !== undefined && /^(?:none|no|false|off|disabled)?$/i.test(given);
    return NO_LOGIN.test(word) || (LOGIN.test(option) && isLeftOut);
  });
  if (!isTunnel && !isOpen) return [];
  return [saidBy(name, call, [], "net.expose", "let others in who reach this machine")];
}

/** Taken from a file or from what another program prints. */
function isFromList(value: Value): boolean {
  return hasUnknown(value) && value.origins.some(({ kind }) => kind === "file" || kind === "program");
}

const PROGRAM = /^[A-Za-z][\w+-]*$/;

/** No list of harm has it, and still it may do some: where the machine or a service is what it works on. */
function describeUnusual(
  name: string,
  found: Program | undefined,
  call: ParsedCall,
  { isOfService, isBehindRunner }: { readonly isOfService: boolean; readonly isBehindRunner: boolean },
): readonly ProgramEffect[] {
  const looks = looksOfAdministration(name);
  // Root of a container is not root of this machine.
  const isOfRoot =
    found === undefined &&
    call.isElevated &&
    call.place.kind === "local" &&
    PROGRAM.test(name) &&
    !isBehindRunner;
  const isAdministered = looks !== undefined || isOfRoot;
  if (!(isAdministered || isOfService) || runsElsewhere(call)) return NO_EFFECTS;
  if (isAdministered) return administers(name, call, looks);
  // Simulated devices and emulated services are this machine's own.
  if (hasTrait(name, "simulates") || isAtLocalEndpoint(call)) return NO_EFFECTS;
  return found !== undefined && isOfReachingField(found) ? unusualWork(name, call) : NO_EFFECTS;
}

/** `--endpoint-url http://localhost:4566`: an emulator on this machine, which nobody else uses. */
function isAtLocalEndpoint(call: ParsedCall): boolean {
  const named = call.argv.flatMap((word, index) => {
    const [, value] = /^--(?:endpoint(?:-url)?|registry)(?:=(.*))?$/.exec(describe(word)) ?? [];
    return /^--(?:endpoint(?:-url)?|registry)$/.test(describe(word))
      ? [describe(wordAt(call.argv, index + 1))]
      : (value ?? []);
  });
  const set = findEnvironmentValue(call, "AWS_ENDPOINT_URL");
  return [...named, ...(set === undefined ? [] : [describe(set)])].some(isLocalAddress);
}

/** `npx nx reset`: what a package of the project resets, the project made. */
function isToolOfProject(name: string, { parent, scope }: ProgramCall): boolean {
  const starter = parent === undefined ? undefined : scope.session.invocations[parent.invocation]?.program;
  return [name, starter].some(one => hasTrait(one, "mayRunPackage"));
}

const OF_STARTERS = { isTarget: false, isNamed: true, only: new Set(["publish", "grant"]) } as const;

function tellsOnlyStarts(program: Program | undefined): boolean {
  return (
    program?.run !== undefined &&
    program.effects === undefined &&
    program.language === undefined &&
    program.options?.stopsAtOperand !== true &&
    program.is?.includes("readsNothing") === true &&
    !program.is.includes("shell")
  );
}

/** A subcommand that is not its own is a program of others: `git town delete x` is `git-town delete x`. */
function findExtension(name: string, call: ParsedCall): ParsedCall | undefined {
  const record = findProgram(name);
  const [first] = record?.isSubcommand === undefined ? [] : call.operands;
  const subcommand = first === undefined ? undefined : describe(first);
  if (subcommand === undefined || record?.isSubcommand?.(subcommand) === true) return undefined;
  const at = call.argv.findIndex(word => describe(word) === subcommand);
  const argv = call.argv.slice(at);
  return { ...call, program: `${name}-${subcommand}`, argv, options: parseOptions(argv, UNKNOWN) };
}

/** A deploy that nobody is asked about on its way is one to production. */
function withoutQuestion(effect: OperationEffect, { options }: ParsedCall): OperationEffect {
  if (effect.rule !== "deploy.production") return effect;
  const isSkipped = options.options.some(({ name, value }) =>
    skipsApproval(name, value === undefined ? undefined : describe(value)),
  );
  return isSkipped ? { verdict: "ask", ...effect } : effect;
}

const kindsOfRows = new WeakMap<object, ReadonlySet<string>>();

function kindsOfOperations(rows: readonly (readonly Operation[])[]): ReadonlySet<string> {
  const known = kindsOfRows.get(rows);
  if (known !== undefined) return known;
  const rules = rows.flatMap(some => some.map(({ rule }) => rule));
  const kinds = new Set<string>(rules.map(rule => rule.slice(0, rule.indexOf("."))));
  // What belongs to others can be changed and given away; a database is migrated.
  if (kinds.has("cloud")) for (const kind of ["deploy", "grant"]) kinds.add(kind);
  else if (kinds.has("db")) kinds.add("deploy");
  else if (!kinds.has("grant")) kinds.delete("deploy");
  if (rules.some(rule => /^cloud\.(?:platform|resource|infra)$/.test(rule))) kinds.add("spend");
  kindsOfRows.set(rows, kinds);
  return kinds;
}

/** `node cli.js users delete`: the script is the program, and what stands behind it its words. */
function findScript(program: Program | undefined, argv: readonly Value[]): readonly Value[] | undefined {
  // The first word of sed and awk is code, which only looks like a path: `s/a/b/`.
  if (program?.language === undefined || program.options === undefined || program.is?.includes("selects"))
    return undefined;
  const [script] = parseOptions(argv, endingAtOperand(program.options)).operands;
  return script !== undefined && /\/|\.\w+$/.test(knownPrefix(script.value))
    ? argv.slice(script.index)
    : undefined;
}

/** `/etc/init.d/ssh stop` is `service ssh stop`. */
function findService(argv: readonly Value[]): readonly Value[] | undefined {
  const script = /^\/etc\/(?:rc\.d\/)?init\.d\/([^/]+)$/.exec(describe(wordAt(argv, 0)))?.[1];
  return script === undefined || argv.length < 2
    ? undefined
    : [text("service"), text(script), ...argv.slice(1)];
}

/** A pattern in the place of the name (`/bin/r?`) is judged as every program it could be that does harm by itself. */
function guess(call: ProgramCall): readonly ProgramEffect[] {
  const [word] = call.argv;
  if (word === undefined || !word.pieces.some(piece => piece.kind === "glob")) return [];
  const last = { pieces: components(word).at(-1) ?? [], origins: [] };
  return namesWithTrait("guessed")
    .filter(name => couldBe(last, name))
    .flatMap(name => followProgram(name, findProgram(name), call, false).effects);
}
