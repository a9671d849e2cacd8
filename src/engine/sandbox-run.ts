import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isHistoryOn } from "../config/index.ts";
import { isDenied, judgeCommand } from "../guard/index.ts";
import { finishEnded, openContext } from "../history/index.ts";
import { openGuard } from "../hooks/index.ts";
import { defined } from "../protocol/index.ts";
import { loadSandbox, type SandboxedCommand } from "../sandbox/index.ts";
import { Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { survey } from "../workspace/index.ts";
import type { CommandKeeping, SandboxOptions, SandboxRun, SandboxRunOptions } from "./sandbox.ts";

const NOT_STARTED = 126;
const DEFAULT_AGENT = "engine";

/** Judges a command, runs it in the sandbox, and judges what it changed. Nothing runs bare. */
export async function runSandboxed(
  machine: System,
  { home: ownHome, agent = DEFAULT_AGENT, shell = "bash", ...own }: SandboxOptions,
  command: string,
  { cwd, mode = "auto", session, ...streams }: SandboxRunOptions & { readonly cwd: string },
  keeping?: CommandKeeping,
): Promise<SandboxRun> {
  const system = ownHome === undefined ? machine : withHome(machine, ownHome);
  const guard = openGuard(system, cwd, () => {});
  const { config, home, stateHome } = guard;
  const judgement = judgeCommand(command, guard.context);
  if (isDenied(judgement)) {
    const problem = await keeping?.refused(judgement, guard.context);
    return { ...refused(judgement.reason ?? "the guard refuses it"), ...defined({ problem }) };
  }
  const { decideTry, findSandboxProgram, runCommand, runTry } = await loadSandbox();
  const output = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  const places = {
    home,
    stateHome,
    packageRoot: packageRoot(),
    platform: `${process.platform}-${process.arch}`,
  };
  const request: SandboxedCommand = {
    words: [shell, "-c", command],
    directory: cwd,
    settings: { ...config.sandbox, ...defined(own) },
    guard: config.guard,
    proxyCommand: [process.execPath, join(places.packageRoot, "dist/bin/amplihack.cjs"), "sandbox", "proxy"],
    streams: {
      ...streams,
      onOutput(stream, bytes) {
        output[stream].push(bytes);
        streams.onOutput?.(stream, bytes);
      },
    },
  };
  const texts = () => ({
    stdout: Buffer.concat(output.stdout).toString(),
    stderr: Buffer.concat(output.stderr).toString(),
  });
  try {
    if (mode === "auto" && judgement.verdict === "allow") {
      const run = () => runCommand(system, places, request);
      const ran = keeping === undefined ? { code: await run() } : await keeping.around(run);
      return { outcome: "ran", ...ran, ...texts() };
    }
    const { code, held } = await runTry(system, places, {
      ...request,
      shown: [command],
      host: agent,
      session,
    });
    if (held === undefined) return { outcome: "unchanged", code, ...texts() };
    const { temps } = survey(guard.context);
    const { regenerable } = config.guard.paths;
    const history = openContext(
      system,
      { stateHome, home, project: held.record.project, temps, regenerable },
      { ...config.history, enabled: isHistoryOn(config) },
    );
    await finishEnded(history);
    const program = findSandboxProgram(system, places) ?? "";
    const decided = await decideTry(system, { history, program, stateHome }, guard.context, held);
    if (decided.outcome === "applied")
      return defined({ outcome: "applied" as const, code, ...texts(), change: decided.change });
    const { reason, record } = decided;
    return { outcome: "held", code: code === 0 ? 1 : code, ...texts(), reason, held: record.id };
  } catch (error) {
    if (!(error instanceof Problem) || error.exitCode !== NOT_STARTED) throw error;
    return { ...refused([error.message, ...error.causes].join(": ")), ...texts() };
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
