import { cpSync, existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  CommandError,
  type CommandInvocation,
  defineCommand,
  FORMAT_OPTION,
  type OptionSpecs,
  option,
  ProgressLine,
  type Style,
  type Terminal,
  usageError,
} from "../../cli/index.ts";
import { formatAge, shownPlace } from "../../history/index.ts";
import { loadManifest } from "../../hooks/index.ts";
import { HOST_LIST } from "../../hosts/index.ts";
import { loadOperations } from "../../install/index.ts";
import { cutToWidth } from "../../recipes/index.ts";
import type { System } from "../../system/index.ts";
import { clipStart, count, escapeHidden, count as quantity, redactOpening } from "../../text/index.ts";
import { findPastSessions, type PastSession } from "../../transcripts/index.ts";
import {
  type CompareInput,
  type EngineRun,
  type GuardSummary,
  loadCompare,
  loadGuardSummary,
  loadOpenCodeRecords,
  loadSandbox,
  loadTranscriptInputs,
  loadUserHooksSummary,
  type PastVerdict,
  type RecordedIn,
  type Sandbox,
  type StoppedCall,
  type UserHooksSummary,
} from "../../verify/index.ts";
import {
  CANDIDATE_OPTION,
  candidateEngine,
  createCallReader,
  eventOfInput,
  findFile,
  readInputFile,
  TIMEOUT_OPTION,
  toTimeoutMs,
} from "./engines.ts";

/** What was read, for the first line. */
interface ReplaySource {
  readonly files: number;
  readonly lines: number;
  /** the user's own sessions that were read, newest first; undefined where files were named */
  readonly sessions?: readonly PastSession[] | undefined;
  /** how many sessions there are in all */
  readonly found: number;
}

interface SummaryView {
  readonly terminal: Terminal;
  readonly nowMs: number;
  readonly home: string;
}

const DEFAULT_COLUMNS = 80;
const MAX_LISTED = 8;
const INDENT = "      ";
const GROUPS: readonly {
  verdict: PastVerdict;
  title: string;
  style: Style;
  member: "denied" | "asked" | "kept";
}[] = [
  { verdict: "deny", title: "Refused", style: "red", member: "denied" },
  { verdict: "ask", title: "You would have been asked", style: "yellow", member: "asked" },
  { verdict: "keep", title: "Kept first, so that undo brings it back", style: "green", member: "kept" },
];

/** What the guard would have done, worst first, no line wider than the terminal. */
function renderGuard(summary: GuardSummary, source: ReplaySource, view: SummaryView): string {
  const { terminal } = view;
  const figures = `${summary.allowed} allowed, ${summary.kept} kept, ${summary.asked} asked, ${summary.denied} denied`;
  const lines = [
    "",
    terminal.paint("bold", "What the guard would have done"),
    ...(source.sessions === undefined
      ? [
          `  ${count(summary.judged, "tool call")} in ${count(source.files, "file")}, ${count(source.lines, "line")}:`,
        ]
      : sessionLines(source.sessions, source.found, summary, view)),
    `  ${figures}`,
    ...GROUPS.flatMap(group => groupLines(group, summary, view)),
    ...ruleLines(summary, terminal),
    ...closingLines(summary, source, terminal),
  ];
  return `${lines.join("\n")}\n`;
}

function sessionLines(
  sessions: readonly PastSession[],
  found: number,
  { judged }: GuardSummary,
  { nowMs }: SummaryView,
): readonly string[] {
  const byHost = new Map<string, number>();
  for (const { title } of sessions) byHost.set(title, (byHost.get(title) ?? 0) + 1);
  const hosts = [...byHost].map(([title, number]) => `${title} ${number}`).join(", ");
  const which = sessions.length < found ? `newest ${sessions.length} of ${found}` : String(sessions.length);
  const since = formatAge(nowMs, sessions.at(-1)?.modifiedMs ?? nowMs);
  return [
    `  ${count(judged, "tool call")} in your ${which} ${found === 1 ? "session" : "sessions"}, the oldest ${since}`,
    `  ${hosts}`,
  ];
}

function groupLines(
  { verdict, title, style, member }: (typeof GROUPS)[number],
  summary: GuardSummary,
  view: SummaryView,
): readonly string[] {
  const calls = summary.stopped.filter(one => one.verdict === verdict);
  if (calls.length === 0) return [];
  const listed = calls.slice(0, MAX_LISTED);
  const rest = summary[member] - listed.reduce((sum, one) => sum + one.count, 0);
  return [
    "",
    `${view.terminal.paint(style, title)} (${summary[member]})`,
    ...listed.flatMap(one => callLines(one, view)),
    ...(rest > 0 ? [`  and ${rest} more; all of them: --format json`] : []),
  ];
}

/** The command with its directory, and below it what it would have lost. */
function callLines(
  { command, count: times, cwd, lost }: StoppedCall,
  { terminal, home }: SummaryView,
): readonly string[] {
  const width = terminal.columns ?? DEFAULT_COLUMNS;
  const safe = (text: string) => escapeHidden(redactOpening(text).replace(/\s+/g, " "));
  const where = cwd === undefined ? "" : `  in ${clipStart(shownPlace(cwd, home), width / 2)}`;
  const end = `${times === 1 ? "" : ` ×${times}`}${where}`;
  // Paths below the directory and the home are as long as they have to be.
  const short = safe(lost)
    .split(cwd === undefined ? " " : `${cwd}/`)
    .join(cwd === undefined ? " " : "")
    .split(home)
    .join("~");
  return [
    `  ${cutToWidth(safe(command), width - 2 - end.length)}${terminal.paint("dim", end)}`,
    ...wrapped(short, width - INDENT.length).map(line => terminal.paint("dim", `${INDENT}${line}`)),
  ];
}

/** On at most two lines. */
function wrapped(text: string, width: number): readonly string[] {
  if (text.length <= width) return [text];
  const at = Math.max(text.lastIndexOf(" ", width), 1);
  return [text.slice(0, at), cutToWidth(text.slice(at).trimStart(), width)];
}

function ruleLines({ byRule }: GuardSummary, terminal: Terminal): readonly string[] {
  if (byRule.size === 0) return [];
  const rules = [...byRule].sort(([, one], [, other]) => other - one);
  const lines = rules.map(([rule, number]) => `  ${String(number).padStart(5)}  ${rule}`);
  return ["", terminal.paint("bold", "By rule (amplihack guard why RULE explains one)"), ...lines];
}

function closingLines(
  { judged, judgingMs }: GuardSummary,
  { sessions, found }: ReplaySource,
  terminal: Terminal,
): readonly string[] {
  const time = judged === 0 ? "" : ` ${(judgingMs / judged).toFixed(2)} ms a call.`;
  const rest = sessions !== undefined && sessions.length < found ? [`Older ones, too: --last ${found}`] : [];
  return [
    "",
    ...[
      "Judged by your files as they are now: what is gone is not counted as lost.",
      `Nothing was run.${time}`,
      ...rest,
    ].map(line => terminal.paint("dim", line)),
  ];
}

function renderOwn(own: UserHooksSummary, terminal: Terminal): string {
  if (own.size === 0) return "";
  const lines = [...own].map(
    ([hook, words]) => `  ${hook}: ${[...words].map(([word, number]) => `${number} ${word}`).join(", ")}\n`,
  );
  return `\n${terminal.paint("bold", "What your own hooks would have said")}\n${lines.join("")}`;
}

const DEFAULT_LAST = 100;

const OPTIONS = {
  input: option.string("FILE", "one payload; - for standard input"),
  transcript: option.string(
    "FILE|DIR",
    "a transcript or a folder of them; your own past sessions without one",
    {
      bare: "",
    },
  ),
  last: option.number("N", `of your own sessions the newest N (${DEFAULT_LAST} by default)`, { minimum: 1 }),
  event: option.string("EVENT", "only this event, or the event of the input"),
  candidate: CANDIDATE_OPTION,
  timeout: TIMEOUT_OPTION,
  format: FORMAT_OPTION,
} as const satisfies OptionSpecs;

type ReplayInvocation = CommandInvocation<typeof OPTIONS>;

export const replayCommand = defineCommand({
  name: "replay",
  summary: "run past hook calls again, and tell what the guard would have done",
  details: `
--transcript alone reads the records that your agents keep of your sessions and says what the guard would have stopped in
them: Claude Code, Codex, Gemini CLI, Copilot CLI, OpenCode, Pi and others. Nothing is run, and nothing leaves this machine. With a
folder the same is done for the transcripts in it; your own hooks run on every call that they want. With a FILE every
hook call of that session is run in order. With --input one payload is run.`,
  options: OPTIONS,
  forAgents: { use: "passes", asksWith: ["candidate"], runsText: ["candidate"] },
  examples: {
    "amplihack hooks replay --transcript": "what would have been stopped in your past sessions",
    "amplihack hooks replay --transcript ./sessions": "the same for a folder of transcripts",
    "amplihack hooks replay --input payload.json": "prints the answer to one payload",
  },
  async run(invocation) {
    const { options } = invocation;
    if ((options.input === undefined) === (options.transcript === undefined)) {
      throw usageError("exactly one of --input and --transcript is needed", "amplihack hooks replay --help");
    }
    const replayer = await openReplayer(invocation);
    return options.input === undefined
      ? replayTranscripts(invocation, replayer)
      : replayInput(invocation, options.input, replayer);
  },
});

interface Replayer {
  /** Runs one call and notes, or prints, what came of it. */
  replay(call: CompareInput, sandbox?: Sandbox): Promise<void>;
  /** what was noted for a JSON document, and whether every call kept to the protocol */
  result(): { readonly success: boolean; readonly runs: readonly unknown[] };
}

async function openReplayer({ options, system, terminal }: ReplayInvocation): Promise<Replayer> {
  const { answerIn } = await loadCompare();
  const engine = candidateEngine(system, options);
  const settings = { timeoutMs: toTimeoutMs(options) };
  const runs: unknown[] = [];
  let success = true;
  return {
    async replay(call, sandbox) {
      const ran = await answerIn(system, engine, call, settings, sandbox);
      const { name, event } = call;
      const output = ran.stdout.trim();
      const broken = protocolProblem(ran);
      if (broken !== undefined) success = false;
      // A long session is printed as it goes; only a JSON document has to be collected.
      if (options.format === "json")
        runs.push({ name, event, exit_code: ran.exitCode ?? null, output, broken });
      else
        terminal.print(
          `${event} ${name}: ${broken === undefined ? output || "(nothing)" : `BROKEN ${broken}`}\n`,
        );
    },
    result: () => ({ success, runs }),
  };
}

async function replayInput(
  { options, system, terminal }: ReplayInvocation,
  file: string,
  replayer: Replayer,
): Promise<number> {
  const input = readInputFile(system, file);
  const { event, name: subcommand } = eventOfInput(system, options.event, input);
  await replayer.replay({ name: file, event, subcommand, input });
  const result = replayer.result();
  if (options.format === "json") terminal.printJson(result);
  return result.success ? 0 : 1;
}

async function replayTranscripts(
  { options, system, terminal }: ReplayInvocation,
  replayer: Replayer,
): Promise<number> {
  const { addCall, emptySummary } = await loadGuardSummary();
  const { addOwnCall } = await loadUserHooksSummary();
  const { openSandbox } = await loadSandbox();
  const { inputsOfEntries, transcriptInputs } = await loadTranscriptInputs();
  const source = await chooseRecords(system, options.transcript ?? "", options.last ?? DEFAULT_LAST);
  const { records, isSummaryOnly } = source;
  const totalBytes = records.reduce((sum, { file }) => sum + (system.files.follow(file)?.size ?? 0), 0);
  const summary = emptySummary();
  const count = { lines: 0, bytes: 0, bad: 0 };
  const progress = new ProgressLine(system, terminal);
  const own: UserHooksSummary = new Map();
  const sandbox = openSandbox({});
  // What hooks remember and log in a replay is no part of the user's own state.
  const apart = { ...system, installedIn: join(sandbox.path, ".amplihack") };
  await takeUserHooks(system, sandbox);
  const readCall = createCallReader(system, options.event, [sandbox]);
  try {
    for (const record of records) {
      const { file, entries } = record;
      count.lines += entries?.length ?? 0;
      const inputs = entries === undefined ? transcriptInputs(system, file, count) : inputsOfEntries(entries);
      for (const recorded of inputs) {
        addCall(system, summary, record, recorded);
        progress.show(() => renderBar(count.bytes / totalBytes, summary.judged));
        if (isSummaryOnly) await addOwnCall(apart, own, recorded);
        const call = isSummaryOnly ? undefined : readCall(recorded);
        if (call !== undefined) await replayer.replay(call, sandbox);
      }
    }
  } finally {
    sandbox.remove();
    progress.clear();
  }
  const { success, runs } = replayer.result();
  const { byCall: _, ...shown } = summary;
  const guard = { ...shown, byRule: Object.fromEntries(summary.byRule) };
  const read = { files: records.length, lines: count.lines, sessions: source.sessions, found: source.found };
  const view = { terminal, nowMs: system.clock.nowMs(), home: system.env.get("HOME") ?? "/" };
  terminal.printResult(
    options.format,
    { success, runs, lines: count.lines, unreadable: count.bad, guard, own: toObject(own) },
    `${renderGuard(summary, read, view)}${renderOwn(own, terminal)}`,
  );
  if (count.bad > 0)
    terminal.warn(`Warning: ${count.bad} of ${quantity(count.lines, "line")} cannot be read\n`);
  return success ? 0 : 1;
}

/** Users' hooks would have run as well, so their compiled form is copied into the replay's home. */
async function takeUserHooks(system: ReplayInvocation["system"], sandbox: Sandbox): Promise<void> {
  const { requireDirectories } = await loadOperations();
  const { buildFolder } = await loadManifest();
  const folder = buildFolder(requireDirectories(system).stateHome);
  if (!existsSync(folder)) return;
  cpSync(folder, buildFolder(join(sandbox.path, ".amplihack")), { recursive: true });
}

/** Empty or one JSON value on stdout, exit 0 or 2, in time. */
function protocolProblem(ran: EngineRun): string | undefined {
  if (ran.failure !== undefined) return ran.failure;
  if (ran.exitCode !== 0 && ran.exitCode !== 2) return `exit code ${ran.exitCode}`;
  if (ran.stdout.trim() === "") return undefined;
  try {
    JSON.parse(ran.stdout);
    return undefined;
  } catch {
    return "stdout is not JSON";
  }
}

interface ReplayRecords {
  readonly records: readonly RecordedIn[];
  /** nothing is run but the user's own hooks */
  readonly isSummaryOnly: boolean;
  readonly sessions: readonly PastSession[] | undefined;
  readonly found: number;
}

/** A file, the transcripts in a folder, or the user's own newest sessions where neither is named. */
async function chooseRecords(system: System, named: string, last: number): Promise<ReplayRecords> {
  if (named !== "") {
    const path = findFile(system, named);
    const { MESSAGE_DATABASE } = await loadOpenCodeRecords();
    if (basename(path) === MESSAGE_DATABASE) {
      const records = (await readMessages(system, dirname(path))).map(({ record }) => record);
      return { records, isSummaryOnly: true, sessions: undefined, found: 0 };
    }
    const isFolder = system.files.follow(path)?.kind === "directory";
    const files = isFolder ? transcriptsIn(path) : [path];
    return { records: files.map(file => ({ file })), isSummaryOnly: isFolder, sessions: undefined, found: 0 };
  }
  const { requireDirectories } = await loadOperations();
  const { home } = requireDirectories(system);
  const lines = findPastSessions(system, home).map(session => ({
    session,
    record: { file: session.path, host: session.host },
  }));
  const all = [...lines, ...(await readMessagesBelow(system, home))].sort(
    (one, other) => other.session.modifiedMs - one.session.modifiedMs,
  );
  if (all.length === 0)
    throw new CommandError("no agent on this machine has kept a record of a session", {
      kind: "not-found",
      fix: "name one: amplihack hooks replay --transcript FILE",
    });
  const newest = all.slice(0, last);
  const records = newest.map(({ record }) => record);
  const sessions = newest.map(({ session }) => session);
  return { records, isSummaryOnly: true, sessions, found: all.length };
}

interface FoundSession {
  readonly session: PastSession;
  readonly record: RecordedIn;
}

/** Sessions of hosts that keep a store of messages. What cannot be read is left to `usage`, which says so. */
async function readMessagesBelow(system: System, home: string): Promise<readonly FoundSession[]> {
  const found: FoundSession[] = [];
  for (const { evidence } of HOST_LIST)
    if (evidence?.messageStore !== undefined)
      found.push(...(await readMessages(system, join(home, evidence.messageStore))));
  return found;
}

async function readMessages(system: System, store: string): Promise<readonly FoundSession[]> {
  const { lastUsedMs, MESSAGE_DATABASE, readOpenCodeSessions, toEntries } = await loadOpenCodeRecords();
  const keeper = HOST_LIST.find(({ evidence }) => evidence?.messageStore !== undefined);
  if (keeper === undefined) return [];
  const host = keeper.id;
  const title = keeper.setup?.().title ?? host;
  const sessions = await readOpenCodeSessions(system, store, "parts");
  return sessions.map(one => {
    const path = join(store, MESSAGE_DATABASE);
    return {
      session: { host, title, path, size: 0, modifiedMs: lastUsedMs(one) },
      record: { file: path, host, entries: toEntries(one) },
    };
  });
}

function transcriptsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(name => name.endsWith(".jsonl"))
    .map(name => join(folder, name))
    .sort();
}

function toObject(own: UserHooksSummary): Readonly<Record<string, Readonly<Record<string, number>>>> {
  return Object.fromEntries([...own].map(([hook, words]) => [hook, Object.fromEntries(words)]));
}

const BAR_WIDTH = 30;

function renderBar(share: number, calls: number): string {
  const filled = Math.min(BAR_WIDTH, Math.round(share * BAR_WIDTH));
  return `[${"█".repeat(filled)}${"·".repeat(BAR_WIDTH - filled)}] ${Math.round((filled / BAR_WIDTH) * 100)} %, ${calls} calls`;
}
