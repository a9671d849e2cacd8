import {
  changesOfGit,
  commitsWritten,
  runsHooks,
  staysInRepository,
  takesIgnored,
  writtenByGit,
} from "../../programs/index.ts";
import { concatenate, describe, knownText, text, type Value } from "../../shell/index.ts";
import type { Repository, Workspace } from "../../workspace/index.ts";
import type { FootprintRepository, FootprintTarget } from "../footprint.ts";
import type { GitRun } from "./invocation.ts";
import { newTreeOf } from "./new-trees.ts";

/** What a run of git changes, and where. */
export interface RunChanges {
  readonly repository: FootprintRepository | undefined;
  /** beside what git manages; relative to the directory of the run */
  readonly paths: readonly { readonly path: Value; readonly how: FootprintTarget["how"] }[];
  /** a program of others runs, or files appear whose names are not known */
  readonly isBeyond: boolean;
}

export function changesOfRun(run: GitRun, workspace: Workspace): RunChanges {
  const { repository } = run;
  const { files, state } = changesOfGit(run);
  const commits = commitsWritten(run);
  const paths = [
    ...writtenByGit(run).map(path => ({ path, how: "write" as const })),
    ...otherTrees(run, workspace),
  ];
  if (!files && !state) return { repository: undefined, paths, isBeyond: false };
  const hasHooks = repository !== undefined && runsHooks(run) && hasHook(repository, workspace);
  return {
    repository:
      repository === undefined
        ? undefined
        : {
            top: repository.top,
            gitDirectory: repository.gitDirectory,
            changesFiles: files || hasHooks,
            changesState: state,
            ...(takesIgnored(run) ? { changesIgnored: true } : {}),
            ...(commits === undefined ? {} : { commits }),
          },
    paths,
    // A new tree is a path of its own; elsewhere a repository that is not found may be anywhere.
    isBeyond: !staysInRepository(run) || (repository === undefined && !/^(clone|init)$/.test(run.subcommand)),
  };
}

/** Trees that are not the one of the run: new ones, worktrees that go or move, settings of the user. */
function otherTrees(run: GitRun, { home }: Workspace): RunChanges["paths"] {
  const [action, first, second] = run.options.operandValues;
  const tree = newTreeOf(run);
  if (tree !== undefined) {
    // In a directory that has files already, `init` only adds its own.
    const isAdded = run.subcommand === "init" && !run.options.has("bare");
    if (isAdded && run.repository?.top === knownText(tree)) return [];
    return [{ path: isAdded ? concatenate([tree, text("/.git")]) : tree, how: "write" }];
  }
  const word = action === undefined ? undefined : describe(action);
  if (run.subcommand === "worktree" && first !== undefined && (word === "remove" || word === "move"))
    return [
      { path: first, how: "delete" },
      ...(second === undefined ? [] : [{ path: second, how: "write" as const }]),
    ];
  if (run.subcommand !== "config" || !changesOfGit(run).state) return [];
  if (run.options.has("global")) return [{ path: text(`${home}/.gitconfig`), how: "write" }];
  const file = run.options.valueOf("f", "file");
  return file === undefined ? [] : [{ path: file, how: "write" }];
}

/** A hook of the repository, or of a directory that its settings name. */
function hasHook({ commonDirectory }: Repository, { disk }: Workspace): boolean {
  if (/hooksPath/i.test(disk.text(`${commonDirectory}/config`, 64 * 1024) ?? "")) return true;
  return disk.names(`${commonDirectory}/hooks`)?.some(name => !name.endsWith(".sample")) === true;
}
