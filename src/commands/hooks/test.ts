import {
  CommandError,
  type CommandInvocation,
  defineCommand,
  FORMAT_OPTION,
  type OptionSpecs,
  option,
  renderTable,
  type Terminal,
  usageError,
} from "../../cli/index.ts";
import { loadGrants, loadWanted } from "../../hooks/index.ts";
import {
  INSTALLABLE_HOSTS,
  isPresent,
  loadLoadFile,
  loadOperations,
  loadSources,
} from "../../install/index.ts";
import { errorText, parseJsonObject } from "../../protocol/index.ts";
import { findStateHome } from "../../state/index.ts";
import { resolve } from "../../system/index.ts";
import { type ExampleResult, loadExamples, loadRunTrials, type Trial } from "../../verify/index.ts";

const OPTIONS = {
  input: option.string("FILE", "one payload instead of the examples; - for standard input"),
  watch: option.boolean("run again whenever the file changes"),
  all: option.boolean("show hosts too that are not on this machine"),
  format: FORMAT_OPTION,
} as const satisfies OptionSpecs;

export const testCommand = defineCommand({
  name: "test",
  summary: "run a hook of your own on payloads of every host, and check its examples",
  details: `
Hooks are tried with payloads that real hosts sent ("recorded") and with their examples in the words of every host. The
table shows the hosts that you have, or all with --all: the payload, what the hook said, how long it took, and in which
words the host would hear it. What failed is always shown.
Examples stand beside the hook: export const examples = [{ input: { command: "make deploy" }, expect: "ask" }]. An
expectation is allow, ask, deny, none, skipped, rewrite, context, message, halt or output, or members of the effect.`,
  options: OPTIONS,
  positionals: [
    { name: "FILE", summary: "the hook; all of yours when left out", isOptional: true, completes: "file" },
  ],
  forAgents: { use: "passes", runs: "code" },
  examples: {
    "amplihack hooks test ~/.amplihack/hooks/no-friday-deploys.ts --watch": "tests it after every change",
    "amplihack hooks test": "tests all hooks of your own",
  },
  async run(invocation) {
    const files = await listTestFiles(invocation);
    if (invocation.options.watch) await requireWatcher(invocation);
    const code = await testFiles(invocation, files);
    if (!invocation.options.watch) return code;
    const { watch } = await import("node:fs");
    return new Promise(() => {
      let timer: NodeJS.Timeout | undefined;
      const again = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => void testFiles(invocation, files), WATCH_PAUSE_MS);
      };
      for (const file of files) watch(file, again);
    });
  },
});

/** What an agent may run now is not what it writes into the file afterwards. */
async function requireWatcher({ system }: TestInvocation): Promise<void> {
  const { whyStartedByAgent } = await loadGrants();
  if (whyStartedByAgent(system, findStateHome(system)) === undefined) return;
  throw new CommandError("--watch is for a person: it runs whatever is written into the file later", {
    kind: "refused",
    fix: "test the hook again after each change, without --watch",
  });
}

/** Editors write a file in several steps. */
const WATCH_PAUSE_MS = 100;

type TestInvocation = CommandInvocation<typeof OPTIONS>;

async function listTestFiles({ positionals, system }: TestInvocation): Promise<readonly string[]> {
  const { userHooksFolder } = await loadSources();
  const { listSources } = await loadWanted();
  const { requireDirectories } = await loadOperations();
  const [named] = positionals;
  const own = userHooksFolder(requireDirectories(system).stateHome);
  if (named === undefined) {
    const found = listSources(system, own);
    if (found.length > 0) return found;
    throw new CommandError(`there are no hooks in ${own}`, {
      kind: "not-found",
      fix: "amplihack hooks new NAME",
    });
  }
  const here = resolve(system.files.workingDirectory() ?? "/", named);
  const file = [here, resolve(own, named), resolve(own, `${named}.ts`)].find(
    path => system.files.follow(path)?.kind === "file",
  );
  if (file === undefined) throw new CommandError(`there is no file ${here}`, { kind: "not-found" });
  return [file];
}

async function testFiles(invocation: TestInvocation, files: readonly string[]): Promise<number> {
  const { options, terminal } = invocation;
  const results = [];
  for (const file of files) results.push(await testFile(invocation, file));
  const success = results.every(
    ({ trials, examples, problem }) =>
      problem === undefined && examples.every(one => one.isMet) && trials.every(one => one.said !== "failed"),
  );
  const hosts = options.all ? [] : await hostsHere(invocation);
  const text = results.map(result => renderFile(result, hosts, terminal)).join("\n");
  terminal.printResult(options.format, { success, files: results }, text);
  return success ? 0 : 1;
}

/** The hosts on this machine; none where none is found, which means all. */
async function hostsHere({ system }: TestInvocation): Promise<readonly string[]> {
  const { requireDirectories } = await loadOperations();
  const places = requireDirectories(system);
  return INSTALLABLE_HOSTS.filter(host => isPresent(system, places, host));
}

interface FileResult {
  readonly file: string;
  readonly problem?: string;
  readonly trials: readonly Trial[];
  readonly examples: readonly ExampleResult[];
}

async function testFile({ options, system }: TestInvocation, file: string): Promise<FileResult> {
  const { loadHookFile } = await loadLoadFile();
  const { readExamples } = await loadExamples();
  const { checkExamples, runTrials } = await loadRunTrials();
  const payloads = options.input === undefined ? [] : [await readPayload(system, options.input)];
  try {
    const { hooks, exports } = await loadHookFile(file);
    const examples = payloads.length > 0 ? [] : readExamples(exports["examples"]);
    const place = { system, cwd: system.files.workingDirectory() ?? "/" };
    return {
      file,
      trials: await runTrials(hooks, examples, payloads, place),
      examples: await checkExamples(hooks, examples, place),
    };
  } catch (error) {
    return { file, problem: errorText(error), trials: [], examples: [] };
  }
}

async function readPayload(system: TestInvocation["system"], path: string) {
  const { readInputFile } = await import("./engines.ts");
  const payload = parseJsonObject(system.text.decode(readInputFile(system, path)).text, 200);
  if (payload === undefined) throw usageError(`${path} is not a JSON object`);
  return payload;
}

const HEADINGS = ["host", "payload", "said", "ms", "the host hears"];
const WORDS_LENGTH = 100;

function renderFile(
  { file, problem, trials, examples }: FileResult,
  hosts: readonly string[],
  terminal: Terminal,
): string {
  const title = terminal.paint("bold", file);
  if (problem !== undefined) return `${title}\n  ${terminal.paint("red", problem)}\n`;
  const isShown = ({ host, said }: Trial): boolean =>
    hosts.length === 0 || hosts.includes(host) || said === "failed";
  const rows = trials
    .filter(isShown)
    .map(({ host, source, payload, said, ms, words }) => [
      source === "recorded" ? `${host} *` : host,
      payload.replaceAll("\n", "⏎"),
      said,
      ms.toFixed(1),
      words.slice(0, WORDS_LENGTH).replaceAll("\n", "⏎"),
    ]);
  const checked = examples.map(({ place, hook, expected, said, isMet, detail }) =>
    isMet
      ? `  ${terminal.paint("green", "ok")}    ${place} ${hook}: ${said}\n`
      : `  ${terminal.paint("red", "FAIL")}  ${place} ${hook}: expected ${JSON.stringify(expected)}, it said ${said} ${detail}\n`,
  );
  const table = renderTable([HEADINGS, ...rows], terminal, "  ");
  const left = trials.length - rows.length;
  const more = left === 0 ? "" : `  the same for hosts that are not here: ${left} more with --all\n`;
  return `${title}\n${table}  * a payload that the real host sent\n${more}${checked.join("")}`;
}
