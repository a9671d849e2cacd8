import { defineCommand, FORMAT_OPTION, type Invocation, type OptionSpecs } from "../../cli/command.ts";
import { CommandError, usageError } from "../../cli/errors.ts";
import { resolveSubcommand } from "../../hosts/subcommands.ts";
import { isJsonObject, readJson } from "../../protocol/index.ts";
import type { CompareOptions, Comparison } from "../../verify/compare.ts";
import type { Engine } from "../../verify/run-engine.ts";
import { renderCase, renderMatrix, renderSummary, toJson } from "./compare-views.ts";
import {
  engineOf,
  eventNamedIn,
  eventOf,
  findFile,
  ownEngine,
  readInputFile,
  resolveHere,
} from "./engines.ts";

const GOLDEN_FOLDER = "tests/golden/hooks";
const COULD_NOT_RUN = 3;

export const compareCommand = defineCommand({
  name: "compare",
  summary:
    "run the same hook input through two programs, or a program and recorded answers, and show differences",
  details: `
The candidate is amplihack-hooks unless --candidate names another command. The reference is a command, a table of
commands, or golden files. Every run has a sandbox of its own as home and project. Exit 0: all match, 1: a mismatch,
2: usage, 3: a program could not be run, or there were no cases.`,
  options: {
    event: { kind: "text", label: "EVENT", summary: "PreToolUse, pre-tool-use, …" },
    input: { kind: "text", label: "FILE", summary: "one input; - for standard input" },
    all: { kind: "flag", summary: "every golden case" },
    transcript: { kind: "text", label: "FILE", summary: "every hook call of a recorded session, in order" },
    "golden-dir": { kind: "text", label: "DIR", summary: `where golden files are (${GOLDEN_FOLDER})` },
    filter: { kind: "text", label: "GLOB", summary: "only golden cases with such names" },
    reference: {
      kind: "text",
      label: "COMMAND",
      summary: "the program to compare with; {event} and {subcommand} are filled in",
    },
    "reference-map": { kind: "text", label: "FILE", summary: "JSON: a reference command for each event" },
    candidate: { kind: "text", label: "COMMAND", summary: "instead of amplihack-hooks" },
    timeout: { kind: "number", label: "SECONDS", summary: "for one run (10)", minimum: 0.001 },
    jobs: { kind: "number", label: "N", summary: "cases at a time (1)", minimum: 1 },
    ignore: {
      kind: "text",
      label: "POINTER",
      summary: "leave this out on both sides; * is one segment",
      isRepeatable: true,
    },
    epsilon: { kind: "number", label: "X", summary: "tolerance of numbers that are not whole (1e-9)" },
    exact: { kind: "flag", summary: "also compare stdout byte for byte" },
    timing: { kind: "flag", summary: "measure more runs; never part of the verdict" },
    runs: { kind: "number", label: "N", summary: "runs to measure (5)", minimum: 1 },
    matrix: { kind: "flag", summary: "print a table with the hashes of both answers" },
    "fail-fast": { kind: "flag", summary: "stop at the first mismatch" },
    "keep-sandbox": { kind: "flag", summary: "keep the sandboxes and print where they are" },
    format: FORMAT_OPTION,
  },
  examples: [
    { command: "amplihack hooks compare --all", does: "checks every golden case of this project" },
    {
      command: "amplihack hooks compare --event stop --input in.json --reference 'python3 old/stop.py'",
      does: "compares an old hook with amplihack's",
    },
  ],
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
      if (results.length === 1 || !options.all)
        for (const result of results) terminal.print(renderCase(result));
      if (results.length > 1 || options.all) terminal.print(renderSummary(results));
    }
    if (results.some(result => result.status === "mismatch")) return 1;
    return results.some(result => result.status === "error") ? COULD_NOT_RUN : 0;
  },
});

type CompareInvocation = Invocation<OptionSpecs> & {
  readonly options: {
    readonly event: string | undefined;
    readonly input: string | undefined;
    readonly all: boolean;
    readonly transcript: string | undefined;
    readonly "golden-dir": string | undefined;
    readonly filter: string | undefined;
    readonly reference: string | undefined;
    readonly "reference-map": string | undefined;
    readonly candidate: string | undefined;
    readonly timeout: number | undefined;
    readonly jobs: number | undefined;
    readonly ignore: readonly string[];
    readonly epsilon: number | undefined;
    readonly exact: boolean;
    readonly timing: boolean;
    readonly runs: number | undefined;
    readonly "fail-fast": boolean;
    readonly "keep-sandbox": boolean;
  };
};

async function collect(invocation: CompareInvocation): Promise<readonly Comparison[]> {
  const { options, system, terminal } = invocation;
  const ways = [options.all, options.input !== undefined, options.transcript !== undefined].filter(
    Boolean,
  ).length;
  if (ways !== 1)
    throw usageError(
      "exactly one of --all, --input and --transcript is needed",
      "amplihack hooks compare --help",
    );
  const candidate =
    options.candidate === undefined ? ownEngine() : engineOf(system, options.candidate, "candidate");
  const settings: CompareOptions = {
    timeoutMs: (options.timeout ?? 10) * 1000,
    ignore: options.ignore,
    ...(options.epsilon === undefined ? {} : { epsilon: options.epsilon }),
    isExact: options.exact,
    ...(options.timing ? { timingRuns: options.runs ?? 5 } : {}),
    ...(options["keep-sandbox"] ? { onKeep: (path: string) => terminal.warn(`sandbox: ${path}\n`) } : {}),
  };
  const reference = referenceFor(invocation);
  if (options.transcript !== undefined) return compareTranscript(invocation, candidate, reference, settings);
  if (options.input !== undefined) return compareInput(invocation, candidate, reference, settings);
  return compareAll(invocation, candidate, reference, settings);
}

/** The reference command for an event; undefined when golden files have the word. */
function referenceFor({
  options,
  system,
}: CompareInvocation): (event: string, subcommand: string) => Engine | undefined {
  if (options.reference !== undefined) {
    const engine = engineOf(system, options.reference, "reference");
    return () => engine;
  }
  const file = options["reference-map"];
  if (file === undefined) return () => undefined;
  const read = readJson(system.text.decode(readInputFile(system, file)).text, {
    recover: false,
    maxDepth: 2,
  });
  if (!read.ok || !isJsonObject(read.value))
    throw usageError(`${file} must hold a JSON object of events and commands`, '{"Stop": "python3 stop.py"}');
  const table = new Map<string, Engine>();
  for (const [name, words] of Object.entries(read.value)) {
    if (typeof words !== "string") throw usageError(`${file}: the command of ${name} must be a text`);
    table.set(eventOf(name).name, engineOf(system, words, "reference-map"));
  }
  return (_, subcommand) => table.get(subcommand);
}

async function compareInput(
  { options, system }: CompareInvocation,
  candidate: Engine,
  reference: ReturnType<typeof referenceFor>,
  settings: CompareOptions,
): Promise<readonly Comparison[]> {
  const { compareEngines } = await import("../../verify/compare.ts");
  const input = readInputFile(system, options.input ?? "-");
  const named = options.event ?? eventNamedIn(system, input);
  if (named === undefined) throw usageError("the input names no event; add --event", "--event PreToolUse");
  const { event, name: subcommand } = eventOf(named);
  const engine = reference(event, subcommand);
  if (engine === undefined)
    throw usageError("a reference is needed: --reference or --reference-map, or --all with golden files");
  const one = { name: options.input ?? "-", event, subcommand, input };
  return [await compareEngines(system, { reference: engine, candidate }, one, settings)];
}

async function compareAll(
  invocation: CompareInvocation,
  candidate: Engine,
  reference: ReturnType<typeof referenceFor>,
  settings: CompareOptions,
): Promise<readonly Comparison[]> {
  const { options, system } = invocation;
  const { findGoldenCases } = await import("../../verify/golden.ts");
  const { compareEngines, compareGolden } = await import("../../verify/compare.ts");
  const folder = resolveHere(system, options["golden-dir"] ?? GOLDEN_FOLDER);
  if (system.files.follow(folder)?.kind !== "directory") {
    throw new CommandError(`there is no folder ${folder}`, {
      kind: "no-cases",
      exitCode: COULD_NOT_RUN,
      fix: "--golden-dir DIR",
    });
  }
  const wanted = options.event === undefined ? undefined : eventOf(options.event).name;
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
    const message = error instanceof Error ? error.message : String(error);
    throw new CommandError(message, { kind: "broken-golden-files", exitCode: COULD_NOT_RUN });
  }
}

async function compareTranscript(
  { options, system, terminal }: CompareInvocation,
  candidate: Engine,
  reference: ReturnType<typeof referenceFor>,
  settings: CompareOptions,
): Promise<readonly Comparison[]> {
  const { compareEngines } = await import("../../verify/compare.ts");
  const { openSandbox } = await import("../../verify/sandbox.ts");
  const { createMover, transcriptInputs } = await import("../../verify/transcript-inputs.ts");
  const wanted = options.event === undefined ? undefined : eventOf(options.event).event;
  const count = { lines: 0, bytes: 0, bad: 0 };
  const sandboxes = { reference: openSandbox({}), candidate: openSandbox({}) };
  const results: Comparison[] = [];
  const move = createMover();
  try {
    for (const { event, line, payload } of transcriptInputs(
      system,
      findFile(system, options.transcript ?? ""),
      count,
    )) {
      const subcommand = resolveSubcommand(event);
      if (subcommand === undefined || (wanted !== undefined && subcommand.event !== wanted)) continue;
      const engine = reference(subcommand.event, subcommand.name);
      if (engine === undefined) throw usageError("a transcript needs --reference or --reference-map");
      const { text, directory } = move(payload);
      for (const sandbox of Object.values(sandboxes))
        if (directory !== undefined) sandbox.makeDirectory(directory);
      const input = system.text.encode(text);
      const one = { name: `line ${line}`, event: subcommand.event, subcommand: subcommand.name, input };
      const result = await compareEngines(system, { reference: engine, candidate }, one, settings, sandboxes);
      results.push(result);
      if (options["fail-fast"] && result.status !== "match") break;
    }
  } finally {
    for (const sandbox of Object.values(sandboxes)) {
      if (settings.onKeep === undefined) sandbox.remove();
      else settings.onKeep(sandbox.path);
    }
  }
  if (count.bad > 0) terminal.warn(`Warning: ${count.bad} of ${count.lines} line(s) cannot be read\n`);
  return results;
}
