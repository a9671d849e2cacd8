import { type WordSet, wordSet } from "../../shell/index.ts";

// The words by which programs, tools and interfaces say what they do, for whoever has no record that says it better.
// Every list is of singular words in small letters; `nameParts` brings a name in any spelling into that form.

/** What takes something away, or makes it unusable, whatever it is done to. */
const DESTROYS = wordSet(`
  destroy purge wipe nuke terminate teardown deprovision decommission unpublish obliterate delete drop erase truncate
  revoke disable undefine uninit implode shred expunge
`);
/** These need the kind of thing that is lost, or that the question is answered beforehand. */
const WEAKLY = wordSet(`
  remove rm del reset flush clear force evict expunge prune deactivate unregister deregister detach empty uninstall
  drain trash overwrite invalidate expire archive cancel ban kick refund void forget abandon discard suspend freeze
  shutdown poweroff halt pause unlink quarantine blacklist demote offboard strip scrap zap cleanup unset down deallocate revert
`);
/** What ends something that runs; with everything for its object, what others run as well. */
const ENDS = wordSet(
  "stop kill halt shutdown poweroff quit suspend pause destroy down stopall killall haltall",
);
/** What is lost with its data, or for everybody who uses it. */
const RESOURCES = wordSet(`
  account alert app application archive backup blob branch-protection bucket calendar catalog certificate channel cluster
  collection contact customer data database dataset db dbs deployment credential device disk dns domain droplet email endpoint env
  environment fleet filesystem function group host image index installation instance job-queue key keyspace keyring lake
  ledger machine mailbox member message namespace network node node-pool nodepool ns number object order org organisation
  offset organization partition pipeline pod policy peer pool principal program project pvc queue record region registry release repo repository
  resource resource-group role schema secret server service share site snapshot space stack storage store stream subnet
  subscription sweep table team tenant thread token topic trash tunnel user variable vault vm volume vpc warehouse workspace zone
`);
/** What tools of a service do it to: in a program these are parts of the project's code. */
const OF_SERVICES = wordSet(`
  page item entry post document doc folder sheet card board list event meeting ticket issue article campaign lead deal
  conversation product invoice charge payment model course survey ad listing offer coupon webhook rule alias connection key
`);
const MOVES_MONEY = wordSet("create make send issue submit initiate execute transfer refund payout");
/** Money that leaves; whoever makes one of these has paid. */
const PAYS = wordSet("refund payout transfer withdrawal chargeback disbursement");
/** Said by one word of a program's: `payinvoice lnbc1`, `sendtoaddress bc1 0.5`. */
const PAYS_ALONE =
  /^(?:pay|payout|withdraw|(?:send|pay|withdraw)(?:to|invoice|coins?|funds?|tokens?|raw|many|all)\w*|send(?:raw)?transaction)$/;
/** What signs a payment, or says that it is told to everybody. */
const SIGNS = wordSet("mnemonic keystore ledger trezor broadcast unfunded");

/** Told to many people at once, or to a telephone: none of it can be called back. */
const MASS_MAIL = wordSet(
  "campaign newsletter broadcast blast mailing sms mms fax voicemail voicecall postcard singlesend autopilot",
);
const SENDS = wordSet(
  "send broadcast blast launch schedule dispatch deliver publish push start trigger resend",
);
/** Read by whoever likes to, as soon as it is posted. */
const POSTED = wordSet("tweet toot skeet");
const POSTS = wordSet("post create publish send reply quote");
const TELLS_PEOPLE = wordSet("send email mail message dm notify broadcast text sms invite announce");
const EVERYBODY = wordSet("all everyone everybody");
/** Marks of chats, segments of services and addresses of groups. */
const ALL_PEOPLE =
  /(?:^|[^\w.@/])[@!](?:everyone|channel|here|all)(?![\w/-])|<at>\s*(?:everyone|all|channel)|^(?:all|everyone|everybody)$|\b(?:all|everyone|everybody|company|staff|employees|customers?|subscribers|users|members)(?:[-_.+]\w+)?@[\w-]+\.\w|\b(?:company|org)[-_ ]wide\b|(?<![A-Za-z])all[-_ ](?:customers|users|staff|subscribers|employees|members|hands|company)\b/i;
const MESSAGES = wordSet("message email mail notification call verification text");
const TO_MANY =
  /^(?:to-?)?(?:lists?|list-ids?|audiences?|segments?|subscribers?|recipients?-list|all-\w+|everyone)$/;

/** A text or a recipient by which a message goes to whoever is there. */
export function namesEverybody(text: string): boolean {
  return ALL_PEOPLE.test(text);
}

/** A command that sends something to people, by its name or its words. */
export function sendsMessages(program: string, command: readonly string[]): boolean {
  return [program, ...command.slice(0, 3).filter(word => /^[a-z][\w:-]*$/i.test(word))]
    .flatMap(nameParts)
    .map(singular)
    .some(part => TELLS_PEOPLE.has(part) || /^(?:post|publish|mailx|sendmail|mutt|swaks)$/.test(part));
}

/** Puts a version in front of everybody: `service-version activate`. */
const PUTS_LIVE = wordSet("activate golive cutover");
const LIVE_THINGS = wordSet(
  "version release property theme site website storefront flow listing page blueprint ruleset",
);
/** Where a name leads, and what answers there. */
const NAMES_LEAD = /dns|^(?:nameserver|cname|route53)$/;
const LEADS = wordSet("set push sync update put apply replace import transfer add create change point doit");
/** Runs of a pipeline do whatever its file says. */
const PIPELINES = wordSet("ci pipeline workflow job");
const STARTS = wordSet("run trigger start play retry create rerun dispatch");
/** With one of these nobody is asked any more; with one of these it is not for everybody. */
const SURE_OPTIONS = wordSet("yes y force non-interactive no-interactive auto-approve no-prompt assume-yes");
const NOT_FOR_ALL =
  /(?:^|[-_./:=])(?:stag(?:e|ing)|dev(?:elop\w*)?|test\w*|preview|local\w*|sandbox|qa|uat|ci|review|demo|draft|canary|devnet|anvil|alpha|beta)\d*(?=$|[-_./:=])/i;
/** What is made again by the next run, or stands in the code of the project. */
const REGENERABLE = wordSet(`
  artifact build cache component container controller coverage directive field generator helper history label layout lock log
  mailer migration middleware model module page plugin preview route scaffold session snippet spec temp test tmp view
`);
/** Words of `CALM` that are things as well: with a verb behind it, one of these is what the verb is done to. */
const CALM_THINGS = wordSet(
  "tag issue message note pr config export import events copy upload push test run",
);
/** With one of these in front, what follows is what is looked at, made or looked for. */
const CALM = wordSet(`
  add apply attach browser build can cat check config configure copy count cp create describe diff docs dry echo edit
  estimate events exec explain export fetch find g generate get grep has help history import info init insert inspect
  install is issue lint list log login logs lookup ls make message new note open plan ping pr preview print pull push
  query read resolve restart run save scale search set show start stat status stop suggest sync tag tail test top update
  upgrade upload use validate version view watch
`);
/** Nothing is changed, when one of these begins or ends a word. */
const LOOKS = wordSet(`
  list ls get show describe status info log diff plan view help docs test lint validate search check preview notes build
  synth template render inspect explain can watch tail version find fetch count read lookup whoami simulate verify
  estimate dry size du df stat usage
`);

/** What is done with a service every day, beside what only looks and what is calm anywhere. */
const WORK = wordSet(`
  rollout cordon uncordon workspace console graph wait completion port forward dev serve auth account context env whoami
  doctor invoke execute generate format fmt tidy vet create deploy wake join clone emulator studio link select switch use label
  annotate autoscale rerun download translate transcribe compile optimize expose shell ssh proxy attach detach-keys repo
  version api-resources dependency template docs package bundle convert sign hash encrypt recognize estimate refresh
  mb scan submit rsync rewrite compact hmac sync output kustomize debug plugin launch local psql gen types setup addons
  wireguard ips info env remote region zone default
`);
/** Options by which something is done to more than is named, or past what holds it back. */
const BEYOND =
  /^(?:force[\w-]*|prune|purge|overwrite|cascade|all|everything|no-wait-for-drain|ignore-[\w-]*|allow-[\w-]*(?:loss|destr\w*))$/;

const DEPLOYS = wordSet("deploy redeploy promote rollback ship cutover golive");
const RELEASES = wordSet("release rollout deployment");
/** Of a place that says production, each of these changes what people use. */
const CHANGES = wordSet(`
  apply sync upgrade update migrate patch scale execute trigger swap reconcile toggle submit import restore
  publish supply converge restart rebuild reload recreate maintenance put push activate write replace up
`);

const GIVES = wordSet(
  "grant authorize authorise invite assign attach share allow bind elevate escalate impersonate",
);
/** Giving by itself, whatever the thing is called. */
const GIVES_ALWAYS = wordSet("grant invite impersonate elevate escalate");
const KINDS_OF_KEY = wordSet("api access deploy ssh service gpg signing hmac");
const MAKES = wordSet(
  "create add issue mint set put update generate write enable new append patch modify edit register upload approve change rotate renew make store bulk reset import",
);
const RIGHTS = wordSet(`
  role policy permission privilege access admin acl binding collaborator member maintainer owner right grant rolebinding
  clusterrole clusterrolebinding sudo sudoer superuser credential password passwd mfa 2fa invitation serviceaccount
  principal scc membership entitlement visibility
`);
/** Accounts are rights when they are made; what else is done to them is not. */
const ACCOUNTS = wordSet("user account team");
const MAKES_ACCOUNTS = wordSet("create add invite register");
/** A secret is set for others to use; one that is created may be for this project alone. */
const SETS_SECRETS = wordSet("set put add store bulk upload import");
const KEYS = wordSet("token apikey pat accesskey deploykey sshkey authkey");

const STOPS = wordSet(`
  disable suspend pause stop off unprotect mute silence bypass skip no without turnoff deactivate remove clear detach
  leave unset relax lift unlock
`);
const PROTECTION = wordSet(`
  audit auditing logging alarm alert backup versioning version protection mfa 2fa sso firewall waf encryption retention
  monitor monitoring scanning guardrail lock immutability protect pitr trail siem detector organization termination
  recovery compliance integrity recorder rls selinux apparmor fail2ban falco ufw auditd clamav crowdstrike wazuh osquery
  protected
`);
/** Said by one word. */
const UNPROTECTS = wordSet("unprotect unseal");
/** What must be so before something is done: `only_allow_merge_if_pipeline_succeeds`, `requiresApprovingReviews`. */
const CONDITION = /^(?:requir(?:e[sd]?)|enforc(?:e[sd]?)|prevent|restrict|only-allow)(?:-|$)/;
const OFF = /(?:^|[=:\s"'])(?:false|off|0|no|none|disabled?|suspended)(?=$|[\s"',}])/i;
const OPEN_VALUE =
  /(?:^|[=:,\s"'])(?:0\.0\.0\.0(?:\/0)?|::\/0|allUsers|allAuthenticatedUsers|AllUsers|public-read(?:-write)?|Everyone|anyone)(?=$|[:,\s"'\]])/;
/** Members that say how much somebody may do, and values with which it is everything. */
const LEVELS = wordSet("role permission access privilege scope acl level");
const HIGHEST =
  /^(?:[\w./-]*[./_-])?(?:admin\w*|owner|maintain\w*|superuser|root|cluster-admin|editor|fullaccess|full[_-]control|poweruser\w*|\*)$/i;
const OPEN_OPTION = wordSet("public publicly unauthenticated anonymous");

const BUYS = wordSet(`
  create launch provision order buy purchase rent scale resize upgrade run deploy start add up request reserve register
  autoscale allocate increase book new link
`);
const BILLED = wordSet(`
  server vm instance cluster machine droplet node gpu database db volume disk domain ip address plan addon pod linode
  nodepool nodegroup app service loadbalancer lb environment branch replica worker compute dyno subscription seat license
  warehouse index endpoint deployment capacity job space site billing quota reservation commitment concurrency throughput
  project bucket queue codespace workspace finetune finetuning tune tuning training number charge payment intent payout
  refund invoice domain integration host fleet slot registration zone crawler device
`);

export interface SaidOperation {
  readonly rule:
    | "cloud.other"
    | "deploy.merge"
    | "deploy.production"
    | "grant.access"
    | "grant.protection"
    | "spend.resource"
    | "cloud.public"
    | "publish";
  readonly what: string;
  /** asked about, whether or not its words say production */
  readonly verdict?: "ask";
}

/** Only where its own words say production, not where another part of the text does. */
export const CHANGE = "change what is in use";

/** A line of words: the words of the command, and its options. */
export interface Said {
  /** Name of the program, when nobody has described it. */
  readonly program: string;
  readonly command: readonly string[];
  readonly options: readonly { readonly name: string; readonly value: string | undefined }[];
}

const MAX_REMEMBERED = 4000;
const MAX_REMEMBERED_LENGTH = 40;
const remembered = new Map<string, readonly string[]>();

/** The words of a name in any spelling: `delete_repository`, `dropDatabase`, `db:wipe`. Each is asked for many times. */
export function nameParts(name: string): readonly string[] {
  if (name.length > MAX_REMEMBERED_LENGTH) return splitName(name);
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const parts = splitName(name);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(name, parts);
  return parts;
}

function splitName(name: string): readonly string[] {
  return name
    .replace(/([a-z\d])(?=[A-Z])/g, "$1-")
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(part => part !== "");
}

export function singular(noun: string): string {
  if (noun.length > 4 && noun.endsWith("ies")) return `${noun.slice(0, -3)}y`;
  return noun.length > 3 && noun.endsWith("s") && !/(?:ss|us|is)$/.test(noun) ? noun.slice(0, -1) : noun;
}

/** A verb that destroys by itself: `delete`, also grown together with what it destroys: `deleteall`, `rmbranch`. */
export function destroyingVerb(part: string): string | undefined {
  if (DESTROYS.has(part)) return part;
  const [, verb, noun = ""] =
    /^(delete|destroy|drop|purge|wipe|truncate|remove|rm|flush|del|clear|prune|erase|empty)(\w{2,})$/.exec(
      part,
    ) ?? [];
  return verb !== undefined && (noun === "all" || noun === "range" || isResource(singular(noun)))
    ? verb
    : undefined;
}

/** A word of a server or a tool whose texts are for a database, whatever its member is called. */
export function isOfDatabases(word: string): boolean {
  return /^(?:\w*sql\w*|pg|postgres\w*|maria\w*|db|database|dbhub|clickhouse|snowflake|bigquery|redshift|duckdb|oracle|cassandra|cql|redis|mongo\w*)$/.test(
    word,
  );
}

export function isWeakVerb(part: string): boolean {
  return WEAKLY.has(part);
}

/** `stop all`, `kill --all`, `services stop '*'`: no more is said of what it ends. */
export function endsEverything(command: readonly string[], flags: readonly string[]): boolean {
  const at = command.findIndex(word => nameParts(word).some(part => ENDS.has(part)));
  if (at < 0 || at > 2) return false;
  if (/all$/.test(command[at] ?? "")) return true;
  const objects = command.slice(at + 1);
  if (objects.some(word => /^(?:all|\*|everything|\*:\*)$|\/\*$/i.test(word))) return true;
  return flags.some(flag => /^(?:all|everything|all-\w+)$/.test(flag));
}

export function isResource(noun: string): boolean {
  return RESOURCES.has(noun);
}

/** It only looks, by any part of its name. */
export function onlyLooks(parts: readonly string[]): boolean {
  return parts.some(part => LOOKS.has(singular(part)));
}

export function isWork(part: string): boolean {
  return CALM.has(part) || WORK.has(part);
}

export function reachesBeyond(option: string): boolean {
  return BEYOND.test(option);
}

export function isRegenerable(noun: string): boolean {
  return REGENERABLE.has(noun);
}

export function isCalm(part: string): boolean {
  return CALM.has(part);
}

/** `tag delete x` deletes a tag, where `search delete` looks for a word. */
export function isCalmThing(part: string): boolean {
  return CALM_THINGS.has(part);
}

/** Things that only a service has: a tool that removes one takes it from others. */
export function isThingOfService(noun: string): boolean {
  return OF_SERVICES.has(noun);
}

/** `create refund`, `POST …/refunds`: money has left. */
export function paysOut(verb: string, noun: string): boolean {
  return MOVES_MONEY.has(verb) && PAYS.has(noun);
}

export function isProtection(noun: string): boolean {
  return PROTECTION.has(noun);
}

export function endsRunning(part: string): boolean {
  return ENDS.has(part);
}

const COUNTS =
  /^(?:quantity|replicas|desired_?(?:count|capacity|size)|num_?(?:nodes|instances)|min_?instances|(?:node|instance|server)_?count)$/i;
const TAKEN_OUT =
  /^(?:is_?)?(?:archived|deleted|disabled|suspended|trashed|locked|deactivated|maintenance|terminated|decommissioned)$/i;
const TAKEN_OUT_STATE = /^(?:down|drain(?:ed|ing)?|halted|paused|inactive|offline)$/i;

/** `{"archived": true}`, `--desired-capacity 0`: out of use from then on. */
export function takesOut(name: string, value: string): boolean {
  const written = name.replaceAll("-", "_");
  return (
    (TAKEN_OUT.test(written) && value === "true") ||
    (COUNTS.test(written) && value === "0") ||
    (/^(?:status|state)$/i.test(written) && (TAKEN_OUT.test(value) || TAKEN_OUT_STATE.test(value)))
  );
}

/** `--require-approval never`, `--no-confirm-changeset`, `--skip-checks`: nobody looks at it before it is there. */
export function skipsApproval(name: string, value: string | undefined): boolean {
  const parts = nameParts(name);
  const isOfApproval = parts.some(part =>
    /^(?:approval|confirm\w*|review|check|checks|verif\w+)$/.test(part),
  );
  return isOfApproval && (/^(?:no|skip|bypass|disable|without)$/.test(parts[0] ?? "") || value === "never");
}

/** What reaches users, gives rights, lifts a protection or costs money: each is a rule that can be set. */
export function operationsSaid({ program, command, options }: Said): readonly SaidOperation[] {
  const split = command.map(nameParts);
  if (split.some(looks)) return [];
  const parts = withoutScope(split).flat().flatMap(partedVerb).map(singular);
  const has = (list: WordSet): boolean => parts.some(part => list.has(part));
  const programParts = nameParts(program).map(singular);
  const closes = options.some(({ name, value }) => closesToAll(nameParts(name), value));
  const gives = has(GIVES) || has(MAKES);
  const isKey = has(KEYS) || (parts.includes("key") && has(KINDS_OF_KEY));
  const isAccount = has(ACCOUNTS) && has(MAKES_ACCOUNTS);
  const isSecret = parts.includes("secret") && has(SETS_SECRETS);
  // Whatever is switched off of a protection that is changed: `update_branch_protection(enforce_admins: false)`.
  const isOfProtection = has(PROTECTION) && (has(MAKES) || has(CHANGES));
  const lifts = options.some(
    ({ name, value }) =>
      liftsProtection(nameParts(name).map(singular), value) ||
      (program === "" && OFF.test(value ?? "") && CONDITION.test(nameParts(name).join("-"))) ||
      (isOfProtection && (value === undefined ? STOPS.has(name.replace(/d$/, "")) : OFF.test(value))),
  );
  const isApproval = split.flat().some(part => APPROVES.has(part)) && !has(RIGHTS) && !isKey;
  const opens = options.some(({ name, value }) => opensToAll(nameParts(name), value));
  const raises = options.some(
    ({ name, value }) =>
      value !== undefined && HIGHEST.test(value) && nameParts(name).some(part => LEVELS.has(singular(part))),
  );
  const found: readonly Found[] = [
    ...reachesPeople({ program, command, options }, parts),
    [isApproval, "deploy.merge", "approve it"],
    [paysIn(parts, options), "cloud.other", "pay"],
    [
      !closes &&
        (has(GIVES_ALWAYS) ||
          (gives && (has(RIGHTS) || isKey || raises)) ||
          (raises && has(RIGHTS)) ||
          isAccount ||
          isSecret),
      "grant.access",
      "give rights",
    ],
    [
      lifts ||
        has(UNPROTECTS) ||
        options.some(({ name }) => nameParts(name).some(part => UNPROTECTS.has(part))) ||
        (has(STOPS) && (has(PROTECTION) || programParts.some(part => PROTECTION.has(part)))),
      "grant.protection",
      "switch a protection off",
    ],
    [publishesPackage(program, command), "publish", "publish it"],
    [opens && (gives || has(CHANGES) || has(DEPLOYS) || has(RIGHTS)), "cloud.public", "open it to everybody"],
    [
      has(BUYS) && (has(BILLED) || programParts.some(part => BILLED.has(part))),
      "spend.resource",
      "create or enlarge something",
    ],
  ];
  return found.flatMap(([is, rule, what, verdict]) =>
    is ? [{ rule, what, ...(verdict === undefined ? {} : { verdict }) }] : [],
  );
}

type Found = readonly [is: boolean, rule: SaidOperation["rule"], what: string, verdict?: "ask"];

/** Deploys, what is put live, changes of what is in use, and messages to many. */
function reachesPeople({ program, command, options }: Said, parts: readonly string[]): readonly Found[] {
  const has = (list: WordSet): boolean => parts.some(part => list.has(part));
  const programParts = nameParts(program).map(singular);
  // Also as the name of what is started: `pipeline start deploy`.
  const isNamed = command.map(nameParts).some(one => one.length === 1 && DEPLOYS.has(one[0] ?? ""));
  const isDeploy = isNamed || has(DEPLOYS) || has(RELEASES) || programParts.some(part => DEPLOYS.has(part));
  const isForAll = ![...command, ...options.flatMap(({ name, value = "" }) => [name, value])].some(word =>
    NOT_FOR_ALL.test(word),
  );
  const isLive = isForAll && isPutLive(parts, program, options);
  const isUnasked = isForAll && has(DEPLOYS) && options.some(({ name }) => SURE_OPTIONS.has(name));
  const changes = has(CHANGES) || (has(PIPELINES) && has(STARTS));
  return [
    [isDeploy && !isUnasked, "deploy.production", "deploy"],
    [isUnasked, "deploy.production", "deploy", "ask"],
    [isLive, "deploy.production", "put something live", "ask"],
    [!isDeploy && !isLive && changes, "deploy.production", CHANGE],
    [tellsMany(parts, programParts, options), "publish", "send it to people"],
  ];
}

const APPROVES = wordSet("approve approved signoff");
const GROWN_TOGETHER = /^(add|set|reset|change|create|grant|assign|update|send)(?=\w{2,})/;

/** `addmembers`, `setpassword`, `setdns` are two words, where the second is one that counts. */
function partedVerb(part: string): readonly string[] {
  const verb = GROWN_TOGETHER.exec(part)?.[0];
  if (verb === undefined) return [part];
  const noun = singular(part.slice(verb.length));
  const counts = [RIGHTS, ACCOUNTS, KEYS, PROTECTION, MESSAGES].some(list => list.has(noun));
  return counts || NAMES_LEAD.test(noun) ? [verb, noun] : [part];
}

type Options = Said["options"];

/** `refunds create`, `transfer TO 100`, `payinvoice`, `send … --private-key`. */
function paysIn(parts: readonly string[], options: Options): boolean {
  if (parts.some(verb => parts.some(noun => noun !== verb && paysOut(verb, noun)))) return true;
  if (parts.some(part => PAYS_ALONE.test(part))) return true;
  const signs = options.some(({ name }) =>
    nameParts(name).some(part => SIGNS.has(part) || name === "private-key"),
  );
  return signs && parts.some(part => /^(?:send|transfer|stake|swap|bridge|mint|script|publish)$/.test(part));
}

/** `campaigns send 42`, `messages:create --to +1666`, `send --to-list customers`. */
function tellsMany(parts: readonly string[], programParts: readonly string[], options: Options): boolean {
  const sends = [...parts, ...programParts].some(part => SENDS.has(part));
  const isPhone = options.some(
    ({ name, value = "" }) => /^(?:to|t|number|phone)/.test(name) && /^\+\d{4,}$/.test(value),
  );
  if (isPhone && (sends || parts.some(part => MESSAGES.has(part)))) return true;
  if (parts.some(part => POSTED.has(part)) && [...parts, ...programParts].some(part => POSTS.has(part)))
    return true;
  if (parts.some(part => TELLS_PEOPLE.has(part)) && parts.some(part => EVERYBODY.has(part))) return true;
  if (!sends) return false;
  return parts.some(part => MASS_MAIL.has(part)) || options.some(({ name }) => TO_MANY.test(name));
}

/** `service-version activate`, `theme push --live`; for a domain whatever changes it. */
function isPutLive(parts: readonly string[], program: string, options: Options): boolean {
  const has = (list: WordSet): boolean => parts.some(part => list.has(part));
  if (has(PUTS_LIVE) && has(LIVE_THINGS)) return true;
  const isOfName = [...parts, ...nameParts(program)].some(part => NAMES_LEAD.test(part));
  return isOfName && (has(LEADS) || options.some(({ name }) => name === "doit"));
}

const PACKAGE_FILE =
  /\.(?:whl|gem|snap|deb|rpm|crate|nupkg|vsix|apk|aab|ipa|dmg|pkg|msi|appimage|flatpak|conda)$/i;
const HANDS_OUT = wordSet("upload push submit release deliver send");
const PUBLISHED = wordSet("package crate gem module extension plugin image chart version artifact");

/**
 * `acme publish`, `acme publish ./dist`, `acme upload x.snap`, `publish_package`; a message is published to a topic, and
 * what is only called `release` is built.
 */
function publishesPackage(program: string, command: readonly string[]): boolean {
  if (program === "") {
    const parts = command.flatMap(nameParts).map(singular);
    return parts.includes("publish") && parts.some(part => PUBLISHED.has(part));
  }
  const at = command.indexOf("publish");
  if (at >= 0) return command.slice(at + 1).every(word => /[./]/.test(word));
  const hands = [...nameParts(program), ...command.slice(0, 2).flatMap(nameParts)];
  return hands.some(part => HANDS_OUT.has(part)) && command.some(word => PACKAGE_FILE.test(word));
}

/** Code of a project has such objects itself: only what came out of a library is a service. */
const OF_LIBRARY = /\(\)|^\w+(?:\.\w+){2,}$/;
/** Parts of the language, of requests and of tables, whatever they are called. */
const NO_SERVICE =
  /(?:^|\.)(?:Map|Set|WeakMap|Headers|URLSearchParams|FormData|params|cache|headers|cookies|router|app|argparse\w*|ArgumentParser|logging|df|DataFrame|plt|ax|fig|np|pd)(?:\(\))?\.\w+$/;

/**
 * What a function of a client library does by its name and by what it is given: `kfp.Client().delete_run`,
 * `stripe.Refund.create`, `HfApi().update_repo_settings(private=False)`.
 */
export function operationsOfMember(
  name: string,
  options: Said["options"],
  values: readonly string[],
): readonly SaidOperation[] {
  if (!OF_LIBRARY.test(name) || NO_SERVICE.test(name)) return [];
  const segments = name.replaceAll("()", "").split(".");
  const parts = nameParts(segments.at(-1) ?? "");
  const owner = nameParts(segments.at(-2) ?? "").map(singular);
  const [verb = "", which = ""] = parts;
  // Rows of a database are read where its statements are.
  if (/^(?:many|one|first|unique|all)$/.test(which)) return [];
  const nouns = [...parts.slice(1), ...owner.slice(-1)].map(singular);
  const isThing = nouns.some(
    noun => isResource(noun) || isThingOfService(noun) || /^(?:run|job|file)$/.test(noun),
  );
  if (isThing && (destroyingVerb(verb) !== undefined || verb === "vacuum"))
    return [{ rule: "cloud.other", what: `${verb} something` }];
  if (nouns.some(noun => paysOut(verb, noun))) return [{ rule: "cloud.other", what: "pay" }];
  if (owner.includes("message") && verb === "create" && options.some(({ name: option }) => option === "to"))
    return [{ rule: "publish", what: "send it to people" }];
  const isLive = [...values, ...options.map(({ value = "" }) => value)].some(value =>
    /^prod(?:uction)?$/i.test(value),
  );
  if (isLive && /^(?:transition|promote|deploy|set|update)$/.test(verb))
    return [{ rule: "deploy.production", what: "deploy", verdict: "ask" }];
  return operationsSaid({ program: "", command: [parts.join("-")], options }).filter(
    ({ rule }) => rule === "cloud.public" || rule === "grant.protection",
  );
}

/** Deploys are words of tasks of a project as well; `release` is there what is built. */
export function saysDeploy(names: readonly string[]): boolean {
  const split = names.map(nameParts);
  return !split.some(looks) && split.flat().some(part => DEPLOYS.has(singular(part)));
}

function looks(parts: readonly string[]): boolean {
  const last = singular(parts.at(-1) ?? "");
  // `updateRepositoryInfo`
  if (parts.length > 2 && [MAKES, CHANGES].some(list => list.has(parts[0] ?? ""))) return false;
  // `service-version activate`
  return LOOKS.has(singular(parts[0] ?? "")) || (LOOKS.has(last) && last !== "version");
}

/**
 * Words behind the verb are names that somebody chose; without a word in front of it, the first says what it is done to.
 * A word that is only a verb is the verb, else the last that has one in it.
 */
function withoutScope(split: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const isVerb = (part: string): boolean =>
    [GIVES, MAKES, STOPS, BUYS, DEPLOYS, CHANGES].some(list => list.has(part));
  const lone = split.findIndex(parts => parts.length === 1 && parts.some(isVerb));
  const at = lone < 0 ? split.map(parts => parts.some(isVerb)).lastIndexOf(true) : lone;
  return at <= 0 ? split.slice(0, at < 0 ? split.length : 2) : split.slice(0, at + 1);
}

function liftsProtection(parts: readonly string[], value: string | undefined): boolean {
  const protects = parts.some(part => PROTECTION.has(part));
  return protects && (STOPS.has(parts[0] ?? "") || (value !== undefined && OFF.test(value)));
}

/** `--acl private`, `--public-access off`, `BlockPublicAcls=true` */
function closesToAll(parts: readonly string[], value = ""): boolean {
  const isOfAccess = parts.some(part => ["acl", "access", "public", "visibility"].includes(part));
  return (
    isOfAccess &&
    (/^(?:private|off|deny|none|disabled|false)$/i.test(value) || /(?<!\w)(?=\w*Block)\w+=true/i.test(value))
  );
}

function opensToAll(parts: readonly string[], value: string | undefined): boolean {
  // With blanks it is a text.
  if (value !== undefined && !/\s/.test(value) && OPEN_VALUE.test(value)) return true;
  const isOn = value === undefined || /^(?:true|on|yes|1|enabled|blob|container)$/i.test(value);
  if (parts.some(part => OPEN_OPTION.has(part))) return isOn && parts[0] !== "no";
  if (parts.includes("visibility")) return value === "public";
  return parts.includes("private") && value !== undefined && /^(?:false|no|0)$/i.test(value);
}
