import { Problem } from "../state/index.ts";
import { clipMiddle, escapeLines } from "../text/index.ts";
import { fitLines, type Width } from "./layout.ts";

/** A problem that a command itself found. */
export class CommandError extends Problem {
  override readonly name = "CommandError";
}

/** `main` puts the exit code of the command in, where it has its own. */
export function usageError(
  message: string,
  fix?: string,
  exitCode = 2,
  causes: readonly string[] = [],
): CommandError {
  return new CommandError(message, { kind: "usage", exitCode, fix, causes });
}

/** The reader of our output has gone; the work ends quietly. */
export class OutputGone extends Error {
  override readonly name = "OutputGone";
}

/** Standard output takes nothing more, as on a disk that is full. */
export class OutputLost extends Error {
  override readonly name = "OutputLost";

  constructor(code: string) {
    super(`cannot write to standard output: ${code}`);
  }
}

/** Long enough for all that we say; what is longer quotes something huge. */
const MAX_TEXT_LENGTH = 4_000;

/** The fix stays on one line, because people copy it. What an error quotes may come from anywhere. */
export function renderErrorText(error: Problem, terminal: Width): string {
  const told = [`Error: ${error.message}`, ...error.causes.map(cause => `  cause: ${cause}`)];
  const lines = told.map(line => fitLines(clipMiddle(escapeLines(line), MAX_TEXT_LENGTH), terminal));
  if (error.fix !== undefined) lines.push(`  fix: ${escapeLines(error.fix)}`);
  return `${lines.join("\n")}\n`;
}

export function renderErrorJson(error: Problem): string {
  const { kind, message, causes, fix } = error;
  return `${JSON.stringify({ success: false, error: { kind, message, causes, fix } })}\n`;
}

const FILE_FIXES: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file: check the path",
  ENOTDIR: "a part of the path is a file: check the path",
  EISDIR: "it is a folder: name a file",
  EACCES: "check who may read and write it: ls -l",
  EPERM: "check who may read and write it: ls -l",
  EROFS: "the disk cannot be written to",
  ENOSPC: "the disk is full: free some space",
  ENOTSUP: "it is a device, a pipe or a socket: name a file",
  EFBIG: "it is too large for what it should be",
  EEXIST: "something else has that name: check the path",
  ENAMETOOLONG: "the name is too long: choose a shorter one",
  ELOOP: "its links form a loop: check the path",
};

/** What a person can do about a file that could not be used, by the name of the error. */
export function fileFix(code: string): string | undefined {
  return FILE_FIXES[code];
}

/** Runs part of a command and tells a problem of the installation as a failure of the command. */
export async function tellProblems<T>(kind: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof Problem) || error.kind !== "install") throw error;
    const { message, causes, fix } = error;
    throw new CommandError(message, { kind, causes, fix });
  }
}
