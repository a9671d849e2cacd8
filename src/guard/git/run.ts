import { isGitCommand, readGitOptions } from "../../programs/index.ts";
import {
  baseName,
  describe,
  type GitWords,
  joinPath,
  knownText,
  type Place,
  text,
  type Value,
} from "../../shell/index.ts";
import { splitWords } from "../../system/index.ts";
import {
  currentBranch,
  findAlias,
  findRepository,
  openRepository,
  type Repository,
  type Workspace,
} from "../../workspace/index.ts";

/** One run of git with the repository it works on. */
export interface GitRun extends GitWords {
  readonly repository: Repository | undefined;
  /** as HEAD says; later checkouts in the same text are the caller's to track */
  readonly branch: string | undefined;
  /** shell text that an alias of the configuration stands for */
  readonly shellAlias: string | undefined;
  /** what it does is said by an alias of the configuration */
  readonly isAliased?: boolean;
}

const MAX_ALIASES = 5;

export function readGit(given: GitWords, place: Place, workspace: Workspace): GitRun {
  const repository = place.kind === "local" ? findGitRepository(given, workspace) : undefined;
  const branch = repository === undefined ? undefined : currentBranch(workspace.disk, repository);
  return expandAlias({ ...given, repository, branch, shellAlias: undefined }, workspace);
}

function findGitRepository(
  { directory, gitDirectory, workTree }: GitWords,
  { disk }: Workspace,
): Repository | undefined {
  const at = (value: Value | undefined): string | undefined =>
    value === undefined ? undefined : knownText(joinPath(directory, value));
  if (gitDirectory !== undefined) {
    const path = at(gitDirectory);
    if (path === undefined) return undefined;
    const resolved = disk.resolve(path, true);
    const top = at(workTree) ?? (resolved.endsWith("/.git") ? resolved.slice(0, -5) : knownText(directory));
    return openRepository(disk, resolved, top);
  }
  const start = knownText(directory);
  return start === undefined || !start.startsWith("/") ? undefined : findRepository(disk, start);
}

/** Aliases given with `-c`, then those of configuration files; git's own names cannot be aliased. */
function expandAlias(run: GitRun, workspace: Workspace, depth = 0): GitRun {
  if (isGitCommand(run.subcommand) || depth > MAX_ALIASES) return run;
  const given = run.settings
    .filter(setting => setting.key === `alias.${run.subcommand.toLowerCase()}`)
    .at(-1)?.value;
  const alias = given ?? findAlias(workspace.disk, run.repository, workspace.home, run.subcommand);
  if (alias === undefined || alias === "") return run;
  // What `-c` gives as shell text was already read with the command itself.
  if (alias.startsWith("!"))
    return given === undefined ? { ...run, shellAlias: alias.slice(1), isAliased: true } : run;
  const [subcommand, ...rest] = splitWords(alias);
  if (subcommand === undefined) return run;
  const argv = [text(subcommand), ...rest.map(word => text(word)), ...run.argv.slice(1)];
  return expandAlias(
    {
      ...run,
      subcommand,
      argv,
      options: readGitOptions(subcommand, argv),
      ...(given === undefined ? { isAliased: true } : {}),
    },
    workspace,
    depth + 1,
  );
}

/** The directory that `clone`, `init` or `worktree add` fills; undefined for every other run of git. */
export function findNewTree(run: GitRun): Value | undefined {
  const name = nameOfTree(run);
  return name === undefined ? undefined : joinPath(run.directory, name);
}

function nameOfTree({ subcommand, options }: GitRun): Value | undefined {
  const [first, second] = options.operands.map(operand => operand.value);
  if (subcommand === "clone") return second ?? cloneName(first);
  if (subcommand === "init") return first ?? text(".");
  return subcommand === "worktree" && first !== undefined && describe(first) === "add" ? second : undefined;
}

/** `https://host/acme/app.git` becomes `app`. */
function cloneName(address: Value | undefined): Value | undefined {
  if (address === undefined) return undefined;
  const name = baseName(describe(address))
    .replace(/\.git$/, "")
    .replace(/^.*:/, "");
  return name === "" ? undefined : text(name);
}
