import { runGit } from "../../history/index.ts";
import { Problem } from "../../state/index.ts";
import { isInside, join, relative, type System } from "../../system/index.ts";
import { type ArtifactRule, type ArtifactSource, ruleFor } from "./rules.ts";

export type ScanMode = "pre-commit" | "pre-publish" | "all" | "staged" | "worktree";

export interface Artifact {
  readonly path: string;
  readonly source: ArtifactSource;
  /** this change brings it, or the repository had it before */
  readonly provenance: "introduced" | "pre-existing";
  readonly rule: ArtifactRule;
}

export interface ScanRequest {
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
