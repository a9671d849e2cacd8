import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../../src/cli/main.ts";
import type { System } from "../../src/system/system.ts";
import { type Ran, type RunOptions, runProgram } from "../hooks/executable.ts";
import { systemIn } from "../install/sandbox.ts";
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
  return userOf((words, options) => runProgram(AMPLIHACK, words, options));
}

/**
 * A user whose commands run inside this process, on the real system: for facts that do not need a process for each
 * command. There is no terminal.
 */
export function newUserInside(commandsFolder = COMMANDS): User {
  return userOf((words, options) => runInside(words, options, commandsFolder));
}

/** The same on a machine whose `/etc/amplihack` is this folder; its files count where they are root's. */
export function newUserOn(machineFolder: string): User {
  return userOf((words, options) =>
    runInside(words, options, COMMANDS, system => ({
      ...system,
      files: new Proxy(system.files, {
        get(files, name) {
          const member = Reflect.get(files, name) as unknown;
          if (typeof member !== "function") return member;
          const place = (value: unknown) =>
            typeof value === "string" && value.startsWith(`${MACHINE_FOLDER}/`)
              ? machineFolder + value.slice(MACHINE_FOLDER.length)
              : value;
          return (...values: readonly unknown[]) => member.apply(files, values.map(place)) as unknown;
        },
      }),
    })),
  );
}

const MACHINE_FOLDER = "/etc/amplihack";

const COMMANDS = fileURLToPath(new URL("../../src/commands/", import.meta.url));

async function runInside(
  words: readonly string[],
  { home, cwd, input, env }: RunOptions,
  commandsFolder: string,
  change: (system: System) => System = system => system,
): Promise<Ran> {
  const said = { stdout: "", stderr: "" };
  const system = change({
    ...systemIn(cwd, { PATH: process.env["PATH"] ?? "", HOME: home, ...env }),
    stdio: {
      readInput: () => ({ kind: "bytes", bytes: Buffer.from(input) }),
      writeOutput(text) {
        said.stdout += text;
        return "written";
      },
      writeError(text) {
        said.stderr += text;
      },
      isTerminal: () => false,
    },
  });
  const code = await main({ system, argv: words, commandsFolder });
  return { code, signal: null, ...said };
}

function userOf(run: (words: readonly string[], options: RunOptions) => Promise<Ran>): User {
  const home = temporaryDirectory();
  const project = join(home, "project");
  mkdirSync(join(project, ".claude"), { recursive: true });
  const type = (words: readonly string[], { input = "", env = {}, cwd = project }: TypeOptions = {}) =>
    run(words, { home, cwd, input, env });
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
