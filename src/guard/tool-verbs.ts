import { toolWords } from "../hosts/index.ts";
import {
  destroyingVerb,
  endsRunning,
  isCalm,
  isDeletingMutation,
  isLocalAddress,
  isOfDatabases,
  isProtection,
  isRegenerable,
  isResource,
  isThingOfService,
  isWeakVerb,
  lossesInText,
  namesEverybody,
  operationsSaid,
  paysOut,
  requestLosses,
  singular,
  takesOut,
} from "../programs/index.ts";
import { isJsonObject, type Json, type JsonObject } from "../protocol/index.ts";
import { text, wordSet } from "../shell/index.ts";
import { liftsQuestions } from "./injection/lifted-questions.ts";
import type { Actor, EffectOf } from "./rule-context.ts";

/** Under version control, kept for the agent alone, or of a page that is open. */
const OWN_THINGS = wordSet(`
  file entity observation relation note memory todo draft task subtask reaction assignee reviewer line symbol selection
  breakpoint ui simulator sim watch cell zoom
`);
/** Servers that work on what is open here, or keep lists of the agent's own. */
const OWN_SERVERS = wordSet(
  "todo todos memory notebook jupyter devtools browser ide editor playwright puppeteer chrome",
);
/** Servers without a history of their files; a forge has one. */
const OF_OTHERS = wordSet("drive gdrive dropbox onedrive sharepoint box s3 blob");
/** Enough in the name of a tool, which has no word but for what it does. */
const TAKES = wordSet("remove uninstall deactivate reset");
/** Money moves as soon as it is taken. */
const TRADES = wordSet("place submit execute");
const TRADED = wordSet("order trade swap bet");
/** What is open then, is open for whoever stands in front of it. */
const OPENS = wordSet("unlock disarm");
/** Done to all at once, each of these cannot be taken back for each. */
const ENDS_ALL = wordSet("resolve acknowledge close dismiss reject approve accept complete mute");
const CLOSED = wordSet("board account project store space room workspace team organization shop site queue");
/** Words of a member's name that say what a tool of many uses does. */
const CHOOSES = wordSet("method action operation op verb mode tool function command");
/** Members whose value is a key, an event or a text, of which a verb may be the name. */
const DATA_MEMBER =
  /^(?:keys?|events?|name|title|label|query|q|text|terms?|words?|value|status|state|filter|permissions?|scopes?|tags?|topic|message|content|description|pattern|prompt|input|id|symbol|reason|path)$/i;
/** Names of such tools, whose member `name` is the operation. */
const STARTS = wordSet("run invoke call execute dispatch");
/** Members that hold text for a database or a graph. */
const QUERIES = /^(?:query|statement|stmts?|cypher|code|script|command|cmd|q|gremlin|mutation)$/i;
/** Ways past a question or a protection, when they are true. */
const PASSES_BY =
  /^(force|forced|bypass|admin|override|overwrite_protected|skip_?(checks|protection|review)s?)/i;
/** What a store of secrets hides by itself is asked for. */
const REVEALS =
  /^(?:reveal\w*|unmask\w*|(?:show|include|with)_?(?:secret|value|password|plaintext|decryption)s?|decrypt|decrypted)$/i;
const PUBLISHES = wordSet("push merge update ref");
const DISCARDS = wordSet("clean checkout switch branch stash restore worktree reset");
const MAX_TARGET = 120;
const MAX_NAMES = 40;
const MAX_DEPTH = 4;

type Operation = EffectOf<"operation">;

interface Member {
  readonly name: string;
  readonly value: string | boolean | number;
}

/**
 * What a tool that nobody described says it does, by its name and its members: `delete_repository`, `dropDatabase`,
 * `manage(action: "purge")`. Read by the same words as the command of an unknown program.
 */
export function operationsOfTool(tool: string, input: Json, by: Actor): readonly Operation[] {
  const { tool: words, server } = toolWords(tool);
  const members = withPairs(membersIn(isJsonObject(input) ? input : {}));
  const target = `${tool} ${JSON.stringify(input) ?? ""}`.slice(0, MAX_TARGET);
  const common = { kind: "operation", by, target, names: namesIn(members), safer: "" } as const;
  const isLooking = READS_ONLY.has(words[0] ?? "");
  if (server.length > 0 && (showsSecret(words) || showsChosenSecret(words, members)))
    return [{ ...common, rule: "sec.keychain", what: "show a secret" }];
  const verb =
    verbIn(words, server) ??
    (isLooking || isOfAgent(words, server)
      ? undefined
      : (chosenVerb(words, members) ?? verbOfMember(members)));
  if (verb !== undefined) return [{ ...common, rule: "cloud.other", what: `${verb} something` }];
  const shown = server.length === 0 ? undefined : saidOfService(words, server, members);
  if (shown !== undefined) return [{ ...common, ...shown }];
  if (words.some(endsRunning) && members.some(({ name, value }) => /^pid$/i.test(name) && Number(value) <= 1))
    return [{ ...common, rule: "sys.kill", what: "end everything that runs there" }];
  if (deletesByRequest(members))
    return [{ ...common, rule: "cloud.api", what: "delete something on another machine" }];
  const asked = changedByRequest(members, input);
  if (asked.length > 0) return asked.map(({ rule, what }) => ({ ...common, rule, what }));
  const isOfDatabase = [...server, ...words].some(isOfDatabases);
  const lost = members.flatMap(({ name, value }) =>
    typeof value === "string" && QUERIES.test(name) ? textLosses(value, isOfDatabase) : [],
  );
  // The last stage of a pipeline of MongoDB: what was in the collection is gone.
  if (members.some(({ name }) => name === "$out"))
    return [{ ...common, rule: "db.drop", what: "replace a collection" }];
  if (lost.length > 0) return lost.map(({ rule, what }) => ({ ...common, rule, what }));
  if (
    !isLooking &&
    !isOfAgent(words, server) &&
    members.some(({ name, value }) => takesOut(name, String(value)))
  )
    return [{ ...common, rule: "cloud.other", what: "take something out of use" }];
  // `backup.policy(enabled: false)`: what is switched off may be said by the name of the server.
  if (
    !isLooking &&
    [...server, ...words].map(singular).some(isProtection) &&
    members.some(({ name, value }) => /^(?:is_?)?(?:enabled?|active|on|logging)$/i.test(name) && isOff(value))
  )
    return [{ ...common, rule: "grant.protection", what: "switch a protection off" }];
  const said = [...words, ...chosenWords(words, members)];
  return [...forcedOperations(said, members, common), ...saidOperations(said, members, common)];
}

type Told = Pick<Operation, "rule" | "what">;

/** Of a server: what it shows, opens, ends, and tells to people, by words and members other than a verb that destroys. */
function saidOfService(
  words: readonly string[],
  server: readonly string[],
  members: readonly Member[],
): Told | undefined {
  const texts = members.flatMap(({ value }) => (typeof value === "string" ? [value] : []));
  const isOfMemory = server.some(word => OWN_SERVERS.has(word)) && !READS_ONLY.has(words[0] ?? "");
  const clicked = clickedLabel(words, members);
  const said: readonly (readonly [is: boolean, rule: Told["rule"], what: string])[] = [
    [members.some(({ name, value }) => value === true && REVEALS.test(name)), "sec.keychain", "show secrets"],
    [isOfMemory && texts.some(liftsQuestions), "grant.protection", "tell later sessions not to ask"],
    [texts.some(one => OWN_PAGES.test(one)), "sec.keychain", "open the stored passwords of a browser"],
    [texts.some(sendsLogin), "sec.keychain", "send the login of an open page to somebody"],
    [texts.some(one => WHOLE_LOGIN.test(one)), "sec.keychain", "show the login of an open page"],
    [clicked !== undefined, "cloud.other", `press “${clicked}” on a page`],
    [words.includes("all") && words.some(endsRunning), "sys.kill", "end everything that runs there"],
    [opensLock(words, members) && !isOfAgent(words, server), "grant.protection", "open what is locked"],
    [publishesNow(words, members), "publish", "publish it"],
    [isSharedWithAll(members), "cloud.public", "open it to everybody"],
  ];
  const [, rule, what = ""] = said.find(([is]) => is) ?? [];
  return rule === undefined ? toldToPeople(words, members) : { rule, what };
}

/** `unlock_door`, `call_service(domain: "lock", service: "unlock")` */
function opensLock(words: readonly string[], members: readonly Member[]): boolean {
  const isService = words.includes("service") && STARTS.has(words[0] ?? "");
  return (
    OPENS.has(words[0] ?? "") ||
    (isService &&
      members.some(
        ({ name, value }) => /^service$/i.test(name) && OPENS.has(toolWords(String(value)).tool.at(-1) ?? ""),
      ))
  );
}

/** `create_release`, `create_post`: seen by everybody as soon as it is made, unless it is a draft or for later. */
function publishesNow(words: readonly string[], members: readonly Member[]): boolean {
  const isPublic = /^(?:create|add) (?:release|post|tweet|toot)$/.test(words.join(" "));
  return (
    isPublic &&
    !members.some(
      ({ name, value }) =>
        /draft|status|state/i.test(name) &&
        value !== false &&
        !/^(?:false|publish|published|public|live)$/i.test(String(value)),
    )
  );
}

/** `create_shared_link(access: "open")` */
function isSharedWithAll(members: readonly Member[]): boolean {
  return members.some(
    ({ name, value }) =>
      /^(?:access|visibility|sharing|share_?[a-z]+|link_?access)$/i.test(name) &&
      /^(?:open|public|anyone(?:_with_(?:the_)?link)?|everyone|world)$/i.test(String(value)),
  );
}

const TELLS = wordSet(
  "send post publish comment reply message email mail notify broadcast announce sms dm tweet",
);
const RAISES = wordSet("create trigger open add raise fire declare");

/** To everybody who is there, to whoever is on call, to an address from now on; or a yes in the name of a person. */
function toldToPeople(words: readonly string[], members: readonly Member[]): Told | undefined {
  const isTold = words.some(word => TELLS.has(word));
  if (isTold && members.some(({ value }) => typeof value === "string" && namesEverybody(value)))
    return { rule: "publish", what: "send it to people" };
  const raises = words.some(word => RAISES.has(word));
  if (raises && words.includes("incident")) return { rule: "publish", what: "wake people up" };
  const leads = members.some(
    ({ value }) => typeof value === "string" && /^https?:\/\//i.test(value) && !isLocalAddress(value),
  );
  if (leads && raises && words.some(word => /^(?:web)?hooks?$/.test(word)))
    return { rule: "grant.access", what: "tell an address whatever happens there" };
  const isReview = words.some(word => /^(?:review|pull|merge|pr|mr|change)$/.test(singular(word)));
  return isReview &&
    members.some(
      ({ name, value }) =>
        /^(?:event|state|action|decision|vote|status|review)$/i.test(name) &&
        /^approved?$/i.test(String(value)),
    )
    ? { rule: "deploy.merge", what: "approve it" }
    : undefined;
}

/** Where a page keeps who is logged in, and how its code talks to others. */
const LOGIN_OF_PAGE =
  /\bdocument\s*(?:\.|\[\s*["'`])\s*cookie|\b(?:local|session)Storage\b|\bindexedDB\b|\bcookieStore\b/;
/** Pages of a browser about what it keeps. */
const OWN_PAGES =
  /^(?:chrome|edge|brave|vivaldi|opera|about):(?:\/\/)?(?:password-manager|settings\/(?:passwords|autofill|payments)|logins|flags|policy)\b/i;
/** All of it at once, and not whether one is set. */
const WHOLE_LOGIN =
  /(?:return|=>|^)\s*\(?\s*document\.cookie\s*(?:[;)}+]|$)|JSON\.stringify\(\s*(?:window\.)?(?:local|session)Storage\s*[,)]|Object\.(?:entries|values|assign)\([^)]{0,20}(?:local|session)Storage\b|\bcookieStore\.getAll\(/;
const TALKS =
  /\bfetch\s*\(|\bXMLHttpRequest\b|\bsendBeacon\b|\bWebSocket\b|\bEventSource\b|\bImage\s*\(|\bimport\s*\(|\.(?:src|href|action)\s*=|\blocation\s*=|\.submit\s*\(/;

/** Code for a page that gives its login to an address other than its own. */
function sendsLogin(code: string): boolean {
  return (
    LOGIN_OF_PAGE.test(code) &&
    TALKS.test(code) &&
    [...code.matchAll(/(?:https?|wss?):\/\/[^\s"'`)]+|["'`]\/\/[\w.-]+/g)].some(
      ([address]) => !isLocalAddress(address),
    )
  );
}

const SHOWS = wordSet("get read fetch retrieve reveal show access view export decrypt copy lookup");
/** What the member that says which kind of thing is meant is called. */
const KIND_MEMBER = /^(?:resource(?:_?(?:type|kind))?|kind|type|object(?:_?type)?)$/i;

/** `kubectl_get(resourceType: "secret", name: "x")`; a list of them has names alone. */
function showsChosenSecret(words: readonly string[], members: readonly Member[]): boolean {
  return (
    words.some(word => SHOWS.has(word)) &&
    members.some(({ name, value }) => KIND_MEMBER.test(name) && /^secrets?$/i.test(String(value))) &&
    members.some(
      ({ name, value }) => (name === "name" && value !== "") || /^(?:ya?ml|json)$/i.test(String(value)),
    )
  );
}

/** `{"setting": "waf", "value": "off"}` is `{"waf": "off"}`. */
function withPairs(members: readonly Member[]): readonly Member[] {
  const named = members.filter(
    ({ name, value }) =>
      /^(?:setting(?:_?(?:name|id|key))?|key|name|property|option|feature|flag|parameter)$/i.test(name) &&
      typeof value === "string" &&
      /^[\w.-]{2,60}$/.test(value),
  );
  const given = members.filter(({ name }) => /^(?:value|enabled|state|status|setting_?value)$/i.test(name));
  return named.length === 1 && given.length === 1
    ? [...members, ...given.map(({ value }) => ({ name: String(named[0]?.value), value }))]
    : members;
}

/** `is_destroy: true`, `delete_subtasks: true`; the branch of a merged request is of no more use. */
function verbOfMember(members: readonly Member[]): string | undefined {
  for (const { name, value } of members) {
    const parts = value === true ? toolWords(name).tool : [];
    const verb = destroyingVerb((parts[0] === "is" ? parts[1] : parts[0]) ?? "");
    if (verb !== undefined && !parts.includes("branch")) return verb;
  }
  return undefined;
}

const PRESSES = wordSet("click press tap submit");
const LABELS = /^(?:element|text|label|button|description|selector|name|target|accessible_?name|link)$/i;
/** What a page does for good when such a button is pressed. */
const FINAL =
  /\b(?:pay now|(?:and|to) pay|place (?:your |the )?order|buy(?: it)? now|(?:complete|confirm) (?:your |the )?(?:order|purchase|payment|transfer)|(?:send|transfer) (?:money|funds|payment)|withdraw funds|(?:delete|close|destroy|deactivate|terminate)(?: \w+){0,2} (?:account|project|organi[sz]ation|repository|workspace|database|site|app|instance|cluster|tenant|team)|make (?:\w+ )?public|(?:deploy|promote) to production|send to (?:all|everyone))\b/i;

/** Of a tool that presses something, or of code for a page that does. */
function clickedLabel(words: readonly string[], members: readonly Member[]): string | undefined {
  const presses = words.some(word => PRESSES.has(word));
  for (const { name, value } of members) {
    if (typeof value !== "string" || !((presses && LABELS.test(name)) || /\.(?:click|submit)\(/.test(value)))
      continue;
    const label = FINAL.exec(value.replace(/[-_]/g, " "))?.[0];
    if (label !== undefined) return label;
  }
  return undefined;
}

/** `read_secret`, `get_secret_value`, `getPassword`; names and states of secrets are no values. */
function showsSecret(words: readonly string[]): boolean {
  return (
    SHOWS.has(words[0] ?? "") &&
    /(?:^| )(?:secret|password|passphrase|credential|private key|api key|access token)s?(?: values?| versions?| data)?$/.test(
      words.join(" "),
    ) &&
    !words.some(word => /^(?:names?|list|metadata|policy|policies)$/.test(word))
  );
}

function isOff(value: Member["value"]): boolean {
  return (
    value === false ||
    value === 0 ||
    (typeof value === "string" && /^(?:off|false|disabled|none)$/i.test(value))
  );
}

type Common = Omit<Operation, "rule" | "what">;

function forcedOperations(
  words: readonly string[],
  members: readonly Member[],
  common: Common,
): readonly Operation[] {
  const isForced =
    words.includes("force") ||
    members.some(
      ({ name, value }) =>
        (value === true && PASSES_BY.test(name)) ||
        (typeof value === "string" && /^(?:--force|-f|--hard|hard)$/.test(value)),
    );
  if (!isForced) return [];
  if (words.includes("merge"))
    return [{ ...common, rule: "deploy.merge", what: "merge past the protection" }];
  if (words.some(word => PUBLISHES.has(word)))
    return [{ ...common, rule: "git.history", what: "replace what is published" }];
  return words.includes("git") && words.some(word => DISCARDS.has(word))
    ? [{ ...common, rule: "git.history", what: "discard what is not committed" }]
    : [];
}

function saidOperations(
  words: readonly string[],
  members: readonly Member[],
  common: Common,
): readonly Operation[] {
  const options = members.map(({ name, value }) => ({
    name,
    value: value === true ? undefined : String(value),
  }));
  return operationsSaid({ program: "", command: [words.join("-")], options }).map(said => ({
    ...common,
    // Where it goes may be said by the name itself: `promote_to_production`.
    names: [...common.names, ...words],
    ...said,
  }));
}

/** What tells others something, wherever it stands in the name of a tool. */
const SENDS = wordSet(`
  send post publish comment reply message email mail notify tweet share upload push submit invite broadcast forward
  webhook deploy
`);
/** What others see as soon as it is made or changed. */
const SHARED_THINGS = wordSet(`
  issue issues pr pull request requests comment comments review reviews message messages discussion gist page ticket
  post thread release event
`);
const MAKES = wordSet("create add update edit write open");
const READS_ONLY = wordSet("get list search read find describe show count view");

/** What a tool sends to others: a page that it asks for, a message, a comment. Undefined for one that stays here. */
export function sentByTool(tool: string, input: Json, by: Actor): EffectOf<"send"> | undefined {
  const { server, tool: words } = toolWords(tool);
  const members = isJsonObject(input) ? input : {};
  const url = ["url", "uri", "address", "endpoint"].map(name => members[name]).find(isAddress);
  const send = (to: string): EffectOf<"send"> => ({ kind: "send", by, to: text(to), payloads: [] });
  if (url !== undefined) return send(url);
  if (tool === "WebSearch") return send("the web search");
  const [first = ""] = words;
  if (server.length === 0 || READS_ONLY.has(first)) return undefined;
  const isSent =
    words.some(word => SENDS.has(word)) || (MAKES.has(first) && words.some(word => SHARED_THINGS.has(word)));
  return isSent ? send(server.join(" ")) : undefined;
}

function isAddress(value: Json | undefined): value is string {
  return typeof value === "string" && /^(?:https?|wss?|ftp):\/\//i.test(value);
}

function verbIn(words: readonly string[], server: readonly string[] = []): string | undefined {
  const [first = ""] = words;
  const line = words.join(" ");
  if (line.endsWith("to zero")) return "empty";
  if (/\bpower (?:off|down|cycle)\b/.test(line)) return "switch off";
  // `google-sheets.batch_clear`: the server says what it is done to.
  const nouns = [...words, ...server].map(singular);
  const last = singular(words.at(-1) ?? "");
  if (paysOut(first, last)) return "pay";
  if (TRADES.has(first) && TRADED.has(last)) return "pay";
  // A verb in front is what is done, whatever the last word could be by itself: `deleteIssue`.
  if (server.length > 0 && words[1] === "all" && ENDS_ALL.has(first) && !isOfAgent(words, server))
    return first;
  // `jira_delete_issue`: in front of the verb stands whose it is.
  const isTaken = words.slice(0, 2).some(word => destroyingVerb(word) !== undefined || TAKES.has(word));
  if (isCalm(first) || (!isTaken && isCalm(words.at(-1) ?? ""))) return undefined;
  const isOfAll = words.some(word => word === "all" || word === "every" || word === "everything");
  const isOfService = server.length > 0 && nouns.some(isThingOfService);
  if (isOfAgent(words, server) || (!isOfAll && !isOfService && nouns.some(isRegenerable))) return undefined;
  const strong =
    words.map(destroyingVerb).find(verb => verb !== undefined) ?? words.find(word => TAKES.has(word));
  if (strong !== undefined) return strong;
  const isOfResource = isOfAll || isOfService || nouns.some(isResource);
  // What is closed for others; a page, a tab or an issue is opened again.
  if (first === "close" && nouns.some(noun => CLOSED.has(noun))) return first;
  // A player is paused by one word.
  return words.find(word => isWeakVerb(word) && (isOfResource || (words.length === 1 && word !== "pause")));
}

function isOfAgent(words: readonly string[], server: readonly string[]): boolean {
  if (server.some(word => OF_OTHERS.has(word))) return false;
  if (server.some(word => OWN_SERVERS.has(word))) return true;
  const nouns = words.map(singular);
  // `delete_task_project` deletes the project.
  const isOfMore = nouns.some(noun => isResource(noun) && !OWN_THINGS.has(noun));
  return !isOfMore && nouns.some(noun => OWN_THINGS.has(noun));
}

/** `{"method": "project.purge"}`; a sentence is no name of an operation. */
function chosenIn(words: readonly string[], { name, value }: Member): readonly string[] {
  const chooses =
    toolWords(name).tool.some(part => CHOOSES.has(part)) ||
    (name === "name" && words.some(word => STARTS.has(word)));
  if (!chooses || typeof value !== "string" || !/^[\w.:/-]{1,60}$/.test(value)) return [];
  // The method of a request says nothing of what it is sent to.
  if (/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(value)) return [];
  return toolWords(value.replace(/[./:]/g, "_")).tool;
}

function chosenWords(words: readonly string[], members: readonly Member[]): readonly string[] {
  return members.flatMap(member => chosenIn(words, member));
}

function chosenVerb(words: readonly string[], members: readonly Member[]): string | undefined {
  for (const member of members) {
    const said = chosenIn(words, member);
    const verb = verbIn(said) ?? (said.length === 1 && isWeakVerb(said[0] ?? "") ? said[0] : undefined);
    if (verb !== undefined) return verb;
    // `{"plan": "destroy"}`: a verb that is the whole value is what is to be done, whatever the member is called.
    const { name, value } = member;
    if (typeof value === "string" && destroyingVerb(value) === value && !DATA_MEMBER.test(name)) return value;
  }
  return undefined;
}

function deletesByRequest(members: readonly Member[]): boolean {
  const isDelete = members.some(
    ({ name, value }) =>
      /^(?:http_?)?(?:method|verb)$/i.test(name) && /^(?:delete|purge)$/i.test(String(value)),
  );
  const addresses = members.flatMap(({ value }) =>
    typeof value === "string" && /^https?:/i.test(value) ? [value] : [],
  );
  return isDelete && !addresses.some(isLocalAddress);
}

/** `{"method": "PATCH", "path": "/repos/a/b", "body": {"visibility": "public"}}` is the request that it says. */
function changedByRequest(members: readonly Member[], input: Json): ReturnType<typeof requestLosses> {
  const textOf = (names: RegExp): string | undefined => {
    const found = members.find(({ name, value }) => names.test(name) && typeof value === "string");
    return found === undefined ? undefined : String(found.value);
  };
  const method = textOf(/^(?:http_?)?(?:method|verb)$/i);
  const address = textOf(/^(?:url|uri|path|endpoint|address|route)$/i);
  if (method === undefined || address === undefined || !/^(?:put|patch)$/i.test(method)) return [];
  return requestLosses({ method, address, headers: [], bodies: [JSON.stringify(input) ?? ""] });
}

function textLosses(value: string, isOfDatabase: boolean): readonly Told[] {
  if (/^\s*mutation\b/.test(value) && isDeletingMutation(value))
    return [{ rule: "cloud.api", what: "delete something on another machine" }];
  // SQL is read where it is known to be SQL: `truncate long lines` is a question.
  return isOfDatabase || /^\s*(?:(?:optional\s+)?match\b|flush|db\.)/i.test(value) ? lossesInText(value) : [];
}

/** Values at any depth, each with the name of its nearest member. */
function membersIn(value: Json | undefined, name = "", depth = 0): readonly Member[] {
  if (typeof value === "string" || typeof value === "boolean" || typeof value === "number")
    return [{ name, value }];
  if (depth > MAX_DEPTH || value === null || value === undefined) return [];
  const inner: readonly (readonly [string, Json | undefined])[] = Array.isArray(value)
    ? value.slice(0, MAX_NAMES).map(item => [name, item] as const)
    : Object.entries(value as JsonObject).slice(0, MAX_NAMES);
  return inner.flatMap(([key, item]) => membersIn(item, key, depth + 1));
}

/** Words that may name a production system. */
function namesIn(members: readonly Member[]): readonly string[] {
  return members
    .flatMap(({ value, name }) => (typeof value === "string" ? [value] : value === true ? [name] : []))
    .filter(value => !/\s/.test(value))
    .slice(0, MAX_NAMES);
}
