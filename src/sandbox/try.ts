import { adopt, type HistoryContext, listChanges, type PathChange } from "../history/index.ts";
import { Problem } from "../state/index.ts";
import { dirname, isInside, join, type System } from "../system/index.ts";
import { findRepository, type Workspace, whyNotCaught } from "../workspace/index.ts";
import { gitFoldersOutside } from "./git-places.ts";
import type { Overlay } from "./policy.ts";
import { prepareSandbox, type SandboxedCommand, type SandboxPlaces } from "./sandbox.ts";
import { runInSandbox } from "./start.ts";
import { changedNs, collectChanges, findConflicts, type TriedChanges } from "./try-changes.ts";
import { removeTry, sweepLeftovers, type TryRecord, tryFolder, writeTry } from "./try-store.ts";

export interface Tried {
  readonly code: number;
  /** undefined where nothing was changed: then nothing is kept either */
  readonly held: { readonly record: TryRecord; readonly changes: TriedChanges } | undefined;
}

/** Runs a command whose changes of the project are caught, with this process's streams. */
export async function runTry(
  system: System,
  places: SandboxPlaces,
  command: SandboxedCommand & {
    readonly host: string;
    readonly session: string | undefined;
    /** the command as people know it; its words when absent */
    readonly shown?: readonly string[];
  },
): Promise<Tried> {
  sweepLeftovers(system, places.stateHome);
  const prepared = prepareSandbox(system, places, command);
  const { report, workspace, program } = prepared;
  const project = workspace.project ?? workspace.cwd;
  const why = report.overlay.works
    ? whyNotCaught(system, workspace, project, command.settings.write)
    : `changes cannot be caught here: ${report.overlay.reason ?? "the kernel does not let us"}`;
  if (why !== undefined) throw refusal(why);
  const id = system.random.hex(8);
  const folders = [project, ...gitFoldersOutside(workspace.disk, project)];
  const caught = placeLayers(system, places.stateHome, id, folders);
  const begun: TryRecord = {
    id,
    timeMs: system.clock.nowMs(),
    project,
    directory: command.directory,
    command: command.shown ?? command.words,
    host: command.host,
    session: command.session,
    caught,
    startNs: "0",
    runner: system.processes.self,
    status: "running",
    exit: undefined,
    reason: undefined,
    replaced: [],
    folders: [],
    indexes: [],
  };
  // Before there is anything that a killed run would leave behind.
  writeTry(system, places.stateHome, begun);
  makeLayers(system, caught);
  const [first] = caught;
  const facts = first === undefined ? undefined : system.files.exactFacts(first.upper);
  const record: TryRecord = {
    ...begun,
    startNs: String(facts === undefined ? 0n : changedNs(facts)),
    indexes: copyIndexes(system, places.stateHome, id, workspace, project),
  };
  writeTry(system, places.stateHome, record);
  const { policy } = prepared.plan("kill", caught);
  const code = await runInSandbox(system, {
    ...places,
    program,
    // Nobody would take what is caught.
    policy: { ...policy, endsWith: process.pid },
    words: command.words,
    directory: command.directory,
    streams: command.streams,
  });
  const changes = collectChanges(system, program, record);
  if (changes.files.length + changes.left.length === 0) {
    removeTry(places.stateHome, record);
    return { code, held: undefined };
  }
  const isReplaced = ({ before, after }: PathChange) => before.kind !== "absent" && after.kind !== "absent";
  const replaced = changes.files.filter(isReplaced).map(({ path }) => path);
  const held: TryRecord = { ...record, status: "held", exit: code, replaced, folders: changes.folders };
  writeTry(system, places.stateHome, held);
  return { code, held: { record: held, changes } };
}

function refusal(why: string): Problem {
  return new Problem(`not tried, and not started: ${why}`, {
    kind: "unavailable",
    fix: "amplihack sandbox check",
    exitCode: 126,
  });
}

function copyIndexes(
  { files }: Pick<System, "files">,
  stateHome: string,
  id: string,
  { disk }: Workspace,
  project: string,
): TryRecord["indexes"] {
  const repository = findRepository(disk, project);
  if (repository === undefined) return [];
  const modules = join(disk.resolve(repository.commonDirectory, true), "modules");
  const names = disk.kind(modules) === "directory" ? (disk.names(modules, MAX_MODULES) ?? []) : [];
  const folders = [disk.resolve(repository.gitDirectory, true), ...names.map(name => join(modules, name))];
  return folders.flatMap((folder, number) => {
    const [path, copy] = [join(folder, "index"), join(tryFolder(stateHome, id), `index-${number}`)];
    if (files.inspect(path)?.kind !== "file") return [];
    files.copy(path, copy, 0o600);
    return [{ path, copy }];
  });
}

const MAX_MODULES = 200;
const BESIDE = ".amplihack-try";

/** Changes can only be caught on the file system of what is changed. */
function placeLayers(
  { files }: Pick<System, "files">,
  stateHome: string,
  id: string,
  folders: readonly string[],
): readonly Overlay[] {
  const own = tryFolder(stateHome, id);
  files.makeDirectory(own, 0o700);
  const deviceOf = (path: string) => files.follow(path)?.identity.split(":")[0];
  return folders.map((path, number) => {
    const isNear = deviceOf(path) === deviceOf(own);
    const place = join(isNear ? own : join(dirname(path), BESIDE, id), String(number));
    if (!isNear && deviceOf(dirname(path)) !== deviceOf(path))
      throw refusal(`${path} is a file system of its own, and nothing beside it can hold the changes`);
    return { path, upper: join(place, "upper"), work: join(place, "work") };
  });
}

function makeLayers({ files, text }: Pick<System, "files" | "text">, layers: readonly Overlay[]): void {
  for (const { path, upper, work } of layers) {
    for (const folder of [upper, work]) files.makeDirectory(folder, 0o700);
    files.changeMode(upper, files.follow(path)?.mode ?? 0o755);
    // Git ignores a folder whose own list says so.
    const beside = join(dirname(path), BESIDE);
    const ignored = join(beside, ".gitignore");
    if (isInside(beside, upper) && files.follow(ignored) === undefined)
      files.append(ignored, text.encode("*\n"), 0o600);
  }
}

export interface Applied {
  /** by which it is undone */
  readonly change: string | undefined;
  readonly notKept: readonly { readonly path: string; readonly why: string }[];
}

/** Makes the changes real, as one change of the history. Throws a conflict where somebody else changed the same files. */
export async function applyTry(
  system: System,
  { history, program, stateHome }: TryContext,
  record: TryRecord,
  options: { readonly verdict: string; readonly onProgress?: (done: number, total: number) => void },
): Promise<Applied> {
  const changes = collectChanges(system, program, record);
  const conflicts = findConflicts(system, record, changes);
  if (conflicts.length > 0)
    throw new Problem("nothing was applied: somebody else changed the same files", {
      kind: "conflict",
      causes: conflicts.map(({ path, why }) => `${path}: ${why}`),
      fix: `amplihack try show ${record.id}`,
      exitCode: 3,
    });
  writeTry(system, stateHome, { ...record, status: "applying" });
  const total = changes.adopted.length;
  try {
    const { id, notKept } = await adopt(
      history,
      {
        host: record.host,
        session: record.session,
        command: record.command.join(" "),
        verdict: options.verdict,
        rules: [],
        project: record.project,
        toolUseId: tryToolUseId(record),
        paths: changes.adopted,
      },
      done => options.onProgress?.(done, total),
    );
    removeTry(stateHome, record);
    return { change: id, notKept };
  } catch (error) {
    writeTry(system, stateHome, { ...record, status: "held" });
    throw error;
  }
}

export interface TryContext {
  readonly history: HistoryContext;
  readonly program: string;
  readonly stateHome: string;
}

function tryToolUseId({ id }: TryRecord): string {
  return `try-${id}`;
}

/** After the history has finished what was begun: was it applied by a process that was killed before it could say so? */
export function settleTry(
  system: System,
  { history, stateHome }: Pick<TryContext, "history" | "stateHome">,
  record: TryRecord,
): TryRecord | undefined {
  if (record.status !== "applying") return record;
  const { changes } = listChanges(history, { sinceMs: record.timeMs });
  if (changes.some(({ toolUseId }) => toolUseId === tryToolUseId(record))) {
    removeTry(stateHome, record);
    return undefined;
  }
  const held: TryRecord = { ...record, status: "held" };
  writeTry(system, stateHome, held);
  return held;
}
