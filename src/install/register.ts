import {
  listEntries,
  type Problem,
  registerEntries,
  type WantedEntry,
  wantedEntries,
} from "../hosts/index.ts";
import { type FailurePolicy, isSameJson } from "../protocol/index.ts";
import { dirname, join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { changeTrust, fingerprints, trustStatus } from "./codex-trust.ts";
import { applyEdit, type Computed, type FileChange, type FileEdit, planEdit, readFile } from "./file-edit.ts";
import type { Ledger } from "./ledger.ts";
import type { FileKind, HostRecord } from "./manifest.ts";
import { hookProgramPath, type Places } from "./places.ts";
import { filesOf, generatedTexts, isGenerated, readRegistration } from "./registrations.ts";
import { findTarget, type Target } from "./targets.ts";

export interface RegisterOptions {
  readonly version: string;
  readonly policyOf: (subcommand: string) => FailurePolicy;
  /** hosts whose configuration can say that a failing hook refuses */
  readonly saysClosed: (target: Target) => boolean;
  readonly supports: (subcommand: string) => boolean;
  /** the user agreed that Codex may run our hooks */
  readonly isTrustAgreed: boolean;
  readonly isForced: boolean;
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

const FILE_MODES = { user: 0o600, project: 0o644 } as const;
const FOLDER_MODES = { user: 0o700, project: 0o755 } as const;

/** What registering would change, without changing it. */
export function planRegistration(
  system: System,
  places: Places,
  target: Target,
  options: RegisterOptions,
): readonly FileChange[] {
  return editsOf(system, places, target, options).map(({ edit }) => planEdit(system, edit, options.isForced));
}

/** Registers with one host. On a failure the files written so far stay valid, and the error says which was not. */
export function registerTarget(
  system: System,
  places: Places,
  target: Target,
  options: RegisterOptions,
  ledger: Ledger,
): Registered {
  const edits = editsOf(system, places, target, options);
  // Nothing is written for a host that has one file which cannot be.
  for (const { edit } of edits) planEdit(system, edit, options.isForced);
  const changes = edits.map(({ kind, edit }) => {
    const known = ledger.fileRecord(edit.path);
    try {
      const change = applyEdit(system, edit, {
        isBackedUp: kind !== "generated",
        isForced: options.isForced,
        onBefore: planned => ledger.noteFile(kind, target.owner, planned),
      });
      if (!change.isChanged && (kind !== "trust" || known !== undefined))
        ledger.noteFile(kind, target.owner, change);
      ledger.pruneBackups(edit.path);
      return change;
    } catch (error) {
      ledger.forgetFile(edit.path, known);
      throw error;
    }
  });
  const record = hostRecord(system, target, edits, ledger);
  ledger.noteHost(record);
  return { changes, record, notes: notesOf(target, changes) };
}

function hostRecord(
  system: System,
  target: Target,
  edits: readonly TargetEdit[],
  ledger: Ledger,
): HostRecord {
  const main = ledger.fileRecord(filesOf(target)[0] ?? target.path);
  const touched = edits.filter(({ edit }) => ledger.fileRecord(edit.path) !== undefined);
  return {
    host: target.host,
    scope: target.scope,
    settings_path: target.path,
    backup_path: main?.backup_path ?? null,
    created_file: main?.created_file ?? false,
    entries: readRegistration(system, target).entries.map(({ event, subcommand, command }) => ({
      event,
      subcommand: subcommand ?? "",
      command,
    })),
    permissions_added: [],
    paths: touched.map(({ edit }) => edit.path),
  };
}

/** The edits of a target in the order in which they have to be made. */
function editsOf(
  system: System,
  places: Places,
  target: Target,
  options: RegisterOptions,
): readonly TargetEdit[] {
  const { kind } = target.registration.layout;
  if (kind === "module" || kind === "executables") return generatedEdits(places, target, options);
  const entries: TargetEdit = { kind: "entries", edit: entriesEdit(places, target, options) };
  if (target.owner !== "codex") return [entries];
  // Fingerprints come first: an attempt that ends in between is put right by the next one.
  return [
    { kind: "trust", edit: trustEdit(system, places, target, entries.edit, options.isTrustAgreed) },
    entries,
  ];
}

type EntryChoices = Pick<RegisterOptions, "policyOf" | "saysClosed" | "supports">;

function entriesEdit(places: Places, target: Target, options: EntryChoices): FileEdit {
  const wanted = wantedOf(places, target, options);
  const { layout } = target.registration;
  return {
    path: target.path,
    mode: FILE_MODES[target.scope],
    directoryMode: FOLDER_MODES[target.scope],
    compute: current => asComputed(registerEntries(current ?? "", layout, wanted)),
    check: written => whatIsMissing(written ?? "", target, wanted),
  };
}

export function wantedOf(
  places: Places,
  target: Target,
  { policyOf, saysClosed, supports }: EntryChoices,
): readonly WantedEntry[] {
  return wantedEntries(target.owner, {
    program: hookProgramPath(places),
    isShared: target.isShared,
    isClosed: subcommand => saysClosed(target) && policyOf(subcommand) === "closed",
    supports,
  });
}

function asComputed(edited: Problem | { readonly ok: true; readonly text: string }): Computed {
  return edited.ok ? { ok: true, text: edited.text } : edited;
}

/** Compares by value what the host will read with what the registry wants. */
function whatIsMissing(
  text: string,
  { registration }: Target,
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

function generatedEdits(places: Places, target: Target, options: RegisterOptions): readonly TargetEdit[] {
  const texts = generatedTexts(target, {
    program: hookProgramPath(places),
    failure: options.policyOf("pre-tool-use"),
    version: options.version,
  });
  return [...texts].map(([path, { text, isExecutable }]) => ({
    kind: "generated",
    edit: {
      path,
      mode: isExecutable ? 0o755 : FILE_MODES[target.scope],
      directoryMode: FOLDER_MODES[target.scope],
      compute: current =>
        current === undefined || isGenerated(current)
          ? { ok: true, text }
          : { ok: false, problem: "it is somebody else's file", line: 1, column: 1 },
    },
  }));
}

/** The hooks file by the name under which Codex keeps its state. */
export function codexHooksName(system: System, target: Target): string {
  const isMoved = target.scope === "user" && (system.env.get("CODEX_HOME") ?? "") !== "";
  const folder = dirname(target.path);
  if (!isMoved || system.files.follow(folder) === undefined) return target.path;
  return join(system.files.realPath(folder), "hooks.json");
}

export function codexConfigPath(system: System, places: Places): string {
  return join(dirname(findTarget(system, places, "codex", "user").path), "config.toml");
}

function trustEdit(
  system: System,
  places: Places,
  target: Target,
  hooks: FileEdit,
  isAgreed: boolean,
): FileEdit {
  const before = readFile(system, target.path) ?? "";
  const computed = hooks.compute(before);
  const after = computed.ok ? (computed.text ?? "") : before;
  const hooksFile = codexHooksName(system, target);
  return {
    path: codexConfigPath(system, places),
    compute: current => changeTrust(current, { hooksFile, before, after, isAgreed }),
  };
}

/** Whether Codex would skip a hook of ours because nobody agreed to it yet. */
export function needsTrust(system: System, places: Places, target: Target, options: EntryChoices): boolean {
  const computed = entriesEdit(places, target, options).compute(readFile(system, target.path));
  const after = computed.ok ? (computed.text ?? "") : "";
  const config = readFile(system, codexConfigPath(system, places));
  return fingerprints(codexHooksName(system, target), after).some(
    each => each.isOurs && trustStatus(config, each) !== "trusted",
  );
}

/** Limits that a person raised are kept, and said. */
function notesOf(target: Target, changes: readonly FileChange[]): readonly string[] {
  const main = changes.find(change => change.path === target.path);
  if (main?.before === undefined || target.registration.layout.kind === "module") return [];
  const wanted = wantedEntries(target.owner, { program: "/amplihack-hooks", isShared: target.isShared });
  const edited = registerEntries(main.before, target.registration.layout, wanted);
  if (!edited.ok) return [];
  return edited.raisedTimeouts.map(
    ({ event, subcommand, timeout }) =>
      `${target.path}: the limit of ${subcommand} on ${event} stays at ${timeout}, as somebody set it`,
  );
}
