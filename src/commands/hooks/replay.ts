import { cpSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  CommandError,
  defineCommand,
  FORMAT_OPTION,
  type Invocation,
  type OptionSpecs,
  option,
  ProgressLine,
  usageError,
} from "../../cli/index.ts";
import { loadManifest } from "../../hooks/index.ts";
import { loadOperations } from "../../install/index.ts";
import type { System } from "../../system/index.ts";
import { count as quantity } from "../../text/index.ts";
import {
  type CompareInput,
  type EngineRun,
  loadCompare,
  loadGuardSummary,
  loadOwnHooksSummary,
  loadPastSessions,
  loadSandbox,
  loadTranscriptInputs,
  type OwnHooksSummary,
  type PastSession,
  type RecordedIn,
  type Sandbox,
} from "../../verify/index.ts";
import {
  CANDIDATE_OPTION,
  candidateOf,
  createCallReader,
  eventOfInput,
  findFile,
  readInputFile,
  TIMEOUT_OPTION,
  timeoutOf,
} from "./engines.ts";
import { renderGuard, renderOwn } from "./replay-summary.ts";

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

type ReplayInvocation = Invocation<typeof OPTIONS>;

export const replayCommand = defineCommand({
  name: "replay",
  summary: "run past hook calls again, and tell what the guard would have done",
  details: `
--transcript alone reads the records that Claude Code, Codex, Gemini CLI, Copilot CLI, Pi and others keep of your own
sessions and tells what the guard would have stopped in them. Nothing is run, and nothing leaves this machine. With a
folder the same is done for the transcripts in it; your own hooks run on every call that they want. With a FILE every
hook call of that session is run in order. With --input one payload is run.`,
  options: OPTIONS,
  forAgents: { use: "passes", asksWith: ["candidate"] },
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
  const engine = candidateOf(system, options);
  const settings = { timeoutMs: timeoutOf(options) };
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
  const { addOwnCall } = await loadOwnHooksSummary();
  const { openSandbox } = await loadSandbox();
  const { transcriptInputs } = await loadTranscriptInputs();
  const source = await chooseRecords(system, options.transcript ?? "", options.last ?? DEFAULT_LAST);
  const { records, isSummaryOnly } = source;
  const totalBytes = records.reduce((sum, { file }) => sum + (system.files.follow(file)?.size ?? 0), 0);
  const summary = emptySummary();
  const count = { lines: 0, bytes: 0, bad: 0 };
  const progress = new ProgressLine(system, terminal);
  const own: OwnHooksSummary = new Map();
  const sandbox = openSandbox({});
  // What hooks remember and log in a replay is no part of the user's own state.
  const apart = { ...system, installedIn: join(sandbox.path, ".amplihack") };
  await takeOwnHooks(system, sandbox);
  const readCall = createCallReader(system, options.event, [sandbox]);
  try {
    for (const record of records) {
      for (const recorded of transcriptInputs(system, record.file, count)) {
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
  const guard = { ...summary, byRule: Object.fromEntries(summary.byRule) };
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

/** The user's own hooks are part of what would have happened: their compiled form comes along. */
async function takeOwnHooks(system: ReplayInvocation["system"], sandbox: Sandbox): Promise<void> {
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
    const isFolder = system.files.follow(path)?.kind === "directory";
    const files = isFolder ? transcriptsIn(path) : [path];
    return { records: files.map(file => ({ file })), isSummaryOnly: isFolder, sessions: undefined, found: 0 };
  }
  const { findPastSessions } = await loadPastSessions();
  const { requireDirectories } = await loadOperations();
  const all = findPastSessions(system, requireDirectories(system).home);
  if (all.length === 0)
    throw new CommandError("no agent on this machine has kept a record of a session", {
      kind: "not-found",
      fix: "name one: amplihack hooks replay --transcript FILE",
    });
  const sessions = all.slice(0, last);
  const records = sessions.map(({ path, host }) => ({ file: path, host }));
  return { records, isSummaryOnly: true, sessions, found: all.length };
}

function transcriptsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter(name => name.endsWith(".jsonl"))
    .map(name => join(folder, name))
    .sort();
}

function toObject(own: OwnHooksSummary): Readonly<Record<string, Readonly<Record<string, number>>>> {
  return Object.fromEntries([...own].map(([hook, words]) => [hook, Object.fromEntries(words)]));
}

const BAR_WIDTH = 30;

function renderBar(share: number, calls: number): string {
  const filled = Math.min(BAR_WIDTH, Math.round(share * BAR_WIDTH));
  return `[${"█".repeat(filled)}${"·".repeat(BAR_WIDTH - filled)}] ${Math.round((filled / BAR_WIDTH) * 100)} %, ${calls} calls`;
}
