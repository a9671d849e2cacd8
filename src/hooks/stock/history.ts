import { isHistoryOn } from "../../config/index.ts";
import {
  type Finding,
  type Footprint,
  findUnkept,
  isDenied,
  type Judgement,
  questionKey,
} from "../../guard/index.ts";
import {
  beginCall,
  beginSession,
  beginTurn,
  type Captured,
  callKey,
  countChanges,
  dropChange,
  endLive,
  examineLosses,
  findOpen,
  finishCall,
  finishEnded,
  type GitWork,
  type HistoryContext,
  isNotedLive,
  listChanges,
  type NotKept,
  noteLive,
  type OpenFile,
  openContext,
  pruneWhenDue,
  readOpen,
  readSession,
  readSessionWrites,
  removeOpen,
  setVerdict,
  sweepProject,
} from "../../history/index.ts";
import { canonicalInput, factsOfCall, hasFailed } from "../../hosts/index.ts";
import type { InputOf } from "../../protocol/index.ts";
import { findSessionId } from "../../state/index.ts";
import { compileGlob, components, isInside, matchesGlob, relative, type System } from "../../system/index.ts";
import { clipWithin, count, redactOpening, sizeText } from "../../text/index.ts";
import { type SessionWrites, survey } from "../../workspace/index.ts";
import type { ConfiguredGuard } from "../program/guard-context.ts";
import type { HookContext } from "../program/hook-context.ts";
import { hostProcess } from "../program/process-tree.ts";
import { findOthersWork } from "./others-work.ts";

/** What the history did before a call, and what that means for the guard's findings. */
export interface KeptCall {
  /** Leaves out what loses nothing or can be undone, and adds what would be lost without a copy. */
  settle(judgement: Judgement): Judgement;
  /** one line for the person, when something passes because it was kept */
  readonly message: string | undefined;
  /** for the audit log: findings that fell away, and why */
  readonly notes: readonly string[];
  /** all that the call may change can come back */
  readonly isWhole: boolean;
  /** what could not be kept, in words; undefined when all of it was */
  readonly problem: string | undefined;
  /** The verdict after all: a refused call leaves no change. */
  conclude(verdict: Judgement["verdict"]): void;
}

const COMMAND_LIMIT = 500;

/** Keeps what the call may change, and looks at what its findings would lose. */
export async function keepCall(
  input: InputOf<"tool">,
  system: System,
  guard: ConfiguredGuard,
  judgement: Judgement,
  footprint: Footprint,
): Promise<KeptCall> {
  const session = findSessionId(system, input.sessionId);
  const history = openForCall(input, system, guard);
  const request = {
    host: input.host,
    session,
    ...toHistoryCall(input),
    isBackground: isBackground(input),
    wholeCommand: input.facts.command ?? undefined,
    verdict: judgement.verdict,
    rules: judgement.findings.map(({ rule }) => rule),
  };
  if (history.settings.enabled) await finishEnded(history);
  if (session !== undefined && history.settings.enabled && !isNotedLive(history.store, session))
    tellLive(history, session, input.host, guard);
  const captured = history.settings.enabled ? await beginCall(history, request, footprint) : undefined;
  const losses = examineLosses(history, session);
  const settled = new Map<string, Settled>();
  for (const finding of judgement.all.slice(0, MAX_SETTLED))
    settled.set(questionKey(finding), await settleFinding(history, finding, captured, losses, guard));
  const unkept = [
    ...(await findUnkeptTargets(footprint, captured, judgement, losses, guard)),
    ...(history.settings.enabled ? await findOthersWork(history, session, footprint, guard) : []),
  ];
  const passed = [...settled.values()].filter(({ passes }) => passes !== undefined);
  const isKept = passed.some(({ passes }) => passes === "kept");
  return {
    settle(judged) {
      if (isDenied(judged) || settled.size + unkept.length === 0) return judged;
      // A grant covers all findings there were.
      if (judged.usedGrants.length > 0 && unkept.length === 0) return judged;
      const rest = judged.all.flatMap(finding => {
        const known = settled.get(questionKey(finding));
        if (known === undefined) return [finding];
        return known.passes === undefined ? [known.finding] : [];
      });
      return judged.settle([...rest, ...unkept]);
    },
    message:
      isKept && captured?.change !== undefined ? renderMessage(captured, passed, footprint) : undefined,
    notes: passed.map(({ finding, passes }) =>
      passes === "kept"
        ? `kept: ${finding.rule} ${finding.target} (amplihack undo ${captured?.change})`
        : `loses nothing: ${finding.rule} ${finding.target}`,
    ),
    isWhole: captured?.isComplete === true,
    problem: describeProblem(captured?.lost ?? []),
    conclude(verdict) {
      if (captured?.change === undefined || verdict === request.verdict) return;
      const key = callKey(history.store, request.toolUseId, request.tool, request.command);
      const open = findOpen(history.store, session, key).find(({ id }) => id === captured.change);
      if (open === undefined) return;
      if (verdict === "deny") dropChange(history, open);
      else setVerdict(history.store, open, verdict);
    },
  };
}

/** What the session of a call wrote before it. */
export function readWrites(
  input: Pick<InputOf<"tool">, "sessionId">,
  system: System,
  guard: ConfiguredGuard,
): SessionWrites | undefined {
  return readSessionWrites(openForCall(input, system, guard), findSessionId(system, input.sessionId));
}

/** One for all that is asked before a call. */
const opened = new WeakMap<object, HistoryContext>();

function openForCall(
  input: Pick<InputOf<"tool">, "sessionId">,
  system: System,
  guard: ConfiguredGuard,
): HistoryContext {
  const found = opened.get(input) ?? openHistory(system, guard, findSessionId(system, input.sessionId));
  opened.set(input, found);
  return found;
}

/** Each is looked for on the disk; those beyond stay questions. */
const MAX_SETTLED = 256;

/** A store that cannot be written is told at once; names of files, and what settings leave out, in the history. */
function describeProblem(lost: readonly NotKept[]): string | undefined {
  const codes = [...new Set(lost.flatMap(({ code }) => code ?? []))];
  return codes.length === 0 ? undefined : `${count(lost.length, "path")} not kept (${codes.join(", ")})`;
}

function openHistory(
  system: System,
  { config, context, stateHome, project, home }: ConfiguredGuard,
  session?: string,
): HistoryContext {
  const { temps } = survey(context);
  const places = { project, home, stateHome, temps, regenerable: config.guard.paths.regenerable };
  const settings = { ...config.history, enabled: isHistoryOn(config) };
  if (session === undefined) return openContext(system, places, settings);
  let known: { readonly writes: SessionWrites | undefined } | undefined;
  const written = () => {
    known ??= { writes: readSessionWrites(opened, session) };
    return known.writes;
  };
  const opened = openContext(system, { ...places, written }, settings);
  return opened;
}

/** The call as the history names it. */
function toHistoryCall({ tool, facts }: InputOf<"tool">): {
  readonly tool: string;
  readonly toolUseId: string | undefined;
  readonly command: string;
} {
  const { command, paths } = factsOfCall(tool.canonicalName, tool.input, facts);
  const shown = command ?? paths.join(" ");
  return {
    tool: tool.canonicalName,
    toolUseId: tool.useId,
    command: clipWithin(redactOpening(shown), COMMAND_LIMIT),
  };
}

function isBackground({ tool, facts }: InputOf<"tool">): boolean {
  return canonicalInput(tool.canonicalName, tool.input, facts)["run_in_background"] === true;
}

type Losses = ReturnType<typeof examineLosses>;

interface Settled {
  readonly finding: Finding;
  readonly passes: "kept" | "harmless" | undefined;
}

async function settleFinding(
  history: HistoryContext,
  finding: Finding,
  captured: Captured | undefined,
  losses: Losses,
  { config }: ConfiguredGuard,
): Promise<Settled> {
  const { atRisk } = finding;
  if (atRisk === undefined || finding.verdict !== "ask") return { finding, passes: undefined };
  const why = whyNotKept(history, atRisk, captured);
  const told = why === undefined ? undoable(finding, captured) : lasting(finding, why);
  if (why === undefined && config.guard.level !== "strict") return { finding, passes: "kept" };
  const work = GIT_WORK[finding.rule];
  const isGit = finding.rule.startsWith("git.");
  for (const path of atRisk) {
    if (isGit && work !== undefined && (await losses.isHarmlessForGit(path, work))) continue;
    if (!isGit && (await losses.isHarmless(path))) continue;
    return { finding: told, passes: undefined };
  }
  return { finding, passes: "harmless" };
}

/** What the commands of a rule take from a working tree. Stashes and branches are none of it. */
const GIT_WORK: Readonly<Record<string, readonly GitWork[]>> = {
  "git.reset": ["changed"],
  "git.restore": ["changed"],
  "git.checkout": ["changed", "untracked"],
  "git.switch": ["changed", "untracked"],
  "git.clean": ["untracked", "ignored"],
};

/** A branch that goes takes no file of the working tree along. */
function findGitWork({ rule }: Finding): readonly GitWork[] | undefined {
  return rule === "git.branch" ? [] : GIT_WORK[rule];
}

/** What the history knows takes the place of what the rule says of undoing. */
function lasting(finding: Finding, { path, why }: NotKept): Finding {
  const above = finding.atRisk?.find(one => isInside(one, path));
  const name = above === path ? "it" : above === undefined ? path : relative(above, path);
  const lost = `${finding.lost} No copy of ${name} was kept, because ${why}.`;
  return { ...finding, lost, person: "It could not be fully undone." };
}

function undoable(finding: Finding, captured: Captured | undefined): Finding {
  return { ...finding, person: `It can be undone: amplihack undo ${captured?.change}.` };
}

/** Why something of these paths is not kept; undefined when all of it is. */
function whyNotKept(
  { rules }: HistoryContext,
  paths: readonly string[],
  captured: Captured | undefined,
): NotKept | undefined {
  const [path = ""] = paths;
  if (captured === undefined) return { path, why: "the history is off" };
  const outside = paths.find(rules.isOutOfReach);
  if (outside !== undefined) return { path: outside, why: "nothing is kept there" };
  if (captured.change === undefined) return captured.lost[0] ?? { path, why: "nothing of it was kept" };
  return captured.lost.find(lost => paths.some(one => isInside(one, lost.path) || isInside(lost.path, one)));
}

/** Named files that the call loses, of which no copy could be made and which no finding is about. */
async function findUnkeptTargets(
  { targets }: Footprint,
  captured: Captured | undefined,
  judgement: Judgement,
  losses: Losses,
  { config }: ConfiguredGuard,
): Promise<readonly Finding[]> {
  if (captured === undefined) return [];
  // What is written into a tree is not told by name; what is lost of it is told afterwards.
  const lossy = targets.filter(
    ({ how, isTree, isEmptyBelow }) => isEmptyBelow !== true && (how !== "write" || !isTree),
  );
  for (const { path, why } of captured.lost) {
    if (!lossy.some(target => isInside(target.path, path))) continue;
    const isTold = judgement.all.some(({ atRisk = [] }) => atRisk.some(one => isInside(one, path)));
    if (isTold || (await losses.isHarmless(path))) continue;
    const finding = findUnkept(config.guard, path, why);
    if (finding !== undefined) return [finding];
  }
  return [];
}

/** What may be lost is counted: of a search only what has the name, of git what it does not leave. */
function renderMessage(
  { change, keptIn }: Captured,
  passed: readonly Settled[],
  { targets, repositories }: Footprint,
): string {
  const kept = new Map<string, number>();
  const searched = targets.filter(({ names }) => names !== undefined);
  const isFound = (path: string) => {
    const around = searched.filter(target => isInside(target.path, path));
    return around.length === 0 || around.some(target => hasName(target, path));
  };
  const takers = repositories.flatMap(({ takesWork = [] }) => takesWork);
  const isTaken = (path: string) => takers.length === 0 || takers.some(({ covers }) => covers(path));
  for (const { finding, passes } of passed)
    if (passes === "kept")
      for (const { path, size } of keptIn(finding.atRisk ?? [], findGitWork(finding)))
        if (
          (searched.length === 0 || isFound(path)) &&
          (GIT_WORK[finding.rule] === undefined || isTaken(path))
        )
          kept.set(path, size);
  if (kept.size === 0) return `kept: amplihack undo ${change}`;
  const bytes = [...kept.values()].reduce((sum, size) => sum + size, 0);
  return `kept ${count(kept.size, "file")}, ${sizeText(bytes)}: amplihack undo ${change}`;
}

function hasName({ path: top, names = [] }: Footprint["targets"][number], path: string): boolean {
  const globs = names.map(name => compileGlob(name.toLowerCase(), "fnmatch"));
  return components(relative(top, path)).some(part =>
    globs.some(glob => matchesGlob(glob, part.toLowerCase())),
  );
}

/** Closes the change of a call that has ended. */
export async function completeCall(
  input: InputOf<"tool">,
  system: System,
  guard: ConfiguredGuard,
  durationMs: number | undefined,
): Promise<void> {
  const session = findSessionId(system, input.sessionId);
  const history = openHistory(system, guard, session);
  const { store } = history;
  const { tool, toolUseId, command } = toHistoryCall(input);
  const key = callKey(store, toolUseId, tool, command);
  const begun = findOpen(store, session, key);
  // Of one tool use id, the call that ran is the one with these words, or what a hook made of it at last.
  const isSame = (file: OpenFile) => readOpen(store, file)?.change.command === command;
  const open = toolUseId === undefined ? begun[0] : (begun.filter(isSame).at(-1) ?? begun.at(-1));
  if (open === undefined) return;
  const isFailed = input.event === "PostToolUseFailure" || hasFailed(input.host, input.raw);
  const exit = isFailed ? "failed" : "ok";
  await finishCall(history, open, { exit, durationMs });
  await finishEnded(history);
  // The others never ran, or were begun by hooks that are registered twice.
  if (toolUseId !== undefined) for (const file of begun) if (file !== open) dropChange(history, file);
  pruneWhenDue(history);
}

/** Of a call that was kept and has not run: it was refused, or is about to be kept again under the same id. */
export function forgetCall(
  input: InputOf<"tool">,
  system: System,
  guard: ConfiguredGuard,
  why: "refused" | "again",
): void {
  const session = findSessionId(system, input.sessionId);
  const history = openHistory(system, guard, session);
  const { tool, toolUseId, command } = toHistoryCall(input);
  for (const file of findOpen(history.store, session, callKey(history.store, toolUseId, tool, command)))
    if (why === "refused") dropChange(history, file);
    else removeOpen(history.store, file);
}

/** A prompt or a stop: no call of the session runs any more. */
export async function closeSession(
  { sessionId }: Pick<SessionEvent, "sessionId">,
  system: System,
  guard: ConfiguredGuard,
): Promise<void> {
  const session = findSessionId(system, sessionId);
  const history = openHistory(system, guard, session);
  for (const open of findOpen(history.store, session)) await finishCall(history, open);
  await finishEnded(history);
}

type SessionEvent = Pick<InputOf<"tool">, "sessionId" | "host">;

function tellLive(
  { store, system }: HistoryContext,
  session: string | undefined,
  host: string,
  { project, agentProcess }: ConfiguredGuard,
): void {
  if (session !== undefined) noteLive(store, { session, host, project }, agentProcess ?? hostProcess(system));
}

/** A new prompt: a new turn, and a person may have edited files meanwhile. */
export async function beginPrompt(
  { sessionId, host }: SessionEvent,
  system: System,
  guard: ConfiguredGuard,
): Promise<void> {
  await closeSession({ sessionId }, system, guard);
  const history = openHistory(system, guard);
  if (!history.settings.enabled) return;
  beginTurn(history.store, findSessionId(system, sessionId), guard.project);
  tellLive(history, findSessionId(system, sessionId), host, guard);
  await sweepProject(history, guard.context.cwd);
}

export async function openSession(
  { sessionId, host }: SessionEvent,
  system: System,
  guard: ConfiguredGuard,
): Promise<void> {
  const history = openHistory(system, guard);
  if (!history.settings.enabled) return;
  beginSession(history.store, findSessionId(system, sessionId), guard.project);
  tellLive(history, findSessionId(system, sessionId), host, guard);
  await sweepProject(history, guard.context.cwd);
  pruneWhenDue(history);
}

/** A session has ended: what it did not commit is nobody's work any more. */
export async function leaveSession(
  { sessionId }: Pick<SessionEvent, "sessionId">,
  system: System,
  guard: ConfiguredGuard,
): Promise<void> {
  await closeSession({ sessionId }, system, guard);
  const session = findSessionId(system, sessionId);
  if (session !== undefined) endLive(openHistory(system, guard).store, session);
}

/** Closes what is open, and counts what the session changed and could still be undone. */
export async function endSession(
  sessionId: string | undefined,
  context: HookContext,
  guard: ConfiguredGuard,
): Promise<void> {
  const { system } = context;
  const history = openHistory(system, guard);
  const session = findSessionId(system, sessionId);
  if (session === undefined || !history.settings.enabled) return;
  await leaveSession({ sessionId }, system, guard);
  const { project } = readSession(history.store, session, guard.project);
  const { changes } = listChanges(history, { project, session });
  const { changes: made, files, undoable } = countChanges(changes);
  context.metric("history_changes", made, { files, undoable });
  if (undoable === 0) return;
  const undone = undoable === made ? "" : `, ${made - undoable} of them undone`;
  context.notify(
    `${count(made, "change")} to ${count(files, "file")}${undone}; take back: amplihack undo --session ${session}`,
  );
}
