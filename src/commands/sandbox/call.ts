import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { CommandError, defineCommand } from "../../cli/index.ts";
import { loadConfig } from "../../config/index.ts";
import { finishEnded, openContext } from "../../history/index.ts";
import {
  asksTeam,
  directoryFile,
  noteHeld,
  openGuard,
  type SandboxedCall,
  sweepCalls,
  takeCall,
} from "../../hooks/index.ts";
import { loadSandbox, type SandboxedCommand } from "../../sandbox/index.ts";
import { readText, requireDirectories } from "../../state/index.ts";
import { join, quoteWord, type System } from "../../system/index.ts";
import { count } from "../../text/index.ts";
import { survey } from "../../workspace/index.ts";
import { proxyWords, sandboxPlaces } from "./places.ts";
import { resolveSettings } from "./settings.ts";

/** Runs the agent's text as the host's shell would, and tells in which directory it ended. */
const SCRIPT =
  '__amplihack=$1 __directory=$2; shift 2; eval "$__amplihack"; __amplihack=$?; pwd -P > "$__directory"; exit $__amplihack';
const NOT_STARTED = 126;
const MAX_PATH_BYTES = 8192;

export const callCommand = defineCommand({
  name: "call",
  summary: "run what an agent's host was told to run here; started by the host itself",
  options: {},
  positionals: [
    { name: "ID", summary: "of the call, which runs once" },
    { name: "SHELL", summary: "the shell that its command was written for" },
  ],
  forAgents: "asks",
  ownsTerminal: true,
  examples: { "amplihack sandbox call 5f0c… bash": "for rewritten commands; not for typing" },
  async run({ positionals, system, terminal }) {
    const [id = "", shell = "sh"] = positionals;
    const { stateHome, projectRoot } = requireDirectories(system);
    sweepCalls(system, stateHome);
    const call = takeCall(system, stateHome, id);
    if (call === undefined)
      throw new CommandError(`no call waits as ${id}: each runs once, and only as its host was told`, {
        kind: "not-found",
        exitCode: NOT_STARTED,
      });
    const folder = mkdtempSync(join(tmpdir(), "amplihack-call-"));
    const ended = join(folder, "directory");
    const command = {
      ...toSandboxedCommand(system, [shell, "-c", SCRIPT, shell, call.command, ended]),
      directory: system.files.workingDirectory() ?? projectRoot,
    };
    try {
      const code =
        call.mode === "run"
          ? await runCall(system, command)
          : await tryCall(system, command, call, line => terminal.warn(line));
      keepDirectory(system, stateHome, id, ended, command.directory);
      return code;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
});

function toSandboxedCommand(system: System, words: readonly string[]): Omit<SandboxedCommand, "directory"> {
  const { config } = loadConfig(system, requireDirectories(system));
  return {
    words,
    settings: resolveSettings(system, config, {}),
    guard: config.guard,
    proxyCommand: proxyWords(),
  };
}

async function runCall(system: System, command: SandboxedCommand): Promise<number> {
  const { checkSandbox, runCommand } = await loadSandbox();
  const code = await runCommand(system, sandboxPlaces(system), command);
  // The machine may no longer be as it was found: hosts must not be told so for ever.
  if (code === NOT_STARTED) checkSandbox(system, sandboxPlaces(system));
  return code;
}

/** Its changes are judged: real at once, or held, which the agent, and at the next call the person, is told. */
async function tryCall(
  system: System,
  command: SandboxedCommand,
  { host, session, command: written }: SandboxedCall,
  tell: (line: string) => void,
): Promise<number> {
  const { decideTry, findSandboxProgram, runTry } = await loadSandbox();
  const places = sandboxPlaces(system);
  const { code, held } = await runTry(system, places, { ...command, shown: [written], host, session });
  if (held === undefined) return code;
  const guard = openGuard(system, command.directory, () => {});
  const { stateHome, home } = places;
  const history = openContext(
    system,
    {
      stateHome,
      home,
      project: held.record.project,
      temps: survey(guard.context).temps,
      regenerable: guard.config.guard.paths.regenerable,
    },
    guard.config.history,
  );
  await finishEnded(history);
  const program = findSandboxProgram(system, places) ?? "";
  const decided = await decideTry(system, { history, program, stateHome }, guard.context, held);
  if (decided.outcome === "applied") return code;
  const { id } = decided.record;
  const files = count(held.changes.files.length, "path");
  const next = asksTeam(guard.config)
    ? `Your team decides, and sees the diff: run exactly \`amplihack try apply ${id}\`, which asks it.`
    : `Your user decides: amplihack try show ${id}`;
  tell(
    `amplihack: the changes of this command are held and nothing in the project changed: ${decided.reason} ${next}\n`,
  );
  if (session !== undefined)
    noteHeld(
      system,
      stateHome,
      session,
      `Changes of ${files} by \`${written}\` are held: ${decided.reason} Look: amplihack try show ${id}. Then: amplihack try apply ${id}, or discard.`,
    );
  return code === 0 ? 1 : code;
}

/** The shell around this program goes where the command went; what a command says is a path and nothing else. */
function keepDirectory(system: System, stateHome: string, id: string, ended: string, before: string): void {
  const { files, text } = system;
  if (files.inspect(ended)?.kind !== "file") return;
  const path = readText(system, ended, MAX_PATH_BYTES)?.replace(/\n$/, "") ?? "";
  if (path === before || !path.startsWith("/") || files.follow(path)?.kind !== "directory") return;
  files.createExclusive(directoryFile(stateHome, id), text.encode(`cd -- ${quoteWord(path)}\n`), 0o600);
}
