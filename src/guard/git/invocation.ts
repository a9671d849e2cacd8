import type { Invocation } from "../../shell/facts.ts";
import { type OptionSpec, type ParsedOptions, parseOptions } from "../../shell/options.ts";
import { joinPath } from "../../shell/paths.ts";
import { describe, knownText, text, type Value } from "../../shell/value.ts";
import { splitWords } from "../../system/command-line.ts";
import type { Workspace } from "../context.ts";
import { wordSet, words } from "../words.ts";
import { readGitOptions } from "./options.ts";
import { currentBranch, findAlias, findRepository, openRepository, type Repository } from "./repository.ts";

/** One run of git: its subcommand with arguments, and the repository it works on. */
export interface GitRun {
  readonly subcommand: string;
  /** the subcommand itself is the first word */
  readonly argv: readonly Value[];
  readonly options: ParsedOptions;
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

const MAX_ALIAS_DEPTH = 5;

/** Undefined when git only tells about itself, or the subcommand is not known. */
export function readGit(invocation: Invocation, workspace: Workspace): GitRun | undefined {
  const global = parseOptions(invocation.argv, GLOBAL);
  const [first] = global.operands;
  const subcommand = first === undefined ? undefined : knownText(first.value);
  if (first === undefined || subcommand === undefined || global.has("help", "version")) return undefined;
  const argv = invocation.argv.slice(first.index);
  const options = readGitOptions(subcommand, argv);
  // `git clone -c key=value` keeps the setting in the new repository.
  const cloned = /^(clone|init)$/.test(subcommand) ? options.valuesOf("c", "config") : [];
  const settings = [
    ...environmentSettings(invocation),
    ...[...global.valuesOf("c"), ...cloned].map(value => splitSetting(describe(value))),
    ...global.valuesOf("config-env").map(value => splitSetting(describe(value).replace("=", "=$"))),
  ];
  const directory = global.valuesOf("C").reduce((at, value) => joinPath(at, value), invocation.cwd);
  const repository = repositoryOf(invocation, workspace, directory, global);
  const branch = repository === undefined ? undefined : currentBranch(workspace.disk, repository);
  const place = { settings, directory, repository, branch };
  return expandAlias({ subcommand, argv, options, ...place, shellAlias: undefined }, workspace);
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
  { place, environment }: Invocation,
  { disk }: Workspace,
  directory: Value,
  global: ParsedOptions,
): Repository | undefined {
  if (place.kind !== "local") return undefined;
  const chosen = (option: string, variable: string): string | undefined => {
    const value =
      global.valueOf(option) ?? environment.filter(entry => entry.name === variable).at(-1)?.value;
    return value === undefined ? undefined : (knownText(joinPath(directory, value)) ?? "");
  };
  const start = knownText(directory);
  const given = chosen("git-dir", "GIT_DIR");
  if (given === undefined) return start?.startsWith("/") === true ? findRepository(disk, start) : undefined;
  if (given === "") return undefined;
  const resolved = disk.resolve(given, true);
  const top =
    chosen("work-tree", "GIT_WORK_TREE") || (resolved.endsWith("/.git") ? resolved.slice(0, -5) : start);
  return openRepository(disk, resolved, top);
}

/** Aliases given with `-c`, then those of configuration files; git's own names cannot be aliased. */
function expandAlias(run: GitRun, workspace: Workspace, depth = 0): GitRun {
  if (BUILT_IN.has(run.subcommand) || depth > MAX_ALIAS_DEPTH) return run;
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
  const options = readGitOptions(subcommand, argv);
  return expandAlias({ ...run, subcommand, argv, options }, workspace, depth + 1);
}

const BUILT_IN = wordSet(`
  add am annotate apply archive bisect blame branch bundle cat-file check-ignore checkout checkout-index cherry
  cherry-pick clean clone commit commit-tree config describe diff diff-tree difftool fetch filter-branch filter-repo
  format-patch fsck gc grep hash-object help init log ls-files ls-remote ls-tree maintenance merge merge-base mergetool mv
  name-rev notes prune pull push range-diff read-tree rebase reflog remote repack replace reset restore rev-list rev-parse
  revert rm send-email shortlog show show-branch show-ref sparse-checkout stash status submodule switch symbolic-ref tag
  update-index update-ref var verify-commit whatchanged worktree write-tree lfs
`);
