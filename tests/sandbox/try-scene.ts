import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BUILT_IN } from "../../src/config/index.ts";
import { finishEnded, openContext, openHistory } from "../../src/history/index.ts";
import { checkLayers, loadSandbox, type TryContext, type TryRecord } from "../../src/sandbox/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import type { Files, System } from "../../src/system/system.ts";
import { PROGRAM } from "./scene.ts";

const PACKAGE_ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");

/** A home with a project in it, as the tests of the history have it. */
export interface Place {
  readonly home: string;
  readonly project: string;
  readonly env: Readonly<Record<string, string>>;
}

const checkedIn = join(PACKAGE_ROOT, "node_modules/.cache");
const report = existsSync(PROGRAM) ? checkLayers(PROGRAM, checkedIn) : undefined;
/** Changes cannot be caught everywhere; the tests are skipped by name there. */
export const canTry = report?.namespaces.works === true && report.network.works && report.seccomp.works;

export async function tryIn(
  place: Place,
  command: string,
  {
    cwd = place.project,
    system = createNodeSystem(),
  }: { readonly cwd?: string; readonly system?: System } = {},
) {
  const { runTry } = await loadSandbox();
  const variables = Object.entries(place.env).map(([name, value]) => `${name}=${value}`);
  return runTry(system, placesOf(place), {
    words: ["env", "-i", ...variables, "bash", "-c", `exec > /dev/null 2>&1 < /dev/null\n${command}`],
    directory: cwd,
    settings: { ...BUILT_IN.sandbox, network: "off" },
    guard: BUILT_IN.guard,
    proxyCommand: [],
    host: "terminal",
    session: undefined,
  });
}

export function placesOf({ home }: Place) {
  return {
    home,
    stateHome: join(home, ".amplihack"),
    packageRoot: PACKAGE_ROOT,
    platform: `${process.platform}-${process.arch}`,
  };
}

export function contextOf(place: Place, system: System, project = place.project): TryContext {
  const { home, stateHome } = placesOf(place);
  const history = openContext(
    system,
    { stateHome, project, home, temps: [], regenerable: [] },
    BUILT_IN.history,
  );
  return { history, program: PROGRAM, stateHome };
}

export async function applyIn(place: Place, record: TryRecord, system: System = createNodeSystem()) {
  const { applyTry } = await loadSandbox();
  return applyTry(system, contextOf(place, system, record.project), record, { verdict: "allow" });
}

export async function discardIn(place: Place, record: TryRecord): Promise<void> {
  const { removeTry } = await loadSandbox();
  removeTry(placesOf(place).stateHome, record);
}

/** What the next start of any of our programs does. */
export async function startAgain(place: Place, project = place.project): Promise<readonly TryRecord[]> {
  const system = createNodeSystem();
  const { listTries, settleTry, sweepLeftovers } = await loadSandbox();
  const context = contextOf(place, system, project);
  await finishEnded(context.history);
  sweepLeftovers(system, context.stateHome);
  return listTries(system, context.stateHome).flatMap(record => settleTry(system, context, record) ?? []);
}

export async function undoIn(place: Place) {
  const system = createNodeSystem();
  const history = openHistory(
    system,
    { stateHome: placesOf(place).stateHome, project: place.project },
    BUILT_IN.history,
  );
  return history.applyUndo(await history.planUndo({ kind: "newest" }));
}

const CHANGING = [
  "createExclusive",
  "append",
  "copy",
  "overwrite",
  "rename",
  "link",
  "symlink",
  "remove",
  "removeDirectory",
  "makeDirectory",
  "changeMode",
  "setModified",
] as const satisfies readonly (keyof Files)[];

/** A system whose process ends before the given change of a file: nothing is done from then on. */
export function dyingSystem(at: number): { readonly system: System; readonly count: () => number } {
  const real = createNodeSystem();
  let done = 0;
  const dying = (name: (typeof CHANGING)[number]) => {
    const action = real.files[name].bind(real.files) as (...words: unknown[]) => unknown;
    return (...words: unknown[]) => {
      done += 1;
      if (done >= at) throw new Error("killed");
      return action(...words);
    };
  };
  const files = { ...real.files, ...Object.fromEntries(CHANGING.map(name => [name, dying(name)])) } as Files;
  const self = { pid: 2 ** 22 - 1, start: "1", host: real.processes.self.host };
  return { system: { ...real, files, processes: { ...real.processes, self } }, count: () => done };
}
