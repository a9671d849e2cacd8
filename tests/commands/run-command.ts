import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Ran, runProgram } from "../hooks/executable.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

export const AMPLIHACK: readonly string[] = [
  process.execPath,
  fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url)),
];

/** A user with an empty home and a project, who types commands of the built program there. */
export interface User {
  readonly home: string;
  readonly project: string;
  readonly database: string;
  type(words: readonly string[], options?: TypeOptions): Promise<Ran>;
  /** as `type`, for commands that must succeed and print one JSON document */
  json<T = Record<string, unknown>>(...words: readonly string[]): Promise<T>;
}

export interface TypeOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export function newUser(): User {
  const home = temporaryDirectory();
  const project = join(home, "project");
  mkdirSync(join(project, ".claude"), { recursive: true });
  const type = (words: readonly string[], { input = "", env = {}, cwd = project }: TypeOptions = {}) =>
    runProgram(AMPLIHACK, words, { home, cwd, input, env });
  return {
    home,
    project,
    database: join(home, ".amplihack", "memory.db"),
    type,
    async json<T>(...words: readonly string[]): Promise<T> {
      const ran = await type([...words, "--format", "json"]);
      if (ran.code !== 0) throw new Error(`exit ${ran.code}: ${ran.stdout}${ran.stderr}`);
      return JSON.parse(ran.stdout) as T;
    },
  };
}
