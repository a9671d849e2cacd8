import type { Invocation } from "../shell/facts.ts";
import { describe } from "../shell/value.ts";
import { lookUp } from "./look-up.ts";
import { wordSet } from "./words.ts";

/** What checks ask about programs. No other file of the guard's checks names one. */
export type Trait = keyof typeof NAMES;

const NAMES = {
  /** runs text as shell commands, also that of other systems */
  shell: wordSet("bash sh zsh dash ksh ash mksh fish rbash csh tcsh cmd cmd.exe powershell pwsh"),
  /** runs PowerShell text */
  powershell: wordSet("pwsh powershell"),
  /** connects its input and output to the network */
  socket: wordSet("nc ncat netcat nc.openbsd nc.traditional telnet socat openssl cryptcat pwncat rlwrap"),
  /** prints what is at an address; the usual ones are known by the origin of their output */
  fetches: wordSet("fetch lynx w3m links elinks aria2c axel lwp-request GET ftp tftp gopher"),
  /** its code reads from sockets by itself, so that what it fetches comes from there */
  "reads-sockets": wordSet("awk gawk mawk nawk"),
  /** what it prints is not what went in, and what went in cannot be read */
  decodes: wordSet("base64 base32 basenc openssl xxd uudecode gpg python python3 perl ruby node"),
  /** prints what is in an archive or a compressed file */
  unpacks: wordSet(
    "gunzip zcat gzcat gzip bunzip2 bzcat bzip2 unxz xzcat xz zstdcat unzstd zstd lz4 uncompress unzip 7z funzip",
  ),
  /** takes the variables of a file into the shell */
  sources: wordSet("source ."),
  /** prints its own words */
  prints: wordSet("echo printf"),
  /** reads a line into a variable */
  "reads-line": wordSet("read"),
  /** starts the package that its first word names */
  "runs-package": wordSet("npx bunx pnpx"),
  /** can start a package that one of its words names */
  "may-run-package": wordSet("npx bunx pnpx pnpm yarn npm bun"),
  "installs-packages": wordSet("npm pnpm yarn bun brew volta"),
  /** this program itself */
  own: wordSet("amplihack"),
  /** reads and shows, whatever its words are, but for those that `NOT_HARMLESS` names */
  "reads-only": wordSet(`
    ls cat pwd whoami date uname hostname id which head tail wc file stat du df tree echo true false uptime nproc arch
    groups tsc eslint jest vitest pytest mypy ruff flake8 prettier biome
  `),
};

export function hasTrait(program: string | undefined, trait: Trait): boolean {
  return program !== undefined && NAMES[trait].has(program);
}

/** The words behind the program, as far as they are known. */
function wordsOf({ argv }: Invocation): readonly string[] {
  return argv.slice(1).map(describe);
}

/** The argv that runs PowerShell text. */
export function powerShellArgv(command: string): readonly string[] {
  return ["pwsh", "-Command", command];
}

/** A shell that takes its commands from what it reads. */
export function isOpenShell(invocation: Invocation): boolean {
  if (!hasTrait(invocation.program, "shell")) return false;
  const words = wordsOf(invocation);
  return words.every(word => word.startsWith("-") && !/^-[a-zA-Z]*c$/.test(word));
}

/** `nc -e`, `socat EXEC:`: a program whose input and output is the network. */
export function runsForSocket(invocation: Invocation): boolean {
  const { program = "" } = invocation;
  const words = wordsOf(invocation);
  if (program === "socat") return words.some(word => /(^|,|!!)(exec|system|shell):/i.test(word));
  return (
    /^(nc|ncat|netcat|cryptcat)/.test(program) &&
    words.some(word => /^-[a-zA-Z]*[ec]$|^--(exec|sh-exec|lua-exec)(=|$)/.test(word))
  );
}

/** Archives hide what is in them, and letters exchanged for others spell anything. */
export function unpacksOutput(invocation: Invocation): boolean {
  const { program } = invocation;
  if (hasTrait(program, "unpacks")) return true;
  if (program === "tr") return translatesLetters(wordsOf(invocation));
  return (
    /^(g|bsd)?tar$/.test(program ?? "") &&
    wordsOf(invocation).some(
      (word, index) => word === "--to-stdout" || (index === 0 ? /^-?[a-zA-Z]*O/ : /^-[a-zA-Z]*O/).test(word),
    )
  );
}

/** `tr a-z n-za-m`; deleting or squeezing leaves the letters what they were. */
function translatesLetters(words: readonly string[]): boolean {
  const [from = "", to = ""] = words.filter(word => !/^-[a-zA-Z-]/.test(word));
  return [from, to].every(set => /[a-z]/i.test(set.replace(/\[:\w+:\]/g, "")));
}

/** The address whose content it starts as a program: `deno run https://…`. */
export function startedAddress(invocation: Invocation): string | undefined {
  const words = wordsOf(invocation);
  const address = words.find(word => /^https?:\/\//i.test(word));
  const isStarted =
    invocation.program === "deno"
      ? /^(run|test|bench|install|eval)$/.test(words[0] ?? "")
      : hasTrait(invocation.program, "runs-package") && words[0] === address;
  return isStarted ? address : undefined;
}

/** Prints every variable: a builtin or program that is given nothing else to do. */
export function printsEnvironment(invocation: Invocation): boolean {
  const words = wordsOf(invocation);
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
      return words.every(word => word.startsWith("-"));
    default:
      return false;
  }
}

const DISPLAY =
  /^("?(true|false|cat|less( -\S+)*|more|delta( .*)?|vim?|nvim|nano|emacs|code --wait|code -w|:)"?|)$/;

/** A pager or an editor, as a setting names it: it shows, and does nothing else. */
export function onlyDisplays(commandLine: string): boolean {
  return DISPLAY.test(commandLine);
}

/** `$USER`, `$(whoami)`: the account of whoever runs the command. */
export function isOwnAccount(shown: string): boolean {
  return /^\$(USER|\{USER\}|UID|\(whoami\)|\(id -un?\)|LOGNAME)$/.test(shown);
}

const READ_ONLY_SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: wordSet("status log diff show rev-parse ls-files describe shortlog ls-tree"),
  npm: wordSet("test ls list outdated view"),
  cargo: wordSet("build check test clippy"),
  go: wordSet("build test vet list version"),
};
/** Options that make one of the above write or run something. */
const NOT_HARMLESS =
  /^(-o|--output|-c|--config|--fix|--write|-w|--ext-diff|--open-files-in-pager|-O|-i|--init|-p$|--plugin|--import|--rootdir|--target-dir|--set-exit-code)/;

/** A command of plain words that only reads, whatever files it is given. */
export function onlyReads(program: string, words: readonly string[]): boolean {
  const isKnown =
    lookUp(READ_ONLY_SUBCOMMANDS, program)?.has(words[0] ?? "") ?? hasTrait(program, "reads-only");
  return isKnown && !words.some(word => NOT_HARMLESS.test(word));
}

/** Options that switch an agent's own questions off. */
const PERMISSIONS_OFF: Readonly<Record<string, RegExp>> = {
  claude:
    /^--(dangerously-skip-permissions|allow-dangerously-skip-permissions|permission-mode=bypassPermissions)$|^bypassPermissions$/,
  codex:
    /^--(dangerously-bypass-approvals-and-sandbox|yolo|full-auto-danger|sandbox=danger-full-access)$|^danger-full-access$|^(-c)?"?(approval_policy="?never|sandbox_mode="?danger-full-access)"?$/,
  gemini: /^(--yolo|-y|--approval-mode=yolo|yolo)$/,
  qwen: /^(--yolo|-y|--approval-mode=yolo|yolo)$/,
  copilot: /^--(allow-all-tools|allow-all|yolo|allow-all-paths)$/,
  "cursor-agent": /^(--force|-f|--yolo)$/,
  opencode: /^--(dangerously-skip-permissions|yolo)$/,
  amp: /^--dangerously-allow-all$/,
  aider: /^--(yes-always|yes)$/,
  droid: /^--skip-permissions-unsafe$/,
  "kiro-cli": /^(--trust-all-tools|-a)$/,
  q: /^--trust-all-tools$/,
  crush: /^(--yolo|-y)$/,
  goose: /^--(auto|mode=auto)$/,
  auggie: /^--(allow-all|dangerously-skip-permissions)$/,
  cline: /^(--yolo|-y)$/,
  pi: /^--(yolo|no-extensions|-ne)$/,
};

/** Agents by the package that runners start. */
const AGENT_PACKAGES: Readonly<Record<string, string>> = {
  "@anthropic-ai/claude-code": "claude",
  "@openai/codex": "codex",
  "@google/gemini-cli": "gemini",
  "@github/copilot": "copilot",
  "@qwen-code/qwen-code": "qwen",
  "@sourcegraph/amp": "amp",
  "opencode-ai": "opencode",
};

/** The agent that a program is, or starts as a package; undefined for every other program. */
export function agentOf(invocation: Invocation): string | undefined {
  const { program = "" } = invocation;
  const packages = hasTrait(program, "may-run-package") ? wordsOf(invocation) : [];
  const started = packages
    .map(word => lookUp(AGENT_PACKAGES, word.replace(/(?<=.)@[^/@]*$/, "")))
    .find(agent => agent !== undefined);
  const name = started ?? program;
  return Object.hasOwn(PERMISSIONS_OFF, name) ? name : undefined;
}

/** A word that switches the questions of this agent off; of any agent when none is given. */
export function turnsPermissionsOff(word: string, agent?: string): boolean {
  return Object.entries(PERMISSIONS_OFF).some(
    ([name, pattern]) => (agent === undefined || name === agent) && pattern.test(word),
  );
}

/** Taking the program itself away: `npm uninstall -g amplihack`. */
export function removesOwnPackage(invocation: Invocation): boolean {
  const words = wordsOf(invocation);
  return (
    hasTrait(invocation.program, "installs-packages") &&
    words.some(word => /^(uninstall|un|unlink|remove|rm|r)$/.test(word)) &&
    words.some(word => hasTrait(word, "own"))
  );
}
