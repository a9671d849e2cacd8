import { words } from "../../shell/index.ts";
import { isElsewhere } from "./database-address.ts";

/**
 * What a command of this program means for the protection of a session: it `passes`, a person is asked, it `loosens`
 * the guard, or it changes what the `history` kept.
 */
export type OwnUse = "passes" | "asks" | "loosens" | "history";

interface OwnCommand {
  readonly use: OwnUse;
  /** options with a value, `f|format` for one with a short name; not needed where every call passes */
  readonly values?: string;
  /** of those, options whose value may be left out */
  readonly bare?: string;
  /** options that change the use: `dry-run`, or `failure=open` for one value */
  readonly passesWith?: string;
  readonly asksWith?: string;
  readonly loosensWith?: string;
  /** an option with an address: one on another machine, which is told a password and what is looked for, is asked about */
  readonly asksAbroad?: string;
  /** words that are known only when it runs are its texts: it takes what programs print, and rarely options */
  readonly isGivenTexts?: boolean;
  /** of those with a value, options that name a file which it writes */
  readonly writes?: string;
  /** all its flags; the first word it does not know, and all behind it, belong to the agent that it starts */
  readonly flags?: string;
  /** what the name of a family means without a subcommand */
  readonly isInitial?: boolean;
}

const FORMAT = "f|format";
const DATABASE = "db-path";
/** of every command that opens the store of memories */
const STORE = `${FORMAT} ${DATABASE} backend url team`;
const LAUNCH: OwnCommand = {
  use: "asks",
  values: "cwd",
  passesWith: "dry-run print-env",
  loosensWith: "skip-permissions allow-untrusted-hooks",
  flags: `dry-run print-env shims strict-version allow-untrusted-hooks reflection no-reflection subprocess-safe
    skip-update-check`,
};
const FREE_LAUNCH: OwnCommand = { ...LAUNCH, flags: `${LAUNCH.flags} skip-permissions` };
const RESUMING_LAUNCH: OwnCommand = {
  ...LAUNCH,
  values: "cwd checkout-repo",
  flags: `${FREE_LAUNCH.flags} resume continue continue-session`,
};
/** What an agent notes for itself is its own; what it writes for others, or on another machine, is not. */
const SHARED_STORE = "url backend=postgres";
const REDO: OwnCommand = { use: "history", values: FORMAT, passesWith: "n|dry-run" };

/**
 * Every command there is; a test compares it with the commands themselves. One that is missing here is asked about. The
 * commands lie in a layer above, so that what they mean to the guard is told here.
 */
export const OWN_COMMANDS: Readonly<Record<string, OwnCommand>> = {
  ...each("asks", "", "bridge"),
  ...each("asks", "name", "mcp guard"),
  // Whoever starts it answers its questions; hosts start it themselves.
  "mcp serve": { use: "asks", values: "port", isInitial: true },
  ...each("asks", `${FORMAT} to team interval timeout`, "ship"),
  ...each("asks", FORMAT, "unlock", "mode to-plugin", "mode to-local", "plugin install", "plugin uninstall"),
  ...each(
    "asks",
    FORMAT,
    "plugin link",
    "hooks add",
    "hooks build",
    "hooks import",
    "hooks new",
    "hooks remove",
  ),
  ...each(
    "passes",
    undefined,
    "complete",
    "completions",
    "demo",
    "lock-status",
    "status",
    "statusline",
    "version",
  ),
  ...each("passes", undefined, "audit head"),
  "audit verify": {
    use: "passes",
    values: `head url team person machine ${FORMAT}`,
    bare: "url",
    asksAbroad: "url",
  },
  ...each("passes", undefined, "guard test", "guard explain", "guard why", "guard programs", "guard log"),
  ...each(
    "passes",
    undefined,
    "guard replay",
    "guard suggest",
    "guard scan",
    "guard argv",
    "history show",
    "history diff",
  ),
  ...each("passes", undefined, "history verify", "hooks list", "hooks inspect", "hooks test", "mode detect"),
  dashboard: { use: "passes", values: "port address url team", bare: "url", asksAbroad: "url" },
  "memory tree": { use: "passes", values: `${STORE} session type depth`, asksAbroad: "url" },
  "memory list": { use: "passes", values: `${STORE} agent session`, asksAbroad: "url" },
  "memory get": { use: "passes", values: `${STORE} agent session`, asksAbroad: "url" },
  "memory history": { use: "passes", values: `agent session url team ${FORMAT}`, asksAbroad: "url" },
  "memory search": { use: "passes", values: `${STORE} agent session limit`, asksAbroad: "url" },
  ...each(
    "passes",
    undefined,
    "plugin verify",
    "plugin list",
    "recipe list",
    "recipe show",
    "recipe validate",
  ),
  "recipe logs": { use: "passes", values: `${FORMAT} url`, bare: "url", asksAbroad: "url" },
  "recipe runs": { use: "passes", values: `n|limit url queue ${FORMAT}`, bare: "url", asksAbroad: "url" },
  ...each("passes", undefined, "orch helper", "hygiene artifact-guard", "resolve-bundle-asset"),
  ...each("passes", undefined, "session-tree register", "session-tree complete", "session-tree status"),
  ...each("passes", undefined, "session-tree check"),
  "session-tree gc": { use: "asks", values: "older-than-days", passesWith: "dry-run" },
  ...each("asks", "", "orch run"),
  "history list": { use: "passes", isInitial: true },
  "config list": { use: "passes", isInitial: true },
  ...each("passes", undefined, "config get"),
  ...each("loosens", FORMAT, "config set", "config unset"),
  ...each("loosens", "", "config edit"),
  "config pull": { use: "asks", values: FORMAT, loosensWith: "pin" },
  amplifier: FREE_LAUNCH,
  claude: RESUMING_LAUNCH,
  codex: LAUNCH,
  copilot: LAUNCH,
  gemini: LAUNCH,
  launch: RESUMING_LAUNCH,
  opencode: LAUNCH,
  pi: LAUNCH,
  doctor: { use: "passes", values: `${FORMAT} host`, asksWith: "fix live" },
  "guard allow-once": { use: "loosens", values: FORMAT },
  "guard init": { use: "asks", values: FORMAT, loosensWith: "trust force" },
  "history clear": { use: "history", values: FORMAT },
  "history prune": { use: "history", values: `${FORMAT} older-than to` },
  "hooks capture": {
    use: "asks",
    values: `${FORMAT} event input name golden-dir from reference candidate baseline timeout`,
    writes: "baseline",
  },
  "hooks compare": {
    use: "passes",
    values: `${FORMAT} event input transcript golden-dir filter reference reference-map candidate timeout jobs ignore
      epsilon runs`,
    asksWith: "reference reference-map candidate",
  },
  "hooks replay": {
    use: "passes",
    values: `${FORMAT} input transcript event candidate timeout last`,
    bare: "transcript",
    asksWith: "candidate",
  },
  "hooks trust": { use: "loosens", values: FORMAT },
  install: {
    use: "passes",
    values: `${FORMAT} host scope local profile parts failure`,
    passesWith: "dry-run",
    asksWith: "local force yes dedupe profile parts failure programs-only",
    loosensWith: "failure=open profile=guard",
  },
  lock: { use: "asks", values: `${FORMAT} m|message` },
  "memory clean": { use: "passes", values: `${STORE} pattern`, writes: DATABASE, asksWith: "no-dry-run" },
  "memory sync": { use: "passes", values: `${FORMAT} timeout`, asksWith: "earlier change-team" },
  "memory store": {
    use: "passes",
    values: `${STORE} agent session type category`,
    writes: DATABASE,
    asksWith: `${SHARED_STORE} share`,
    isGivenTexts: true,
  },
  "memory pin": {
    use: "passes",
    values: `${STORE} agent session`,
    writes: DATABASE,
    asksWith: SHARED_STORE,
    isGivenTexts: true,
  },
  "memory unpin": {
    use: "passes",
    values: `${STORE} agent session`,
    writes: DATABASE,
    asksWith: SHARED_STORE,
    isGivenTexts: true,
  },
  "memory delete": { use: "asks", values: `${STORE} agent session`, writes: DATABASE },
  "memory edit": { use: "asks", values: `${STORE} agent session`, writes: DATABASE },
  "memory forget": { use: "asks", values: `${STORE} agent`, writes: DATABASE },
  "memory export": { use: "asks", values: `${STORE} agent o|output`, writes: "o|output" },
  "memory import": { use: "asks", values: `${STORE} agent i|input`, writes: DATABASE },
  "memory move": { use: "asks", values: `${FORMAT} db-path url team to`, writes: DATABASE },
  "parts list": {
    use: "passes",
    values: `${FORMAT} on off profile`,
    asksWith: "on off profile",
    loosensWith: "off=guard off=history profile=guard",
    isInitial: true,
  },
  ...each("asks", FORMAT, "parts on"),
  ...each("loosens", FORMAT, "parts off"),
  "recipe run": {
    use: "asks",
    values: `${FORMAT} c|context set context-file R|recipe-dir w|working-dir C|cd step-timeout include-tags exclude-tags
      agent-binary audit-dir resume`,
    passesWith: "dry-run",
  },
  // What is submitted runs where no guard of this session sees it, and a worker runs what others submit.
  "recipe submit": {
    use: "asks",
    values: `${FORMAT} url queue c|context set context-file R|recipe-dir w|working-dir C|cd step-timeout include-tags
      exclude-tags agent-binary`,
    bare: "url",
  },
  "recipe worker": {
    use: "asks",
    values: "url queue w|working-dir concurrency queue-concurrency rate name take-over-after keep-days",
    bare: "url",
  },
  "recipe cancel": { use: "asks", values: `${FORMAT} url`, bare: "url" },
  redo: REDO,
  report: { use: "passes", values: `${FORMAT} html since`, writes: "html" },
  undo: { ...REDO, values: `${FORMAT} session turn since`, bare: "session turn" },
  uninstall: { use: "loosens", values: `${FORMAT} host scope`, passesWith: "dry-run" },
  update: { use: "asks", values: `${FORMAT} version`, passesWith: "check", loosensWith: "version" },
};

function each(
  use: OwnUse,
  values: string | undefined,
  ...names: readonly string[]
): Readonly<Record<string, OwnCommand>> {
  return Object.fromEntries(names.map(name => [name, values === undefined ? { use } : { use, values }]));
}

/** One call of this program, read as the program itself reads it. */
export interface OwnCall {
  /** `guard allow-once`; undefined for a word that is no command */
  readonly command: string | undefined;
  readonly use: OwnUse;
  /** what is handed on to the agent that it starts */
  readonly passedOn: readonly string[];
  /** an agent is started */
  readonly isLaunch: boolean;
  /** another option could have changed the use */
  readonly isOptionDependent: boolean;
  /** the names of files that it writes: which of the words, counted from the end as `-1`, and where in it the name begins */
  readonly writes: readonly { readonly word: number; readonly from: number }[];
}

const GLOBAL_FLAGS = words("-h --help -V --version --quiet --no-color");
const TELLS_ONLY: OwnCall = {
  command: "",
  use: "passes",
  passedOn: [],
  isLaunch: false,
  isOptionDependent: false,
  writes: [],
};
const DEFAULT_COMMAND = "status";
const FAMILIES = new Set(
  Object.keys(OWN_COMMANDS).flatMap(name => (name.includes(" ") ? [name.slice(0, name.indexOf(" "))] : [])),
);

/** `argv` are the words behind the program's name. */
export function readOwnCall(argv: readonly string[]): OwnCall {
  const { asksForHelp, rest } = skipGlobalFlags(argv);
  const [name = DEFAULT_COMMAND, ...more] = rest;
  if (asksForHelp || name === "help") return TELLS_ONLY;
  if (!FAMILIES.has(name)) return readCall(name, OWN_COMMANDS[name], more);
  const inner = skipGlobalFlags(more);
  if (inner.asksForHelp) return TELLS_ONLY;
  const [subcommand, ...words] = inner.rest;
  if (subcommand !== undefined && !subcommand.startsWith("-"))
    return readCall(`${name} ${subcommand}`, OWN_COMMANDS[`${name} ${subcommand}`], words);
  const initial = Object.entries(OWN_COMMANDS).find(
    ([path, { isInitial }]) => isInitial === true && path.startsWith(`${name} `),
  );
  return initial === undefined ? TELLS_ONLY : readCall(initial[0], initial[1], more);
}

/** A word that names a command, so that what stands in front of it may well be this program. */
export function isOwnCommand(word: string | undefined): boolean {
  return word !== undefined && (FAMILIES.has(word) || Object.hasOwn(OWN_COMMANDS, word));
}

const WRITING_OPTIONS = new Set(
  Object.values(OWN_COMMANDS).flatMap(({ writes = "" }) => words(writes).flatMap(names => names.split("|"))),
);

/** Whether a word begins as an option does that names a file to write: told before a call is read. */
export function mayWriteFile(word: string): boolean {
  return word.startsWith("-") && WRITING_OPTIONS.has(splitOption(word).name);
}

function skipGlobalFlags(argv: readonly string[]): {
  readonly asksForHelp: boolean;
  readonly rest: readonly string[];
} {
  const end = argv.findIndex(word => !GLOBAL_FLAGS.includes(word));
  const flags = end < 0 ? argv : argv.slice(0, end);
  const asksForHelp = flags.some(flag => !flag.startsWith("--quiet") && !flag.startsWith("--no-color"));
  return { asksForHelp, rest: end < 0 ? [] : argv.slice(end) };
}

function readCall(name: string, command: OwnCommand | undefined, argv: readonly string[]): OwnCall {
  if (command === undefined) return { ...TELLS_ONLY, command: undefined, use: "asks" };
  const { options, passedOn } = readOptions(command, argv);
  const has = (names = "") => words(names).some(each => isGiven(each, options));
  const isLaunch = command.flags !== undefined && !has(`h|help V|version ${command.passesWith}`);
  const use = (): OwnUse => {
    if (has("h|help") || (has("V|version") && !words(command.values ?? "").includes("version")))
      return "passes";
    if (has(command.passesWith)) return "passes";
    if (has(command.loosensWith)) return "loosens";
    const isAbroad = options.some(({ name, value }) => name === command.asksAbroad && isElsewhere(value));
    return isAbroad || has(command.asksWith) ? "asks" : command.use;
  };
  const isOptionDependent =
    command.asksWith !== undefined && command.isGivenTexts !== true && !has(`h|help ${command.passesWith}`);
  const writes = options
    .filter(each => each.value !== "" && words(command.writes ?? "").some(names => isGiven(names, [each])))
    .map(({ word, from }) => ({ word: word - argv.length, from }));
  return { command: name, use: use(), passedOn, isLaunch, isOptionDependent, writes };
}

type Given = readonly {
  readonly name: string;
  readonly value: string;
  /** the word in which the value stands, and where it begins there */
  readonly word: number;
  readonly from: number;
}[];

/** `dry-run`, `n|dry-run`, or `off=guard` for a value that names it among others. */
function isGiven(wanted: string, options: Given): boolean {
  const [names = "", value] = wanted.split("=");
  return options.some(
    given =>
      names.split("|").includes(given.name) &&
      (value === undefined || given.value.split(",").some(one => one.trim() === value)),
  );
}

/** The options up to `--`, or up to the first word that belongs to an agent. */
function readOptions(
  { values = "", bare = "", flags }: OwnCommand,
  argv: readonly string[],
): { readonly options: Given; readonly passedOn: readonly string[] } {
  const options: Given[number][] = [];
  const withValue = words(values).map(names => names.split("|"));
  for (let index = 0; index < argv.length; index++) {
    const word = argv[index] as string;
    if (word === "--") return { options, passedOn: argv.slice(index + 1) };
    if (word.length < 2 || !word.startsWith("-")) {
      if (flags !== undefined) return { options, passedOn: argv.slice(index) };
      continue;
    }
    const { name, attached } = splitOption(word);
    const found = withValue.find(names => names.includes(name))?.at(-1);
    if (found === undefined) {
      if (flags !== undefined && !GLOBAL_FLAGS.includes(word) && !words(flags).includes(word.slice(2)))
        return { options, passedOn: argv.slice(index) };
      // The letters of one word are flags.
      const given = word.startsWith("--") ? [name] : [...word.slice(1)];
      options.push(...given.map(flag => ({ name: flag, value: "", word: index, from: word.length })));
      continue;
    }
    const isBare =
      attached === undefined && words(bare).includes(found) && (argv[index + 1] ?? "-").startsWith("-");
    if (attached === undefined && !isBare) index += 1;
    const text = argv[index] ?? "";
    const value = isBare ? "" : (attached ?? text);
    options.push({ name: found, value, word: index, from: text.length - value.length });
  }
  return { options, passedOn: [] };
}

function splitOption(word: string): { readonly name: string; readonly attached: string | undefined } {
  if (!word.startsWith("--")) {
    const rest = word.slice(2).replace(/^=/, "");
    return { name: word[1] ?? "", attached: rest === "" ? undefined : rest };
  }
  const equals = word.indexOf("=");
  return equals < 0
    ? { name: word.slice(2), attached: undefined }
    : { name: word.slice(2, equals), attached: word.slice(equals + 1) };
}
