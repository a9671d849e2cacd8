import { objectAt, readJson } from "../protocol/index.ts";
import { readText, type UserDirectories } from "../state/index.ts";
import { ancestors, dirname, join, type System } from "../system/index.ts";
import { hashBytes } from "./hash.ts";
import type { Package } from "./package.ts";
import { installProblem } from "./problem.ts";
import { removeTree } from "./remove-tree.ts";

// A package that a runner such as npx fetched for one call is gone tomorrow. The programs that hosts start must not
// lead there, so the package is copied, with what it needs, to a place of its own.

const SHIPPED = ["package.json", "agents", "dist", "recipes", "schemas", "skills"];
const FILE_BYTES = 256 * 1024 * 1024;
const MAX_FILES = 20_000;

interface SourceFile {
  readonly from: string;
  /** below the package's new root */
  readonly name: string;
}

/** The folder below the state home that holds a copied package. */
export function versionFolder({ version }: Pick<Package, "version">): string {
  return `versions/${version}`;
}

/** Whether the copy is there already, byte for byte. */
export function isStaged(system: System, places: UserDirectories, source: Package): boolean {
  const root = join(places.stateHome, versionFolder(source));
  return isSameTree(system, root, sourceFiles(system, source.root));
}

/** Copies the package where it lasts and gives it as it is there. Does nothing when the copy is there already. */
export function stagePackage(system: System, places: UserDirectories, source: Package): Package {
  const { files } = system;
  const root = join(places.stateHome, versionFolder(source));
  const copied = { ...source, root, isEphemeral: false };
  const wanted = sourceFiles(system, source.root);
  if (isSameTree(system, root, wanted)) return copied;
  const nonce = system.random.hex(16);
  const staging = join(dirname(root), `.staging-${nonce}`);
  const old = join(dirname(root), `.old-${nonce}`);
  files.makeDirectory(places.stateHome, 0o700);
  files.makeDirectory(staging, 0o755);
  try {
    for (const { from, name } of wanted) copyFile(system, from, join(staging, name));
    if (files.inspect(root) !== undefined) files.rename(root, old);
    files.rename(staging, root);
  } finally {
    removeTree(system, staging);
    removeTree(system, old);
  }
  return copied;
}

function copyFile({ files }: System, from: string, to: string): void {
  files.makeDirectory(dirname(to), 0o755);
  const isExecutable = ((files.follow(from)?.mode ?? 0) & 0o111) !== 0;
  files.createExclusive(to, files.read(from, FILE_BYTES), isExecutable ? 0o755 : 0o644);
}

function sourceFiles(system: System, root: string): readonly SourceFile[] {
  const found = SHIPPED.flatMap(name => filesBelow(system, join(root, name), name));
  for (const [name, folder] of dependencies(system, root)) {
    const target = join("node_modules", name);
    found.push(...filesBelow(system, folder, target).filter(file => !isNested(file.name, target)));
  }
  if (found.length > MAX_FILES) throw installProblem(`the package has more than ${MAX_FILES} files`);
  return found;
}

function isNested(name: string, target: string): boolean {
  return name.startsWith(`${target}/node_modules/`);
}

function filesBelow(system: System, path: string, name: string): SourceFile[] {
  const facts = system.files.inspect(path);
  // Compiled code is made anew for the copy; type declarations are for developers.
  if (name.endsWith(".cjs.cache") || name === "dist/types") return [];
  if (facts?.kind === "file") return [{ from: path, name }];
  if (facts?.kind !== "directory") return [];
  return system.files.list(path).flatMap(each => filesBelow(system, join(path, each), join(name, each)));
}

/** Everything the package needs at run time, by name; all of it lies flat in the copy. */
function dependencies(system: System, root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const pending = [root];
  for (let folder = pending.shift(); folder !== undefined; folder = pending.shift()) {
    for (const { name, isOptional } of namesIn(system, folder)) {
      if (found.has(name)) continue;
      const place = findDependency(system, folder, name);
      if (place === undefined && !isOptional)
        throw installProblem(`${name}, which amplihack needs, was not found`, {
          fix: "install it again",
        });
      if (place === undefined) continue;
      found.set(name, place);
      pending.push(place);
    }
  }
  return found;
}

function namesIn(system: System, folder: string): readonly { name: string; isOptional: boolean }[] {
  const text = readText(system, join(folder, "package.json"), FILE_BYTES) ?? "";
  const read = readJson(text, { recover: false, maxDepth: 20 });
  return ["dependencies", "optionalDependencies"].flatMap(section =>
    Object.keys(objectAt(read.ok ? read.value : null, section)).map(name => ({
      name,
      isOptional: section === "optionalDependencies",
    })),
  );
}

function findDependency(system: System, from: string, name: string): string | undefined {
  return ancestors(from)
    .map(folder => join(folder, "node_modules", name))
    .find(folder => system.files.follow(join(folder, "package.json"))?.kind === "file");
}

function isSameTree(system: System, root: string, wanted: readonly SourceFile[]): boolean {
  const present = new Set(filesBelow(system, root, "").map(file => file.name));
  if (present.size !== wanted.length) return false;
  const hash = (path: string) => hashBytes(system.files.read(path, FILE_BYTES));
  return wanted.every(({ from, name }) => present.has(name) && hash(from) === hash(join(root, name)));
}
