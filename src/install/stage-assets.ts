import type { UserDirectories } from "../state/index.ts";
import { dirname, hasErrorCode, join, resolve, type System } from "../system/index.ts";
import { hashBytes } from "./hash.ts";
import type { InstallRequest } from "./install-report.ts";
import type { Manifest } from "./manifest.ts";
import { installProblem } from "./problem.ts";
import { removeTree } from "./remove-tree.ts";

// Framework files from a folder that the user names: agents, commands, skills, recipes. Programs and settings are not
// among them.

const ASSET_FOLDERS = [
  ".claude/agents",
  ".claude/commands",
  ".claude/context",
  ".claude/recipes",
  ".claude/skills",
  ".claude/templates",
  ".claude/workflow",
  "amplifier-bundle",
];
const FILE_BYTES = 16 * 1024 * 1024;
const MAX_FILES = 20_000;

export interface AssetPlan {
  /** names below the state home, with what they should hold */
  readonly wanted: readonly { readonly name: string; readonly bytes: Uint8Array; readonly hash: string }[];
  /** of those, the ones to write */
  readonly changed: readonly string[];
  /** files of ours that a person changed and that therefore stay */
  readonly kept: readonly string[];
}

/** What the folder that was named would bring. Throws when it holds no framework files. */
export function planAssets(
  system: System,
  places: UserDirectories,
  { assets: source, isForced }: Pick<InstallRequest, "assets" | "isForced">,
  manifest: Manifest,
): AssetPlan {
  if (source === undefined) return { wanted: [], changed: [], kept: [] };
  const root = resolve(system.files.workingDirectory() ?? "/", source);
  const isSource = [".claude", "amplifier-bundle"].some(
    name => system.files.follow(join(root, name))?.kind === "directory",
  );
  if (!isSource)
    throw installProblem(`${root} holds neither amplifier-bundle/ nor .claude/`, {
      fix: "give --local the folder of an amplihack checkout",
    });
  const wanted = ASSET_FOLDERS.flatMap(folder => assetsBelow(system, root, folder));
  if (wanted.length === 0)
    throw installProblem(`${root} holds no framework files`, {
      causes: [`none of these has a file in it: ${ASSET_FOLDERS.join(", ")}`],
    });
  if (wanted.length > MAX_FILES) throw installProblem(`${root} holds more than ${MAX_FILES} framework files`);
  const changed: string[] = [];
  const kept: string[] = [];
  for (const { name, hash } of wanted) {
    const present = presentHash(system, join(places.stateHome, name));
    if (present === hash) continue;
    const isUntouched = present === undefined || present === manifest.sha256[name];
    (isUntouched || isForced ? changed : kept).push(name);
  }
  return { wanted, changed, kept };
}

function assetsBelow(system: System, root: string, name: string): AssetPlan["wanted"] {
  const path = join(root, name);
  const facts = system.files.inspect(path);
  if (facts?.kind === "directory")
    return system.files.list(path).flatMap(each => assetsBelow(system, root, join(name, each)));
  if (facts?.kind !== "file") return [];
  const bytes = system.files.read(path, FILE_BYTES);
  return [{ name, bytes, hash: hashBytes(bytes) }];
}

function presentHash({ files }: System, path: string): string | undefined {
  try {
    return hashBytes(files.read(path, FILE_BYTES));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

/** All files are written to a folder of their own first, so that a full disk leaves everything as it was. */
export function stageAssets(system: System, places: UserDirectories, plan: AssetPlan): void {
  if (plan.changed.length === 0) return;
  const { files } = system;
  files.makeDirectory(places.stateHome, 0o700);
  const staging = join(places.stateHome, `.staging-${system.random.hex(16)}`);
  files.makeDirectory(staging, 0o700);
  try {
    const chosen = plan.wanted.filter(({ name }) => plan.changed.includes(name));
    for (const { name, bytes } of chosen) {
      files.makeDirectory(dirname(join(staging, name)), 0o700);
      files.createExclusive(join(staging, name), bytes, 0o644);
    }
    for (const { name } of chosen) {
      files.makeDirectory(dirname(join(places.stateHome, name)), 0o755);
      files.rename(join(staging, name), join(places.stateHome, name));
    }
  } finally {
    removeTree(system, staging);
  }
}

/** Every folder that holds one of the files, below the state home, innermost first. */
export function foldersOf(names: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const name of names) {
    for (let folder = dirname(name); folder !== "."; folder = dirname(folder)) found.add(folder);
  }
  return [...found].sort((one, other) => other.length - one.length || (one < other ? -1 : 1));
}
