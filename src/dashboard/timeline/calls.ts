import type { HistorySettings } from "../../config/index.ts";
import {
  type Change,
  countChanges,
  gitLines,
  type History,
  type HistoryFigures,
  isFolder,
  openHistory,
  type PathChange,
} from "../../history/index.ts";
import type { System } from "../../system/index.ts";
import { clip } from "../../text/index.ts";
import type { JudgementEntry, Origin, RunEntry } from "../entries.ts";

/** What became of a call or another event, told as what it was. */
export type Outcome =
  | "refused"
  | "asked"
  | "kept"
  | "noted"
  | "answered"
  | "allowed"
  | "held"
  | "context"
  | "unchecked"
  | "silent";

/** Short, for a label. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  refused: "refused",
  asked: "asked",
  kept: "kept first",
  noted: "passed, noted",
  answered: "answered for you",
  allowed: "allowed",
  held: "stop held",
  context: "context added",
  unchecked: "could not check",
  silent: "no objection",
};

/** What they mean, for those who meet them first. */
export const OUTCOME_MEANINGS: Readonly<Record<Outcome, string>> = {
  refused: "It did not run.",
  asked: "A person was asked; the host does not tell what they answered.",
  kept: "It ran, and what it could have lost was kept first: it can be undone.",
  noted: "It ran, with a warning.",
  answered: "It ran without a question: all that it does is known, and can be taken back.",
  allowed: "A hook said yes.",
  held: "The agent wanted to stop and was sent back to work.",
  context: "Nothing was decided; the model was given text.",
  unchecked: "A hook failed, so nothing was checked.",
  silent: "It ran. No rule had anything against it.",
};

const STOPS: ReadonlySet<string> = new Set(["Stop", "SubagentStop"]);

const HOLDS: Readonly<Record<string, string>> = {
  "stop.lock": "Continuous work is on. amplihack unlock ends it.",
  "stop.unfinished": "The check of the work found that something was left undone.",
  "stop.reflection": "Reflection on the session found something to do.",
};

function outcomeOfRun(run: RunEntry): Outcome {
  const { decision, event, failure, contextLength, answered } = run;
  if (decision === "deny") return STOPS.has(event) ? "held" : "refused";
  if (decision === "ask" || decision === "defer") return "asked";
  if (failure !== "") return "unchecked";
  if (decision === "allow") return answered === "" ? "allowed" : "answered";
  return contextLength > 0 ? "context" : "silent";
}

function outcomeOfJudgement({ decision, isKept, reason }: JudgementEntry): Outcome {
  if (decision === "deny") return "refused";
  if (decision === "ask") return "asked";
  if (isKept) return "kept";
  return reason === "" ? "silent" : "noted";
}

/** In a sentence: why, or what was added. Empty where there is nothing to say. */
function tellRun(run: RunEntry): string {
  const outcome = outcomeOfRun(run);
  if (outcome === "unchecked") return run.failure;
  if (outcome === "held") {
    const why = run.rules.map(rule => HOLDS[rule] ?? rule).join(" ");
    return why === "" ? "A hook of your own held it." : why;
  }
  if (outcome === "context") return `${run.contextLength.toLocaleString("en")} characters for the model.`;
  return run.reason;
}

/** A change as lists show it: its files only as far as a person reads them. */
export interface ChangeSummary {
  readonly id: string;
  readonly kind: Change["kind"];
  readonly timeMs: number;
  readonly host: string;
  readonly session: string;
  readonly turn: number;
  readonly tool: string;
  readonly call: string;
  readonly command: string;
  readonly project: string;
  readonly durationMs: number | undefined;
  readonly isFailed: boolean;
  readonly isOpen: boolean;
  readonly isComplete: boolean;
  /** how many, folders left out */
  readonly fileCount: number;
  readonly files: readonly Pick<PathChange, "path" | "what">[];
  /** all of them */
  readonly paths: readonly string[];
  readonly git: readonly string[];
  readonly undoneBy: string | undefined;
  readonly isPartlyUndone: boolean;
  /** an undo: what it took back */
  readonly of: readonly string[];
}

/** What agents changed, as far as it is kept here. */
export interface ChangeSource {
  /** undefined where nothing is kept */
  readonly history: History | undefined;
  /** Newest first, undos and redos among them. */
  list(): readonly ChangeSummary[];
  figures(): HistoryFigures;
  /** Differs when something was changed or undone since. */
  version(): string;
}

/** Histories stay on their machines. */
export const NO_CHANGES: ChangeSource = {
  history: undefined,
  list: () => [],
  figures: () => NO_FIGURES,
  version: () => "",
};

const REREAD_MS = 1_000;
const NO_FIGURES: HistoryFigures = { changes: 0, files: 0, undoable: 0 };
const MAX_FILES = 200;
const COMMAND_LENGTH = 500;

/** What agents changed on this machine. The history is read again when some time has passed. */
export class Changes implements ChangeSource {
  readonly history: History;
  private readonly system: System;
  private summaries: readonly ChangeSummary[] = [];
  private counted: HistoryFigures = NO_FIGURES;
  private readMs = Number.NEGATIVE_INFINITY;
  private readonly sinceMs: number;
  private mark = "";

  constructor(system: System, stateHome: string, settings: HistorySettings, sinceMs = 0) {
    this.system = system;
    this.sinceMs = sinceMs;
    // Ids name changes of every project; which one is at hand does not matter.
    this.history = openHistory(system, { stateHome, project: "/" }, settings);
  }

  list(): readonly ChangeSummary[] {
    this.readAgain();
    return this.summaries;
  }

  figures(): HistoryFigures {
    this.readAgain();
    return this.counted;
  }

  version(): string {
    this.readAgain();
    return this.mark;
  }

  /** An undo was just made here: the next look sees it. */
  forget(): void {
    this.readMs = Number.NEGATIVE_INFINITY;
  }

  private readAgain(): void {
    const nowMs = this.system.clock.monotonicMs();
    if (nowMs - this.readMs < REREAD_MS) return;
    const { changes } = this.history.listChanges(this.sinceMs > 0 ? { sinceMs: this.sinceMs } : {});
    this.readMs = nowMs;
    this.summaries = changes.map(summarise);
    this.counted = countChanges(changes);
    const undone = changes.filter(({ undoneBy }) => undoneBy !== undefined).length;
    const open = changes.filter(({ status }) => status !== "done").length;
    this.mark = `${changes.length} ${changes[0]?.id ?? ""} ${undone} ${open}`;
  }
}

export function summarise(change: Change): ChangeSummary {
  const files = change.files.filter(file => !isFolder(file));
  const named = files.length === 0 ? change.files : files;
  return {
    id: change.id,
    kind: change.kind,
    timeMs: change.timeMs,
    host: change.host,
    session: change.session ?? "",
    turn: change.turn,
    tool: change.tool,
    call: change.toolUseId ?? "",
    command: clip(change.command, COMMAND_LENGTH),
    project: change.project,
    durationMs: change.durationMs,
    isFailed: change.exit === "failed",
    isOpen: change.status !== "done",
    isComplete: change.isComplete,
    fileCount: named.length,
    files: named.slice(0, MAX_FILES).map(({ path, what }) => ({ path, what })),
    paths: named.map(({ path }) => path),
    git: gitLines(change),
    undoneBy: change.undoneBy,
    isPartlyUndone: change.undoneBy === undefined && change.undonePaths.length > 0,
    of: change.of,
  };
}

/** There is something left that an undo would take back. */
export function canUndo({ kind, undoneBy }: Pick<ChangeSummary, "kind" | "undoneBy">): boolean {
  return kind === "call" && undoneBy === undefined;
}

/** What calls and other events have in common. */
interface Item {
  /** names it on this page */
  readonly key: string;
  readonly atMs: number;
  /** undefined for this machine */
  readonly origin?: Origin;
  readonly host: string;
  readonly session: string;
  readonly project: string;
  /** number of the prompt, from 1; 0 before the first */
  readonly turn: number;
  readonly outcome: Outcome;
  readonly rules: readonly string[];
  /** why, in a sentence */
  readonly told: string;
}

/** One use of a tool, put together from what its hooks wrote. */
export interface Call extends Item {
  readonly kind: "call";
  readonly tool: string;
  /** the host's id; empty where it has none */
  readonly useId: string;
  /** the command or the files; empty where no log has it */
  readonly subject: string;
  /** how a person can allow it; empty where there is nothing to allow */
  readonly hint: string;
  /** time that hooks took before it ran */
  readonly hookMs: number | undefined;
  /** time from the hook before it to the one after it */
  readonly durationMs: number | undefined;
  readonly isFailed: boolean;
  readonly change: ChangeSummary | undefined;
}

/** Something else that hooks were asked about: a prompt, a stop, the start of a session. */
export interface Moment extends Item {
  readonly kind: "moment";
  readonly event: string;
  readonly hookMs: number;
}

type Draft = { -readonly [Name in keyof Call]: Call[Name] };

/** A judgement and a change are written while the hook runs, shortly before its own line. */
const MAX_HOOK_MS = 30_000;
const STRENGTH: readonly Outcome[] = [
  "silent",
  "context",
  "allowed",
  "noted",
  "answered",
  "kept",
  "unchecked",
  "asked",
  "refused",
];

/** Puts the lines of one session together, oldest first. */
export function assembleCalls(
  runs: readonly RunEntry[],
  judgements: readonly JudgementEntry[],
  changes: readonly ChangeSummary[],
): readonly (Call | Moment)[] {
  const found: (Draft | Moment)[] = [];
  const open: Draft[] = [];
  const byUse = new Map<string, Draft>();
  let turn = 0;
  /** those that were told of the prompt of this turn */
  const told = new Set<string>();
  for (const run of runs) {
    // Several hooks are told of one prompt, each once, before anything comes of it.
    if (run.event !== "UserPromptSubmit") told.clear();
    else {
      if (told.size === 0 || told.has(run.hook)) {
        turn++;
        told.clear();
      }
      told.add(run.hook);
    }
    if (run.event === "PreToolUse") {
      const known = run.call === "" ? undefined : byUse.get(run.call);
      if (known !== undefined) {
        // Two registrations of the hooks: one call.
        strengthen(known, outcomeOfRun(run), run.rules, tellRun(run));
        continue;
      }
      const draft = toDraft(run, turn);
      found.push(draft);
      open.push(draft);
      if (run.call !== "") byUse.set(run.call, draft);
    } else if (run.event === "PermissionRequest" && run.answered !== "" && open.length > 0) {
      // The host asked about the call that it is about to make.
      const asked = open.findLast(({ tool }) => tool === run.tool) ?? open.at(-1);
      if (asked !== undefined) strengthen(asked, outcomeOfRun(run), run.rules, tellRun(run));
    } else if (run.event === "PostToolUse" || run.event === "PostToolUseFailure") {
      endCall(open, run);
      if (run.contextLength > 0 || run.failure !== "") found.push(toMoment(run, turn));
    } else found.push(toMoment(run, turn));
  }
  const drafts = found
    .filter((one): one is Draft => one.kind === "call")
    .sort((one, other) => one.atMs - other.atMs);
  const more = [...joinJudgements(drafts, byUse, judgements), ...joinChanges(drafts, byUse, changes)];
  return [...found, ...more].sort((one, other) => one.atMs - other.atMs);
}

function toItem(run: RunEntry, turn: number): Item {
  const { host, session, project, rules } = run;
  return {
    ...originIn(run),
    key: `r${run.number}`,
    atMs: run.atMs,
    host,
    session,
    project,
    turn,
    outcome: outcomeOfRun(run),
    rules,
    told: tellRun(run),
  };
}

function originIn({ origin }: { readonly origin?: Origin }): { readonly origin?: Origin } {
  return origin === undefined ? {} : { origin };
}

const UNKNOWN_CALL = {
  kind: "call",
  subject: "",
  hint: "",
  hookMs: undefined,
  durationMs: undefined,
  isFailed: false,
  change: undefined,
} as const;

function toDraft(run: RunEntry, turn: number): Draft {
  const { tool, call, ms, host, session, project, rules } = run;
  // As one literal: there are very many of these.
  const draft: Draft = {
    kind: "call",
    key: `r${run.number}`,
    atMs: run.atMs,
    host,
    session,
    project,
    turn,
    outcome: outcomeOfRun(run),
    rules,
    told: tellRun(run),
    tool: tool || "tool",
    useId: call,
    subject: "",
    hint: "",
    hookMs: ms,
    durationMs: undefined,
    isFailed: false,
    change: undefined,
  };
  if (run.origin !== undefined) draft.origin = run.origin;
  return draft;
}

function toMoment(run: RunEntry, turn: number): Moment {
  return { kind: "moment", ...toItem(run, turn), event: run.event || run.hook, hookMs: run.ms };
}

function endCall(open: Draft[], run: RunEntry): void {
  const byUse = run.call === "" ? -1 : open.findIndex(({ useId }) => useId === run.call);
  const byTool = open.findIndex(({ tool, useId }) => (useId === "" || run.call === "") && tool === run.tool);
  const index = byUse >= 0 ? byUse : byTool;
  const [draft] = index < 0 ? [] : open.splice(index, 1);
  if (draft === undefined) return;
  draft.durationMs = Math.max(0, run.atMs - draft.atMs - run.ms);
  draft.isFailed = run.event === "PostToolUseFailure";
}

/** Gives calls their commands; what no run tells of becomes a call of its own. */
function joinJudgements(
  drafts: readonly Draft[],
  byUse: ReadonlyMap<string, Draft>,
  judgements: readonly JudgementEntry[],
): readonly Draft[] {
  const taken = new Set<Draft>();
  return judgements.flatMap(judgement => {
    const atMs = judgement.atMs;
    const draft =
      byUse.get(judgement.call) ??
      nearest(drafts, atMs, one => !taken.has(one) && (one.useId === "" || judgement.call === ""));
    if (draft === undefined) return [ofJudgement(judgement, atMs)];
    taken.add(draft);
    draft.subject ||= judgement.subject;
    draft.hint ||= judgement.hint;
    if (draft.tool === "tool") draft.tool = judgement.tool;
    strengthen(draft, outcomeOfJudgement(judgement), judgement.rules, judgement.reason);
    return [];
  });
}

function joinChanges(
  drafts: readonly Draft[],
  byUse: ReadonlyMap<string, Draft>,
  changes: readonly ChangeSummary[],
): readonly Draft[] {
  return [...changes].reverse().flatMap(change => {
    const draft =
      byUse.get(change.call) ??
      nearest(
        drafts,
        change.timeMs,
        one =>
          one.change === undefined &&
          (one.useId === "" || change.call === "") &&
          (one.tool === "tool" || one.tool === change.tool) &&
          one.outcome !== "refused",
      );
    if (draft === undefined) return [ofChange(change)];
    draft.change = change;
    draft.subject ||= change.command;
    if (draft.tool === "tool") draft.tool = change.tool;
    draft.durationMs = change.durationMs ?? draft.durationMs;
    draft.isFailed ||= change.isFailed;
    return [];
  });
}

/** The first call whose hook ended after that, and not long after. */
function nearest(drafts: readonly Draft[], atMs: number, fits: (draft: Draft) => boolean): Draft | undefined {
  let low = 0;
  for (let high = drafts.length; low < high; ) {
    const middle = (low + high) >> 1;
    if ((drafts[middle]?.atMs ?? 0) < atMs) low = middle + 1;
    else high = middle;
  }
  for (let index = low; index < drafts.length; index++) {
    const draft = drafts[index];
    if (draft === undefined || draft.atMs - atMs > MAX_HOOK_MS) return undefined;
    if (fits(draft)) return draft;
  }
  return undefined;
}

function strengthen(draft: Draft, outcome: Outcome, rules: readonly string[], told: string): void {
  if (rules.length > 0) draft.rules = [...new Set([...draft.rules, ...rules])];
  if (told !== "") draft.told = told;
  if (STRENGTH.indexOf(outcome) > STRENGTH.indexOf(draft.outcome)) draft.outcome = outcome;
}

function ofJudgement(judgement: JudgementEntry, atMs: number): Draft {
  const { host, session, project, tool, call, subject, hint, rules, reason } = judgement;
  return {
    ...UNKNOWN_CALL,
    ...originIn(judgement),
    ...{ atMs, host, session, project, tool, subject, hint, rules },
    key: `j${judgement.number}`,
    turn: 0,
    useId: call,
    outcome: outcomeOfJudgement(judgement),
    told: reason,
  };
}

function ofChange(change: ChangeSummary): Draft {
  const { host, session, project, turn, tool, call, command, durationMs, isFailed } = change;
  return {
    ...UNKNOWN_CALL,
    ...{ host, session, project, turn, tool, durationMs, isFailed, change },
    key: `h${change.id}`,
    atMs: change.timeMs,
    useId: call,
    subject: command,
    outcome: "silent",
    rules: [],
    told: "",
  };
}
