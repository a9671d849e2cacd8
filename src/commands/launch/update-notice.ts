import { spawnSync } from "node:child_process";
import { join } from "node:path";
import {
  canRestart,
  type LaunchConsole,
  type LaunchRequest,
  loadOffer,
  loadReleases,
  readUpdateSettings,
  readVariables,
  runChild,
  startUpdateCheck,
  type UpdateCheck,
} from "../../launcher/index.ts";
import { errorText } from "../../protocol/index.ts";
import { quoteWord, type System } from "../../system/index.ts";
import { version } from "../../version.ts";

/** What is known about newer versions while a launch is prepared. */
export interface UpdateNotice {
  /** Tells of a newer version. When the person takes it and it was started instead, its exit code. */
  tell(): Promise<number | undefined>;
  close(): void;
}

export function startUpdateNotice(
  system: System,
  request: LaunchRequest,
  console: LaunchConsole,
): UpdateNotice | undefined {
  const { stateHome, update } = readUpdateSettings(system, request.directory);
  if (!update.check || update.source === undefined) return undefined;
  const isDebug = (system.env.get("AMPLIHACK_DEBUG") ?? "") !== "";
  const check = startUpdateCheck(system, stateHome, update.source, error => {
    if (isDebug) console.warn(`the update check failed: ${errorText(error)}`);
  });
  return { tell: () => tell(system, request, console, stateHome, check), close: () => check.cancel() };
}

async function tell(
  system: System,
  request: LaunchRequest,
  console: LaunchConsole,
  stateHome: string,
  check: UpdateCheck,
): Promise<number | undefined> {
  const latest = check.latest();
  if (latest === undefined) return undefined;
  const [{ isNewer }, { offerUpdate }] = await Promise.all([loadReleases(), loadOffer()]);
  if (!isNewer(latest, version) || !(await offerUpdate(version, latest, console))) return undefined;
  const { status } = spawnSync(process.execPath, [request.self, "update", "--version", latest], {
    stdio: ["inherit", 2, 2],
  });
  if (status !== 0) {
    console.warn(`the update did not succeed; this is still ${version}`);
    return undefined;
  }
  const argv = process.argv.slice(2);
  const program = join(stateHome, "versions", latest, "dist", "bin", "amplihack.cjs");
  if (!canRestart(argv)) {
    console.warn(`updated; now run: ${["amplihack", ...argv].map(quoteWord).join(" ")}`);
    return 0;
  }
  check.cancel();
  const end = await runChild({
    program: process.execPath,
    args: [program, ...argv],
    cwd: system.files.workingDirectory() ?? "/",
    env: readVariables(system),
    isInteractive: true,
    warn: console.warn,
  });
  return end.exitCode;
}
