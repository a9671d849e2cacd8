import { dirname, join, type System } from "../system/index.ts";
import type { Repository } from "../workspace/index.ts";
import type { Keeper } from "./keeper.ts";
import { cachedRegenerable } from "./keeper.ts";
import { runGit } from "./run-git.ts";
import { isGitEntry, walkTree } from "./walk.ts";

/** Of commits that are not known yet, small files in small numbers are taken to be overwritten. */
const MAX_GUESSED_FILES = 500;
const MAX_GUESSED_BYTES = 1024 * 1024;

export interface OverwrittenIgnored {
  /** also files that are not there: it is known then that git made them */
  readonly paths: readonly string[];
  /** directories of which all files are among the paths */
  readonly whole: readonly string[];
}

/** Ignored files that git may write over without a word, because a commit tracks them. */
export async function overwrittenIgnored(
  keeper: Keeper,
  { top = "", gitDirectory }: Repository,
  ignored: readonly string[],
  commits: readonly string[],
): Promise<OverwrittenIgnored> {
  const isOutput = cachedRegenerable(keeper, top);
  const candidates = ignored.filter(
    name => isOutput(name.endsWith("/") ? join(top, name) : dirname(join(top, name))) === undefined,
  );
  if (candidates.length === 0) return NOTHING_OVERWRITTEN;
  const { system } = keeper.store;
  const found = new Set<string>();
  let isKnown = false;
  for (const commit of commits) {
    const files =
      (await filesIn(system, top, commit, candidates, keeper.msForGit(gitDirectory))) ??
      (await filesIn(system, top, `origin/${commit}`, candidates, keeper.msForGit(gitDirectory)));
    isKnown ||= files !== undefined && commit !== "HEAD";
    for (const file of files ?? []) found.add(join(top, file));
  }
  const isGuessed = commits.length === 0 || (!isKnown && commits.length > 1);
  const guessed = isGuessed ? smallFiles(keeper, top, candidates) : NOTHING_OVERWRITTEN;
  return { paths: [...found, ...guessed.paths], whole: guessed.whole };
}

export const NOTHING_OVERWRITTEN: OverwrittenIgnored = { paths: [], whole: [] };

/** Files of a commit at these places or below; undefined when it is none. */
async function filesIn(
  system: System,
  top: string,
  commit: string,
  places: readonly string[],
  timeoutMs: number,
): Promise<readonly string[] | undefined> {
  const args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--", ...places];
  const env = { GIT_LITERAL_PATHSPECS: "1" };
  const run = await runGit(system, args, { cwd: top, timeoutMs, env });
  return run.isOk ? run.text.split("\0").filter(name => name !== "") : undefined;
}

function smallFiles(keeper: Keeper, top: string, candidates: readonly string[]): OverwrittenIgnored {
  const { files } = keeper.store.system;
  const found: string[] = [];
  const whole: string[] = [];
  let isWhole = true;
  const add = (path: string, size: number) => {
    if (size <= MAX_GUESSED_BYTES) found.push(path);
    else isWhole = false;
  };
  for (const name of candidates) {
    const path = join(top, name);
    if (!name.endsWith("/")) {
      add(path, files.exactFacts(path)?.size ?? 0);
      continue;
    }
    isWhole = true;
    const isFinished = walkTree(files, path, {
      visit(inner, { kind, size }) {
        if (kind === "directory" && (isGitEntry(inner) || keeper.rules.isRegenerable(inner))) {
          isWhole = false;
          return false;
        }
        add(inner, kind === "file" ? size : 0);
        return true;
      },
      fail() {
        isWhole = false;
      },
      isLate: () => keeper.isLateInWalk() || found.length >= MAX_GUESSED_FILES,
    });
    if (isFinished && isWhole) whole.push(path);
  }
  return { paths: found, whole };
}
