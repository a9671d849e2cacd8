import { errorText } from "../protocol/index.ts";
import { childEnvironment, decodeName, encodeRawName, type System } from "../system/index.ts";

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
  /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|COMMON_DIR|NAMESPACE|PREFIX|CEILING_DIRECTORIES|LITERAL_PATHSPECS|GLOB_PATHSPECS|NOGLOB_PATHSPECS|ICASE_PATHSPECS|QUARANTINE_PATH|TRACE.*)$/;

/** Runs git in a directory, without hooks, monitors or locks that the command does not need. Never throws. */
export async function runGit(
  system: Pick<System, "env" | "processes" | "text">,
  args: readonly string[],
  { cwd, timeoutMs, input = "", env = {} }: GitOptions,
): Promise<GitRun> {
  if (timeoutMs <= 0) return failed("there was no time to ask git");
  const foreign = system.env.names().filter(name => FOREIGN.test(name));
  const own = childEnvironment(system, {
    ...Object.fromEntries(foreign.map(name => [name, undefined])),
    LC_ALL: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_OPTIONAL_LOCKS: "0",
  });
  try {
    const { end, stdout, stderr, stdoutTruncated } = await system.processes.start({
      argv: ["git", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", ...args],
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
    return { isOk, code, stdout, text: isOk ? textOf(system, stdout) : "", problem };
  } catch (error) {
    return failed(errorText(error));
  }
}

function textOf(system: Pick<System, "text">, bytes: Uint8Array): string {
  const { text, replaced } = system.text.decode(bytes);
  return replaced ? decodeName(bytes) : text;
}

function failed(problem: string): GitRun {
  return { isOk: false, code: undefined, stdout: new Uint8Array(0), text: "", problem };
}
