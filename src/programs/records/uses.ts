import {
  AGENT_PROGRAMS,
  type AgentProgram,
  type CodeLanguage,
  type ElsewhereCommand,
} from "../../hosts/index.ts";
import { baseName, describe, type Invocation, knownText, type Value, wordSet } from "../../shell/index.ts";
import { findProgram, hasTrait } from "../model/registry.ts";
import { isLocalAddress } from "./requests.ts";
import { isSecretName } from "./secret-names.ts";

/** The words behind the program, as far as they are known. */
const described = new WeakMap<Invocation["argv"], readonly string[]>();

/** Remembered, because rules ask for each of the thousands of files that one command may name. */
function describedWords({ argv }: Invocation): readonly string[] {
  const known = described.get(argv);
  if (known !== undefined) return known;
  const words = argv.slice(1).map(describe);
  described.set(argv, words);
  return words;
}

/** The argv that runs PowerShell text. */
export function powerShellArgv(command: string): readonly string[] {
  return ["pwsh", "-Command", command];
}

/** A shell that takes its commands from what it reads. */
export function isOpenShell(invocation: Invocation): boolean {
  if (!hasTrait(invocation.program, "shell")) return false;
  const words = describedWords(invocation);
  return words.every(word => word.startsWith("-") && !/^-[a-zA-Z]*c$/.test(word));
}

/** `exec 3> FILE`: opens descriptors for everything that follows. */
export function opensDescriptors(invocation: Invocation): boolean {
  return invocation.program === "exec" && invocation.argv.length === 1;
}

/** `nc -e`, `socat EXEC:`: a program whose input and output is the network. */
export function runsForSocket(invocation: Invocation): boolean {
  const { program = "" } = invocation;
  if (program === "socat")
    return describedWords(invocation).some(word => /(^|,|!!)(exec|system|shell):/i.test(word));
  return (
    /^(nc|ncat|netcat|cryptcat)(\.\w+)?$/.test(program) &&
    describedWords(invocation).some(word => /^-[a-zA-Z]*[ec]$|^--(exec|sh-exec|lua-exec)(=|$)/.test(word))
  );
}

/** Archives hide what is in them, and letters exchanged for others spell anything. */
export function unpacksOutput(invocation: Invocation): boolean {
  const { program } = invocation;
  if (hasTrait(program, "unpacks")) return true;
  if (program === "tr") return translatesLetters(describedWords(invocation));
  return (
    /^(g|bsd)?tar$/.test(program ?? "") &&
    describedWords(invocation).some(
      (word, index) => word === "--to-stdout" || (index === 0 ? /^-?[a-zA-Z]*O/ : /^-[a-zA-Z]*O/).test(word),
    )
  );
}

/** `tr a-z n-za-m`; deleting or squeezing leaves the letters what they were. */
function translatesLetters(words: readonly string[]): boolean {
  const [from = "", to = ""] = words.filter(word => !/^-[a-zA-Z-]/.test(word));
  return [from, to].every(set => /[a-z]/i.test(set.replace(/\[:\w+:\]/g, "")));
}

/** What comes in comes out, whole or in part: a filter, or a program of which nothing else is known. */
export function showsInput(invocation: Invocation): boolean {
  const { program = "" } = invocation;
  if (unpacksOutput(invocation) || hasTrait(program, "passesOn") || hasTrait(program, "decodes")) return true;
  const record = findProgram(program);
  return (
    record === undefined || (record.effects === undefined && record.is?.includes("readsNothing") !== true)
  );
}

const MANIFEST = /^(?:(?:-f|-k|--filename|--kustomize)=?)?(https?:\/\/\S+|(?:github|gitlab)\.com\/\S+)$/i;

/** `kubectl apply -f https://…`, `helm install x https://…/chart.tgz`: it runs in the cluster, with what rights it asks for. */
function appliedAddress({ program = "" }: Invocation, words: readonly string[]): string | undefined {
  if (!hasTrait(program, "appliesManifests") || words.some(word => /^--dry-run/.test(word))) return undefined;
  const verb = words.findIndex(word => /^(?:apply|create|replace|install|upgrade)$/.test(word));
  // `helm plugin install https://…`: that stays on this machine.
  if (verb < 0 || words.slice(0, verb).includes("plugin")) return undefined;
  for (const [index, word] of words.entries()) {
    const address = index > verb ? MANIFEST.exec(word)?.[1] : undefined;
    const before = words[index - 1] ?? "";
    // `--repo https://…`, `--set url=https://…`: settings of what is installed.
    const isValue = before.startsWith("-") && !/^(?:-f|-k|--filename|--kustomize)$/.test(before);
    if (address !== undefined && !isValue && !isLocalAddress(address)) return address;
  }
  return undefined;
}

/** Programs of Windows that start what is at an address, or fetch it past what looks at downloads. */
const LOADS_ADDRESS: Readonly<Record<string, RegExp>> = {
  mshta: /^/,
  regsvr32: /^[-/]i/i,
  msiexec: /^[-/](?:i|package)$/i,
  certutil: /^[-/]urlcache$/i,
  bitsadmin: /^[-/](?:transfer|addfile)$/i,
  installutil: /^/,
};

function loadedAddress(invocation: Invocation): string | undefined {
  const name = (invocation.program ?? "").toLowerCase().replace(/\.exe$/, "");
  const loads = Object.hasOwn(LOADS_ADDRESS, name) ? LOADS_ADDRESS[name] : undefined;
  if (loads === undefined) return undefined;
  const words = describedWords(invocation);
  if (!words.some(word => loads.test(word))) return undefined;
  return words
    .map(word => /https?:\/\/\S+/i.exec(word)?.[0])
    .find(address => address !== undefined && !isLocalAddress(address));
}

/** The address whose content it starts as a program: `deno run https://…`. */
export function startedAddress(invocation: Invocation): string | undefined {
  const applied = appliedAddress(invocation, describedWords(invocation)) ?? loadedAddress(invocation);
  if (applied !== undefined) return applied;
  const isDeno = invocation.program === "deno";
  const isStarter = isDeno || (invocation.program !== undefined && startsScripts(invocation.program));
  if (!isStarter) return undefined;
  const words = describedWords(invocation);
  const address = words.find(word => /^https?:\/\//i.test(word));
  const isStarted = isDeno
    ? /^(run|test|bench|install|eval)$/.test(words[0] ?? "")
    : words.find(word => !word.startsWith("-")) === address;
  return isStarted ? address : undefined;
}

/** Its first word is a program: that of a package, or one in its language. */
function startsScripts(name: string): boolean {
  return hasTrait(name, "runsPackage") || findProgram(name)?.language !== undefined;
}

/** Options in a variable that load a file: `-javaagent:/tmp/x.jar`, `-toolexec=/tmp/x`, `--require /tmp/x.js`, `-r/tmp/x`. */
export const LOADING_OPTION =
  /(?:(?<![^\s=])-r\s*(?=[~./])|-(?:Xbootclasspath\/[ap]|[\w-]*(?:agent|plugin|exec|require|import|loader|preload|wrapper|init|shell|script|hook)[\w-]*)[:=\s])([^\s=,]+)/g;

/** Names of variables whose value is a program that others start, or a file or folder from which they load code. */
export const PROGRAM_VARIABLE =
  /(?:^|_)(?:\w*WRAPPER|SHELL|ASKPASS|PAGER|EDITOR|VISUAL|BROWSER|CC|CXX|LD|AR|LINKER|COMPILER|RUNNER|LAUNCHER|COMMAND|CMD|RSH|EXTERNAL_DIFF|HELPER|PRELOAD|STARTUP|PLUGINS?|PLUGIN_PATH|INIT|INITRD|BASH_ENV|ENV|ZDOTDIR|HOOKS_?PATH|EXEC_PATH|PYTHONSTARTUP|TEMPLATE_DIR)$/i;

/** Packages and installers, whose text nobody reads. */
export const PACKAGE_FILE =
  /\.(?:deb|rpm|apk|pkg|msi|exe|dmg|run|bin|appimage|snap|flatpak(?:ref)?|xpi|vsix)$/i;

const INSTALLS_FILES = wordSet(
  "install --install install-extension --install-extension install-plugin --install-plugin -i -ivh -Uvh i add -jar",
);

/** The words that name what a program starts, loads or installs: itself, a script for an interpreter, a package that is a file. */
export function startedFiles(invocation: Invocation): readonly Value[] {
  const { argv, program } = invocation;
  const [first, ...rest] = argv;
  const isOwn = first !== undefined && describe(first).includes("/");
  const isInstalled = describedWords(invocation).some(word => INSTALLS_FILES.has(word));
  const operands = isInstalled || startsFile(program) ? rest.filter(isNoOption) : [];
  // What an interpreter gets behind its script is for the script.
  const named = isInstalled ? operands : operands.slice(0, 1);
  return isOwn ? [first, ...named] : named;
}

function startsFile(program: string | undefined): boolean {
  const record = program === undefined ? undefined : findProgram(program);
  return (
    record?.language !== undefined ||
    record?.is?.some(trait => trait === "runsPackage" || trait === "shell" || trait === "sources") === true
  );
}

function isNoOption(word: Value): boolean {
  return !describe(word).startsWith("-");
}

/** `set -x`, `bash -v`, `strace`: each command, or each text that is read, is shown from here on; `set +x` ends it. */
export function tracesCommands(invocation: Invocation): "on" | "off" | undefined {
  const { program = "" } = invocation;
  if (/^(?:strace|ltrace|truss|dtruss)$/.test(program)) return "on";
  if (program !== "set" && !hasTrait(program, "shell")) return undefined;
  for (const [index, word] of describedWords(invocation).entries()) {
    const [, sign, letters = ""] = /^([-+])([a-zA-Z]+)$/.exec(word) ?? [];
    const named = letters.endsWith("o") ? describedWords(invocation)[index + 1] : undefined;
    if (/[xv]/.test(letters) || /^(?:xtrace|verbose)$/.test(named ?? "")) return sign === "-" ? "on" : "off";
    // Behind the text or the file stand words for it.
    if (program !== "set" && (/c/.test(letters) || sign === undefined)) return undefined;
  }
  return undefined;
}

const PRINTS_VARIABLES = /^(?:set|printenv|declare|typeset|export|env|jq|direnv|mise)$/;
/** In a query of jq; `.env` is a member. */
const WHOLE_IN_QUERY = /(?:^|[^.\w$])(?:env|\$ENV)(?![.\w])/;

/** Prints every variable: a builtin or program that is given nothing else to do. */
export function printsEnvironment(invocation: Invocation): boolean {
  // Most programs are none of these, and their words need not be looked at.
  if (!PRINTS_VARIABLES.test(invocation.program ?? "")) return false;
  const words = describedWords(invocation);
  switch (invocation.program) {
    case "set":
      return words.length === 0;
    case "printenv":
      return true;
    case "declare":
    case "typeset":
    case "export":
      return words.some(word => /^-[a-zA-Z]*p/.test(word)) || words.every(word => word.startsWith("-"));
    case "env":
      return words.every(word => word.startsWith("-") || /^\w+=/.test(word));
    case "jq":
      return words.some(word => WHOLE_IN_QUERY.test(word));
    case "direnv":
      return words[0] === "export";
    case "mise":
      return words[0] === "env";
    default:
      return false;
  }
}

/** Prints what a person copied last, a password as often as not. */
export function readsClipboard(invocation: Invocation): boolean {
  const words = describedWords(invocation);
  switch (invocation.program) {
    case "pbpaste":
    case "wl-paste":
      return true;
    case "xclip":
    case "xsel":
      return words.some(word => /^-{1,2}o(?:ut(?:put)?)?$/.test(word));
    default:
      return false;
  }
}

/** What it gives out holds everything of its kind: a dump of a database, a picture of the screen. */
export function capturedBy(invocation: Invocation): string | undefined {
  const { program = "" } = invocation;
  if (/^(?:pg_dump(?:all)?|mysqldump|mariadb-dump|mysqlpump|mongodump)$/.test(program))
    return "a dump of the database";
  const isScreen =
    /^(?:scrot|maim|grim|screencapture|gnome-screenshot|spectacle|flameshot|xwd)$/.test(program) ||
    (program === "import" && describedWords(invocation).includes("root"));
  return isScreen ? "a picture of the screen" : undefined;
}

/** Whether what it shows of the environment may be a secret: the variables that it names, or all of them. */
export function mayShowSecret(invocation: Invocation, hasSecretVariables: () => boolean): boolean {
  if (!printsEnvironment(invocation)) return false;
  const named = invocation.program === "printenv" ? namedVariables(invocation) : [];
  return named.length > 0 ? named.some(isSecretName) : hasSecretVariables();
}

/** A pattern that looks for such variables: `-i token`, `AWS`, `_KEY=`. */
export function asksForSecret(pattern: string): boolean {
  return /secret|token|passw|api_?key|private_?key|credential|_key|\bkey\b|aws|akia|ghp_|sk-|begin.{0,200}key/i.test(
    pattern,
  );
}

/** The variables that a program is told to print: `printenv NAME`, `declare -p NAME`. */
export function namedVariables(invocation: Invocation): readonly string[] {
  if (/^(?:jq|direnv|mise)$/.test(invocation.program ?? "")) return [];
  return describedWords(invocation).filter(word => /^[A-Za-z_]\w*$/.test(word));
}

/** Leaves the names of variables and drops what they hold, or only counts: `cut -d= -f1`, `grep -c`. */
export function dropsValues(invocation: Invocation): boolean {
  const words = describedWords(invocation);
  if (words.some(word => /^(-[a-z]*[cql]|--count|--quiet|--files-with-matches|-f1|--fields=1)$/.test(word)))
    return true;
  return words.some(word => /=\.\*|print \$1/.test(word));
}

/** Letters, digits and the marks of a class, up to the sign: nothing behind it can be part of a match. */
const NAME_PATTERN = /^\^(?:export )?(?:\[(?:\^=|[\w-]+)\]|\\w)[*+]=?$/;
/** With `-n` only the lines are printed that it changed. */
const PRINTED_NAMES = /^s([/|#,])=\.\*\$?\1[^\\&=]*\1g?p$/;
const NAME_SCRIPT = /^s([/|#,])=\.\*\$?\1[^\\&=]*(?:=[^\\&]*)?\1g?$/;

/** Of lines like `NAME=value` it shows the names alone: `cut -d= -f1`, `grep -o '^[A-Z_]*='`, `sed 's/=.*/ /'`, `awk -F= '{print $1}'`. */;
export function showsOnlyNames(invocation: Invocation): boolean {
  const words = describedWords(invocation);
  const has = (pattern: RegExp) => words.some(word => pattern.test(word));
  switch (invocation.program) {
    case "cut": {
      const line = words.join(" ");
      return (
        /(?:^|\s)(?:-d ?|--delimiter[= ])=(?:\s|$)/.test(line) &&
        /(?:^|\s)(?:-f ?|--fields[= ])1(?:\s|$)/.test(line)
      );
    }
    case "grep":
    case "egrep":
      return (
        has(/^-(?=[\s\S]*o)[a-zA-Z]+$|^--only-matching$/) &&
        has(NAME_PATTERN) &&
        !has(/^-[a-zA-Z]*[Pv]|^-e|^-f|^--/)
      );
    case "sed":
      return (
        (has(NAME_SCRIPT) ? !has(/^-[a-zA-Z]*[nef]|^--(?!regexp)/) : has(PRINTED_NAMES) && has(/^-n$/)) &&
        words.filter(word => NAME_SCRIPT.test(word) || PRINTED_NAMES.test(word)).length === 1
      );
    case "awk":
    case "gawk":
    case "mawk":
      return has(/^-F=$/) && words.some(word => /^\{ ?print \$1(?: ?"[^"$]*")? ?\}$/.test(word));
    default:
      return invocation.program !== undefined && findProgram(invocation.program)?.language !== undefined
        ? words.some(codeOfNames)
        : false;
  }
}

const LOADS_DOTENV = /\brequire\(\s*["']dotenv(?:\/config)?["']\s*\)/;
const KEYS_OF_ENVIRONMENT = /\bObject\.keys\(\s*process\.env\s*\)/;
/** Any other way to a variable, a file or a program. */
const OTHER_WAYS = /\b(?:process|environ|getenv|open|read\w*|require|import\(|spawn|exec\w*|system|env)\b/;

/** Code that asks for the names of variables, or how many there are, and for nothing else of them. */
function codeOfNames(code: string): boolean {
  if (KEYS_OF_ENVIRONMENT.test(code))
    return !OTHER_WAYS.test(code.replace(LOADS_DOTENV, "").replace(KEYS_OF_ENVIRONMENT, ""));
  const [imported, alias] =
    /\bfrom dotenv import dotenv_values(?: as ([A-Za-z]\w*))?\s*[;\n]/.exec(code) ?? [];
  if (imported === undefined) return false;
  const call = String.raw`\b${alias ?? "dotenv_values"}\(\s*(?:"[^"]*"|'[^']*')?\s*\)`;
  const keys = new RegExp(
    String.raw`\b(?:sorted|list|len|set)\(\s*${call}(?:\.keys\(\))?\s*\)|${call}\.keys\(\)`,
    "g",
  );
  const rest = code.replace(imported, "").replace(keys, "");
  return (
    rest.length < code.length - imported.length && !new RegExp(call).test(rest) && !OTHER_WAYS.test(rest)
  );
}

/** Makes variables of its words and shows nothing; `env` needs a program behind them, or it prints them all. */
export function takesVariables({ program, argv }: Invocation): boolean {
  if (program === "env") return argv.slice(1).some(word => /^[^-=][^=]*$/.test(knownText(word) ?? "="));
  return /^(export|declare|typeset|local|readonly)$/.test(program ?? "");
}

const LOADS_VARIABLES =
  /^--env-file|^dotenv\b|\b(?:load_dotenv|loadEnvFile|loadEnvConfig)\b|\bdotenv(?:['"`]\s*\))?\s*\.\s*(?:config|load)\b|\bdotenv\/config\b/i;

/** Takes variables of a file in before it runs its code: `node --env-file`, `load_dotenv()`, `require("dotenv").config()`. */
export function loadsVariables(invocation: Invocation): boolean {
  return describedWords(invocation).some(word => LOADS_VARIABLES.test(word));
}

/** Writes its words down in a store of its own: `npm config set`, `gh secret set`. */
export function storesWords(invocation: Invocation): boolean {
  return /^(config|secrets?|variables?|env) (set|put|add)\b/.test(
    describedWords(invocation).slice(0, 2).join(" "),
  );
}

/** Reads a password from its input and keeps it. */
export function takesPassword(invocation: Invocation): boolean {
  return describedWords(invocation).some(word =>
    /^--(password-stdin|with-token|token-stdin|passphrase-fd.*)$/.test(word),
  );
}

const DISPLAY =
  /^("?(true|false|cat|less( -\S+)*|more|delta( .*)?|vim?|nvim|nano|emacs|code --wait|code -w|:)"?|)$/;

/** Does not show what it is fed: counts it, keeps it, or hands it to a place of its own. */
export function keepsInput(program: string | undefined): boolean {
  return /^(source|\.|docker|podman|ssh-add|wc|md5sum|sha256sum)$/.test(program ?? "");
}

/** A pager or an editor, as a setting names it: it shows, and does nothing else. */
export function onlyDisplays(commandLine: string): boolean {
  return DISPLAY.test(commandLine);
}

/** `$USER`, `$(whoami)`: the account of whoever runs the command. */
export function isOwnAccount(shown: string): boolean {
  return /^\$(USER|\{USER\}|UID|\(whoami\)|\(id -un?\)|LOGNAME)$/.test(shown);
}

/** The argv that does what a tool does with SQL. */
export function sqlArgv(statements: string): readonly string[] {
  return ["psql", "-c", statements];
}

const INTERPRETERS: Readonly<Record<Exclude<CodeLanguage, "unknown">, readonly [string, string]>> = {
  python: ["python3", "-c"],
  javascript: ["node", "-e"],
  ruby: ["ruby", "-e"],
  php: ["php", "-r"],
  perl: ["perl", "-e"],
  lua: ["lua", "-e"],
  applescript: ["osascript", "-e"],
  mongo: ["mongosh", "--eval"],
};

/** The argvs that run code, one for each language that it may be in. */
export function codeArgvs(language: CodeLanguage, code: string): readonly (readonly string[])[] {
  const languages = language === "unknown" ? (["python", "javascript"] as const) : [language];
  return languages.map(one => [...INTERPRETERS[one], code]);
}

/** The argv that runs a command text somewhere else. */
export function elsewhereArgv({ container, host }: ElsewhereCommand, command: string): readonly string[] {
  if (container !== undefined) return ["docker", "exec", container, "sh", "-c", command];
  return ["ssh", host ?? "", command];
}

/** The argv that runs text of another shell; undefined for the shell itself. */
export function dialectArgv(
  dialect: "posix" | "powershell" | "cmd",
  command: string,
): readonly string[] | undefined {
  if (dialect === "powershell") return powerShellArgv(command);
  return dialect === "cmd" ? ["cmd", "/c", command] : undefined;
}

/** Those that are no hosts stand here. */
const AGENTS: readonly AgentProgram[] = [
  ...AGENT_PROGRAMS,
  { names: ["aider"], bypass: /^--(yes-always|yes)$/ },
  { names: ["q"], bypass: /^--trust-all-tools$/ },
  { names: ["crush"], bypass: /^(--yolo|-y)$/ },
];

/** The agent that a program is, or starts as a package; undefined for every other program. */
export function findAgent({ program = "", argv }: Invocation): string | undefined {
  agentNames ??= new Set(AGENTS.flatMap(({ names }) => names));
  if (!hasTrait(program, "mayRunPackage")) return agentNames.has(program) ? program : undefined;
  packages ??= new Map(AGENTS.map(agent => [agent.package, agent.names[0]]));
  for (const word of argv.slice(1)) {
    const started = packages.get(describe(word).replace(/(?<=.)@[^/@]*$/, ""));
    if (started !== undefined) return started;
  }
  return agentNames.has(program) ? program : undefined;
}

let packages: ReadonlyMap<string | undefined, string | undefined> | undefined;

let agentNames: ReadonlySet<string> | undefined;

const INTERPRETER = /^-?(node|nodejs|bun|deno|python[\d.]*|ruby|(ba|z|da|k)?sh)$/;

/** The agent that a running process is, by its words and the names it goes by. */
export function agentOfProcess(argv: readonly string[], names: readonly string[]): string | undefined {
  const [program = "", ...rest] = argv;
  const script = INTERPRETER.test(baseName(program)) ? rest.find(word => !word.startsWith("-")) : undefined;
  const named = [program, ...names, ...(script === undefined ? [] : [script])].map(word =>
    baseName(word).replace(/\.(c?js|mjs|ts|exe|sh)$/, ""),
  );
  const found = AGENTS.find(
    agent =>
      agent.names.some(name => named.includes(name)) ||
      (agent.package !== undefined && script?.includes(`/node_modules/${agent.package}/`) === true),
  );
  return found?.names[0];
}

/** A word that switches the questions of this agent off; of any agent when none is given. */
export function turnsPermissionsOff(word: string, agent?: string): boolean {
  return AGENTS.some(
    ({ names, bypass }) => (agent === undefined || names.includes(agent)) && bypass.test(word),
  );
}

/** Looks through a folder and follows no link on the way. */
export function searchesWithoutLinks(invocation: Invocation): boolean {
  return (
    invocation.program === "find" && !describedWords(invocation).some(word => /^-(?:[LH]|follow)$/.test(word))
  );
}
