import { Problem } from "../state/index.ts";
import { CommandError } from "./errors.ts";

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
