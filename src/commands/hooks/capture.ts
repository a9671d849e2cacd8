import { CommandError, defineCommand, FORMAT_OPTION, option, usageError } from "../../cli/index.ts";
import { appendJsonLine } from "../../state/index.ts";
import { loadCompare, loadGolden } from "../../verify/index.ts";
import {
  CANDIDATE_OPTION,
  candidateEngine,
  parseEngine,
  parseEvent,
  readInputFile,
  resolveHere,
  TIMEOUT_OPTION,
  toTimeoutMs,
} from "./engines.ts";

export const captureCommand = defineCommand({
  name: "capture",
  summary: "run one input and keep input and answer as golden files",
  options: {
    event: option.string("EVENT", "PreToolUse, pre-tool-use, …", { isRequired: true }),
    input: option.string("FILE", "the payload; - for standard input", { isRequired: true }),
    name: option.string("NAME", "of the case", { isRequired: true }),
    "golden-dir": option.string("DIR", "where golden files are (tests/golden/hooks)"),
    from: option.choice(["candidate", "reference"], "whose answer to keep", { initial: "candidate" }),
    reference: option.string("COMMAND", "the reference, for --from reference"),
    candidate: CANDIDATE_OPTION,
    baseline: option.string("FILE", "also append a baseline record to this JSONL file"),
    timeout: TIMEOUT_OPTION,
    force: option.boolean("replace a case that is already there"),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "asks", writes: ["baseline"], runsText: ["reference", "candidate"] },
  examples: {
    "amplihack hooks capture --event stop --input in.json --name plain-stop":
      "writes the three golden files of a case",
  },
  async run({ options, system, terminal }) {
    const { event, input: file, name } = options;
    if (options.from === "reference" && options.reference === undefined)
      throw usageError("--from reference needs --reference");
    const { isCaseName, writeCapture } = await loadGolden();
    if (!isCaseName(name))
      throw usageError(`'${name}' is not a name for a case: letters, digits, . _ - only, at most 100`);
    const subcommand = parseEvent(event);
    const engine =
      options.from === "reference"
        ? parseEngine(system, options.reference ?? "", "reference")
        : candidateEngine(system, options);
    const { answerIn } = await loadCompare();
    const input = readInputFile(system, file);
    const ran = await answerIn(
      system,
      engine,
      { name, event: subcommand.event, subcommand: subcommand.name, input },
      { timeoutMs: toTimeoutMs(options) },
    );
    if (ran.failure !== undefined || ran.exitCode === undefined) {
      throw new CommandError(`nothing was recorded: the program ${ran.failure ?? "gave no exit code"}`, {
        kind: "failed",
        exitCode: 3,
      });
    }
    const inputText = system.text.decode(input).text;
    const paths = writeCapture({
      folder: resolveHere(system, options["golden-dir"] ?? "tests/golden/hooks"),
      hookName: subcommand.hookName,
      name,
      input,
      inputText,
      stdout: ran.stdout,
      exitCode: ran.exitCode,
      durationUs: ran.durationUs,
      isForced: options.force,
    });
    if (options.baseline !== undefined) {
      appendJsonLine(system, resolveHere(system, options.baseline), {
        hook: subcommand.hookName,
        input: inputText,
        reference_output: ran.stdout,
        reference_exit_code: ran.exitCode,
        reference_stderr: ran.stderr,
        reference_duration_us: ran.durationUs,
        input_size_bytes: input.length,
        timestamp: new Date(system.clock.nowMs()).toISOString(),
      });
    }
    const text = paths.map(path => `wrote ${path}\n`).join("");
    terminal.printResult(options.format, { success: true, files: paths }, text);
    return 0;
  },
});
