import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isHistoryOn } from "../config/index.ts";
import { isDenied, judgeCommand } from "../guard/index.ts";
import { finishEnded, type HistoryContext, openContext } from "../history/index.ts";
import { openGuard } from "../hooks/index.ts";
import { defined } from "../protocol/index.ts";
import { loadSandbox, type SandboxedCommand, type SandboxPlaces } from "../sandbox/index.ts";
import { Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { survey } from "../workspace/index.ts";
import type { CommandKeeping, SandboxOptions, SandboxRun, SandboxRunOptions } from "./sandbox.ts";

const NOT_STARTED = 126;
const DEFAULT_AGENT = "engine";

/** A command on its way through the sandbox. */
interface SandboxedCall {
  readonly system: System;
  readonly guard: ReturnType<typeof openGuard>;
  readonly places: SandboxPlaces;
  readonly request: SandboxedCommand;
  readonly output: CollectedOutput;
}

/** Judges a command, runs it in the sandbox, and judges what it changed. Nothing runs bare. */
export async function runSandboxed(
  machine: System,
  { home, agent = DEFAULT_AGENT, shell = "bash", ...settings }: SandboxOptions,
  command: string,
  { cwd, mode = "auto", session, ...streams }: SandboxRunOptions & { readonly cwd: string },
  keeping?: CommandKeeping,
): Promise<SandboxRun> {
  const system = home === undefined ? machine : withHome(machine, home);
  const guard = openGuard(system, cwd, () => {});
  const judgement = judgeCommand(command, guard.context);
  if (isDenied(judgement)) {
    const problem = await keeping?.refused(judgement, guard.context);
    return { ...refused(judgement.reason ?? "the guard refuses it"), ...defined({ problem }) };
  }
  const places = placesFor(guard);
  const output = new CollectedOutput();
  const request: SandboxedCommand = {
    words: [shell, "-c", command],
    directory: cwd,
    settings: { ...guard.config.sandbox, ...defined(settings) },
    guard: guard.config.guard,
    proxyCommand: [process.execPath, join(places.packageRoot, "dist/bin/amplihack.cjs"), "sandbox", "proxy"],
    streams: { ...streams, onOutput: output.passOn(streams.onOutput) },
  };
  const call: SandboxedCall = { system, guard, places, request, output };
  try {
    return mode === "auto" && judgement.verdict === "allow"
      ? await runAllowed(call, keeping)
      : await tryFirst(call, { shown: [command], host: agent, session });
  } catch (error) {
    if (!(error instanceof Problem) || error.exitCode !== NOT_STARTED) throw error;
    return { ...refused([error.message, ...error.causes].join(": ")), ...output.texts() };
  }
}

async function runAllowed(
  { system, places, request, output }: SandboxedCall,
  keeping: CommandKeeping | undefined,
): Promise<SandboxRun> {
  const { runCommand } = await loadSandbox();
  const run = () => runCommand(system, places, request);
  const ran = keeping === undefined ? { code: await run() } : await keeping.around(run);
  return { outcome: "ran", ...ran, ...output.texts() };
}

/** What it changes is judged before it is applied. */
async function tryFirst(
  call: SandboxedCall,
  named: { readonly shown: readonly string[]; readonly host: string; readonly session: string | undefined },
): Promise<SandboxRun> {
  const { system, guard, places, request, output } = call;
  const { decideTry, findSandboxProgram, runTry } = await loadSandbox();
  const { code, held } = await runTry(system, places, { ...request, ...named });
  if (held === undefined) return { outcome: "unchanged", code, ...output.texts() };
  const history = await openHistory(call, held.record.project);
  const program = findSandboxProgram(system, places) ?? "";
  const context = { history, program, stateHome: guard.stateHome };
  const decided = await decideTry(system, context, guard.context, held);
  if (decided.outcome === "applied")
    return defined({ outcome: "applied" as const, code, ...output.texts(), change: decided.change });
  const { reason, record } = decided;
  return { outcome: "held", code: code === 0 ? 1 : code, ...output.texts(), reason, held: record.id };
}

/** The history that an applied try is written into, with what was left unfinished in it. */
async function openHistory({ system, guard }: SandboxedCall, project: string): Promise<HistoryContext> {
  const { config, home, stateHome } = guard;
  const { temps } = survey(guard.context);
  const history = openContext(
    system,
    { stateHome, home, project, temps, regenerable: config.guard.paths.regenerable },
    { ...config.history, enabled: isHistoryOn(config) },
  );
  await finishEnded(history);
  return history;
}

function placesFor({ home, stateHome }: SandboxedCall["guard"]): SandboxPlaces {
  return { home, stateHome, packageRoot: packageRoot(), platform: `${process.platform}-${process.arch}` };
}

class CollectedOutput {
  private readonly stdout: Uint8Array[] = [];
  private readonly stderr: Uint8Array[] = [];

  /** Collects what comes, and hands it on to who listens. */
  passOn(onOutput: SandboxRunOptions["onOutput"]): NonNullable<SandboxRunOptions["onOutput"]> {
    return (stream, bytes) => {
      this[stream].push(bytes);
      onOutput?.(stream, bytes);
    };
  }

  texts(): { readonly stdout: string; readonly stderr: string } {
    return { stdout: Buffer.concat(this.stdout).toString(), stderr: Buffer.concat(this.stderr).toString() };
  }
}

function withHome(system: System, home: string): System {
  const { env } = system;
  return {
    ...system,
    env: {
      get: name => (name === "HOME" ? home : env.get(name)),
      names: () => [...new Set([...env.names(), "HOME"])],
    },
  };
}

function refused(reason: string): SandboxRun {
  return { outcome: "refused", code: NOT_STARTED, stdout: "", stderr: "", reason };
}

/** Around this file, in a checkout as in an installed package. */
function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
