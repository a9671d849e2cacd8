import { unregisterEntries } from "../hosts/index.ts";
import type { UserDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { type FileChange, planEdit, readFile } from "./file-edit.ts";
import type { HostRecord, Manifest } from "./manifest.ts";
import type { ManifestWriter } from "./manifest-writer.ts";
import { namedProgram } from "./places.ts";
import { filesOf } from "./registrations.ts";
import {
  type Restoration,
  type RestoreOptions,
  removeGenerated,
  restoreFile,
  restoreSettings,
  restoreTrust,
} from "./restore-file.ts";
import { isSkill } from "./skill.ts";
import type { RegistrationTarget } from "./targets.ts";
import { hasFingerprints, trustedName, trustFile } from "./trust.ts";
import { isWorkflowFile } from "./workflow-files.ts";

export type UnregisterRequest = Omit<RestoreOptions, "program">;

export interface Unregistered {
  readonly changes: readonly FileChange[];
  /** files that a person had changed, under their new names */
  readonly kept: readonly string[];
  /** why a backup that was asked for was not put back */
  readonly notes: readonly string[];
}

export function isRecordOf({ host, path }: RegistrationTarget, record: HostRecord): boolean {
  return record.host === host && record.settings_path === path;
}

/** What taking one registration away would change. */
export function planUnregister(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  manifest: Manifest,
  request: UnregisterRequest,
): readonly FileChange[] {
  return restorations(system, places, target, manifest, request).map(({ edit }) =>
    planEdit(system, edit, request.isForced),
  );
}

/** Takes one registration away and strikes it from the manifest, which the caller saves. */
export function unregisterTarget(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  writer: ManifestWriter,
  request: UnregisterRequest,
): Unregistered {
  const others = writer.manifest.hosts.filter(record => !isRecordOf(target, record));
  const changes: FileChange[] = [];
  const kept: string[] = [];
  const notes: string[] = [];
  for (const restoration of restorations(system, places, target, writer.manifest, request)) {
    const { path, isExact } = restoration;
    const { change, keptAs } = restoreFile(system, restoration, request);
    changes.push(change);
    if (keptAs !== undefined) kept.push(keptAs);
    if (request.isBackupWanted && change.isChanged && !isExact)
      notes.push(`${path} changed since the installation, so only our entries were taken out of it`);
    if (!others.some(record => record.paths.includes(path))) writer.forgetFile(path, undefined);
  }
  writer.dropHosts(record => isRecordOf(target, record));
  return { changes, kept, notes };
}

/** The files of a registration that no other one needs, in the order in which they have to change. */
function restorations(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  manifest: Manifest,
  request: UnregisterRequest,
): readonly Restoration[] {
  const { layout } = target.registration;
  const others = manifest.hosts.filter(record => !isRecordOf(target, record));
  const isShared = (path: string) => others.some(record => record.paths.includes(path));
  const recordOf = (path: string) => manifest.edited_files[path];
  const { paths = [] } = manifest.hosts.find(record => isRecordOf(target, record)) ?? {};
  const skills = paths
    .filter(path => (isSkill(path) || isWorkflowFile(path)) && !isShared(path))
    .map(path => removeGenerated(path, recordOf(path)));
  if (layout.kind === "module" || layout.kind === "executables")
    return [...skills, ...filesOf(target).map(path => removeGenerated(path, recordOf(path)))];
  // Two hosts may be served by one file: it stays until the last of them goes.
  if (isShared(target.path)) return skills;
  const options = { ...request, program: namedProgram(places, target.scope) };
  const entries = restoreSettings(system, target, recordOf(target.path), options);
  if (!hasFingerprints(target)) return [...skills, entries];
  const config = trustFile(system, places, target);
  const before = readFile(system, target.path) ?? "";
  const unregistered = unregisterEntries(before, layout);
  const after = unregistered.ok ? unregistered.text : before;
  // With other registrations in the file only the fingerprints of this one may go.
  const record = isShared(config) ? undefined : recordOf(config);
  return [
    ...skills,
    restoreTrust(system, config, record, { hooksFile: trustedName(system, target), before, after }),
    entries,
  ];
}
