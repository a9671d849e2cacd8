import { readMongo } from "../../code/index.ts";
import {
  baseName,
  concatenate,
  describe,
  dropKnown,
  homeAt,
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
  words,
} from "../../shell/index.ts";
import { followUnreadCode } from "../records/other-languages.ts";
import { sqlLosses } from "../records/sql.ts";
import { isTestRun, namesOf, onlyTells } from "./operations.ts";
import type { ParsedCall } from "./program.ts";
import { findProgram } from "./registry.ts";
import { runString } from "./run.ts";

// What a program without a record may do. Not known is not harmless: its words may be a command, code, text for a
// database, a verb that destroys, or the name of a file that it writes.

const MAX_WORDS = 24;
/** A file that is only called like a program (`/etc/passwd`) starts none. */
const IN_A_FOLDER_OF_PROGRAMS = /^\.\/|(?:^|\/)(?:s?bin|libexec)\/[^/]+$/;
/** Options whose value a shell or an interpreter runs. */
const RUN_OPTION =
  /^(?:c|e|x|r|E|R|cmd|command|exec|execute|eval|expr|expression|code|run|script|batch|shell|sh|on-.*)$/;
/** Subcommands behind which a text is a command line. */
const RUN_WORD = /^(?:run|exec|sh|shell|bash|spawn|start|do|call|eval)$/;

/** Runs what stands in the words of a program without a record. */
export function runUnknown(call: ParsedCall): void {
  const argv = call.argv.slice(0, MAX_WORDS);
  for (const [index, word] of argv.entries()) {
    const known = index === 0 ? undefined : knownText(word);
    if (known === undefined || !/^[\w./-]+$/.test(known) || known.startsWith("-")) continue;
    if (known.includes("/") && !IN_A_FOLDER_OF_PROGRAMS.test(known)) continue;
    // One command reaches to the end; the words behind its name are its own.
    if (startsCommand(known, argv[index + 1])) return void runInner(call.argv.slice(index), call);
  }
  for (const [index, word] of argv.entries()) {
    const [option = "", name = "", equals] = /^--?([\w-]+)(=)?/.exec(knownPrefix(word)) ?? [];
    const value = equals === undefined ? argv[index + 1] : dropKnown(word, option.length);
    if (value !== undefined && RUN_OPTION.test(name)) runText(value, call);
  }
  const runsOperands = call.operands.some(word => RUN_WORD.test(knownText(word) ?? ""));
  if (runsOperands) for (const word of call.operands) if (/\s/.test(knownPrefix(word))) runText(word, call);
  // Without a file it may be an interpreter, which reads its program there.
  const readsProgram = call.operands.every(word =>
    /^(?:-|run|eval|\/dev\/stdin)$/.test(knownText(word) ?? ""),
  );
  if (call.stdin !== undefined && readsProgram) followUnreadCode(knownText(call.stdin) ?? "", call);
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
  const values = [...call.argv.slice(1), ...(call.stdin === undefined ? [] : [call.stdin])];
  return values.flatMap(value => {
    const shown = knownText(value) ?? "";
    const from = /^--?[\w-]+=/.exec(shown)?.[0].length ?? 0;
    return lossesIn(from === 0 ? value : dropKnown(value, from), shown.slice(from), call);
  });
}

const SQL = /\b(?:drop|truncate|delete\s+from|update|alter)\b/i;
const CYPHER = /\b(?:detach\s+delete|delete)\s+\w+\s*;?\s*$/i;
const REDIS = /^\s*(?:flushall|flushdb)(?:\s+a?sync)?\s*$/i;

function lossesIn(value: Value, shown: string, call: ParsedCall): readonly OperationEffect[] {
  const lost = (rule: OperationEffect["rule"], what: string): OperationEffect => ({
    kind: "operation",
    rule,
    what,
    target: shown,
    names: [],
  });
  if (REDIS.test(shown)) return [lost("db.flush", "empty or stop the store")];
  if (/^\s*(?:optional\s+)?match\b/i.test(shown) && CYPHER.test(shown))
    return [lost("db.delete", "delete every node")];
  if (/\bdb\.\w/.test(shown))
    return readMongo(value).losses.map(({ kind }) =>
      lost(
        kind === "documents" ? "db.delete" : "db.drop",
        kind === "documents" ? "delete every document" : `drop a ${kind}`,
      ),
    );
  return SQL.test(shown) && /\s/.test(shown) ? sqlLosses(value, [], undefined, call.program) : [];
}

/** Parts of the name of an option whose value is a file that is written, whoever has it. */
const OUTPUT_PARTS = words(`
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
    const [option = "", name = "", equals] = /^--?([A-Za-z][\w-]*)(=)?/.exec(start) ?? [];
    const glued = /^-o(?=[~/.$"])/.test(start) || (start === "-o" && word.pieces.length > 1);
    const value = glued
      ? dropKnown(word, 2)
      : equals === undefined
        ? argv[index + 1]
        : dropKnown(word, option.length);
    if (index === 0 || value === undefined || !(glued || isOutput(name)) || NO_FILE.test(knownPrefix(value)))
      return [];
    return [{ kind: "write", path: withHome(value, call), how: "replace" }];
  });
}

function isOutput(name: string): boolean {
  if (FOLDER_NAME.test(name)) return false;
  const parts = partsOf(name);
  if (/^o[A-Z]?$/.test(name) || parts.some(part => OUTPUT_PARTS.includes(part))) return true;
  return parts[0] === "log" && (parts.length === 1 || parts[1] === "file");
}

/** Some shells and some programs read a `~` behind an equals sign. */
function withHome(value: Value, { place, scope }: ParsedCall): Value {
  if (!/^~(?=\/|$)/.test(knownPrefix(value))) return value;
  return concatenate([text(homeAt(place, scope.session.context.home)), dropKnown(value, 1)]);
}

const DESTROYS = words(`
  destroy purge wipe nuke terminate teardown tear-down deprovision decommission unpublish obliterate factory-reset delete
  drop erase truncate revoke disable
`);
/** These need the kind of thing that is lost, or that the question is answered beforehand. */
const WEAKLY = words(
  "remove rm del reset flush clear force evict expunge prune deactivate unregister detach",
);
/** What is lost with its data, or for everybody who uses it. */
const RESOURCES = words(`
  account alert app application archive backup blob branch-protection bucket catalog certificate cluster collection
  customer data database dataset db dbs deployment device disk dns domain droplet endpoint env environment fleet
  filesystem function group host image index installation instance job-queue key keyspace keyring lake ledger machine
  member namespace network node node-pool nodepool ns object order org organisation organization partition pipeline policy
  pool principal project pvc queue record region registry release repo repository resource resource-group role schema
  secret server service share site snapshot space stack storage store stream subnet subscription table team tenant
  token topic user vault vm volume vpc warehouse workspace zone
`);
/** What is made again by the next run, or stands in the code of the project. */
const REGENERABLE = words(`
  artifact artifacts build builds cache caches component container containers controller directive field generator
  helper history label layout lock locks log logs mailer migration middleware model module page plugin preview route
  scaffold session sessions snippet spec temp test tests tmp view
`);
/** With one of these in front, what follows is what is looked at, made or looked for. */
const CALM = words(`
  add apply attach build cat check config configure copy cp create describe diff docs echo edit events exec explain export
  fetch find g generate get grep help history import info init inspect install issue lint list log login logs ls make message
  new note open plan ping pr print pull push query read restart run save scale search set show start stat status stop sync tag
  tail test top update upgrade upload use validate version view watch
`);
const SURE =
  "yes y force f all auto-approve confirm no-prompt skip-confirmation no-interactive non-interactive no-confirm confirmed hard";
const GRAMMARS: readonly OptionGrammar[] = [
  { abbreviates: false },
  { abbreviates: false, unknownTakesValue: true, flags: `${SURE} dry-run help` },
];
const MAX_COMMAND_WORDS = 4;
/** Options whose value is the operation. */
const OPERATION_OPTION = /^(?:action|operation|op|cmd|command|verb|do|task|method|type|mode)$/i;
const FILE_NAME =
  /\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|md|json|ya?ml|toml|txt|sh|css|html|sql|c|h|cpp|php|lua|xml|csv)$/i;

/**
 * A command line of a program without a record that reads as one which destroys: `acmectl cluster destroy eu`,
 * `acme db:wipe`, `acme rpc users.deleteAll`, `acme --action delete`.
 */
export function operationOfVerbs(program: string, call: ParsedCall): readonly OperationEffect[] {
  if (isTestRun(call)) return [];
  const isOfProject = /^[./]|\.\w+$/.test(describe(wordAt(call.argv, 0)));
  for (const grammar of GRAMMARS) {
    const options = parseOptions(call.argv, grammar);
    const shown = options.operandValues.map(describe);
    const verb =
      destructiveVerb(shown, options.has(...words(SURE)), isOfProject) ??
      options.options.map(({ name, value }) => verbOfOption(name, value)).find(one => one !== undefined);
    if (verb === undefined || onlyTells(options)) continue;
    const target = [program, ...call.argv.slice(1).map(describe)].join(" ");
    const names = namesOf(call, options, shown);
    return [{ kind: "operation", rule: "cloud.other", what: `${verb} something`, target, names }];
  }
  return [];
}

const DEPLOYS = words("deploy redeploy promote rollback ship cutover golive");
const RELEASES = words("release rollout deployment");
const GIVES = words(
  "grant authorize authorise invite assign attach share allow bind elevate escalate impersonate",
);
const KINDS_OF_KEY = words("api access deploy ssh service");
const MAKES = words("create add issue mint");
const RIGHTS = words(`
  role policy permission privilege access admin acl binding collaborator member maintainer owner right grant rolebinding
  iam sudo superuser
`);
const KEYS = words("token apikey pat accesskey deploykey sshkey");
const STOPS = words(
  "disable suspend pause stop off unprotect mute silence bypass skip no without turnoff deactivate remove",
);
const PROTECTION = words(`
  audit auditing logging alarm alert backup versioning protection mfa 2fa sso firewall waf encryption retention monitor
  monitoring scanning guardrail lock immutability protect pitr trail siem detector
`);
const BUYS = words(
  "create launch provision order buy purchase rent scale resize upgrade run deploy start add up request reserve",
);
const BILLED = words(`
  server vm instance cluster machine droplet node gpu database db volume disk domain ip address plan addon pod linode
  nodepool nodegroup app service loadbalancer lb environment branch replica worker compute dyno subscription seat license
  instances warehouse index endpoint deployment capacity job space site
`);

/** Words that say that nothing is changed. */
const LOOKS = words(`
  list ls get show describe status info log logs diff plan view history help docs test lint validate search check preview
  notes build synth template render inspect explain can-i events watch tail open logs version versions
`);

/** What reaches users, gives rights, lifts a protection or costs money, by its words: each is a rule that can be set. */
export function operationOfOthers(
  program: string,
  call: ParsedCall,
  isTarget: boolean,
): readonly OperationEffect[] {
  const options = parseOptions(call.argv, GRAMMARS[1] ?? {});
  if (onlyTells(options) || options.isOn("check")) return [];
  const shown = options.operandValues.map(describe);
  const command = shown.slice(0, MAX_COMMAND_WORDS).filter(word => /^[\w:.@/-]{1,80}$/.test(word));
  const said = command.flatMap(partsOf);
  if (said.some(part => LOOKS.includes(part))) return [];
  const parts = [...partsOf(baseName(program)), ...said].map(singular);
  const has = (list: readonly string[]): boolean => parts.some(part => list.includes(part));
  const asked = options.options.map(({ name }) => partsOf(name).map(singular));
  const lifts = asked.some(
    ([first = "", ...rest]) => STOPS.includes(first) && rest.some(part => PROTECTION.includes(part)),
  );
  const gives = has(GIVES) || has(MAKES);
  const isKey = has(KEYS) || (has(["key"]) && has(KINDS_OF_KEY));
  const found: readonly (readonly [boolean, OperationEffect["rule"], string])[] = [
    [has(DEPLOYS) || (!isTarget && has(RELEASES)), "deploy.production", "deploy"],
    [!isTarget && gives && (has(RIGHTS) || isKey), "grant.access", "give rights"],
    [!isTarget && (lifts || (has(STOPS) && has(PROTECTION))), "grant.protection", "switch a protection off"],
    [!isTarget && has(BUYS) && has(BILLED), "spend.resource", "create or enlarge something"],
  ];
  const target = [program, ...call.argv.slice(1).map(describe)].join(" ");
  const names = namesOf(call, options, shown);
  return found.flatMap(([is, rule, what]) => (is ? [{ kind: "operation", rule, what, target, names }] : []));
}

/** `--delete`, `--drop-database`, `--action delete`. */
function verbOfOption(name: string, value: Value | undefined): string | undefined {
  const [verb = "", ...nouns] = partsOf(name);
  if (DESTROYS.includes(verb) && nouns.every(noun => RESOURCES.includes(singular(noun)))) return verb;
  const given = value === undefined ? "" : describe(value);
  return OPERATION_OPTION.test(name) && /^[\w:.-]+$/.test(given)
    ? partsOf(given).find(part => DESTROYS.includes(part))
    : undefined;
}

/** A program of the project may reset what the project made. */
function destructiveVerb(
  shown: readonly string[],
  isSure: boolean,
  isOfProject: boolean,
): string | undefined {
  const command = shown.slice(0, MAX_COMMAND_WORDS);
  for (const [index, word] of command.entries()) {
    // A name with a number may be the value of an option in front; other words end the command.
    if (/^[\w.@-]*\d[\w.@-]*$/.test(word)) continue;
    if (!/^[A-Za-z][\w]*(?:[-:._][A-Za-z]\w*)*(?:\/\S+)?$/.test(word) || FILE_NAME.test(word))
      return undefined;
    const parts = partsOf(word.replace(/\/.*/, ""));
    const isLone = parts.length === 1;
    if (isLone && CALM.includes(parts[0] ?? "")) return undefined;
    const verb = parts.find(part => DESTROYS.includes(part)) ?? parts.find(part => WEAKLY.includes(part));
    if (verb === undefined || (!isLone && CALM.includes(parts[0] ?? ""))) continue;
    const next = shown.slice(index + 1, index + 2).filter(one => !/^[./~]/.test(one));
    const nouns = [...command.slice(0, index), word, ...next].flatMap(partsOf).map(singular);
    if (nouns.some(noun => REGENERABLE.includes(noun))) return undefined;
    const isOfResource = nouns.some(noun => RESOURCES.includes(noun));
    if (DESTROYS.includes(verb) || (verb === "reset" && !isOfProject)) return verb;
    // A word that is a program's name may be that program, which is judged by itself.
    return isOfResource || (isSure && findProgram(word) === undefined) ? verb : undefined;
  }
  return undefined;
}

/** The words of a name in any spelling: `delete_repository`, `dropDatabase`, `db:wipe`. */
function partsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])(?=[A-Z])/g, "$1-")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(part => part !== "");
}

function singular(noun: string): string {
  return noun.length > 3 && noun.endsWith("s") && !noun.endsWith("ss") ? noun.slice(0, -1) : noun;
}
