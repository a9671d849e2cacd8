import { accessSync, constants } from "node:fs";
import { type AgentLaunch, type AgentName, HOST_LIST, type HostId } from "../hosts/index.ts";
import { findHome, Problem, programFolders } from "../state/index.ts";
import { dirname, isAbsolute, join, normalise, resolve, type System } from "../system/index.ts";

/** What the launcher knows about one agent: its host's own facts, with what counts where they are silent. */
interface LaunchTool extends Required<Omit<AgentLaunch, "minimumVersion" | "printMode" | Flag>> {
  readonly host: HostId;
  readonly minimumVersion: string | undefined;
  readonly resumes: boolean;
  readonly skipsPermissions: boolean;
  readonly takesModel: boolean;
}
type Flag = "resumes" | "skipsPermissions" | "takesModel";

export const LAUNCH_TOOLS = Object.fromEntries(
  HOST_LIST.flatMap(({ id, setup }) => {
    const { agent, title } = setup?.() ?? {};
    if (agent === undefined || title === undefined) return [];
    const tool: LaunchTool = {
      title,
      minimumVersion: undefined,
      resumes: false,
      skipsPermissions: false,
      answersOnce: "-p",
      takesModel: false,
      ownDirectories: [],
      ...agent,
      host: id,
    };
    return [[agent.name, tool]];
  }),
) as Readonly<Record<AgentName, LaunchTool>>;

type SearchSystem = Pick<System, "env" | "files" | "text">;

/** Below the home directory, looked at after PATH. */
const MORE_DIRECTORIES = [".npm-global/bin", ".cargo/bin", ".local/bin"];
/** A longer file is a program of its own, not a wrapper around another. */
const MAX_WRAPPER_BYTES = 64 * 1024;
const NOT_FOUND = 127;
const NOT_STARTABLE = 126;

/**
 * The agent's executable: what the two variables say (an unusable value is an error, never passed over), else the
 * first on PATH, else in the usual places. `self` is this very program: a file that leads back to it is no agent.
 */
export function findBinary(system: SearchSystem, agent: AgentName, self: string): string {
  const found = searchBinary(system, agent, self, () => searchDirectories(system));
  if (typeof found === "string") return found;
  throw new Problem(`binary for '${agent}' not found`, {
    kind: "not-found",
    causes: describeTried(found),
    fix: `${LAUNCH_TOOLS[agent].installHint}, or set ${binaryPathVariables(agent)[0]} to its path`,
    exitCode: NOT_FOUND,
  });
}

/** Its path, or where it is not. */
function searchBinary(
  system: SearchSystem,
  agent: AgentName,
  self: string,
  directories: () => readonly string[],
): string | readonly Tried[] {
  const named = findOverride(system, agent, self);
  if (named !== undefined) return named;
  const tried: Tried[] = [];
  for (const name of candidateNames(system, agent)) {
    for (const directory of directories()) {
      const path = join(directory, name);
      const why = whyUnusable(system, path, self);
      if (why === undefined) return path;
      tried.push({ path, why });
    }
  }
  return tried;
}

interface Tried {
  readonly path: string;
  readonly why: string;
}

/** What stood in the way first, each on its own; then all the places where there was nothing, together. */
function describeTried(tried: readonly Tried[]): readonly string[] {
  if (tried.length === 0) return ["PATH has no absolute folder"];
  const empty = tried.filter(({ why }) => why === NOTHING).map(({ path }) => path);
  return [
    ...tried.filter(({ why }) => why !== NOTHING).map(({ path, why }) => `${path}: ${why}`),
    ...(empty.length === 0 ? [] : [`there is nothing at ${empty.join(", ")}`]),
  ];
}

/** As `findBinary`; undefined where that would throw. */
export function tryFindBinary(
  system: SearchSystem,
  agent: AgentName,
  self: string,
  directories: () => readonly string[] = () => searchDirectories(system),
): string | undefined {
  try {
    const found = searchBinary(system, agent, self, directories);
    return typeof found === "string" ? found : undefined;
  } catch (error) {
    if (error instanceof Problem) return undefined;
    throw error;
  }
}

function findOverride(system: SearchSystem, agent: AgentName, self: string): string | undefined {
  for (const variable of binaryPathVariables(agent)) {
    const value = system.env.get(variable) ?? "";
    if (value === "") continue;
    const path = resolve(system.files.workingDirectory() ?? "/", value);
    const why = whyUnusable(system, path, self);
    if (why === undefined) return path;
    throw new Problem(`binary for '${agent}' not found: ${variable} is set, but there is ${why}`, {
      kind: "not-found",
      fix: `set ${variable} to an executable file, or unset it to search PATH`,
      exitCode: why === NO_PERMISSION ? NOT_STARTABLE : NOT_FOUND,
    });
  }
  return undefined;
}

function binaryPathVariables(agent: AgentName): readonly [string, string] {
  const name = agent.toUpperCase();
  return [`AMPLIHACK_${name}_BINARY_PATH`, `${name}_BINARY_PATH`];
}

function candidateNames(system: SearchSystem, agent: AgentName): readonly string[] {
  const prefersRust = agent === "claude" && system.env.get("AMPLIHACK_PREFER_RUSTYCLAWD") === "1";
  return prefersRust ? ["rustyclawd", agent] : [agent];
}

/** The folders of PATH from which programs are started, then the usual places. */
export function searchDirectories(system: SearchSystem): readonly string[] {
  const home = findHome(system);
  const usual = home === undefined ? [] : MORE_DIRECTORIES.map(directory => join(home, directory));
  return [...new Set([...programFolders(system), ...usual])];
}

const NOTHING = "nothing";
const NO_PERMISSION = "a file without permission to execute it";

function whyUnusable(system: SearchSystem, path: string, self: string): string | undefined {
  let facts: ReturnType<System["files"]["follow"]>;
  try {
    facts = system.files.follow(path);
  } catch {
    return "nothing readable";
  }
  if (facts === undefined) return NOTHING;
  if (facts.kind !== "file") return "no regular file";
  try {
    accessSync(path, constants.X_OK);
  } catch {
    return NO_PERMISSION;
  }
  return leadsBack(system, path, self) ? "only amplihack itself" : undefined;
}

/** A shim called `claude` that calls `amplihack claude` would start itself for ever. */
function leadsBack(system: SearchSystem, path: string, self: string): boolean {
  const real = system.files.realPath(path);
  if (real === self) return true;
  const text = readScript(system, real);
  if (text === undefined) return false;
  const code = text.replace(/^\s*#.*$/gm, "");
  return [self, "/dist/bin/amplihack.cjs"].some(name => code.includes(name)) || CALLS_AMPLIHACK.test(code);
}

const CALLS_AMPLIHACK = new RegExp(
  `(?:^|[\\s"'/=;&|(\`])amplihack(?:\\.cjs|\\.js)?[\\s"',[(]+(?:launch|${Object.keys(LAUNCH_TOOLS).join("|")})\\b`,
  "m",
);

/** The text of a short file that begins with `#!`. */
function readScript(system: Pick<System, "files" | "text">, path: string): string | undefined {
  try {
    const facts = system.files.follow(path);
    if (facts?.kind !== "file" || facts.size > MAX_WRAPPER_BYTES) return undefined;
    const { text } = system.text.decode(system.files.read(path, MAX_WRAPPER_BYTES));
    return text.startsWith("#!") ? text : undefined;
  } catch {
    return undefined;
  }
}

/** Directories by whose `amplihack` they hold. */
export interface ProgramPlaces {
  readonly ours: ReadonlySet<string>;
  /** the script of another implementation */
  readonly foreign: ReadonlySet<string>;
}

/**
 * PATH with `first` in front: every directory once, compared as a whole, the order otherwise kept. Directories with
 * another implementation's `amplihack` move behind the first with ours; nothing is dropped but empty entries.
 */
export function buildSearchPath(
  inherited: string,
  first: readonly string[],
  { ours, foreign }: ProgramPlaces,
): string {
  const clean = (entry: string): string => (isAbsolute(entry) ? normalise(entry) : entry.replace(/\/+$/, ""));
  const entries = [...new Set([...first, ...inherited.split(":")].map(clean).filter(entry => entry !== ""))];
  const own = entries.findIndex(entry => ours.has(entry));
  if (own < 0) return entries.join(":");
  const before = entries.slice(0, own);
  return [
    ...before.filter(entry => !foreign.has(entry)),
    entries[own] ?? "",
    ...before.filter(entry => foreign.has(entry)),
    ...entries.slice(own + 1),
  ].join(":");
}

/** Looks at the `amplihack` of each directory. `self` is this very program. */
export function findProgramPlaces(
  system: Pick<System, "files" | "text">,
  directories: readonly string[],
  self: string,
): ProgramPlaces {
  const ours = new Set<string>();
  const foreign = new Set<string>();
  for (const directory of new Set(directories.filter(isAbsolute).map(normalise))) {
    const kind = whose(system, join(directory, "amplihack"), self);
    if (kind !== undefined) (kind === "ours" ? ours : foreign).add(directory);
  }
  return { ours, foreign };
}

function whose(
  system: Pick<System, "files" | "text">,
  path: string,
  self: string,
): "ours" | "foreign" | undefined {
  let real: string;
  try {
    if (system.files.follow(path)?.kind !== "file") return undefined;
    real = system.files.realPath(path);
  } catch {
    return undefined;
  }
  if (real === self || real.endsWith("/dist/bin/amplihack.cjs")) return "ours";
  const text = readScript(system, real);
  if (text === undefined) return undefined;
  const names = [join(dirname(self), "amplihack.cjs"), "dist/bin/amplihack.cjs", "# Written by amplihack "];
  return names.some(name => text.includes(name)) ? "ours" : "foreign";
}
