import type { Invocation } from "../../shell/facts.ts";
import { type OptionSpec, parseOptions } from "../../shell/options.ts";
import { joinPath } from "../../shell/paths.ts";
import { describe, knownText, text, type Value } from "../../shell/value.ts";
import type { Workspace } from "../context.ts";
import { words } from "../words.ts";
import { currentBranch, findAlias, findRepository, openRepository, type Repository } from "./repository.ts";

/** One run of git: its subcommand with arguments, and the repository it works on. */
export interface GitRun {
  readonly subcommand: string;
  /** the subcommand itself is the first word */
  readonly argv: readonly Value[];
  /** `-c key=value`, keys in lower case */
  readonly settings: readonly { readonly key: string; readonly value: string }[];
  readonly directory: Value;
  readonly repository: Repository | undefined;
  /** as HEAD says; later checkouts in the same text are the caller's to track */
  readonly branch: string | undefined;
  /** shell text that an alias of the configuration stands for */
  readonly shellAlias: string | undefined;
}

const GLOBAL: OptionSpec = {
  values: words("C c git-dir work-tree namespace config-env super-prefix attr-source"),
  flags: words(
    "p P paginate no-pager bare no-replace-objects literal-pathspecs no-optional-locks glob-pathspecs help version",
  ),
  optional: ["exec-path", "list-cmds"],
  stopsAtOperand: true,
  abbreviates: false,
};

const ALIAS_DEPTH = 5;

/** Undefined when git only tells about itself, or the subcommand is not known. */
export function readGit(invocation: Invocation, workspace: Workspace): GitRun | undefined {
  const options = parseOptions(invocation.argv, GLOBAL);
  const [first] = options.operands;
  const subcommand = first === undefined ? undefined : knownText(first.value);
  if (first === undefined || subcommand === undefined || options.has("help", "version")) return undefined;
  const settings = [
    ...environmentSettings(invocation),
    ...[...options.valuesOf("c"), ...clonedSettings(subcommand, invocation.argv.slice(first.index))].map(
      value => splitSetting(describe(value)),
    ),
    ...options.valuesOf("config-env").map(value => splitSetting(describe(value).replace("=", "=$"))),
  ];
  let directory = invocation.cwd;
  for (const value of options.valuesOf("C")) directory = joinPath(directory, value);
  const repository = repositoryOf(
    invocation,
    workspace,
    directory,
    options.valueOf("git-dir"),
    options.valueOf("work-tree"),
  );
  const branch = repository === undefined ? undefined : currentBranch(workspace.disk, repository);
  const base = { settings, directory, repository, branch };
  return expandAlias(
    { ...base, subcommand, argv: invocation.argv.slice(first.index), shellAlias: undefined },
    workspace,
  );
}

/** `git clone -c key=value` keeps the setting in the new repository. */
function clonedSettings(subcommand: string, argv: readonly Value[]): readonly Value[] {
  if (subcommand !== "clone" && subcommand !== "init") return [];
  return parseOptions(argv, {
    values: words("c config b branch o origin u upload-pack reference depth j jobs template"),
    abbreviates: false,
  }).valuesOf("c", "config");
}

/** `GIT_CONFIG_KEY_0` with its value, and the quoted list in `GIT_CONFIG_PARAMETERS`. */
function environmentSettings({ environment }: Invocation): GitRun["settings"] {
  return environment.flatMap(({ name, value }) => {
    if (value === undefined) return [];
    const number = /^GIT_CONFIG_KEY_(\d{1,4})$/.exec(name)?.[1];
    if (number !== undefined) {
      const given = environment.find(entry => entry.name === `GIT_CONFIG_VALUE_${number}`)?.value;
      return [{ key: describe(value).toLowerCase(), value: given === undefined ? "" : describe(given) }];
    }
    if (name !== "GIT_CONFIG_PARAMETERS") return [];
    return splitWords(describe(value)).map(splitSetting);
  });
}

function splitSetting(written: string): { key: string; value: string } {
  const equals = written.indexOf("=");
  if (equals < 0) return { key: written.toLowerCase(), value: "true" };
  return { key: written.slice(0, equals).toLowerCase(), value: written.slice(equals + 1) };
}

function repositoryOf(
  invocation: Invocation,
  workspace: Workspace,
  directory: Value,
  gitDirectory: Value | undefined,
  workTree: Value | undefined,
): Repository | undefined {
  if (invocation.place.kind !== "local") return undefined;
  const variable = (name: string) =>
    invocation.environment.filter(entry => entry.name === name).at(-1)?.value;
  const chosen = gitDirectory ?? variable("GIT_DIR");
  const tree = workTree ?? variable("GIT_WORK_TREE");
  const at = (value: Value | undefined): string | undefined =>
    value === undefined ? undefined : knownText(joinPath(directory, value));
  if (chosen !== undefined) {
    const path = at(chosen);
    if (path === undefined) return undefined;
    const resolved = workspace.disk.resolve(path, true);
    const top = at(tree) ?? (resolved.endsWith("/.git") ? resolved.slice(0, -5) : knownText(directory));
    return openRepository(workspace.disk, resolved, top);
  }
  const start = knownText(directory);
  return start === undefined || !start.startsWith("/") ? undefined : findRepository(workspace.disk, start);
}

/** Aliases given with `-c`, then those of configuration files; git's own names cannot be aliased. */
function expandAlias(run: GitRun, workspace: Workspace, depth = 0): GitRun {
  if (BUILT_IN.has(run.subcommand) || depth > ALIAS_DEPTH) return run;
  const given = run.settings
    .filter(setting => setting.key === `alias.${run.subcommand.toLowerCase()}`)
    .at(-1)?.value;
  const alias = given ?? findAlias(workspace.disk, run.repository, workspace.home, run.subcommand);
  if (alias === undefined || alias === "") return run;
  // What `-c` gives as shell text was already read with the command itself.
  if (alias.startsWith("!")) return given === undefined ? { ...run, shellAlias: alias.slice(1) } : run;
  const [subcommand, ...rest] = splitWords(alias);
  if (subcommand === undefined) return run;
  const argv = [text(subcommand), ...rest.map(word => text(word)), ...run.argv.slice(1)];
  return expandAlias({ ...run, subcommand, argv }, workspace, depth + 1);
}

/** Words as git splits an alias: blanks, quotes, backslashes; nothing is expanded. */
function splitWords(alias: string): string[] {
  const found = alias.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s"'\\])+/g) ?? [];
  return found.map(word =>
    word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/g, (_, a, b, c) => a ?? b ?? c ?? ""),
  );
}

const BUILT_IN: ReadonlySet<string> = new Set(
  words(`
  add am annotate apply archive bisect blame branch bundle cat-file check-ignore checkout checkout-index cherry
  cherry-pick clean clone commit commit-tree config describe diff diff-tree difftool fetch filter-branch filter-repo
  format-patch fsck gc grep hash-object help init log ls-files ls-remote ls-tree maintenance merge merge-base mergetool mv
  name-rev notes prune pull push range-diff read-tree rebase reflog remote repack replace reset restore rev-list rev-parse
  revert rm send-email shortlog show show-branch show-ref sparse-checkout stash status submodule switch symbolic-ref tag
  update-index update-ref var verify-commit whatchanged worktree write-tree lfs
`),
);
