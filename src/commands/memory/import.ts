import { CommandError, defineCommand, fileFix, option } from "../../cli/index.ts";
import { MAX_TRANSFER_BYTES, parseExport, WHAT_TO_IMPORT } from "../../memory/index.ts";
import { readExactText } from "../../state/index.ts";
import { type System, SystemError } from "../../system/index.ts";
import { escapeControls } from "../../text/index.ts";
import { checkArguments, fileNamed, STORE_OPTIONS, withStore } from "./store-access.ts";

export const importCommand = defineCommand({
  name: "import",
  summary: "take in memories that were exported",
  details: "All of them or none. With --merge, of two with the same session and key the later change stays.",
  options: {
    agent: option.string("NAME", "whose they become (those they were of by default)"),
    input: option.string("FILE", "the file to read; - for standard input", { short: "i", isRequired: true }),
    merge: option.boolean("also when the agent has memories already"),
    ...STORE_OPTIONS,
  },
  forAgents: { use: "asks", writes: ["db-path"] },
  examples: {
    "amplihack memory import -i memories.json": "takes in what was exported, for the same agents",
    "amplihack memory import --agent builder -i builder.json": "fills an empty agent",
    "amplihack memory import --agent builder -i more.json --merge": "adds to what is there",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const { agent } = options;
    checkArguments(agent === undefined ? {} : { agent });
    const file = options.input === "-" ? "-" : fileNamed(system, "--input", options.input);
    const exported = parseExport(readSource(system, file), agent);
    if (agent !== undefined && exported.agent !== agent) {
      const owner = exported.agent === undefined ? "several agents" : escapeControls(exported.agent);
      terminal.note(`These were memories of ${owner}; they become those of ${escapeControls(agent)}.\n`);
    }
    const agents = new Set(exported.memories.map(memory => memory.agent));
    const counts = await withStore(invocation, store =>
      store.take([...agents], exported.memories, options.merge),
    );
    const { added, replaced, kept } = counts;
    terminal.printResult(
      options.format,
      { agent: agent ?? exported.agent ?? null, file, imported: added + replaced, ...counts },
      `Imported: ${added} new, ${replaced} replaced, ${kept} kept.\n`,
    );
    return 0;
  },
});

function readSource(system: System, file: string): string {
  const source = file === "-" ? "standard input" : file;
  const fail = (why: string, fix = WHAT_TO_IMPORT): CommandError =>
    new CommandError(`${source} cannot be imported: ${why}`, { kind: "unreadable", fix });
  try {
    const read = file === "-" ? readInput(system, fail) : readExactText(system, file, MAX_TRANSFER_BYTES);
    if (read === undefined) throw fail("there is no such file");
    if (read.replaced) throw fail("it is not UTF-8");
    return read.text;
  } catch (error) {
    throw error instanceof SystemError ? fail(error.code, fileFix(error.code)) : error;
  }
}

function readInput({ stdio, text }: System, fail: (why: string) => CommandError) {
  const input = stdio.readInput(MAX_TRANSFER_BYTES);
  if (input.kind === "bytes") return text.decode(input.bytes);
  if (input.kind === "closed") throw fail("it is closed");
  throw fail(input.kind === "failed" ? input.code : `it is longer than ${MAX_TRANSFER_BYTES} bytes`);
}
