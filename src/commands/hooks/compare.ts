import {
  CommandError,
  type CommandInvocation,
  defineCommand,
  FORMAT_OPTION,
  type OptionSpecs,
  option,
  usageError,
} from "../../cli/index.ts";
import { resolveSubcommand } from "../../hosts/index.ts";
import { findNativeProgram, findPackage, upgradeCommand } from "../../install/index.ts";
import { errorText, isJsonObject, readJson } from "../../protocol/index.ts";
import { type System, sha256Hex, utf8 } from "../../system/index.ts";
import { count as quantity } from "../../text/index.ts";
import {
  type Answered,
  type CompareOptions,
  type Comparison,
  canonicalOutput,
  type Difference,
  type Engine,
  loadCompare,
  loadGolden,
  loadRecordedInputs,
  loadSandbox,
  loadTranscriptInputs,
  toPlain,
} from "../../verify/index.ts";
import {
  CANDIDATE_OPTION,
  candidateEngine,
  createCallReader,
  eventOfInput,
  findFile,
  nodeEngine,
  parseEngine,
  parseEvent,
  readInputFile,
  resolveHere,
  TIMEOUT_OPTION,
  toTimeoutMs,
} from "./engines.ts";

const SHOWN = 160;

function renderCase(result: Comparison): string {
  const lines = [
    `${result.event} ${result.name}`,
    `Reference: ${duration(result.reference)} ${shorten(canonicalOutput(result.reference))}`,
    `Candidate: ${duration(result.candidate)} ${shorten(canonicalOutput(result.candidate))}`,
    `Status: ${statusText(result)}`,
    ...result.differences.map(differenceLine),
  ];
  return `${lines.join("\n")}\n`;
}

const STATUSES = ["match", "mismatch", "error"] as const;

function renderSummary(results: readonly Comparison[]): string {
  const events = [...new Set(results.map(result => result.event))].sort();
  const width = Math.max(5, ...events.map(event => event.length));
  const row = (name: string, cells: readonly (string | number)[]): string =>
    `${name.padEnd(width)}  ${cells.map(cell => String(cell).padStart(8)).join("  ")}`;
  const rows = events.map(event => {
    const own = results.filter(result => result.event === event);
    return row(event, [own.length, ...STATUSES.map(status => countByStatus(own, status))]);
  });
  const bad = results
    .filter(result => result.status !== "match")
    .flatMap(result => [
      `${result.event} ${result.name}: ${statusText(result)}`,
      ...result.differences.map(line => `  ${differenceLine(line)}`),
    ]);
  const matched = `${countByStatus(results, "match")}/${results.length} matched`;
  return `${[row("event", ["total", ...STATUSES]), ...rows, ...bad, matched].join("\n")}\n`;
}

function countByStatus(results: readonly Comparison[], status: Comparison["status"]): number {
  return results.filter(result => result.status === status).length;
}

function renderMatrix(results: readonly Comparison[]): string {
  const hash = (side: Answered): string => sha256Hex(utf8.encode(canonicalOutput(side)));
  const rows = results.map(
    result =>
      `${result.event} | ${result.name} | ${hash(result.reference)} | ${hash(result.candidate)} | ${result.status === "match" ? "✅" : "❌"}`,
  );
  return `${["event | case | sha256 of reference | sha256 of candidate | equal", ...rows].join("\n")}\n`;
}

function toJson(results: readonly Comparison[]) {
  const side = (answered: Answered) => ({
    output: answered.output === undefined ? answered.raw : toPlain(answered.output),
    exit_code: answered.exitCode ?? null,
    stderr_tail: answered.stderrTail,
    duration_us: answered.durationUs,
  });
  return {
    success: countByStatus(results, "match") === results.length,
    total: results.length,
    matched: countByStatus(results, "match"),
    mismatched: countByStatus(results, "mismatch"),
    errors: countByStatus(results, "error"),
    cases: results.map(({ name, event, status, reference, candidate, differences, error }) => ({
      name,
      event,
      status,
      reference: side(reference),
      candidate: side(candidate),
      differences,
      ...(error === undefined ? {} : { error }),
    })),
  };
}

function statusText({ status, error }: Comparison): string {
  if (status === "match") return "MATCH ✅";
  return status === "mismatch" ? "MISMATCH ❌" : `ERROR ❌ ${error ?? ""}`;
}

function differenceLine(difference: Difference): string {
  const show = (side: "reference" | "candidate"): string =>
    side in difference ? shorten(JSON.stringify(difference[side])) : "absent";
  return `${difference.path === "" ? "(whole answer)" : difference.path}: reference ${show("reference")} candidate ${show("candidate")}`;
}

function duration({ durationUs }: Answered): string {
  return `${Math.round(durationUs / 1000)}ms`.padStart(6);
}

function shorten(text: string | undefined): string {
  const shown = text ?? "nothing";
  return shown.length <= SHOWN ? shown : `${shown.slice(0, SHOWN - 1)}…`;
}

const GOLDEN_FOLDER = "tests/golden/hooks";
const COULD_NOT_RUN = 3;

const OPTIONS = {
  event: option.string("EVENT", "PreToolUse, pre-tool-use, …"),
  input: option.string("FILE", "one input; - for standard input"),
  all: option.boolean("every golden case"),
  transcript: option.string("FILE", "every hook call of a recorded session, in order"),
  "golden-dir": option.string("DIR", `where golden files are (${GOLDEN_FOLDER})`),
  filter: option.string("GLOB", "only golden cases with such names"),
  reference: option.string("COMMAND", "the program to compare with; {event} and {subcommand} are filled in"),
  "reference-map": option.string("FILE", "JSON: a reference command for each event"),
  candidate: CANDIDATE_OPTION,
  timeout: TIMEOUT_OPTION,
  jobs: option.number("N", "cases at a time (1)", { minimum: 1 }),
  ignore: option.string("POINTER", "leave this out on both sides; * is one segment", { isRepeatable: true }),
  epsilon: option.number("X", "tolerance of numbers that are not whole (1e-9)"),
  exact: option.boolean("also compare stdout byte for byte"),
  timing: option.boolean("measure more runs; never part of the verdict"),
  runs: option.number("N", "runs to measure (5)", { minimum: 1 }),
  matrix: option.boolean("print a table with the hashes of both answers"),
  "fail-fast": option.boolean("stop at the first mismatch"),
  "keep-sandbox": option.boolean("keep the sandboxes and print where they are"),
  format: FORMAT_OPTION,
} as const satisfies OptionSpecs;

type CompareInvocation = CommandInvocation<typeof OPTIONS>;

export const compareCommand = defineCommand({
  name: "compare",
  summary:
    "run the same hook input through two programs, or a program and recorded answers, and show differences",
  details: `
The reference is a command, a table of commands, or with --all golden files; the candidate is amplihack-hooks unless
--candidate names another command. Without --reference and without golden files, the reference is amplihack-hooks on
Node and the candidate is the native program. Without --all, --input and --transcript, the inputs are calls that were
recorded from real hosts. Every run has a sandbox of its own as home and project. Exit 0: all match, 1: a mismatch, 2:
usage, 3: a program could not be run, or there were no cases.`,
  options: OPTIONS,
  forAgents: {
    use: "passes",
    asksWith: ["candidate", "reference", "reference-map"],
    runsText: ["candidate", "reference"],
    runsFile: ["reference-map"],
  },
  examples: {
    "amplihack hooks compare": "compares amplihack-hooks on Node with the native program",
    "amplihack hooks compare --all": "checks every golden case of this project",
    "amplihack hooks compare --event stop --input in.json --reference 'python3 old/stop.py'":
      "compares an old hook with amplihack's",
  },
  async run(invocation) {
    const { options, terminal } = invocation;
    const results = await collect(invocation);
    if (results.length === 0)
      throw new CommandError("there is nothing to compare: no case was found", {
        kind: "no-cases",
        exitCode: COULD_NOT_RUN,
      });
    if (options.format === "json") terminal.printJson(toJson(results));
    else if (options.matrix) terminal.print(renderMatrix(results));
    else {
      const isTold = options.input !== undefined || options.transcript !== undefined;
      if (results.length === 1 || isTold) for (const result of results) terminal.print(renderCase(result));
      if (results.length > 1 || !isTold) terminal.print(renderSummary(results));
    }
    if (results.some(result => result.status === "mismatch")) return 1;
    return results.some(result => result.status === "error") ? COULD_NOT_RUN : 0;
  },
});

async function collect(invocation: CompareInvocation): Promise<readonly Comparison[]> {
  const { options, system, terminal } = invocation;
  const ways = [options.all, options.input !== undefined, options.transcript !== undefined];
  if (ways.filter(Boolean).length > 1)
    throw usageError(
      "only one of --all, --input and --transcript can be given",
      "amplihack hooks compare --help",
    );
  const settings: CompareOptions = {
    timeoutMs: toTimeoutMs(options),
    ignore: options.ignore,
    ...(options.epsilon === undefined ? {} : { epsilon: options.epsilon }),
    isExact: options.exact,
    ...(options.timing ? { timingRuns: options.runs ?? 5 } : {}),
    ...(options["keep-sandbox"] ? { onKeep: (path: string) => terminal.warn(`sandbox: ${path}\n`) } : {}),
  };
  if (options.all) {
    const setup = {
      candidate: candidateEngine(system, options),
      reference: referenceFor(invocation),
      settings,
    };
    return compareAll(invocation, setup);
  }
  const setup = { ...enginesFor(invocation), settings };
  if (options.transcript !== undefined) return compareTranscript(invocation, setup);
  return options.input === undefined ? compareRecorded(invocation, setup) : compareInput(invocation, setup);
}

/** Where no golden file has the word, our two programs are compared unless others are named. */
function enginesFor(invocation: CompareInvocation): Pick<CompareSetup, "candidate" | "reference"> {
  const { options, system } = invocation;
  const isNamed = options.reference !== undefined || options["reference-map"] !== undefined;
  if (isNamed) return { candidate: candidateEngine(system, options), reference: referenceFor(invocation) };
  const candidate = options.candidate === undefined ? nativeEngine(system) : candidateEngine(system, options);
  return { candidate, reference: nodeEngine };
}

function nativeEngine(system: System): Engine {
  const source = findPackage(system);
  const native = findNativeProgram(system, source);
  if (native.kind === "found") return { words: [native.program] };
  throw new CommandError(`there is no native program to compare with Node: ${native.why}`, {
    kind: "no-native-program",
    exitCode: COULD_NOT_RUN,
    fix: `${upgradeCommand(source.version)}, npm run build:native in a clone, or --reference COMMAND`,
  });
}

interface CompareSetup {
  readonly candidate: Engine;
  readonly reference: ReferenceFinder;
  readonly settings: CompareOptions;
}

/** The reference command for an event and its subcommand; undefined when golden files have the word. */
type ReferenceFinder = (event: string, subcommand: string) => Engine | undefined;

function referenceFor({ options, system }: CompareInvocation): ReferenceFinder {
  if (options.reference !== undefined) {
    const engine = parseEngine(system, options.reference, "reference");
    return () => engine;
  }
  const file = options["reference-map"];
  if (file === undefined) return () => undefined;
  const { text } = system.text.decode(readInputFile(system, file));
  const read = readJson(text, { recover: false, maxDepth: 2 });
  if (!read.ok || !isJsonObject(read.value))
    throw usageError(`${file} must be a JSON object of events and commands`, '{"Stop": "python3 stop.py"}');
  const table = new Map<string, Engine>();
  for (const [name, words] of Object.entries(read.value)) {
    if (typeof words !== "string") throw usageError(`${file}: the command of ${name} must be a text`);
    table.set(parseEvent(name).name, parseEngine(system, words, "reference-map"));
  }
  return (_, subcommand) => table.get(subcommand);
}

/** Calls that real hosts made. One at a time: they are few, and programs that are timed must not disturb each other. */
async function compareRecorded(
  { options, system }: CompareInvocation,
  { candidate, reference, settings }: CompareSetup,
): Promise<readonly Comparison[]> {
  const { compareEngines } = await loadCompare();
  const { readRecordedCalls } = await loadRecordedInputs();
  const { SANDBOX_MARK } = await loadSandbox();
  const wanted = options.event === undefined ? undefined : parseEvent(options.event).event;
  const results: Comparison[] = [];
  for (const { host, event, payload } of readRecordedCalls(SANDBOX_MARK)) {
    const subcommand = resolveSubcommand(event);
    if (subcommand === undefined || (wanted !== undefined && subcommand.event !== wanted)) continue;
    const engine = reference(subcommand.event, subcommand.name);
    if (engine === undefined) continue;
    const call = {
      name: `${host} ${event}`,
      event: subcommand.event,
      subcommand: subcommand.name,
      input: system.text.encode(JSON.stringify(payload)),
    };
    const result = await compareEngines(system, { reference: engine, candidate }, call, settings);
    results.push(result);
    if (options["fail-fast"] && result.status !== "match") break;
  }
  return results;
}

async function compareInput(
  { options, system }: CompareInvocation,
  { candidate, reference, settings }: CompareSetup,
): Promise<readonly Comparison[]> {
  const { compareEngines } = await loadCompare();
  const input = readInputFile(system, options.input ?? "-");
  const { event, name: subcommand } = eventOfInput(system, options.event, input);
  const engine = reference(event, subcommand);
  if (engine === undefined)
    throw usageError("a reference is needed: --reference or --reference-map, or --all with golden files");
  const one = { name: options.input ?? "-", event, subcommand, input };
  return [await compareEngines(system, { reference: engine, candidate }, one, settings)];
}

async function compareAll(
  { options, system }: CompareInvocation,
  { candidate, reference, settings }: CompareSetup,
): Promise<readonly Comparison[]> {
  const { findGoldenCases } = await loadGolden();
  const { compareEngines, compareGolden } = await loadCompare();
  const folder = resolveHere(system, options["golden-dir"] ?? GOLDEN_FOLDER);
  if (system.files.follow(folder)?.kind !== "directory") {
    throw new CommandError(`there is no folder ${folder}`, {
      kind: "no-cases",
      exitCode: COULD_NOT_RUN,
      fix: "--golden-dir DIR",
    });
  }
  const wanted = options.event === undefined ? undefined : parseEvent(options.event).name;
  const cases = orCouldNotRun(() => findGoldenCases(folder, { event: wanted, filter: options.filter }));
  const results: Comparison[] = [];
  const queue = cases.map((golden, index) => ({ golden, index }));
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { golden, index } = next;
      const engine = reference(golden.event, golden.subcommand);
      const result =
        engine === undefined
          ? await compareGolden(system, candidate, golden, settings)
          : await compareEngines(system, { reference: engine, candidate }, golden, settings);
      results[index] = result;
      if (options["fail-fast"] && result.status !== "match") queue.length = 0;
    }
  };
  await Promise.all(Array.from({ length: options.jobs ?? 1 }, worker));
  return results.filter(result => result !== undefined);
}

/** A golden folder with something missing or unreadable is no mismatch. */
function orCouldNotRun<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new CommandError(errorText(error), { kind: "broken-golden-files", exitCode: COULD_NOT_RUN });
  }
}

async function compareTranscript(
  { options, system, terminal }: CompareInvocation,
  { candidate, reference, settings }: CompareSetup,
): Promise<readonly Comparison[]> {
  const { compareEngines } = await loadCompare();
  const { openSandbox } = await loadSandbox();
  const { transcriptInputs } = await loadTranscriptInputs();
  const count = { lines: 0, bytes: 0, bad: 0 };
  const sandboxes = { reference: openSandbox({}), candidate: openSandbox({}) };
  const results: Comparison[] = [];
  const readCall = createCallReader(system, options.event, Object.values(sandboxes));
  try {
    for (const recorded of transcriptInputs(system, findFile(system, options.transcript ?? ""), count)) {
      const call = readCall(recorded);
      if (call === undefined) continue;
      const engine = reference(call.event, call.subcommand);
      if (engine === undefined) throw usageError("a transcript needs --reference or --reference-map");
      const engines = { reference: engine, candidate };
      const result = await compareEngines(system, engines, call, settings, sandboxes);
      results.push(result);
      if (options["fail-fast"] && result.status !== "match") break;
    }
  } finally {
    for (const sandbox of Object.values(sandboxes)) {
      if (settings.onKeep === undefined) sandbox.remove();
      else settings.onKeep(sandbox.path);
    }
  }
  if (count.bad > 0)
    terminal.warn(`Warning: ${count.bad} of ${quantity(count.lines, "line")} cannot be read\n`);
  return results;
}
