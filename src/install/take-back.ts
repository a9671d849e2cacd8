import { unregisterEntries } from "../hosts/index.ts";
import type { System } from "../system/system.ts";
import { changeTrust } from "./codex-trust.ts";
import {
  applyEdit,
  type FileChange,
  type FileEdit,
  planEdit,
  readFile,
  removeEmptyDirectories,
} from "./file-edit.ts";
import { hashText } from "./hash.ts";
import { holdsOwnEntries } from "./ledger.ts";
import type { FileKind, FileRecord } from "./manifest.ts";
import { withoutBlock } from "./profile-block.ts";
import { isGenerated } from "./registrations.ts";
import type { Target } from "./targets.ts";

export interface TakeBackOptions {
  /** the hook program of this installation */
  readonly program: string;
  /** put back the recorded backup even where it holds entries of an earlier version */
  readonly isBackupWanted: boolean;
  readonly isForced: boolean;
}

/** One file of a registration that goes. */
export interface TakenFile {
  readonly kind: FileKind;
  readonly path: string;
  readonly record: FileRecord | undefined;
  /** the file as it was before us is known and nobody changed it since */
  readonly isExact: boolean;
  readonly edit: FileEdit;
}

/** How to take our entries out of a host's settings. */
export function takeEntries(
  system: System,
  target: Target,
  path: string,
  record: FileRecord | undefined,
  options: TakeBackOptions,
): TakenFile {
  const { layout, files } = target.registration;
  // A file that is named after us was never anybody else's.
  const isOwnFile = files.some(file => /(^|\/)amplihack/.test(file.path));
  // Entries of an earlier version come back only on request, those of this installation never.
  const isAcceptable = (backup: string): boolean =>
    !holdsOwnEntries(target.owner, backup, options.isBackupWanted ? options.program : undefined);
  const exact = exactly(system, path, record, isAcceptable);
  return {
    kind: "entries",
    path,
    record,
    isExact: exact !== undefined,
    edit: {
      path,
      compute(current) {
        if (current === undefined) return { ok: true, text: undefined };
        if (exact !== undefined && current === exact.from) return { ok: true, text: exact.to };
        const edited = unregisterEntries(current, layout, { emptyBefore: record?.empty_containers ?? {} });
        if (!edited.ok) return edited;
        const isGone = edited.isBare && (record?.created_file === true || isOwnFile);
        return { ok: true, text: isGone ? undefined : edited.text };
      },
      check: written =>
        written !== undefined && holdsOwnEntries(target.owner, written) && exact === undefined
          ? "entries of ours are still there"
          : undefined,
    },
  };
}

/** How to take the fingerprints of our hooks out of Codex's configuration. `hooks` is how their file will change. */
export function takeTrust(
  system: System,
  path: string,
  record: FileRecord | undefined,
  hooks: { readonly file: string; readonly before: string; readonly after: string },
): TakenFile {
  const exact = exactly(system, path, record, () => true);
  const change = { hooksFile: hooks.file, before: hooks.before, after: hooks.after, isAgreed: false };
  return {
    kind: "trust",
    path,
    record,
    isExact: exact !== undefined,
    edit: {
      path,
      compute(current) {
        if (current === undefined) return { ok: true, text: undefined };
        if (exact !== undefined && current === exact.from) return { ok: true, text: exact.to };
        // An attempt that ended half-way had put it back already.
        if (hashText(current) === record?.sha256_before) return { ok: true, text: current };
        const changed = changeTrust(current, change);
        const isGone = changed.ok && record?.created_file === true && changed.text?.trim() === "";
        return isGone ? { ok: true, text: undefined } : changed;
      },
    },
  };
}

/** A file that is ours as a whole goes; what a person made of it is kept under another name. */
export function takeGenerated(path: string, record: FileRecord | undefined): TakenFile {
  return {
    kind: "generated",
    path,
    record,
    isExact: true,
    edit: {
      path,
      compute: current => ({
        ok: true,
        text: current === undefined || isGenerated(current) ? undefined : current,
      }),
    },
  };
}

export function takeProfile(system: System, path: string, record: FileRecord | undefined): TakenFile {
  const exact = exactly(system, path, record, () => true);
  return {
    kind: "profile",
    path,
    record,
    isExact: exact !== undefined,
    edit: {
      path,
      compute: current => ({
        ok: true,
        text:
          current === undefined
            ? undefined
            : exact !== undefined && current === exact.from
              ? exact.to
              : withoutBlock(current),
      }),
    },
  };
}

/** The text before us, when the file still holds exactly what we made of it. */
function exactly(
  system: System,
  path: string,
  record: FileRecord | undefined,
  isAcceptable: (backup: string) => boolean,
): { readonly from: string; readonly to: string | undefined } | undefined {
  const current = readFile(system, path);
  if (record === undefined || current === undefined || hashText(current) !== record.sha256_after)
    return undefined;
  if (record.created_file) return { from: current, to: undefined };
  const { backup_path: backup } = record;
  if (backup === null || !backup.startsWith(`${path}.backup.`)) return undefined;
  const before = readFile(system, backup);
  const isWhole = before !== undefined && hashText(before) === record.sha256_before;
  return isWhole && isAcceptable(before) ? { from: current, to: before } : undefined;
}

/** Does it, and tidies up: empty folders that we made, backups that say nothing more than the file itself. */
export function takeBack(
  system: System,
  taken: TakenFile,
  options: Pick<TakeBackOptions, "isForced">,
): { readonly change: FileChange; readonly keptAs: string | undefined } {
  const { path, record, edit, isExact, kind } = taken;
  const planned = planEdit(system, edit, options.isForced);
  const isOwnWork = planned.before !== undefined && hashText(planned.before) !== record?.sha256_after;
  const keptAs =
    kind === "generated" && planned.isChanged && record !== undefined && isOwnWork && !options.isForced
      ? keepModified(system, path, planned.before ?? "")
      : undefined;
  const change = applyEdit(system, edit, { isBackedUp: !isExact, isForced: options.isForced });
  removeRedundantBackups(system, path, record);
  removeEmptyDirectories(system, record?.created_dirs ?? []);
  return { change, keptAs };
}

function keepModified(system: System, path: string, text: string): string {
  const name = `${path}.kept-${Math.floor(system.clock.nowMs() / 1000)}`;
  system.files.createExclusive(name, system.text.encode(text), 0o600);
  return name;
}

function removeRedundantBackups(system: System, path: string, record: FileRecord | undefined): void {
  const current = readFile(system, path);
  for (const backup of record?.backups ?? []) {
    if (!backup.startsWith(`${path}.backup.`)) continue;
    if (current !== undefined && readFile(system, backup) === current) system.files.remove(backup);
  }
}
