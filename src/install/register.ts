import { type InstallScope, listEntries } from "../hosts/index.ts";
import { type FailurePolicy, isSameJson } from "../protocol/index.ts";
import type { UserDirectories } from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import { applyEdit, type Computed, type FileChange, type FileEdit, planEdit, readFile } from "./file-edit.ts";
import { generateFiles } from "./generated-modules.ts";
import {
  isGenerated,
  listFiles,
  readRegistration,
  registerEntries,
  type WantedEntry,
  wantedEntries,
} from "./hook-entries.ts";
import type { FileKind, HostRecord, ManifestWriter } from "./manifest.ts";
import { namedProgram } from "./package.ts";
import type { RegistrationTarget } from "./targets.ts";
import { hasFingerprints, readTrust, trustEdit } from "./trust.ts";
import { skillPath, type WantedFile, type WorkflowTexts, workflowFiles } from "./workflow-files.ts";

export interface RegisterOptions {
  readonly version: string;
  readonly policyOf: (subcommand: string) => FailurePolicy;
  /** whether the host's configuration can say that a failing hook refuses */
  readonly takesClosed: (target: RegistrationTarget) => boolean;
  readonly supports: (subcommand: string) => boolean;
  /** how long a question waits for an answer of the team */
  readonly waitMs: number;
  /** the user agreed that a host which asks for it may run our hooks */
  readonly isTrustAgreed: boolean;
  readonly isForced: boolean;
  /** text of the skill; undefined where the user wants none */
  readonly skill: string | undefined;
  /** texts of the workflow; undefined where the user has not chosen it */
  readonly workflow: WorkflowTexts | undefined;
}

/** Everything that registering with one host changes. */
export interface Registered {
  readonly changes: readonly FileChange[];
  readonly record: HostRecord;
  readonly notes: readonly string[];
}

interface TargetEdit {
  readonly kind: FileKind;
  readonly edit: FileEdit;
}

const FILE_MODES: Readonly<Record<InstallScope, number>> = { user: 0o600, project: 0o644 };
const FOLDER_MODES: Readonly<Record<InstallScope, number>> = { user: 0o700, project: 0o755 };

/** What registering would change, without changing it. */
export function planRegistration(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  options: RegisterOptions,
): readonly FileChange[] {
  return planEdits(system, places, target, options).map(({ edit }) =>
    planEdit(system, edit, options.isForced),
  );
}

/** Registers with one host. On a failure the files written so far stay valid, and the error says which was not. */
export function registerTarget(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  options: RegisterOptions,
  manifest: ManifestWriter,
): Registered {
  const edits = planEdits(system, places, target, options);
  // If one file of a host cannot be written, none of its files is.
  for (const { edit } of edits) planEdit(system, edit, options.isForced);
  const changes = edits.map(({ kind, edit }) => {
    const known = manifest.fileRecord(edit.path);
    try {
      const change = applyEdit(system, edit, {
        isBackedUp: kind !== "generated",
        isForced: options.isForced,
        onBefore: planned => manifest.noteFile(kind, target.owner, planned),
      });
      if (!change.isChanged && (kind !== "trust" || known !== undefined))
        manifest.noteFile(kind, target.owner, change);
      manifest.pruneBackups(edit.path);
      return change;
    } catch (error) {
      manifest.forgetFile(edit.path, known);
      throw error;
    }
  });
  const record = hostRecord(system, target, edits, manifest);
  manifest.noteHost(record);
  return { changes, record, notes: describeRaised(target, changes, options) };
}

function hostRecord(
  system: System,
  target: RegistrationTarget,
  edits: readonly TargetEdit[],
  manifest: ManifestWriter,
): HostRecord {
  const main = manifest.fileRecord(listFiles(target)[0] ?? target.path);
  return {
    host: target.host,
    scope: target.scope,
    settings_path: target.path,
    backup_path: main?.backup_path ?? null,
    created_file: main?.created_file ?? false,
    entries: readRegistration(system, target).entries.map(({ event, subcommand = "", line }) => ({
      event,
      subcommand,
      command: line,
    })),
    permissions_added: [],
    paths: edits.map(({ edit }) => edit.path).filter(path => manifest.fileRecord(path) !== undefined),
  };
}

/** The edits of a target in the order in which they have to be made. */
function planEdits(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  options: RegisterOptions,
): readonly TargetEdit[] {
  const path = skillPath(system, target);
  const files = [
    ...(path === undefined ? [] : [{ path, text: options.skill }]),
    ...workflowFiles(system, target, options.workflow),
  ];
  return [
    ...hookEdits(system, places, target, options),
    ...files.flatMap(file => ownFileEdits(system, target, file)),
  ];
}

/** Skills, agents and commands come and go as the user wants them; a file of their own in such a place stays. */
function ownFileEdits(
  system: System,
  { scope }: RegistrationTarget,
  { path, text }: WantedFile,
): readonly TargetEdit[] {
  if (text === undefined && system.files.follow(path) === undefined) return [];
  const compute = (current: string | undefined): Computed => ({
    ok: true,
    text: current === undefined || isGenerated(current) ? text : current,
  });
  const edit = { path, mode: FILE_MODES[scope], directoryMode: FOLDER_MODES[scope], compute };
  return [{ kind: "generated", edit }];
}

function hookEdits(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  options: RegisterOptions,
): readonly TargetEdit[] {
  const { kind } = target.registration.layout;
  if (kind === "module" || kind === "executables") return generatedEdits(places, target, options);
  const edit = entriesEdit(places, target, options);
  if (!hasFingerprints(target)) return [{ kind: "entries", edit }];
  // Fingerprints come first: an attempt that ends in between is put right by the next one.
  return [
    { kind: "trust", edit: trustEdit(system, places, target, edit, options.isTrustAgreed) },
    { kind: "entries", edit },
  ];
}

type EntryChoices = Pick<RegisterOptions, "policyOf" | "takesClosed" | "supports" | "waitMs">;

function entriesEdit(places: UserDirectories, target: RegistrationTarget, options: EntryChoices): FileEdit {
  const wanted = findWantedEntries(places, target, options);
  const { layout } = target.registration;
  return {
    path: target.path,
    mode: FILE_MODES[target.scope],
    directoryMode: FOLDER_MODES[target.scope],
    compute: current => registerEntries(current ?? "", layout, wanted),
    check: written => findMissing(written ?? "", target, wanted),
  };
}

export function findWantedEntries(
  places: UserDirectories,
  target: RegistrationTarget,
  { policyOf, takesClosed, supports, waitMs }: EntryChoices,
): readonly WantedEntry[] {
  return wantedEntries(target.owner, {
    program: namedProgram(places, target.scope),
    isShared: target.registration.isShared === true,
    isClosed: subcommand => takesClosed(target) && policyOf(subcommand) === "closed",
    supports,
    waitMs,
  });
}

/** Compares by value what the host will read with what the registry wants. */
function findMissing(
  text: string,
  { registration }: RegistrationTarget,
  wanted: readonly WantedEntry[],
): string | undefined {
  const listed = listEntries(text, registration.layout);
  if (!listed.ok) return listed.problem;
  const ours = listed.entries.filter(({ owned }) => owned !== undefined);
  if (ours.length !== wanted.length)
    return `${wanted.length} hooks were written and ${ours.length} are there`;
  const missing = wanted.find(
    ({ nativeEvent, matcher, handler }) =>
      !ours.some(
        found =>
          found.event === nativeEvent &&
          found.matcher === matcher &&
          Object.entries(handler).every(
            ([name, value]) => /timeout/i.test(name) || isSameJson(found.handler[name] ?? null, value),
          ),
      ),
  );
  return missing === undefined ? undefined : `the hook for ${missing.nativeEvent} is not there`;
}

function generatedEdits(
  places: UserDirectories,
  { owner, path, scope }: RegistrationTarget,
  { policyOf, version, waitMs }: RegisterOptions,
): readonly TargetEdit[] {
  const program = namedProgram(places, scope);
  const files = generateFiles(owner, { program, failure: policyOf("pre-tool-use"), version, waitMs });
  return files.map(({ name, text, isExecutable }) => ({
    kind: "generated",
    edit: {
      path: name === "" ? path : join(path, name),
      mode: isExecutable ? 0o755 : FILE_MODES[scope],
      directoryMode: FOLDER_MODES[scope],
      compute: current =>
        current === undefined || isGenerated(current)
          ? { ok: true, text }
          : { ok: false, problem: "it is not a file of amplihack", line: 1, column: 1 },
    },
  }));
}

/** Whether the host would skip a hook of ours because its user has not agreed to it yet. */
export function needsTrust(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  options: EntryChoices,
): boolean {
  if (!hasFingerprints(target)) return false;
  const computed = entriesEdit(places, target, options).compute(readFile(system, target.path));
  const hooks = computed.ok ? (computed.text ?? "") : "";
  return readTrust(system, places, target, hooks).some(status => status !== "trusted");
}

/** Limits that a person raised are kept and reported. */
function describeRaised(
  target: RegistrationTarget,
  changes: readonly FileChange[],
  { waitMs }: RegisterOptions,
): readonly string[] {
  const { registration, owner, path } = target;
  const main = changes.find(change => change.path === path);
  if (main?.before === undefined || registration.layout.kind === "module") return [];
  const isShared = registration.isShared === true;
  const wanted = wantedEntries(owner, { program: "/amplihack-hooks", isShared, waitMs });
  const edited = registerEntries(main.before, registration.layout, wanted);
  if (!edited.ok) return [];
  return edited.raisedTimeouts.map(
    ({ event, subcommand, timeout }) =>
      `${path}: the limit of ${subcommand} on ${event} stays at ${timeout}, as it was set by hand`,
  );
}
