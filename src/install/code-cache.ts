import { hasErrorCode, join, removeTree, type System } from "../system/index.ts";
import { codeCachePath, compileFile, readCache } from "../system/node.ts";
import { installProblem } from "./file-edit.ts";
import { runProgram, trialEnvironment } from "./find-program.ts";

// Most of a hook's cold start on Node is compiling. The code that a run compiled is kept beside each hook's bundle;
// it fits only the version of Node that made it, so it is made for the Node that the hooks will run on.

/** What agents run all day: a command that needs no analysis, a loop that deletes, a pipeline, code of a language. */
const COMMANDS = [
  "git status",
  'cd src && for f in a b; do grep -n "$f" *.ts | head -5; done; rm -rf ./dist && git status',
  'npm test 2>&1 | tail -20 && echo "$HOME"',
  `python3 -c 'import os; print(os.path.join("a", open("b").read()))'`,
] as const;
/** What people type, by the name of its compiled code. All are answered by one file. */
const TYPED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  "command-guard": COMMANDS.map(command => ["guard", "test", command]),
  "command-history": [["history"]],
  "command-status": [["status"]],
  "command-undo": [["undo", "--dry-run"]],
};
/** A hook of a person's own: what runs it is loaded by every call of those who have one. */
const OWN_HOOK = `import { defineHook } from "amplihack/hooks";
export default defineHook({ name: "record", event: "PreToolUse", tool: "Bash", run: ({ input }) => (input.command === "x" ? {} : undefined) });
`;
/** Settings of a host as an installation leaves them: `status` reads such files wherever amplihack is in use. */
const registeredSettings = (program: string) => ({
  hooks: {
    PreToolUse: [
      { matcher: "*", hooks: [{ type: "command", command: `${program} pre-tool-use`, timeout: 10 }] },
    ],
  },
});
/** Loaded by an entry when it needs them, or judged without a payload: nothing to start for a recording. */
const NOT_STARTED = /^(?:lazy-|guard-argv)/;
const TIMEOUT_MS = 30_000;

export interface CodeCacheOptions {
  /** the folder of the built programs */
  readonly binFolder: string;
  readonly node: string;
  /** for a home and a project that are thrown away */
  readonly temporaryFolder: string;
}

export type CodeCacheState = "fresh" | "stale" | "unwritable";

/** Whether every hook has code that this very Node accepts, and if not, whether that can be changed. */
export function inspectCodeCaches(system: System, binFolder: string): CodeCacheState {
  const folder = entriesFolder(binFolder);
  const isFresh = (entry: string): boolean => {
    const file = join(folder, Object.hasOwn(TYPED, entry) ? COMMANDS_FILE : `${entry}.cjs`);
    const cache = readCache(cachedName(folder, entry));
    // What an ordinary run does not load has no code, and needs none.
    if (cache === undefined) return NOT_STARTED.test(entry);
    return compileFile(file, cache).script.cachedDataRejected !== true;
  };
  if (bundleNames(system, binFolder).every(isFresh)) return "fresh";
  return isWritable(system, folder) ? "stale" : "unwritable";
}

/** Runs every hook on ordinary payloads, in a home and a project of its own, and keeps the compiled code. */
export async function recordCode(system: System, options: CodeCacheOptions): Promise<void> {
  const { binFolder, node, temporaryFolder } = options;
  const home = join(temporaryFolder, `amplihack-record-${system.random.hex(16)}`);
  const project = join(home, "project");
  system.files.makeDirectory(join(project, ".claude"), 0o700);
  system.files.makeDirectory(join(home, ".claude"), 0o700);
  const settings = registeredSettings(join(home, ".amplihack", ".claude", "bin", "amplihack-hooks"));
  const encoded = system.text.encode(`${JSON.stringify(settings)}\n`);
  system.files.createExclusive(join(home, ".claude", "settings.json"), encoded, 0o600);
  const record = async (entry: string, command: string, words?: readonly string[]): Promise<void> => {
    const subcommand = entry === "no-opinion" ? "notification" : entry;
    const { code, stderr } = await runProgram(
      system,
      [node, join(binFolder, "record-code.cjs"), entry, ...(words ?? [subcommand])],
      {
        timeoutMs: TIMEOUT_MS,
        input: JSON.stringify(trainingPayload(project, command)),
        cwd: project,
        env: trialEnvironment(system, home),
      },
    );
    // A command may have nothing to do there.
    if (code !== 0 && words === undefined)
      throw installProblem(`the code of ${entry} could not be recorded`, { causes: [stderr.trim()] });
  };
  try {
    const entries = bundleNames(system, binFolder);
    for (const entry of entries) forget(system, codeCachePath(cachedName(entriesFolder(binFolder), entry)));
    for (const entry of entries.filter(name => !NOT_STARTED.test(name))) {
      for (const words of TYPED[entry] ?? []) await record(entry, "", words);
      if (Object.hasOwn(TYPED, entry)) continue;
      const commands = entry === "pre-tool-use" ? COMMANDS : COMMANDS.slice(0, 1);
      for (const command of commands) await record(entry, command);
    }
    const hooks = join(home, ".amplihack", "hooks");
    system.files.makeDirectory(hooks, 0o700);
    system.files.createExclusive(join(hooks, "record.mjs"), system.text.encode(OWN_HOOK), 0o600);
    await runProgram(system, [node, join(binFolder, "amplihack.cjs"), "hooks", "build"], {
      timeoutMs: TIMEOUT_MS,
      input: "",
      cwd: project,
      env: trialEnvironment(system, home),
    });
    await record("pre-tool-use", COMMANDS[0]);
  } finally {
    removeTree(system.files, home);
  }
}

function trainingPayload(cwd: string, command: string) {
  return {
    session_id: "record",
    cwd,
    tool_name: "Bash",
    tool_input: { command },
    tool_response: { stdout: "" },
    prompt: "add a test",
  };
}

/** A recording adds to what is there, and V8 cannot tell the code of another text of the same length. */
function forget(system: System, cache: string): void {
  if (system.files.inspect(cache) !== undefined) system.files.remove(cache);
}

function entriesFolder(binFolder: string): string {
  return join(binFolder, "hook-entries");
}

const COMMANDS_FILE = "commands.cjs";

/** One bundle per hook, one for every part that a hook loads only when it needs it, and the commands. */
function bundleNames(system: Pick<System, "files">, binFolder: string): readonly string[] {
  return system.files
    .list(entriesFolder(binFolder))
    .filter(name => name.endsWith(".cjs"))
    .flatMap(name => (name === COMMANDS_FILE ? Object.keys(TYPED) : [name.slice(0, -4)]))
    .sort();
}

/** The name that compiled code is kept under. */
function cachedName(folder: string, entry: string): string {
  return join(folder, Object.hasOwn(TYPED, entry) ? entry : `${entry}.cjs`);
}

function isWritable(system: System, folder: string): boolean {
  const probe = join(folder, `.probe-${system.random.hex(16)}`);
  try {
    system.files.createExclusive(probe, new Uint8Array(0), 0o600);
    system.files.remove(probe);
    return true;
  } catch (error) {
    if (hasErrorCode(error, "EACCES", "EPERM", "EROFS")) return false;
    throw error;
  }
}
