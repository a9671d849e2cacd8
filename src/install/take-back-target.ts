import { unregisterEntries } from "../hosts/index.ts";
import type { System } from "../system/system.ts";
import { type FileChange, planEdit, readFile } from "./file-edit.ts";
import type { Ledger } from "./ledger.ts";
import type { Manifest } from "./manifest.ts";
import { hookProgramPath, type Places } from "./places.ts";
import { codexConfigPath, codexHooksName } from "./register.ts";
import { filesOf } from "./registrations.ts";
import {
  type TakeBackOptions,
  type TakenFile,
  takeBack,
  takeEntries,
  takeGenerated,
  takeTrust,
} from "./take-back.ts";
import type { Target } from "./targets.ts";

type TakeBackRequest = Omit<TakeBackOptions, "program">;

export interface TakenBack {
  readonly changes: readonly FileChange[];
  /** files that a person had changed, under their new names */
  readonly kept: readonly string[];
  /** why a backup that was asked for was not put back */
  readonly notes: readonly string[];
}

/** What taking one registration back would change. */
export function planTakeBack(
  system: System,
  places: Places,
  target: Target,
  manifest: Manifest,
  options: TakeBackRequest,
): readonly FileChange[] {
  return takenFiles(system, places, target, manifest, options).map(({ edit }) =>
    planEdit(system, edit, options.isForced),
  );
}

/** Takes one registration back and strikes it from the manifest, which the caller saves. */
export function takeBackTarget(
  system: System,
  places: Places,
  target: Target,
  ledger: Ledger,
  options: TakeBackRequest,
): TakenBack {
  const isThisOne = (record: { host: string; settings_path: string }) =>
    record.host === target.host && record.settings_path === target.path;
  const others = ledger.manifest.hosts.filter(record => !isThisOne(record));
  const changes: FileChange[] = [];
  const kept: string[] = [];
  const notes: string[] = [];
  for (const taken of takenFiles(system, places, target, ledger.manifest, options)) {
    const { change, keptAs } = takeBack(system, taken, options);
    changes.push(change);
    if (keptAs !== undefined) kept.push(keptAs);
    if (options.isBackupWanted && change.isChanged && !taken.isExact)
      notes.push(`${taken.path} changed since the installation, so only our entries were taken out of it`);
    if (!others.some(record => record.paths.includes(taken.path))) ledger.forgetFile(taken.path, undefined);
  }
  ledger.dropHosts(isThisOne);
  return { changes, kept, notes };
}

/** The files of a registration that nobody else still needs, in the order in which they have to change. */
function takenFiles(
  system: System,
  places: Places,
  target: Target,
  manifest: Manifest,
  options: TakeBackRequest,
): readonly TakenFile[] {
  const { layout } = target.registration;
  const others = manifest.hosts.filter(
    record => !(record.host === target.host && record.settings_path === target.path),
  );
  const isShared = (path: string) => others.some(record => record.paths.includes(path));
  const recordOf = (path: string) => manifest.edited_files[path];
  if (layout.kind === "module" || layout.kind === "executables")
    return filesOf(target).map(path => takeGenerated(path, recordOf(path)));
  // Claude Code and VS Code are served by one file: it stays until the last of them goes.
  if (isShared(target.path)) return [];
  const entries = takeEntries(system, target, target.path, recordOf(target.path), {
    ...options,
    program: hookProgramPath(places),
  });
  if (target.owner !== "codex") return [entries];
  const config = codexConfigPath(system, places);
  const before = readFile(system, target.path) ?? "";
  const unregistered = unregisterEntries(before, layout);
  const hooks = {
    file: codexHooksName(system, target),
    before,
    after: unregistered.ok ? unregistered.text : before,
  };
  // With other registrations in the file only the fingerprints of this one may go.
  const record = isShared(config) ? undefined : recordOf(config);
  return [takeTrust(system, config, record, hooks), entries];
}
