import {
  describe,
  type OperationEffect,
  type OptionGrammar,
  parseOptions,
  words,
} from "../../shell/index.ts";
import { namesOf, onlyTells } from "../model/operations.ts";
import type { ParsedCall } from "../model/program.ts";

const DESTROYS = words(
  "destroy purge wipe nuke terminate teardown tear-down deprovision decommission unpublish obliterate factory-reset",
);
/** These need less than a known kind of thing: that the question is answered beforehand. */
const SURELY = words("delete drop erase remove reset");
const DELETES = words("delete del drop erase remove rm truncate revoke reset flush clear");
/** What is lost with its data, or for everybody who uses it. */
const RESOURCES = words(`
  account alert app application archive backup blob branch-protection bucket catalog certificate cluster collection
  customer data database dataset db dbs deployment device disk dns domain droplet endpoint env environment fleet
  filesystem function group host image index installation instance job-queue key keyspace keyring lake ledger machine
  member namespace network node node-pool nodepool ns object org organisation organization partition pipeline policy
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
  add apply attach build cat check config configure copy cp create describe diff docs echo edit events exec export fetch
  find generate get grep help history import info init inspect install list log login logs ls make new open plan ping
  print pull push query read restart run save scale search set show start stat status stop sync tag tail test top
  update upgrade upload use validate version view watch
`);
const SURE =
  "yes y force f all auto-approve confirm no-prompt skip-confirmation no-interactive non-interactive no-confirm confirmed";
const GRAMMARS: readonly OptionGrammar[] = [
  { abbreviates: false },
  { abbreviates: false, unknownTakesValue: true, flags: `${SURE} dry-run help` },
];
const MAX_COMMAND_WORDS = 4;

/**
 * A command line of a program without a record that reads as one which destroys: `acmectl cluster destroy eu`. A verb
 * that says so with the kind of thing that is lost, or with a word that answers the question beforehand.
 */
export function operationOfVerbs(program: string, call: ParsedCall): readonly OperationEffect[] {
  for (const grammar of GRAMMARS) {
    const options = parseOptions(call.argv, grammar);
    const shown = options.operandValues.map(describe);
    const verb = destructiveVerb(shown, options.has(...words(SURE)));
    if (verb === undefined || onlyTells(options)) continue;
    const target = [program, ...call.argv.slice(1).map(describe)].join(" ");
    const names = namesOf(call, options, shown);
    return [{ kind: "operation", rule: "cloud.other", what: `${verb} something`, target, names }];
  }
  return [];
}

function destructiveVerb(shown: readonly string[], isSure: boolean): string | undefined {
  const command = shown.slice(0, MAX_COMMAND_WORDS);
  for (const [index, word] of command.entries()) {
    // A name with a number may be the value of an option in front; other words end the command.
    if (/^[\w.@-]*\d[\w.@-]*$/.test(word)) continue;
    if (!/^[a-z][a-z0-9]*(?:[-:._][a-z][a-z0-9]*)*(?:\/\S+)?$/.test(word)) return undefined;
    const parts = word.split(/[-:._/]/);
    if (CALM.includes(parts[0] ?? "") || CALM.includes(parts.at(-1) ?? "")) return undefined;
    const verb = verbIn(word, parts);
    if (verb === undefined) continue;
    const around = [
      ...command.slice(0, index),
      ...parts,
      ...shown.slice(index + 1, index + 2).filter(one => !/^[./~]/.test(one)),
    ];
    const nouns = around.flatMap(one => one.split(/[-:._/]/)).map(singular);
    if (nouns.some(noun => REGENERABLE.includes(noun))) return undefined;
    const isStrong = DESTROYS.includes(verb);
    const isOfResource =
      nouns.some(noun => RESOURCES.includes(noun)) || around.some(one => RESOURCES.includes(singular(one)));
    if (isOfResource && (isStrong || verb !== "clear")) return verb;
    return isSure && (isStrong || SURELY.includes(verb)) ? verb : undefined;
  }
  return undefined;
}

/** The verb stands alone, in front (`delete-cluster`) or behind (`cluster:delete`). */
function verbIn(word: string, parts: readonly string[]): string | undefined {
  const candidates = [word, parts[0] ?? "", parts.at(-1) ?? ""];
  return candidates.find(one => DESTROYS.includes(one) || DELETES.includes(one));
}

function singular(noun: string): string {
  return noun.length > 3 && noun.endsWith("s") && !noun.endsWith("ss") ? noun.slice(0, -1) : noun;
}
