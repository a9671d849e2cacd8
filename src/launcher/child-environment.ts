import { Problem, type UserDirectories } from "../state/index.ts";
import { isAbsolute, join, type System } from "../system/index.ts";
import type { LaunchRequest } from "./launch-request.ts";
import { buildSearchPath, type ProgramPlaces } from "./search-path.ts";
import { LAUNCH_TOOLS } from "./tools.ts";

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
    warnings.push("AMPLIHACK_HOME is passed over: expected an absolute path without '..'");
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
