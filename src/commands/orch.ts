import {
  CommandError,
  type CommandInvocation,
  defineCommand,
  defineFamily,
  option,
  ownProgram,
  usageError,
} from "../cli/index.ts";
import { ownValue } from "../protocol/index.ts";
import { loadInterruption, loadRunWorkstreams, loadValue, loadWorkstreams } from "../recipes/index.ts";
import { readText } from "../state/index.ts";
import { join, resolve, type System } from "../system/index.ts";
import { didYouMean } from "../text/index.ts";

const HELPER_OPTIONS = {
  "require-field": option.string("NAME", "extract-json: the last object that has this member"),
  field: option.string("NAME", "extract-field: the member to print"),
  default: option.string("TEXT", "extract-field: what to print where there is none"),
  current: option.string("TYPE", "reclassify-task-type: the type found so far"),
  "force-single": option.boolean("count-workstreams: always 1"),
} as const;
type HelperOptions = Partial<Readonly<Record<keyof typeof HELPER_OPTIONS, string | boolean | undefined>>>;

interface Operation {
  readonly summary: string;
  readonly takes: readonly (keyof typeof HELPER_OPTIONS)[];
  readonly needs?: keyof typeof HELPER_OPTIONS;
  run(input: string, options: HelperOptions, system: System): Promise<string>;
}

const answers = () => loadWorkstreams();
const workstreams = () => loadWorkstreams();

const OPERATIONS: Readonly<Record<string, Operation>> = {
  "extract-json": {
    summary: "the JSON object of an answer, {} where there is none",
    takes: ["require-field"],
    async run(input, options) {
      const { findLastObjectWith, findObject } = await answers();
      const field = options["require-field"];
      return JSON.stringify(typeof field === "string" ? findLastObjectWith(input, field) : findObject(input));
    },
  },
  "extract-field": {
    summary: "a member of a JSON object as text",
    takes: ["field", "default"],
    needs: "field",
    run: async (input, { field, default: otherwise }) =>
      (await answers()).fieldText(input, String(field)) ?? String(otherwise ?? ""),
  },
  "normalise-type": {
    summary: "Q&A, Operations, Investigation or Development",
    takes: [],
    run: async input => (await answers()).parseTaskType(input),
  },
  "normalise-verdict": {
    summary: "whether the work was verified",
    takes: [],
    run: async input => (await answers()).parseWorkVerdict(input),
  },
  "normalise-loop-verdict": {
    summary: "CONTINUE, DONE or STUCK",
    takes: [],
    run: async input => (await answers()).parseLoopVerdict(input),
  },
  "reclassify-task-type": {
    summary: "Development where work on code is asked for",
    takes: ["current"],
    needs: "current",
    run: async (input, { current }) => (await answers()).reclassify(String(current), input),
  },
  "count-workstreams": {
    summary: "how many parts a decomposition has, at least 1",
    takes: ["force-single"],
    run: async (input, options) =>
      options["force-single"] === true ? "1" : String((await workstreams()).countWorkstreams(input)),
  },
  "build-workstreams-config": {
    summary: "writes a file for `orch run` and prints its path",
    takes: [],
    run: async (input, _, system) => writeWorkstreams(system, await workstreams(), input),
  },
};

function writeWorkstreams(
  system: System,
  { workstreamEntries }: Awaited<ReturnType<typeof workstreams>>,
  input: string,
): string {
  const wanted = system.env.get("TMPDIR") ?? "";
  const path = join(wanted.startsWith("/") ? wanted : "/tmp", `smart-orch-ws-${system.random.hex(16)}.json`);
  const text = `${JSON.stringify(workstreamEntries(input), null, 2)}\n`;
  system.files.createExclusive(path, system.text.encode(text), 0o600);
  return path;
}

const MAX_INPUT_BYTES = 64 * 1024 * 1024;

function readInput(system: System): string {
  const input = system.stdio.readInput(MAX_INPUT_BYTES);
  if (input.kind === "bytes") return system.text.decode(input.bytes).text;
  if (input.kind === "closed") return "";
  const why = input.kind === "too-large" ? `it is longer than ${MAX_INPUT_BYTES} bytes` : input.code;
  throw new CommandError(`standard input cannot be read: ${why}`, { kind: "invalid" });
}

const helper = defineCommand({
  name: "helper",
  summary: "read an agent's answer on stdin and print what a recipe needs of it",
  details: `Operations:\n${Object.entries(OPERATIONS)
    .map(([name, { summary }]) => `  ${name.padEnd(25)} ${summary}`)
    .join("\n")}`,
  positionals: [{ name: "OPERATION", summary: "what to print" }],
  options: HELPER_OPTIONS,
  forAgents: "passes",
  examples: {
    'amplihack orch helper extract-json < answer.md | amplihack orch helper extract-field --field verdict --default ""':
      "prints one member of the object in an answer",
    "echo APPROVED | amplihack orch helper normalise-verdict": "prints WORK_VERIFIED",
  },
  async run({ options, positionals, system, terminal }) {
    const [name = ""] = positionals;
    const operation = ownValue(OPERATIONS, name);
    const fail = (message: string) => usageError(message, "amplihack orch helper --help");
    if (operation === undefined)
      throw fail(`unknown operation '${name}'${didYouMean(name, Object.keys(OPERATIONS))}`);
    const given = Object.entries(HELPER_OPTIONS).flatMap(([key]) => {
      const option = key as keyof typeof HELPER_OPTIONS;
      const value = options[option];
      return value === undefined || value === false ? [] : [option];
    });
    const foreign = given.find(option => !operation.takes.includes(option));
    if (foreign !== undefined) throw fail(`${name} does not take --${foreign}`);
    const { needs } = operation;
    if (needs !== undefined && (options[needs] ?? "") === "") throw fail(`${name} needs --${needs}`);
    terminal.print(`${await operation.run(readInput(system), options, system)}\n`);
    return 0;
  },
});

const run = defineCommand({
  name: "run",
  summary: "run several recipes at the same time, each on a branch and in a worktree of its own",
  details: `
FILE is a JSON list of {issue, branch, task, description?, recipe?, max_runtime?, timeout_policy?}. The repository is
AMPLIHACK_REPO_PATH or that of the working directory. A worktree in which something was done is kept; the report says
where. Exit 0 when all succeeded.`,
  positionals: [{ name: "FILE", summary: "a file with workstreams", completes: "file" }],
  options: {},
  forAgents: { use: "asks", runs: "file" },
  examples: {
    "amplihack orch run workstreams.json": "runs all of them and prints a report",
    'amplihack orch run -- "$WS_FILE"': "for a path from a variable",
  },
  run: runFile,
});

async function runFile({ positionals, system, terminal }: CommandInvocation): Promise<number> {
  const here = system.files.workingDirectory() ?? "/";
  const path = resolve(here, positionals[0] ?? "");
  const [{ readWorkstreams }, { runWorkstreams }, { readJsonText }, signals] = await Promise.all([
    workstreams(),
    loadRunWorkstreams(),
    loadValue(),
    loadInterruption(),
  ]);
  const text = readText(system, path, MAX_INPUT_BYTES);
  if (text === undefined) throw new CommandError(`there is no file ${path}`, { kind: "not-found" });
  const list = readWorkstreams(readJsonText(text), path);
  if (list.length === 0) {
    terminal.warn(`No workstreams defined in ${path}\n`);
    return 0;
  }
  const interruption = new signals.Interruption();
  const listening = signals.listenForSignals(interruption);
  try {
    return await runWorkstreams(system, {
      workstreams: list,
      repository: resolve(here, system.env.get("AMPLIHACK_REPO_PATH") ?? "."),
      launcher: [process.execPath, ownProgram()],
      interruption,
      print: terminal.print,
    });
  } finally {
    listening.dispose();
  }
}

export const command = defineFamily({
  name: "orch",
  summary: "what recipes that divide a task among agents call",
  subcommands: [helper, run],
  examples: { "amplihack orch run workstreams.json": "runs several recipes at the same time" },
});
