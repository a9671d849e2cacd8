import type { AgentName } from "../hosts/index.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import { Problem, type UserDirectories } from "../state/index.ts";
import { isAbsolute, join, quoteWord, type System, writeAtomically } from "../system/index.ts";
import { version } from "../version.ts";
import { buildSearchPath, LAUNCH_TOOLS, type ProgramPlaces } from "./find-binary.ts";

/** One launch as the user asked for it. */
export interface LaunchRequest {
  readonly agent: AgentName;
  /** words for the agent */
  readonly args: readonly string[];
  readonly directory: string;
  /** this very program, links followed */
  readonly self: string;
  readonly resumes: boolean;
  readonly continues: boolean;
  readonly skipsPermissions: boolean;
  readonly reflects: boolean | undefined;
  readonly isDelegated: boolean;
  readonly usesShims: boolean;
  readonly isStrictVersion: boolean;
  readonly allowsUntrustedHooks: boolean;
}

/** Where the launcher's messages go; `ask` is there only when a person can answer. */
export interface LaunchConsole {
  note(text: string): void;
  warn(text: string): void;
  readonly ask?: (question: string) => boolean;
}

export type Variables = Readonly<Record<string, string>>;

/** Everything the child's environment depends on besides the parent's; looked up beforehand. */
export interface EnvironmentFacts
  extends UserDirectories,
    Pick<LaunchRequest, "agent" | "isDelegated" | "reflects"> {
  readonly version: string;
  /** the nearest directory from the working directory upward that holds `amplifier-bundle` */
  readonly bundleDirectory: string | undefined;
  readonly sessionId: string;
  readonly depth: number;
  readonly isNonInteractive: boolean;
  readonly isSubprocessSafe: boolean;
  readonly pluginRoot: string | undefined;
  readonly shimDirectory: string | undefined;
  readonly programs: ProgramPlaces;
  /** eight characters, used when a tree of sessions has no name yet */
  readonly newTreeId: string;
}

interface BuiltEnvironment {
  readonly env: Variables;
  readonly warnings: readonly string[];
}

const REMOVED = ["CLAUDECODE", "AMPLIHACK_KUZU_DB_PATH"];
const TREE = [
  "AMPLIHACK_TREE_ID",
  "AMPLIHACK_SESSION_DEPTH",
  "AMPLIHACK_MAX_DEPTH",
  "AMPLIHACK_MAX_SESSIONS",
];

/** The parent's environment, less what must not be inherited, with what an agent of ours gets. */
export function buildEnvironment(parent: Variables, facts: EnvironmentFacts): BuiltEnvironment {
  const env: Record<string, string> = { ...parent };
  for (const name of REMOVED) delete env[name];
  Object.assign(env, {
    AMPLIHACK_SESSION_ID: facts.sessionId,
    AMPLIHACK_DEPTH: String(facts.depth),
    AMPLIHACK_AGENT_BINARY: facts.agent,
    AMPLIHACK_VERSION: facts.version,
    AMPLIHACK_RUNTIME: "node",
    AMPLIHACK_GRAPH_DB_PATH: join(facts.projectRoot, ".amplihack", "graph_db"),
    PATH: searchPathFor(parent["PATH"] ?? "", facts),
    ...treeVariables(parent, facts),
    ...heapOption(parent),
  });
  if (facts.isNonInteractive) env["AMPLIHACK_NONINTERACTIVE"] = "1";
  if (facts.pluginRoot !== undefined) env["CLAUDE_PLUGIN_ROOT"] = facts.pluginRoot;
  if (facts.reflects === true) delete env["AMPLIHACK_SKIP_REFLECTION"];
  else if (facts.reflects === false || facts.isSubprocessSafe) env["AMPLIHACK_SKIP_REFLECTION"] = "1";

  const warnings: string[] = [];
  const assets = assetHome(parent, facts);
  if (assets === undefined) {
    delete env["AMPLIHACK_HOME"];
    warnings.push("AMPLIHACK_HOME is ignored: expected an absolute path without '..'");
  } else env["AMPLIHACK_HOME"] = assets;
  return { env, warnings };
}

function assetHome(parent: Variables, { bundleDirectory, home }: EnvironmentFacts): string | undefined {
  const given = parent["AMPLIHACK_HOME"] ?? "";
  const wanted = given === "" ? (bundleDirectory ?? join(home, ".amplihack")) : given;
  return isAbsolute(wanted) && !wanted.split("/").includes("..") ? wanted : undefined;
}

function searchPathFor(inherited: string, facts: EnvironmentFacts): string {
  const first = [
    ...(facts.shimDirectory === undefined ? [] : [facts.shimDirectory]),
    join(facts.stateHome, ".claude", "bin"),
    join(facts.home, ".local", "bin"),
    ...LAUNCH_TOOLS[facts.agent].ownDirectories.map(directory => join(facts.home, directory)),
  ];
  return buildSearchPath(inherited, first, facts.programs);
}

/** A tree of sessions is passed on as soon as any part of it is known. */
function treeVariables(parent: Variables, { isDelegated, newTreeId }: EnvironmentFacts): Variables {
  if (!TREE.some(name => (parent[name] ?? "") !== "")) return {};
  const depth = Number(parent["AMPLIHACK_SESSION_DEPTH"] || "0");
  const isDepth = Number.isSafeInteger(depth) && depth >= 0;
  return {
    AMPLIHACK_TREE_ID: parent["AMPLIHACK_TREE_ID"] || newTreeId,
    AMPLIHACK_SESSION_DEPTH: String((isDepth ? depth : 0) + (isDelegated ? 1 : 0)),
    AMPLIHACK_MAX_DEPTH: parent["AMPLIHACK_MAX_DEPTH"] || "6",
    AMPLIHACK_MAX_SESSIONS: parent["AMPLIHACK_MAX_SESSIONS"] || "10",
  };
}

function heapOption(parent: Variables): Variables {
  const given = parent["AMPLIHACK_NODE_HEAP_MB"] ?? "";
  const options = parent["NODE_OPTIONS"] ?? "";
  if (given === "" || options.includes("--max-old-space-size=")) return {};
  if (!/^[1-9]\d{0,6}$/.test(given)) {
    throw new Problem("AMPLIHACK_NODE_HEAP_MB is not usable: expected a whole number of megabytes", {
      kind: "environment",
      fix: "set AMPLIHACK_NODE_HEAP_MB to a number such as 8192, or unset it",
    });
  }
  return { NODE_OPTIONS: [options, `--max-old-space-size=${given}`].filter(Boolean).join(" ") };
}

export function readVariables({ env }: Pick<System, "env">): Record<string, string> {
  return Object.fromEntries(env.names().map(name => [name, env.get(name) ?? ""]));
}

/** What differs from the parent, in alphabetical order. Only our own values are shown. */
export function describeDifference(parent: Variables, env: Variables): readonly string[] {
  const names = [...new Set([...Object.keys(parent), ...Object.keys(env)])].sort();
  return names.flatMap(name => {
    if (parent[name] === env[name]) return [];
    if (env[name] === undefined) return [`- ${name}`];
    return [name.startsWith("AMPLIHACK_") ? `+ ${name}=${env[name]}` : `+ ${name}`];
  });
}

export interface ArgumentFacts
  extends Pick<LaunchRequest, "agent" | "args" | "resumes" | "continues" | "skipsPermissions"> {
  readonly isSubprocessSafe: boolean;
  /** a directory staged as a plugin of the agent */
  readonly stagedPlugin: string | undefined;
}

/** Our flags, then the user's words. `--resume` comes last of ours, because its value may follow. */
export function agentArguments(env: Variables, facts: ArgumentFacts): readonly string[] {
  const { agent, args, stagedPlugin } = facts;
  const has = (flag: string): boolean => listOptions(args).some(word => isFlag(word, flag));
  const model = env["AMPLIHACK_DEFAULT_MODEL"] ?? "";
  const { takesModel, resumes, skipsPermissions } = LAUNCH_TOOLS[agent];
  const injected: string[] = [];
  if (agent === "copilot") injected.push(...copilotFlags(env, facts));
  if (skipsPermissions && facts.skipsPermissions) injected.push("--dangerously-skip-permissions");
  if (takesModel && model !== "" && !has("--model")) injected.push("--model", model);
  if (agent === "claude" && stagedPlugin !== undefined) {
    // With `=`, because these take several values and would swallow a prompt that follows.
    for (const flag of ["--plugin-dir", "--add-dir"])
      if (!has(flag)) injected.push(`${flag}=${stagedPlugin}`);
  }
  if (resumes && facts.continues) injected.push("--continue");
  if (resumes && facts.resumes) injected.push("--resume");
  return [...injected, ...args];
}

function copilotFlags(env: Variables, { args, isSubprocessSafe }: ArgumentFacts): readonly string[] {
  const isOn = (name: string): boolean => env[name] === "1";
  const words = listOptions(args);
  const isAllowed = isSubprocessSafe || isOn("AMPLIHACK_COPILOT_ALLOW_ALL");
  const isSaid = words.some(word => word.startsWith("--allow-all"));
  const isRemote = isOn("AMPLIHACK_COPILOT_REMOTE") && !isOn("AMPLIHACK_COPILOT_NO_REMOTE");
  return [
    ...(isAllowed && !isSaid && !isOn("AMPLIHACK_COPILOT_NO_ALLOW_ALL") ? ["--allow-all"] : []),
    ...(isRemote && !words.some(word => isFlag(word, "--remote")) ? ["--remote"] : []),
  ];
}

function isFlag(word: string, flag: string): boolean {
  return word === flag || word.startsWith(`${flag}=`);
}

/** Words after `--` are no options. */
function listOptions(words: readonly string[]): readonly string[] {
  const end = words.indexOf("--");
  return end < 0 ? words : words.slice(0, end);
}

const PLAIN_VALUES = new Set([
  "--model",
  "--resume",
  "--plugin-dir",
  "--add-dir",
  "--output-format",
  "--input-format",
  "--max-turns",
]);
const SUBCOMMANDS = new Set(["exec", "run", "mcp", "resume", "login", "logout", "update", "doctor", "serve"]);

/** The words as they may be written down: prompts and unknown values are left out. */
export function withoutPrompts(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const equals = word.indexOf("=");
    if (word.startsWith("-")) {
      const flag = equals < 0 ? word : word.slice(0, equals);
      if (equals < 0) return /^-{1,2}[A-Za-z][\w-]{0,40}$|^--?$/.test(word) ? word : "<prompt>";
      return PLAIN_VALUES.has(flag) ? word : `${flag}=<value>`;
    }
    const isPlain = PLAIN_VALUES.has(words[index - 1] ?? "") || (index === 0 && SUBCOMMANDS.has(word));
    return isPlain ? word : "<prompt>";
  });
}

/**
 * When the guard is asked. `words`: some argument has one of these shell patterns. `unless`: the first argument is
 * none of these. Everything else runs at once, because starting the guard costs more than most commands.
 */
type Rule = { readonly words: string } | { readonly unless: string };

const RULES: Readonly<Record<string, Rule>> = {
  rm: { words: "--[rfn]*|-[!-]*" },
  dd: { words: "of=*" },
  mkfs: { unless: "-V|--version|-h|--help" },
  git: {
    unless:
      "status|log|diff|show|add|fetch|rev-parse|ls-files|blame|describe|grep|cat-file|merge-base|--version|help",
  },
  kubectl: { unless: "get|describe|logs|version|explain|api-resources|top|cluster-info" },
  terraform: { unless: "plan|validate|fmt|version|show|output|providers|graph|init|-version" },
  docker: { unless: "ps|images|logs|inspect|version|info|build|pull|stats|top|port|history|--version" },
};

export interface Shims {
  /** stands first on the agent's PATH */
  readonly directory: string;
  /** the guard's own command line */
  readonly guard: readonly string[];
  /** what happens to a command that the guard could not look at */
  readonly policy: FailurePolicy;
}

export function writeShims(system: System, shims: Shims): void {
  const { directory } = shims;
  system.files.makeDirectory(directory, 0o755);
  for (const [program, rule] of Object.entries(RULES)) {
    const path = join(directory, program);
    const bytes = system.text.encode(shimText(program, rule, shims));
    writeAtomically(system, path, bytes, { mode: 0o755, directoryMode: 0o755 });
    if (system.files.inspect(path)?.mode !== 0o755) system.files.changeMode(path, 0o755);
  }
}

function shimText(program: string, rule: Rule, { directory, guard, policy }: Shims): string {
  const test =
    "words" in rule
      ? `asks=
for word in "$@"; do
  case $word in ${rule.words}) asks=1 ;; esac
done`
      : `asks=1
case \${1-} in ${rule.unless} | '') asks= ;; esac`;
  // No person can be asked at this point, so `ask` refuses.
  const unchecked =
    policy === "open"
      ? `echo "amplihack: could not check this ${program}; it runs unchecked" >&2`
      : `echo "amplihack: could not check this ${program}; it is refused (failure policy ${policy})" >&2; exit 126`;
  return `#!/bin/sh
# Written by amplihack ${version}. Changes are lost at the next launch with --shims.
set -f
real=
saved=$IFS
IFS=:
for folder in $PATH; do
  [ "\${folder%/}" = ${quoteWord(directory)} ] && continue
  if [ -f "$folder/${program}" ] && [ -x "$folder/${program}" ]; then
    real=$folder/${program}
    break
  fi
done
IFS=$saved
if [ -z "$real" ]; then
  echo "${program}: not found" >&2
  exit 127
fi
${test}
[ -z "$asks" ] && exec "$real" "$@"
${guard.map(quoteWord).join(" ")} guard-argv -- ${program} "$@" </dev/null >/dev/null
case $? in
0) ;;
2 | 3) exit 126 ;;
*) ${unchecked} ;;
esac
exec "$real" "$@"
`;
}
