import { runGit } from "../history/index.ts";
import { Problem } from "../state/index.ts";
import { compileGlob, isInside, join, matchesGlob, relative, type System } from "../system/index.ts";

/** Where git has a path: in the index, and changed there or not, or in the working tree alone. */
type ArtifactSource = "staged" | "tracked" | "untracked" | "ignored-present";

/** What a path is when it should not be in a commit. */
type ArtifactRule =
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
const PROHIBITED_FOLDERS: ReadonlySet<string> = new Set([
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
function ruleFor(
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

/** Beside the project's own files, reviewed like code: it lets generated files into commits. */
export const ALLOWLIST_NAME = ".amplihack-artifact-allowlist";

/** True for paths that an entry names. A mistake in any line refuses the whole list. */
export function readAllowlist(text: string, name: string): (path: string) => boolean {
  const entries = text.split(/\r?\n/).flatMap((line, index) => {
    const entry = line.trim();
    if (entry === "" || entry.startsWith("#")) return [];
    const problem = findProblem(entry);
    if (problem !== undefined)
      throw new Problem(`${name}:${index + 1}: ${problem}: ${entry}`, {
        kind: "invalid",
        exitCode: 2,
        fix: "name single files, or a narrow folder of fixtures followed by /**",
      });
    return [compileGlob(entry, "path")];
  });
  return path => entries.some(entry => matchesGlob(entry, path));
}

function findProblem(entry: string): string | undefined {
  const [first = "", ...more] = entry.split("/");
  if (/^[/~]/.test(entry)) return "an entry is relative to the repository";
  if (/[\\\0]/.test(entry)) return "folders are separated by /";
  if (entry.split("/").some(part => part === ".." || part === ".")) return "an entry has no . or .. in it";
  if (entry.endsWith("/")) return "a folder is followed by /**";
  if (/[*?[]/.test(first)) return "an entry begins with the name of a folder or file";
  if (PROHIBITED_FOLDERS.has(first) && /[*?[]/.test(more.join("/")))
    return "a whole folder of artifacts cannot be exempt";
  return undefined;
}

export type ScanMode = "pre-commit" | "pre-publish" | "all" | "staged" | "worktree";

export interface Artifact {
  readonly path: string;
  readonly source: ArtifactSource;
  /** this change brings it, or the repository had it before */
  readonly provenance: "introduced" | "pre-existing";
  readonly rule: ArtifactRule;
}

interface ScanRequest {
  readonly repository: string;
  readonly mode: ScanMode;
  /** a revision; the usual upstream when left out */
  readonly baseline: string | undefined;
  /** is given the root of the repository */
  readonly isAllowed: (top: string) => (path: string) => boolean;
}

export interface ScanResult {
  readonly top: string;
  /** undefined when no revision was found to compare with */
  readonly baseline: string | undefined;
  /** nothing can be put back in the index as it was before the first commit */
  readonly hasCommits: boolean;
  readonly artifacts: readonly Artifact[];
}

const SOURCES: Readonly<Record<ScanMode, readonly ArtifactSource[]>> = {
  "pre-commit": ["staged", "tracked", "untracked"],
  "pre-publish": ["staged", "tracked", "untracked"],
  all: ["staged", "tracked", "untracked", "ignored-present"],
  staged: ["staged"],
  worktree: ["tracked", "untracked", "ignored-present"],
};
const LISTINGS: Readonly<Record<ArtifactSource, readonly string[]>> = {
  staged: ["diff", "--cached", "--name-only", "--no-renames", "--diff-filter=d", "-z"],
  tracked: ["ls-files", "-z"],
  untracked: ["ls-files", "--others", "--exclude-standard", "-z"],
  "ignored-present": ["ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"],
};
const UPSTREAMS = ["@{upstream}", "origin/HEAD", "origin/main", "origin/master", "main", "master"];
const GIT_MS = 60_000;

/** Looks for generated files that are, or could come, in a commit. Changes nothing; throws when git cannot tell. */
export async function scanArtifacts(system: System, request: ScanRequest): Promise<ScanResult> {
  const ask = (args: readonly string[], cwd: string) => runGit(system, args, { cwd, timeoutMs: GIT_MS });
  const found = await ask(["rev-parse", "--show-toplevel"], request.repository);
  if (!found.isOk) throw cannotScan(`${request.repository} is in no git repository`, found.problem);
  const top = found.text.trim();
  const must = async (args: readonly string[]): Promise<readonly string[]> => {
    const { isOk, text, problem } = await ask(args, top);
    if (!isOk) throw cannotScan("git cannot tell what is in the repository", problem);
    return text.split("\0").filter(Boolean);
  };
  const isAllowed = request.isAllowed(top);
  const hasCommits = (await ask(["rev-parse", "--verify", "--quiet", "HEAD"], top)).isOk;
  const { baseline, isIntroduced } = hasCommits
    ? await findProvenance(request.baseline, args => ask(args, top), must)
    : { baseline: undefined, isIntroduced: () => true };
  const isWorktree = await worktreePaths(top, must);
  const hasFile = (path: string): boolean => system.files.follow(join(top, path))?.kind === "file";
  const artifacts = new Map<string, Artifact>();
  for (const source of SOURCES[request.mode]) {
    for (const path of await must(LISTINGS[source])) {
      if (artifacts.has(path)) continue;
      const isIndexed = source === "staged" || source === "tracked";
      const rule = isIndexed && isWorktree(path) ? "registered-worktree" : ruleFor(path, source, hasFile);
      if (rule === undefined || (rule !== "registered-worktree" && isAllowed(path))) continue;
      const isNew = source !== "tracked" || isIntroduced(path);
      artifacts.set(path, { path, source, provenance: isNew ? "introduced" : "pre-existing", rule });
    }
  }
  return { top, baseline, hasCommits, artifacts: [...artifacts.values()] };
}

type AskGit = (args: readonly string[]) => ReturnType<typeof runGit>;
type ListPaths = (args: readonly string[]) => Promise<readonly string[]>;

/** What the change at hand touches, measured from where it left the branch it will go to. */
async function findProvenance(
  wanted: string | undefined,
  ask: AskGit,
  list: ListPaths,
): Promise<{ readonly baseline: string | undefined; readonly isIntroduced: (path: string) => boolean }> {
  const touched = new Set(await list(["diff", "--name-only", "--no-renames", "-z", "HEAD"]));
  for (const name of wanted === undefined ? UPSTREAMS : [wanted]) {
    const base = await ask(["merge-base", "HEAD", name]);
    if (!base.isOk) continue;
    const changed = await list(["diff", "--name-only", "--no-renames", "-z", base.text.trim(), "HEAD"]);
    for (const path of changed) touched.add(path);
    return {
      baseline: `${name} (${base.text.trim().slice(0, 12)})`,
      isIntroduced: path => touched.has(path),
    };
  }
  if (wanted !== undefined) throw cannotScan(`there is no revision '${wanted}' to compare with`);
  return { baseline: undefined, isIntroduced: path => touched.has(path) };
}

/** True for paths at or below another working tree of the repository, wherever it lies in it. */
async function worktreePaths(top: string, list: ListPaths): Promise<(path: string) => boolean> {
  const listed = await list(["worktree", "list", "--porcelain", "-z"]);
  const inside = listed.flatMap(line => {
    const path = line.startsWith("worktree ") ? line.slice("worktree ".length) : top;
    return path !== top && isInside(top, path) ? [relative(top, path)] : [];
  });
  return path => inside.some(tree => path === tree || path.startsWith(`${tree}/`));
}

function cannotScan(message: string, cause?: string): Problem {
  return new Problem(message, {
    kind: "invalid",
    exitCode: 2,
    causes: cause === undefined || cause === "" ? [] : [cause],
    fix: "check --repo, --baseline and the state of the repository",
  });
}
