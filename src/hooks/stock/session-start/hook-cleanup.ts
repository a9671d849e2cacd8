import {
  claudeCode,
  type FoundEntry,
  type IsUnwanted,
  listEntries,
  unregisterEntries,
} from "../../../hosts/index.ts";
import { errorText, isSameJson, memberAt, ownValue, stringAt } from "../../../protocol/index.ts";
import {
  AtomicJsonFile,
  backUp,
  FileLock,
  findHome,
  findStateHome,
  readExactText,
} from "../../../state/index.ts";
import { expandHomeWord, join, writeAtomically } from "../../../system/index.ts";
import type { HookContext } from "../../program/context.ts";

const FILE_BYTES = 16 * 1024 * 1024;
const LOCK_TIMEOUT_MS = 2_000;
const LAYOUT = claudeCode.registration?.layout;

/**
 * Where the user's and the project's settings both register a hook it would run twice. The user's copy goes, but
 * only one that the project's working copy replaces, and only where no installation for the whole user was made:
 * a hook is never left without its last working registration.
 */
export function cleanUpHooks(context: HookContext): void {
  const home = findHome(context.system);
  const project = join(context.projectRoot, ".claude", "settings.json");
  collapse(context, project);
  if (home === undefined || home === context.projectRoot) return;
  const user = join(home, ".claude", "settings.json");
  const replaced = hasUserInstallation(context) ? [] : workingEntries(context, project);
  const removed =
    replaced.length === 0
      ? 0
      : edit(context, user, entry => replaced.some(other => isSameHook(entry, other)));
  if (removed === 0) return;
  context.metric("global_hooks_migrated", removed);
  context.notify(
    `${removed} hooks were removed from ${user}: this project registers them itself, and they would run twice`,
  );
  collapse(context, user);
}

/** The same entry twice in one file runs once. */
function collapse(context: HookContext, path: string): void {
  const removed = edit(context, path, (entry, earlier) => earlier.some(other => isSameEntry(entry, other)));
  if (removed > 0) context.notify(`${removed} repeated hooks were removed from ${path}`);
}

function isSameHook(one: FoundEntry, other: FoundEntry): boolean {
  return one.event === other.event && one.owned?.subcommand === other.owned?.subcommand;
}

function isSameEntry(one: FoundEntry, other: FoundEntry): boolean {
  return one.matcher === other.matcher && isSameJson(commandOf(one), commandOf(other));
}

function commandOf({ handler }: FoundEntry): readonly (string | null)[] {
  return ["command", "bash", "args"].map(key => JSON.stringify(ownValue(handler, key) ?? null));
}

/** Entries of ours whose program is there to be run. */
function workingEntries(context: HookContext, path: string): readonly FoundEntry[] {
  const text = readSettings(context, path);
  const listed = text === undefined || LAYOUT === undefined ? undefined : listEntries(text, LAYOUT);
  if (listed?.ok !== true) return [];
  return listed.entries.filter(
    ({ owned }) => owned?.kind === "program" && isRunnable(context, owned.program),
  );
}

function isRunnable({ system, projectRoot }: HookContext, program: string): boolean {
  const home = findHome(system);
  const path = expandHomeWord(program, home).replace(
    /^(?:\$CLAUDE_PROJECT_DIR|\$\{CLAUDE_PROJECT_DIR\})(?=\/)/,
    projectRoot,
  );
  const facts = path.startsWith("/") ? system.files.follow(path) : undefined;
  return facts?.kind === "file" && (facts.mode & 0o111) !== 0;
}

/** A manifest that cannot be read is taken for one: nothing is removed on a guess. */
function hasUserInstallation(context: HookContext): boolean {
  const { system } = context;
  const home = findStateHome(system);
  if (home === undefined) return true;
  const path = join(home, ".claude", "install", "amplihack-manifest.json");
  try {
    const manifest = new AtomicJsonFile(path, { system }).read();
    if (manifest === undefined) return false;
    const hosts = memberAt(manifest, "hosts");
    return !Array.isArray(hosts) || hosts.some(host => stringAt(host, "scope") === "user");
  } catch (error) {
    context.log("WARNING", `the user's hooks are left alone: ${errorText(error)}`);
    return true;
  }
}

/** Removes entries of ours from one file and tells how many. What cannot be edited safely stays as it is. */
function edit(context: HookContext, path: string, isUnwanted: IsUnwanted): number {
  const first = planEdit(context, path, isUnwanted);
  if (first === undefined) return 0;
  const { system } = context;
  const lock = new FileLock(`${path}.amplihack.lock`, { system, timeoutMs: LOCK_TIMEOUT_MS });
  return lock.run(() => {
    const plan = planEdit(context, path, isUnwanted);
    if (plan === undefined) return 0;
    backUp(system, path, system.text.encode(plan.before));
    writeAtomically(system, path, system.text.encode(plan.after));
    return plan.removed;
  });
}

function planEdit(context: HookContext, path: string, isUnwanted: IsUnwanted) {
  const before = readSettings(context, path);
  const edited =
    before === undefined || LAYOUT === undefined
      ? undefined
      : unregisterEntries(before, LAYOUT, { isUnwanted });
  if (before === undefined || edited?.ok !== true || !edited.isChanged || LAYOUT === undefined)
    return undefined;
  const count = (text: string) => {
    const listed = listEntries(text, LAYOUT);
    return listed.ok ? listed.entries.length : 0;
  };
  return { before, after: edited.text, removed: count(before) - count(edited.text) };
}

function readSettings({ system }: HookContext, path: string): string | undefined {
  const read = readExactText(system, path, FILE_BYTES);
  return read === undefined || read.replaced ? undefined : read.text;
}
