import { readMongo, scriptEmptiesStore } from "../../code/index.ts";
import {
  baseName,
  describe,
  dropKnown,
  knownPrefix,
  knownText,
  type OperationEffect,
  type OptionGrammar,
  type ProgramEffect,
  parseOptions,
  runInner,
  text,
  type Value,
  wordAt,
  wordSet,
  words,
} from "../../shell/index.ts";
import { followUnreadCode, runUnknownProgram } from "../records/other-languages.ts";
import { isLocalAddress } from "../records/requests.ts";
import { sqlLosses } from "../records/sql.ts";
import { withHome } from "./effects.ts";
import { assignmentsIn, isTestRun, isTrial, listNames, onlyTells } from "./operations.ts";
import type { ParsedCall } from "./program.ts";
import { findProgram, hasTrait } from "./registry.ts";
import { runString } from "./run.ts";
import {
  destroyingVerb,
  endsEverything,
  isCalm,
  isCalmThing,
  isRegenerable,
  isResource,
  isWeakVerb,
  nameParts,
  onlyLooks,
  operationsSaid,
  saysDeploy,
  singular,
  takesOut,
} from "./vocabulary.ts";

// What a program without a record may do. Not known is not harmless: its words may be a command, code, text for a
// database, a verb that destroys, or the name of a file that it writes.

const MAX_WORDS = 24;
const NO_EFFECTS: readonly ProgramEffect[] = [];
/** A file that is only called like a program (`/etc/passwd`) starts none. */
const IN_A_FOLDER_OF_PROGRAMS = /^\.\/|(?:^|\/)(?:s?bin|libexec)\/[^/]+$/;
/** Options whose value a shell or an interpreter runs. */
const RUN_OPTION =
  /^(?:c|e|x|r|E|R|(?:[\w-]+[-_])?(?:cmd|command|exec|execute|eval|expr|expression|code|run|script|batch|shell|sh|wrap|under|runner|wrapper|launcher|hook|program)(?:[-_]under)?|on-.*)$/;
/** Subcommands behind which a text is a command line. */
const RUN_WORD = /^(?:run|exec|sh|shell|bash|spawn|start|do|call|eval)$/;

const COMMAND_LINE = /^(?:sudo\s+)?[a-z][\w.-]*\s+(?:[a-z][\w-]*\s+)?-{1,2}[A-Za-z]/;

/** What stands behind these is a text. */
const TELLS =
  /^(?:explain|log|test|echo|print|say|note|message|search|grep|help|docs|find|issue|show|query|notify|comment|check|ask|tell)$/;

/** Runs what stands in the words of a program without a record. */
export function runUnknown(call: ParsedCall): void {
  runUnknownProgram(call);
  const argv = call.argv.slice(0, MAX_WORDS);
  for (const [index, word] of argv.entries()) {
    const known = index === 0 ? undefined : knownText(word);
    if (known === undefined || !/^[\w./-]+$/.test(known) || known.startsWith("-")) continue;
    if (known.includes("/") && !IN_A_FOLDER_OF_PROGRAMS.test(known)) continue;
    // One command reaches to the end; the words behind its name are its own.
    if (startsCommand(known, argv[index + 1])) {
      // `-x /bin/rm -- -rf x`
      const from = knownText(wordAt(argv, index + 1)) === "--" ? index + 2 : index + 1;
      return void runInner([word, ...call.argv.slice(from)], call);
    }
  }
  for (const [index, word] of argv.entries()) {
    const start = knownPrefix(word);
    if (!start.startsWith("-")) continue;
    const [option = "", name = "", equals] = /^--?([\w-]+)(=)?/.exec(start) ?? [];
    const value = equals === undefined ? argv[index + 1] : dropKnown(word, option.length);
    if (value === undefined || !RUN_OPTION.test(name)) continue;
    runText(value, call);
    // `--exec PROGRAM -- WORDS`
    const rest = argv.findIndex((one, at) => at > index && knownText(one) === "--");
    const program = knownText(value);
    if (rest > 0 && program !== undefined && findProgram(baseName(program)) !== undefined)
      runInner([value, ...call.argv.slice(rest + 1)], call);
  }
  const runsOperands = call.operands.some(word => RUN_WORD.test(knownText(word) ?? ""));
  for (const [index, word] of call.operands.entries()) {
    if (runsOperands || isCommandLine(word, call.operands, index)) runText(word, call);
  }
}

/** `runner "rm -rf x"`: nothing stands in front of it that could say otherwise; `runner new "rm -rf x"`: a word may. */
function isCommandLine(word: Value, operands: readonly Value[], index: number): boolean {
  const line = knownText(word) ?? "";
  if (!line.includes(" ") && !/\s/.test(line)) return false;
  if (!COMMAND_LINE.test(line) || index === 0) return COMMAND_LINE.test(line);
  const isCalmly = operands.slice(0, index).some(one => TELLS.test(knownText(one) ?? ""));
  return !isCalmly && startsDangerous(line);
}

function startsDangerous(line: string): boolean {
  const [first = ""] = line.trim().split(/\s+/);
  return findProgram(baseName(first))?.is?.includes("dangerous") === true;
}

/** A known program, in a place where a word of the unknown one could stand as well: such a word has no options. */
function startsCommand(name: string, next: Value | undefined): boolean {
  const program = findProgram(baseName(name));
  if (program === undefined || next === undefined) return false;
  return program.is?.includes("dangerous") === true || name.includes("/") || program.operations !== undefined
    ? true
    : program.run !== undefined || program.effects !== undefined || program.is?.includes("passesOn") === true;
}

/** A command line, or code of a language that is not known. */
function runText(value: Value, call: ParsedCall): void {
  const known = knownText(value);
  if (known === undefined) return;
  const first = /^\s*(?:\w+=\S*\s+)*([\w./-]+)(?=\s|$)/.exec(known)?.[1];
  if (first !== undefined && findProgram(baseName(first)) !== undefined) runString(value, call);
  else followUnreadCode(known, call);
}

/** Text that destroys something in a database, in any argument or on the input. */
export function databaseLosses(call: ParsedCall): readonly OperationEffect[] {
  // `wrangler d1 execute --local`: a copy for this machine alone.
  if (call.argv.some(word => knownText(word) === "--local" || isTrial(word))) return [];
  const values = [...call.argv.slice(1), ...(call.stdin === undefined ? [] : [call.stdin])];
  return values.flatMap(value => {
    const shown = knownText(value) ?? "";
    const from = /^--?[\w-]+=/.exec(shown)?.[0].length ?? 0;
    return lossesIn(from === 0 ? value : dropKnown(value, from), shown.slice(from), call.program);
  });
}

/** The same of a text that a tool is given. */
export function lossesInText(shown: string): readonly OperationEffect[] {
  return lossesIn(text(shown), shown, "");
}

const SQL =
  /\b(?:drop|truncate|remove\s+(?:table|database|namespace)|delete\s+from|update|alter|grant\s+[\w\s,.*]{1,200}\son|create\s+(?:user|role|login)|set\s+global|sp_add\w+)\b/i;
/** Shells of stores whose commands take quoted names: `drop 'users'`, `deleteall 'users', 'row'`. */
const QUOTED =
  /(?:^|[;\n])[^\S\n]*(?:drop|drop_all|truncate|truncate_preserve|deleteall|disable_all)\s+['"]/i;
const DROPS =
  /\b(?:db|table|collection|database|schema)_?drop\s*\(|\b_?drop(?:database|collection|table|schema|index|view|keyspace)?\s*\(/i;
const CYPHER = /\b(?:detach\s+delete|delete)\s+\w+\s*(?:;\s*)?$/i;
/** A line of its own: what is sent to a server comes in lines. */
const REDIS = /^[^\S\n]*(?:flushall|flushdb|flush_all)(?:[^\S\n]+(?:a?sync|\d+))?\s*?$/im;

function lossesIn(value: Value, shown: string, program: string): readonly OperationEffect[] {
  const lost = (rule: OperationEffect["rule"], what: string): OperationEffect => ({
    kind: "operation",
    rule,
    what,
    target: shown,
    names: [],
  });
  if (REDIS.test(shown) || scriptEmptiesStore(shown)) return [lost("db.flush", "empty or stop the store")];
  if (/^\s*(?:optional\s+)?match\b/i.test(shown) && CYPHER.test(shown))
    return [lost("db.delete", "delete every node")];
  if (QUOTED.test(shown)) return [lost("db.drop", "drop a table")];
  if (/\bdb\._\w|\br\.(?:db|table)/.test(shown) && DROPS.test(shown))
    return [lost("db.drop", "drop a database")];
  if (/\bdb\.\w/.test(shown))
    return readMongo(value).losses.map(({ kind }) =>
      kind === "rights"
        ? lost("grant.access", "give rights in the database")
        : lost(
            kind === "documents" ? "db.delete" : "db.drop",
            kind === "documents" ? "delete every document" : `drop a ${kind}`,
          ),
    );
  return SQL.test(shown) && /\s/.test(shown) ? sqlLosses(value, [], undefined, program) : [];
}

/** Parts of the name of an option whose value is a file that is handed on. */
const GIVEN_PARTS = wordSet(`
  file attach attachment from data body input upload payload message value zip src document content variables
`);
/** A file that is only used: to log in, to configure, to set variables. */
const USED_PARTS = wordSet(
  "env var config key cert cacert identity netrc credential password auth token log cookie ignore lock",
);
/** How clients write that a value is a file. */
const FILE_MARK = /^(?:fileb?:\/\/|(?:[\w.-]+[=:])?@)(?=.)/;

/** `@file`, `label:@file`, `file://…` */
export function fileBehindMark(word: Value): Value | undefined {
  const marked = FILE_MARK.exec(knownPrefix(word))?.[0];
  return marked === undefined ? undefined : dropKnown(word, marked.length);
}

/** Files that options of a program name: it may show them or send them somewhere. */
export function givenFiles(call: ParsedCall, isWrapper: boolean, isUnknown: boolean): readonly Value[] {
  const end = isWrapper ? call.options.operands[0]?.index : undefined;
  const argv = call.argv.slice(0, end);
  return argv.flatMap((word, index): readonly Value[] => {
    if (index === 0) return [];
    const start = knownPrefix(word);
    const marked = fileBehindMark(word);
    if (marked !== undefined) return [marked];
    const [option = "", name = "", equals] = /^--?([A-Za-z][\w-]*)(=)?/.exec(start) ?? [];
    if (option === "" || !(isUnknown ? mayBeGiven(name) : isGiven(nameParts(name)))) return [];
    const value = equals === undefined ? argv[index + 1] : dropKnown(word, option.length);
    if (value === undefined) return [];
    return [fileBehindMark(value) ?? value];
  });
}

/** Of a program that nobody knows any option may; by one letter most name a key, a setting or a folder. */
export function mayBeGiven(name: string): boolean {
  const parts = nameParts(name);
  return isGiven(parts) || (name.length > 1 && !parts.some(part => USED_PARTS.has(part)));
}

function isGiven(parts: readonly string[]): boolean {
  if (parts[0] === "from") return true;
  return parts.some(part => GIVEN_PARTS.has(part)) && !parts.some(part => USED_PARTS.has(part));
}

/** Words with which a whole folder goes along. */
const TAKES = wordSet("deploy publish pack submit upload ship");
/** Options that name the folder. */
const FOLDER_OPTIONS =
  "dir d directory source src path public folder cwd source-dir publish-dir project-path local-path dist";

/**
 * A folder that goes along as a whole when something is packed, published or deployed: the one that is named, or, where a
 * record says so, the one where it is done, without what git ignores.
 */
export function takenFolders(call: ParsedCall, takes: string | undefined): readonly ProgramEffect[] {
  const options = parseOptions(call.argv, GRAMMARS[1] ?? {});
  const [first = "", second = ""] = options.operandValues.slice(0, 2).map(describe);
  const isSaid = words(takes ?? "").some(one => one === first || one === `${first}:${second}`);
  const isTaken = isSaid || [first, second].some(word => TAKES.has(word.split(":").at(-1) ?? ""));
  if (!isTaken || onlyTells(options)) return [];
  const given = [
    ...options.valuesOf(...words(FOLDER_OPTIONS)),
    ...options.operandValues.filter(value => /^\.{1,2}\/?$|\/$/.test(knownPrefix(value))),
  ];
  const taken = { ignoreFiles: IGNORE_FILES, leftOut: [], staysHere: /^pack(?:age)?$/.test(first) };
  const whole = { ...taken, leavesIgnored: true };
  const named = given.map((path): ProgramEffect => ({ kind: "read", path, isCopy: true, taken }));
  return named.length === 0 && isSaid
    ? [{ kind: "read", path: text("."), isCopy: true, taken: whole }]
    : named;
}

const IGNORE_FILES = words(
  ".vercelignore .gcloudignore .ebignore .npmignore .slugignore .railwayignore .cfignore .netlifyignore .funcignore .helmignore .vscodeignore .dockerignore",
);

/** Parts of the name of an option whose value is a file that is written, whoever has it. */
const OUTPUT_PARTS = wordSet(`
  out output outfile outdir outputfile report junit junitxml dump save dest destination trace logfile logdir coverprofile
  cpuprofile memprofile blockprofile stderr keyout libcurl jar export iidfile cidfile pidfile descriptor artifact
`);
/** A folder gets files that the program names. */
const FOLDER_NAME = /dir(?:ectory)?$|folder$/i;
/** A stream, an address, a folder, or a word that names no place. */
const NO_FILE = /^(?:-$|\.{1,2}\/?$|.*\/$|\/dev\/(?:null|std\w+|fd\/\d+)$|[^/.~]*$|\w+:\/\/)/;

/** What options say that a program writes. Words behind the first operand of a wrapper belong to what it starts. */
export function outputEffects(call: ParsedCall, isWrapper: boolean): readonly ProgramEffect[] {
  const end = isWrapper ? call.options.operands[0]?.index : undefined;
  const argv = call.argv.slice(0, end);
  return argv.flatMap((word, index): readonly ProgramEffect[] => {
    const start = knownPrefix(word);
    if (!start.startsWith("-")) return NO_EFFECTS;
    const [option = "", name = "", equals] = /^--?([A-Za-z][\w-]*)(=)?/.exec(start) ?? [];
    const glued = /^-o(?=[~/.$"])/.test(start) || (start === "-o" && word.pieces.length > 1);
    const value = glued
      ? dropKnown(word, 2)
      : equals === undefined
        ? argv[index + 1]
        : dropKnown(word, option.length);
    if (
      index === 0 ||
      value === undefined ||
      !(glued || isOutput(name, call.program)) ||
      NO_FILE.test(knownPrefix(value))
    )
      return [];
    // `--out json=FILE`
    const kind = /^\w+=(?=[^=]*[./~])/.exec(knownPrefix(value))?.[0] ?? "";
    return [{ kind: "write", path: withHome(dropKnown(value, kind.length), call), how: "replace" }];
  });
}

function isOutput(name: string, program: string): boolean {
  if (FOLDER_NAME.test(name)) return false;
  // What dumps something is told by `-f` where to.
  if (/^(?:f|file)$/.test(name)) return /dump|backup|export|save/.test(program);
  const parts = nameParts(name);
  if (/^o[A-Z]?$/.test(name) || parts.some(part => OUTPUT_PARTS.has(part))) return true;
  return parts[0] === "log" && (parts.length === 1 || parts[1] === "file");
}

const SURE = wordSet(
  "unsafe yes y force f all auto-approve confirm no-prompt skip-confirmation no-interactive non-interactive no-confirm confirmed hard",
);
/** An option that is not known may take the next word as its value. */
export const UNKNOWN: OptionGrammar = { abbreviates: false, unknownTakesValue: true };
const GRAMMARS: readonly OptionGrammar[] = [
  { abbreviates: false },
  { abbreviates: false, unknownTakesValue: true, flags: `${SURE.list.join(" ")} dry-run help` },
];
export const MAX_COMMAND_WORDS = 4;
/** Options whose value is the operation. */
const OPERATION_OPTION = /^(?:action|operation|op|cmd|command|verb|do|task|method|type|mode)$/i;
/** Enough at the end of an option without a value. */
const LONE = wordSet("disable shutdown poweroff killall stopall wipe erase obliterate");
/** With one of these in front it is not done, or done at another time: `--no-disable`, `--on-shutdown`. */
const LEAVES = wordSet("no not dont without on if when keep before after skip");
const FILE_NAME =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|md|json|ya?ml|toml|txt|sh|css|html|sql|c|h|cpp|php|lua|xml|csv)$/i;

/**
 * A command line of a program without a record that reads as one which destroys: `acmectl cluster destroy eu`,
 * `acme db:wipe`, `acme rpc users.deleteAll`, `acme --action delete`.
 */
export function operationOfVerbs(
  program: string,
  call: ParsedCall,
  isKnown: boolean,
  isTool = false,
): readonly OperationEffect[] {
  if (isTestRun(call) || call.argv.some(isTrial)) return [];
  const isOfProject = isTool || /^[./]|\.\w+$/.test(describe(wordAt(call.argv, 0)));
  const [called] =
    isKnown || /^[./]/.test(describe(wordAt(call.argv, 0)))
      ? []
      : verbsOfName(
          program,
          call.argv.some(word => /^(?:--?all|ALL)$/.test(describe(word))),
        );
  if (called !== undefined && !onlyTells(call.options))
    return [saidBy(program, call, call.operands.map(describe), "cloud.other", `${called} something`)];
  for (const grammar of isKnown ? [undefined] : GRAMMARS) {
    const options = grammar === undefined ? call.options : parseOptions(call.argv, grammar);
    if (onlyTells(options)) continue;
    // `ctest -R delete`: behind a capital letter stands what is chosen; behind `-X` what is done.
    const shown = options.operands
      .filter(({ index }) => !/^-[A-WYZ]$/.test(describe(wordAt(call.argv, index - 1))))
      .map(({ value }) => describe(value));
    const isLooked = shown.slice(0, 2).some(word => onlyLooks(nameParts(word)));
    const emptied =
      (!isLooked &&
        options.options.some(({ name, value }) => value !== undefined && takesOut(name, describe(value)))) ||
      // `update node=x state=down`
      (!isKnown && assignmentsIn(call.argv).some(({ name, value = "" }) => takesOut(name, value)));
    const verb =
      (emptied ? "stop" : undefined) ??
      destructiveVerb(
        program,
        shown,
        options.options.some(({ name }) => SURE.has(name)),
        isOfProject,
        isKnown,
      ) ??
      (isKnown
        ? undefined
        : (writtenVerb(call) ??
          options.options
            .map(({ name, value }) => verbOfOption(name, value, shown))
            .find(one => one !== undefined)));
    const there = { ...call, options };
    if (verb !== undefined) return [saidBy(program, there, shown, "cloud.other", `${verb} something`)];
    const ended = isOfProject ? [] : findEndsAll(program, there);
    if (ended.length > 0) return ended;
  }
  return [];
}

export function saidBy(
  program: string,
  call: ParsedCall,
  shown: readonly string[],
  rule: OperationEffect["rule"],
  what: string,
): OperationEffect {
  const target = [program, ...call.argv.slice(1).map(describe)].join(" ");
  return { kind: "operation", rule, what, target, names: listNames(call, call.options, shown) };
}

export function isNamedForEnding(program: string): boolean {
  return /(?:kill|stop|del|cancel)$/.test(program);
}

/** `stop all`, `kill --all`; `qdel all`, where the program is the verb. */
export function findEndsAll(program: string, call: ParsedCall): readonly OperationEffect[] {
  // Simulated devices are switched off every day.
  if (hasTrait(program, "simulates")) return [];
  const { options } = call;
  const shown = options.operandValues.map(describe);
  const flags = options.options.flatMap(({ name, value }) => (value === undefined ? [name] : []));
  const called = isNamedForEnding(program) ? ["stop"] : [];
  if (onlyTells(options) || !endsEverything([...called, ...shown], flags)) return [];
  return [saidBy(program, call, shown, "sys.kill", "end everything that runs there")];
}

/** Settings by which a program starts another one from then on. */
const STARTING = wordSet(`
  shell hook hookspath wrapper runner helper pager editor command exec program yarnpath rustc linker plugin nodeoptions
`);
/** Settings by which it fetches from somebody else, or no longer looks at what it got. */
const FETCHING = wordSet(`
  registry index channel repository source mirror ssl sslverify cafile cert trusted proxy findlinks ignorescripts
`);
const SETS = wordSet("set write add append prepend");
const SETTINGS = /^(?:config|conf|c|settings?|alias)$/;
const ASKS_SETTINGS = /^(?:--(?:get|list|show|unset|delete|remove)|-l|get|list|ls|unset|delete)$/;

/**
 * `acme config set script-shell x`, `acme config repositories.x https://…`, `acme alias set x '!…'`; of a program that nobody
 * knows, and of one that installs packages, also `acme set registry x`.
 */
export function readSettings(
  program: string,
  call: ParsedCall,
  isUnknown: boolean,
): readonly OperationEffect[] {
  const shown = hasTrait(program, "ruledApart") ? [] : call.argv.slice(1).map(describe);
  const said = (rule: OperationEffect["rule"], what: string): readonly OperationEffect[] => [
    { kind: "operation", rule, what, target: [program, ...shown].join(" "), names: [], verdict: "ask" },
  ];
  if (shown[0] === "mcp" && /^(?:add|install)/.test(shown[1] ?? ""))
    return said("sys.cron", "make an agent start a server");
  const isShort = isUnknown || hasTrait(program, "installsPackages");
  const at = shown
    .slice(0, 2)
    .findIndex(word => SETTINGS.test(word) || (isShort && /^(?:set|write)$/.test(word)));
  if (at < 0 || shown.some(word => ASKS_SETTINGS.test(word))) return [];
  const given = shown
    .slice(at + 1)
    .filter(word => !SETS.has(word.replace(/^--/, "")) && !/^-\S*$/.test(word));
  const pair = given.length === 1 ? (given[0] ?? "").split("=") : given;
  const value = pair.length < 2 ? "" : (pair.at(-1) ?? "");
  const isUnsafe = pair.length > 1 && /(?:^|\.)(?:dangerously|unsafe|insecure)/i.test(pair[0] ?? "");
  if (isUnsafe && !/^(?:false|0|no|off)$/i.test(value))
    return said("pkg.index", "let packages do what is not looked at");
  if (value === "" || isLocalAddress(value) || isUsualAddress(value)) return [];
  if (shown[at] === "alias")
    return value.startsWith("!") ? said("sys.cron", `make ${program} run something else`) : [];
  const keys = pair.slice(0, -1).flatMap(key => {
    const last = key.slice(key.lastIndexOf(".") + 1);
    return [...nameParts(key).map(singular), last.replace(/[^A-Za-z]/g, "").toLowerCase()];
  });
  if (keys.some(key => FETCHING.has(key)))
    return said("pkg.index", "change where packages come from, or whether they are looked at");
  return keys.some(key => STARTING.has(key)) ? said("sys.cron", `make ${program} run something else`) : [];
}

/** Where everybody gets it from, and what takes a setting back. */
function isUsualAddress(value: string): boolean {
  return /^(?:https:\/\/(?:registry\.(?:npmjs\.org|yarnpkg\.com|npmmirror\.com)|pypi\.org|rubygems\.org|index\.crates\.io|proxy\.golang\.org|conda\.anaconda\.org)\b|conda-forge$|bioconda$|defaults$|bash$|\/bin\/(?:ba|z|da)?sh$|true$)/i.test(
    value,
  );
}

/** What reaches users, gives rights, lifts a protection or costs money, by its words. `only`: the rules that it can be of. */
export function operationOfOthers(
  program: string,
  call: ParsedCall,
  {
    isTarget,
    only,
    isNamed = only === undefined,
  }: { readonly isTarget: boolean; readonly only?: ReadonlySet<string>; readonly isNamed?: boolean },
): readonly OperationEffect[] {
  const options = only === undefined ? parseOptions(call.argv, GRAMMARS[1] ?? {}) : call.options;
  if (onlyTells(options) || options.isOn("check")) return [];
  const shown = options.operandValues.map(describe);
  // `exec deploy/api`: behind a verb a kind and a name are what it is done to.
  const command = shown
    .slice(0, MAX_COMMAND_WORDS)
    .filter(
      (word, at) => /^\w(?!.*:\/)[\w:.@/-]{0,80}$/.test(word) && !(at > 0 && /^[a-z]+\/[\w-]+$/.test(word)),
    );
  if (isTarget && !saysDeploy([baseName(program), ...command])) return [];
  // `theme push --live`
  const flags = options.options.flatMap(({ name }) => (/^[a-z]+$/.test(name) ? [name] : []));
  const saidHere = (rule: OperationEffect["rule"], what: string) =>
    saidBy(program, { ...call, options }, [...shown, ...flags], rule, what);
  if (isTarget) return [saidHere("deploy.production", "deploy")];
  const said = operationsSaid({
    program: isNamed ? baseName(program) : "",
    command,
    options: [
      ...options.options.map(({ name, value }) => ({
        name,
        value: value === undefined ? undefined : describe(value),
      })),
      ...assignmentsIn(call.argv),
    ],
  });
  return said.flatMap(({ rule, what, verdict }) =>
    only === undefined || only.has(rule.split(".")[0] ?? "")
      ? [{ ...saidHere(rule, what), ...(verdict === undefined ? {} : { verdict }) }]
      : [],
  );
}

/** `kafka-delete-records.sh`, `k3s-uninstall.sh`, `dropuser`: the name of the program is the verb. */
function verbsOfName(program: string, ofAll: boolean): readonly string[] {
  const parts = nameParts(program.replace(/\.(?:sh|exe|py|cmd|bat)$/, ""));
  // `condor_rm -all`
  if (parts.length > 1 && /^(?:rm|del|cancel|kill)$/.test(parts.at(-1) ?? "") && ofAll) return ["end all of"];
  // `ldapdelete`, `vgremove`
  const grown = /^\w{2,}(delete|destroy|remove|wipe|erase|purge)$/.exec(parts.join("-"))?.[1];
  if (grown !== undefined) return [grown];
  // A lone verb is a word of somebody else's command.
  if (parts.length < 2 || parts.some(part => isCalm(part) || isRegenerable(part))) return [];
  if (/^(?:empty|clear|wipe|reset)$/.test(parts.at(-1) ?? "")) return parts.slice(-1);
  return parts.filter(
    part => part === "uninstall" || (part !== "drop" && destroyingVerb(part) !== undefined),
  );
}

/** With one dash, as programs of Java and of disks have it: `dfs -rm -r /data`. */
function writtenVerb({ argv }: ParsedCall): string | undefined {
  const at = argv.findIndex((word, index) => {
    const shown = describe(word);
    // `-d ALL`
    if (shown === "-d" && describe(wordAt(argv, index + 1)) === "ALL") return true;
    return shown.startsWith("-") && /^-(?:rmr?|delete|destroy|purge|expunge|wipe|erase|drop)$/.test(shown);
  });
  if (at < 1) return undefined;
  // Behind the name of a known program it is that program's.
  const isOther = argv.slice(1, at).some(word => findProgram(baseName(describe(word))) !== undefined);
  const verb = describe(wordAt(argv, at)).slice(1);
  return isOther ? undefined : verb === "d" ? "delete" : verb;
}

/** `--delete`, `--drop-database`, `--master-disable`, `--action delete`. */
function verbOfOption(name: string, value: Value | undefined, shown: readonly string[]): string | undefined {
  const parts = nameParts(name);
  const [verb = "", ...nouns] = parts;
  const last = parts.at(-1) ?? "";
  const isLone = LONE.has(last) && (last !== "disable" || parts.length > 1) && !LEAVES.has(verb);
  if (value === undefined && isLone) return name;
  // `trash --empty`
  if (value === undefined && nouns.length === 0 && /^(?:empty|flush|prune|reset|expunge)$/.test(verb))
    return shown.slice(0, MAX_COMMAND_WORDS).some(word => isResource(singular(word))) ? verb : undefined;
  const isOfAll = nouns.length > 0 && nouns.every(noun => noun === "all" || isResource(singular(noun)));
  if (destroyingVerb(verb) !== undefined && (isOfAll || nouns.length === 0)) return verb;
  if (
    /^(?:prune|remove|expire|forget|reset|cancel)$/.test(verb) &&
    (isOfAll || nouns[0] === "older" || (verb === "cancel" && value !== undefined))
  )
    return verb;
  const given = value === undefined ? "" : describe(value);
  return OPERATION_OPTION.test(name) && /^[\w:.-]+$/.test(given)
    ? nameParts(given).find(part => destroyingVerb(part) !== undefined)
    : undefined;
}

const DESTROYS_ONE = /^(?:delete|destroy|purge|remove|rm|drop|wipe)$/;

/** A program of the project may reset what the project made. */
function destructiveVerb(
  program: string,
  shown: readonly string[],
  isSure: boolean,
  isOfProject: boolean,
  onlyStrong: boolean,
): string | undefined {
  const command = shown.slice(0, MAX_COMMAND_WORDS);
  // A name of several words says what it is for: `acme-backup-client forget x`.
  const named = nameParts(program).length > 1 || isRegenerable(program) ? [program] : [];
  for (const [index, word] of command.entries()) {
    const whole = nameParts(word.replace(/\/.*/, ""));
    // `config:delete`: behind the thing stands what is done to it.
    const done = /^[\w-]+:([a-z][\w-]*)$/.exec(word)?.[1];
    const isScoped = done !== undefined && destroyingVerb(nameParts(done)[0] ?? "") !== undefined;
    const parts = isScoped ? nameParts(done) : whole;
    // A name with a number may be the value of an option in front; other words end the command.
    if (/^(?=\D*\d)[\w.@-]+$/.test(word) && destroyingVerb(parts[0] ?? "") === undefined) continue;
    if (!/^[A-Za-z]\w*(?:[-:.]\w+)*(?:\/\S+)?$/.test(word) || FILE_NAME.test(word)) return undefined;
    const isLone = parts.length === 1;
    const behind = command[index + 1];
    const isThing = isCalmThing(parts[0] ?? "") && behind !== undefined && DESTROYS_ONE.test(behind);
    // `can-i delete pods`
    if ((isLone || parts[0] === "can") && isCalm(parts[0] ?? "") && !isThing) return undefined;
    const strong =
      parts.map(destroyingVerb).find(one => one !== undefined) ??
      (word === "uninstall" && command[index - 1] === "self" ? word : undefined);
    const verb = strong ?? (onlyStrong ? undefined : parts.find(isWeakVerb));
    if (verb === undefined || (!isLone && isCalm(parts[0] ?? ""))) continue;
    const next = shown.slice(index + 1, index + 2).filter(one => !/^[./~]/.test(one));
    // `delete-job build-web`: what is deleted is said already, and a name follows.
    const said = [...named, ...command.slice(0, index), word, ...(isLone ? next : [])];
    const nouns = said.flatMap(nameParts).map(singular);
    if (nouns.some(isRegenerable) && !(isSure && strong !== undefined)) return undefined;
    const isOfResource =
      nouns.some(isResource) ||
      // `fs rm -r dbfs:/x`
      shown.slice(index + 1).some(one => /^[a-z][a-z0-9+-]+:\/./.test(one)) ||
      next.some(one => /(?:^|[-_.])prod(?:uction)?(?:$|[-_.])/i.test(one));
    if (strong !== undefined || (verb === "reset" && !isOfProject)) return verb;
    // A word that is a program's name may be that program, which is judged by itself; with nothing behind it, it is not.
    const isOwn = findProgram(word) === undefined || shown.length === index + 1;
    return isOfResource || (isSure && isOwn) ? verb : undefined;
  }
  return undefined;
}
