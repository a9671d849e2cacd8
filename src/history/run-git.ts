import { errorText } from "../protocol/index.ts";
import { programPath, programToStart } from "../state/index.ts";
import { childEnvironment, decodeName, encodeRawName, type System } from "../system/index.ts";
import { createDisk, findRepository, openRepository } from "../workspace/index.ts";

export interface GitRun {
  readonly isOk: boolean;
  readonly code: number | undefined;
  readonly stdout: Uint8Array;
  /** bytes that are not UTF-8 as names of files have them */
  readonly text: string;
  /** in few words, for a message; empty when all went well */
  readonly problem: string;
}

export interface GitOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  readonly input?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** For a repository whose working tree may be gone: git fails where its settings name one that is not there. */
export function withoutTree(gitDirectory: string): Pick<GitOptions, "cwd" | "env"> {
  return { cwd: gitDirectory, env: { GIT_DIR: gitDirectory, GIT_WORK_TREE: gitDirectory } };
}

const MAX_OUTPUT = 64 * 1024 * 1024;
const MAX_COMPLAINT = 2_000;
/** A repository of the environment is another one than that of the directory. */
const FOREIGN =
  /^GIT_(EXTERNAL_DIFF|SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|PAGER|EDITOR|SEQUENCE_EDITOR|PROXY_COMMAND|ATTR_SOURCE|DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|CEILING_DIRECTORIES|LITERAL_PATHSPECS|GLOB_PATHSPECS|NOGLOB_PATHSPECS|ICASE_PATHSPECS|QUARANTINE_PATH|TRACE.*)$/;

/** Settings by which a repository could have git start a program, or ask another machine. */
const NEUTRAL = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.editor=false",
  "core.askPass=",
  "core.sshCommand=false",
  "core.gitProxy=",
  "core.alternateRefsCommand=",
  "credential.helper=",
  "protocol.allow=never",
  "log.showSignature=false",
  "submodule.recurse=false",
  "diff.ignoreSubmodules=dirty",
  "gc.auto=0",
  "maintenance.auto=false",
];
/**
 * What no setting on the command line can neutralise: a driver of attributes, and git in a submodule, which heeds the
 * settings of the submodule alone. What the caller says comes later and counts.
 */
const SHOWS = ["--no-ext-diff", "--no-textconv"];
const NEUTRAL_OPTIONS: Readonly<Record<string, readonly string[]>> = {
  status: ["--ignore-submodules=dirty"],
  diff: ["--ignore-submodules=dirty", ...SHOWS],
  log: SHOWS,
  show: SHOWS,
};
const MAX_CONFIG = 1024 * 1024;
/** of `git config --get-regexp`, where nothing matches */
const NOT_FOUND = 1;

type GitSystem = Pick<System, "env" | "files" | "processes" | "text">;

/**
 * Runs git in a directory. Nothing of the repository is run: no hook, filter, monitor, pager or helper that its settings
 * name. Never throws.
 */
export async function runGit(
  system: GitSystem,
  args: readonly string[],
  options: GitOptions,
): Promise<GitRun> {
  if (options.timeoutMs <= 0) return failed("there was no time to ask git");
  const { names, hasOtherTree, problem } = await readFilterPrograms(system, options);
  if (problem !== undefined) return failed(problem);
  const env =
    hasOtherTree && options.env?.["GIT_WORK_TREE"] === undefined ? { GIT_WORK_TREE: options.cwd } : {};
  const settings = names.flatMap(name => [
    [`${name}.clean`, ""],
    [`${name}.smudge`, ""],
    [`${name}.process`, ""],
    [`${name}.required`, "false"],
  ]);
  // In the environment, since a name may have any character in it.
  const given = Object.fromEntries(
    settings.flatMap(([key = "", value = ""], at) => [
      [`GIT_CONFIG_KEY_${at}`, key],
      [`GIT_CONFIG_VALUE_${at}`, value],
    ]),
  );
  const count = settings.length === 0 ? {} : { GIT_CONFIG_COUNT: String(settings.length) };
  const [subcommand = "", ...rest] = args;
  return startGit(system, [subcommand, ...(NEUTRAL_OPTIONS[subcommand] ?? []), ...rest], {
    ...options,
    env: { ...env, ...count, ...given, ...options.env },
  });
}

/** Filters that the settings of the repository itself define, and whether they name another working tree. */
async function readFilterPrograms(
  system: GitSystem,
  { cwd, timeoutMs, env = {} }: GitOptions,
): Promise<{
  readonly names: readonly string[];
  readonly hasOtherTree: boolean;
  /** which programs the repository names is not known, so that git cannot be asked */
  readonly problem?: string;
}> {
  const given = env["GIT_DIR"];
  const disk = createDisk(system);
  const repository = given === undefined ? findRepository(disk, cwd) : openRepository(disk, given, undefined);
  if (repository === undefined) return { names: [], hasOtherTree: false };
  const { commonDirectory, gitDirectory, top } = repository;
  const text = [`${commonDirectory}/config`, `${gitDirectory}/config.worktree`]
    // What is there and cannot be read may say anything.
    .map(path => disk.text(path, MAX_CONFIG) ?? (system.files.inspect(path) === undefined ? "" : "[include"))
    .join("\n");
  const hasOtherTree = top === cwd && /^[ \t]*(\[\s*include|worktree\s*=)/im.test(text);
  if (!/\[\s*(filter|include)/i.test(text)) return { names: [], hasOtherTree };
  const args = ["config", "--includes", "-z", "--show-scope", "--name-only", "--get-regexp", "^filter\\."];
  const run = await startGit(system, args, { cwd, timeoutMs, env });
  if (!run.isOk && run.code !== NOT_FOUND) return { names: [], hasOtherTree, problem: run.problem };
  const fields = run.text.split("\0");
  const names = new Set<string>();
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const isOfRepository = fields[at] === "local" || fields[at] === "worktree";
    const name = (fields[at + 1] ?? "").replace(/\.[^.]*$/, "");
    if (isOfRepository && name.startsWith("filter.")) names.add(name);
  }
  return { names: [...names], hasOtherTree };
}

/** Paths among these that a filter of the repository makes: without it, their content is not known. */
export async function filteredPaths(
  system: GitSystem,
  paths: readonly string[],
  options: GitOptions,
): Promise<ReadonlySet<string>> {
  const { names, problem } = await readFilterPrograms(system, options);
  if (problem !== undefined) return new Set(paths);
  if (names.length === 0) return new Set();
  return findFiltered(system, names, paths.map(path => `${path}\0`).join(""), options);
}

/** All tracked paths that a filter of the repository makes. Where it has none, git is not asked. */
export async function filteredInTree(system: GitSystem, options: GitOptions): Promise<ReadonlySet<string>> {
  const { names } = await readFilterPrograms(system, options);
  if (names.length === 0) return new Set();
  const tracked = await runGit(system, ["ls-files", "-z"], options);
  return findFiltered(system, names, tracked.stdout, options);
}

async function findFiltered(
  system: GitSystem,
  names: readonly string[],
  input: string | Uint8Array,
  options: GitOptions,
): Promise<ReadonlySet<string>> {
  const run = await runGit(system, ["check-attr", "-z", "--stdin", "filter"], { ...options, input });
  const fields = run.text.split("\0");
  const found = new Set<string>();
  for (let at = 0; at + 2 < fields.length; at += 3)
    if (names.includes(`filter.${fields[at + 2]}`)) found.add(fields[at] ?? "");
  return found;
}

async function startGit(
  system: GitSystem,
  args: readonly string[],
  { cwd, timeoutMs, input = "", env = {} }: GitOptions,
): Promise<GitRun> {
  const foreign = system.env.names().filter(name => FOREIGN.test(name));
  const own = childEnvironment(system, {
    ...Object.fromEntries(foreign.map(name => [name, undefined])),
    PATH: programPath(system, cwd),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
    GIT_NO_LAZY_FETCH: "1",
  });
  try {
    const { end, stdout, stderr, stdoutTruncated } = await system.processes.start({
      argv: [programToStart(system, "git", cwd), ...NEUTRAL.flatMap(setting => ["-c", setting]), ...args],
      cwd,
      env: { ...own, ...env },
      input: typeof input === "string" ? (encodeRawName(input) ?? system.text.encode(input)) : input,
      timeoutMs: Math.ceil(timeoutMs),
      killAfterMs: 100,
      limits: { stdoutBytes: MAX_OUTPUT, tailBytes: 0, stderrBytes: MAX_COMPLAINT, drainBytes: MAX_OUTPUT },
    }).done;
    const code = end.kind === "exit" ? end.code : undefined;
    const complaint = system.text.decode(stderr).text.trim().split("\n").at(-1) ?? "";
    const problem =
      end.kind === "timeout"
        ? "git took too long"
        : end.kind === "not-started"
          ? "git cannot be started"
          : stdoutTruncated
            ? "git printed too much"
            : code === 0
              ? ""
              : `git ${args[0] ?? ""}: ${complaint === "" ? end.kind : complaint}`;
    const isOk = problem === "";
    return { isOk, code, stdout, text: isOk ? decodeOutput(system, stdout) : "", problem };
  } catch (error) {
    return failed(errorText(error));
  }
}

function decodeOutput(system: Pick<System, "text">, bytes: Uint8Array): string {
  const { text, replaced } = system.text.decode(bytes);
  return replaced ? decodeName(bytes) : text;
}

function failed(problem: string): GitRun {
  return { isOk: false, code: undefined, stdout: new Uint8Array(0), text: "", problem };
}
