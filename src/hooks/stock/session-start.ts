import {
  claudeCode,
  type FoundEntry,
  type IsUnwanted,
  listEntries,
  unregisterEntries,
} from "../../hosts/index.ts";
import {
  type Effect,
  errorText,
  type InputOf,
  isSameJson,
  memberAt,
  ownValue,
  parseJsonObject,
  stringAt,
} from "../../protocol/index.ts";
import {
  AtomicJsonFile,
  backUp,
  FileLock,
  findHome,
  findStateHome,
  readExactText,
} from "../../state/index.ts";
import { expandHomeWord, join, writeAtomically } from "../../system/index.ts";
import { countCharacters, oneLine } from "../../text/index.ts";
import { version } from "../../version.ts";
import { callBridge } from "../program/bridge/call.ts";
import { attempt, defineHook, type HookContext } from "../program/hook-context.ts";
import type { HookDefinition } from "../program/hook-program.ts";
import { rememberHost } from "../program/process-tree.ts";
import { lookInside, readInside, readPreferenceFiles } from "./framework-files.ts";
import { withHistory } from "./history-steps.ts";
import { isSubstantial, keepRequest, summariseRequest } from "./original-request.ts";
import { type RecalledNotes, screenNotes } from "./recalled-notes.ts";

/** Opens a session: checks the installation, keeps the original request and tells the model where it is. */
export const sessionStart = defineHook("session-start", "session-start", beginSession);

export const definition: HookDefinition = { hook: sessionStart, usesBridge: true };

async function beginSession(
  input: InputOf<"session-start">,
  context: HookContext,
): Promise<Effect | undefined> {
  const isWorkflow = context.hasPart("workflow");
  if (isWorkflow && !attempt(context, "the version check failed", () => checkVersion(context)))
    context.metric("version_check_error", 1);
  if (
    input.host === claudeCode.id &&
    !attempt(context, "the hook cleanup failed", () => cleanUpHooks(context))
  )
    context.metric("hook_cleanup_error", 1);
  const stateHome = findStateHome(context.system);
  if (stateHome !== undefined)
    attempt(context, "the host was not remembered", () => rememberHost(context.system, stateHome));
  await withHistory(context, input.cwd, ({ openSession }, guard) =>
    openSession(input, context.system, guard),
  );
  const prompt = input.prompt ?? "";
  context.metric("prompt_length", countCharacters(prompt));
  const request = isWorkflow ? captureRequest(prompt, context) : undefined;
  const { text: assembled, message } = await assembleContext(input.cwd, context);
  const text = [request, assembled].filter(part => part !== undefined && part !== "").join("\n\n");
  context.log("INFO", `session context of ${text.length} characters`);
  return text === "" ? undefined : { context: text, ...(message === undefined ? {} : { message }) };
}

function captureRequest(prompt: string, context: HookContext): string | undefined {
  const isKept = isSubstantial(prompt);
  context.metric("original_request_captured", isKept);
  return isKept ? summariseRequest(keepRequest(context, prompt)) : undefined;
}

/** What the model should know when a session begins, as far as those parts are switched on; no text when none is. */
async function assembleContext(cwd: string | undefined, context: HookContext): Promise<RecalledNotes> {
  const isWorkflow = context.hasPart("workflow");
  const project = isWorkflow ? `## Project Context\n${describeProject(context)}` : undefined;
  const learnt = context.hasPart("memory") ? await describeLearnings(cwd, context) : undefined;
  const sections = [
    project,
    learnt === undefined || (learnt.text === NOTHING_KNOWN && !isWorkflow)
      ? undefined
      : `\n## Recent Learnings\n${learnt.text}`,
    ...(isWorkflow ? [...preferencesParts(context), workflowPart(context), VERBOSITY] : []),
  ].filter(section => section !== undefined);
  return { ...learnt, text: sections.join("\n").trimStart() };
}

function describeProject(context: HookContext): string {
  const { projectRoot } = context;
  const shown = ".claude/context/PROJECT.md";
  const found = lookInside(context, projectRoot, join(projectRoot, shown));
  if (found === "absent") return `Describe the project in ${shown}; none was found.`;
  if (found === "unreadable") return `The project is described in ${shown}, which could not be read.`;
  const { text } = found;
  const line = text
    .split("\n")
    .map(candidate => candidate.trim())
    .find(candidate => candidate !== "" && !candidate.startsWith("#") && !candidate.startsWith("---"));
  return line ?? `Project context was loaded from ${shown}.`;
}

/** Only a session that is told more is told this. */
const NOTHING_KNOWN = "Nothing is remembered yet.";
const DISCOVERIES = ".claude/context/DISCOVERIES.md";

async function describeLearnings(cwd: string | undefined, context: HookContext): Promise<RecalledNotes> {
  const { projectRoot } = context;
  const hasList = lookInside(context, projectRoot, join(projectRoot, DISCOVERIES)) !== "absent";
  const pointer = hasList ? [`See ${DISCOVERIES} for what was learnt earlier.`] : [];
  const answer = await callBridge(context, "get_context", {
    session_id: context.sessionId ?? "unknown",
    project_path: context.projectRoot,
  });
  if (answer.kind !== "reply") {
    context.report(answer.problem);
    return { text: ["(Memory was unavailable at the start of this session.)", ...pointer].join("\n") };
  }
  const { context: text, memories } = answer.reply;
  if (text.trim() !== "") return screenNotes(text, cwd, context);
  if (memories.length === 0) return { text: pointer[0] ?? NOTHING_KNOWN };
  const lines = memories.map(({ key, value }) => `- [${oneLine(key)}] ${oneLine(value)}`);
  return screenNotes([`${memories.length} from memory:`, ...lines].join("\n"), cwd, context);
}

function preferencesParts(context: HookContext): readonly string[] {
  const { own, project } = readPreferenceFiles(context);
  return [
    ...(own === undefined ? [] : [`\n## 🎯 USER PREFERENCES (MANDATORY, must be followed)\n\n${own.trim()}`]),
    ...(project === undefined ? [] : [`${PROJECT_NOTES}\n\n${project.trim()}`]),
  ];
}

const PROJECT_NOTES =
  "\n## Project notes from USER_PREFERENCES.md of this repository (not the user's own words, NOT MANDATORY)";

function workflowPart(context: HookContext): string {
  const shown = ".claude/workflow/DEFAULT_WORKFLOW.md";
  const found = lookInside(context, context.projectRoot, join(context.projectRoot, shown));
  return [
    "",
    "## 📝 Default Workflow",
    found !== "absent"
      ? `Follow ${shown} for work that is more than a question. To customise it, edit that file.`
      : `There is no ${shown}; create it to customise the workflow.`,
    "Phases: understand the request, create an issue and a branch, design, write tests, implement, simplify, run",
    "all checks, commit, open a pull request, review, address the review, make it mergeable.",
  ].join("\n");
}

const VERBOSITY = "\n## 🎯 Verbosity\nMode: balanced";

/** Below `.claude` of a project that amplihack was set up in; the version first. */
const OWN_FILES = [".version", ".update_preference", "context/USER_PREFERENCES.md"];

/** Tells when the project was set up by another version. Reports only: updating belongs to the command line. */
function checkVersion(context: HookContext): void {
  const marks = OWN_FILES.map(name => readProjectFile(context, name));
  if (marks.every(text => text === undefined)) {
    context.log("INFO", "the project has no files of amplihack, so there is no version to compare");
    return;
  }
  const found = marks[0]?.trim() ?? "";
  if (found === version) {
    context.log("INFO", `the project's version is ${version}`);
    return;
  }
  const project = found === "" ? "of unknown version" : `of version ${found}`;
  const wish = findWish(context);
  context.log("INFO", `version mismatch, preference: ${wish ?? "none"}`);
  context.notify(
    `this project's files are ${project}, amplihack is ${version}${HINTS[wish ?? "none"] ?? ""}`,
  );
  if (wish === undefined) context.metric("version_prompt_skipped_non_interactive", 1);
}

/** Nothing is updated here: the program is the command line's to update, the project's files are the user's. */
const SETTLE = `update amplihack with "amplihack update"; once the files fit, say so in .claude/.version`;
const HINTS: Readonly<Record<string, string>> = {
  always: `; ${SETTLE}`,
  never: "; your preference is not to update",
  none: `; ${SETTLE}`,
};

/** What the user wants done about it, by the preferences or by the older file. */
function findWish(context: HookContext): "always" | "never" | undefined {
  const preferences = readProjectFile(context, "context/USER_PREFERENCES.md") ?? "";
  const heading = /^### Auto Update[^\S\n]*\n[^\S\n]*\n?[^\S\n]*(\S+)/m.exec(preferences)?.[1];
  const recorded = parseJsonObject(readProjectFile(context, ".update_preference") ?? "", 8);
  return [heading?.toLowerCase(), stringAt(recorded, "auto_update")].find(
    wish => wish === "always" || wish === "never",
  );
}

function readProjectFile(context: HookContext, name: string): string | undefined {
  return readInside(context, context.projectRoot, join(context.projectRoot, ".claude", name));
}

const FILE_BYTES = 16 * 1024 * 1024;
const LOCK_TIMEOUT_MS = 2_000;
const LAYOUT = claudeCode.registration?.layout;

/**
 * Where the user's and the project's settings both register a hook it would run twice. The user's copy goes, but
 * only one that the project's working copy replaces, and only where no installation for the whole user was made:
 * a hook is never left without its last working registration.
 */
function cleanUpHooks(context: HookContext): void {
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
  return one.matcher === other.matcher && isSameJson(commandMembers(one), commandMembers(other));
}

function commandMembers({ handler }: FoundEntry): readonly (string | null)[] {
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
    writeAtomically(system, path, system.text.encode(plan.after), { keepsNames: true });
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
