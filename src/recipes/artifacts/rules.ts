/** Where git has a path: in the index, and changed there or not, or in the working tree alone. */
export type ArtifactSource = "staged" | "tracked" | "untracked" | "ignored-present";

/** What a path is when it should not be in a commit. */
export type ArtifactRule =
  | "node-modules"
  | "plugin-bundle"
  | "claude-runtime"
  | "nested-worktree"
  | "registered-worktree"
  | "cache-artifact"
  | "build-output"
  | "rust-target"
  | "generated-index";

const CACHES = new Set(
  ".cache .npm .pnpm-store .turbo .parcel-cache .pytest_cache .mypy_cache .ruff_cache .tox .venv __pycache__".split(
    " ",
  ),
);
const BUILDS = new Set(["dist", "build", "coverage", ".next", "out", "logs", "outputs"]);
/** Files that the launcher itself may stage. */
const LAUNCHER_FILES = new Set([".claude/runtime/launcher_context.json", ".claude/runtime/sessions.jsonl"]);
const MANIFESTS = ["package.json", "Cargo.toml", "pyproject.toml", "setup.py", "go.mod", "pom.xml"];

/** Names that an allowlist may not exempt as a whole at the root of a repository. */
export const PROHIBITED_FOLDERS: ReadonlySet<string> = new Set([
  ...CACHES,
  ...BUILDS,
  "node_modules",
  "target",
  "worktrees",
  ".claude",
  ".yarn",
]);

/**
 * The rule that a path of a repository breaks. A folder's path ends in a slash. `hasFile` answers for paths of the
 * repository: `build` and its like count at the root and beside a manifest only, for elsewhere they are often source.
 */
export function ruleFor(
  path: string,
  source: ArtifactSource,
  hasFile: (path: string) => boolean,
): ArtifactRule | undefined {
  const folders = path.split("/").slice(0, -1);
  if (folders.includes("node_modules")) return "node-modules";
  if (/(?:^|\/)dist\/plugin\.js$/.test(path)) return "plugin-bundle";
  if (path.startsWith(".claude/runtime/")) {
    const isCommittable = source === "staged" || source === "tracked";
    return isCommittable && !LAUNCHER_FILES.has(path) ? "claude-runtime" : undefined;
  }
  if (folders[0] === "worktrees") return "nested-worktree";
  if (folders.some(folder => CACHES.has(folder)) || /(?:^|\/)\.yarn\/cache\//.test(path))
    return "cache-artifact";
  const isPackageRoot = (depth: number): boolean =>
    depth === 0 || MANIFESTS.some(name => hasFile([...folders.slice(0, depth), name].join("/")));
  const at = (names: ReadonlySet<string>): boolean =>
    folders.some((folder, depth) => names.has(folder) && isPackageRoot(depth));
  if (at(BUILDS)) return "build-output";
  if (at(TARGETS)) return source === "ignored-present" ? undefined : "rust-target";
  return /(?:^|\/)index\.scip$/.test(path) ? "generated-index" : undefined;
}

const TARGETS: ReadonlySet<string> = new Set(["target"]);
