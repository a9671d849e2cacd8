import {
  DEFAULT_HOST,
  type FoundEntry,
  HOOK_REGISTRY,
  HOSTS,
  listEntries,
  type RegistryRow,
  type SettingsLayout,
} from "../hosts/index.ts";
import type { JsonObject } from "../protocol/index.ts";
import { findHome, isExecutable } from "../state/index.ts";
import { expandHomeWord, isAbsolute, quoteWord, type System } from "../system/index.ts";
import { createNodeSystem } from "../system/node.ts";
import { applyEdit, installProblem } from "./file-edit.ts";
import { findOnPath } from "./find-program.ts";
import type { WantedEntry } from "./hook-entries.ts";
import { registerEntries } from "./hook-entries.ts";

// The settings of Claude Code, for programs that manage them. Nothing here prints.

/** A hook of ours whose program cannot be started. */
export interface MissingHook {
  readonly event: string;
  readonly subcommand: string | undefined;
  readonly program: string;
  readonly reason: "not found" | "not a file" | "not executable";
}

export interface HookPathsCheck {
  readonly valid: boolean;
  readonly missing: readonly MissingHook[];
}

/** Whether every hook of ours in these settings has a program that can be started. Never throws. */
export function validateHookPaths(settings: JsonObject, system: System = createNodeSystem()): HookPathsCheck {
  const listed = listEntries(JSON.stringify(settings), claudeLayout());
  const entries = listed.ok ? listed.entries : [];
  const missing = entries.flatMap(({ event, owned }): MissingHook[] => {
    if (owned === undefined) return [];
    const reason = whyNotStartable(system, owned.program, owned.kind === "legacy");
    return reason === undefined
      ? []
      : [{ event, subcommand: owned.subcommand, program: owned.program, reason }];
  });
  return { valid: missing.length === 0, missing };
}

/** A script of an earlier version is started by an interpreter, so it need not be executable. */
function whyNotStartable(
  system: System,
  program: string,
  isScript: boolean,
): MissingHook["reason"] | undefined {
  const home = findHome(system);
  const expanded = expandHomeWord(program, home);
  const path = isAbsolute(expanded) ? expanded : findOnPath(system, expanded);
  const facts = path === undefined ? undefined : system.files.follow(path);
  if (path === undefined || facts === undefined) return "not found";
  if (facts.kind !== "file") return "not a file";
  return isScript || isExecutable(system, path) ? undefined : "not executable";
}

/**
 * The settings with exactly the hooks of the registry, started as `binary`. Everything else is as it was; the
 * argument is not changed. `changed` counts the entries that were added, replaced or taken away.
 */
export function updateHookPaths(
  settings: JsonObject,
  registry: readonly RegistryRow[],
  binary: string,
): { readonly settings: JsonObject; readonly changed: number } {
  const edited = registerEntries(JSON.stringify(settings), claudeLayout(), wantedRows(registry, binary));
  if (!edited.ok) throw installProblem(`the settings cannot be changed: ${edited.problem}`);
  const isReplaced = (entry: FoundEntry) =>
    edited.added.some(
      other => other.event === entry.event && other.owned?.subcommand === entry.owned?.subcommand,
    );
  const gone = edited.removed.filter(entry => !isReplaced(entry));
  return { settings: JSON.parse(edited.text) as JsonObject, changed: edited.added.length + gone.length };
}

export interface EnsureOptions {
  /** absolute path of the hook program */
  readonly binary: string;
  readonly registry?: readonly RegistryRow[];
  readonly system?: System;
}

/** Registers in a settings file: locked, backed up, atomic, checked. Throws when the file cannot be edited safely. */
export function ensureSettings(
  path: string,
  { binary, registry = HOOK_REGISTRY, system = createNodeSystem() }: EnsureOptions,
): { readonly status: "registered" | "unchanged"; readonly backupPath: string | undefined } {
  const wanted = wantedRows(registry, binary);
  const change = applyEdit(
    system,
    { path, compute: current => registerEntries(current ?? "", claudeLayout(), wanted) },
    { isBackedUp: true },
  );
  return { status: change.isChanged ? "registered" : "unchanged", backupPath: change.backupPath };
}

function claudeLayout(): SettingsLayout {
  const { registration } = HOSTS[DEFAULT_HOST];
  if (registration === undefined) throw installProblem("Claude Code has no registration");
  return registration.layout;
}

function wantedRows(registry: readonly RegistryRow[], binary: string): readonly WantedEntry[] {
  return registry.map(({ event, subcommand, timeoutSeconds, matcher }) => ({
    event,
    nativeEvent: event,
    subcommand,
    matcher,
    timeout: timeoutSeconds,
    deadlineMs: (timeoutSeconds - 1) * 1_000,
    handler: {
      type: "command",
      command: `${quoteWord(binary)} ${subcommand}`,
      timeout: timeoutSeconds,
    },
  }));
}
