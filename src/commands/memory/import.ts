import { defineCommand } from "../../cli/command.ts";
import { CommandError } from "../../cli/errors.ts";
import { LARGEST_TRANSFER_BYTES, parseExport } from "../../memory/transfer.ts";
import { escapeControls, readExactText } from "../../state/index.ts";
import { resolve } from "../../system/paths.ts";
import { type System, SystemError } from "../../system/system.ts";
import { AGENT_OPTION, checkArguments, STORE_OPTIONS, withStore } from "./store-access.ts";

export const importCommand = defineCommand({
  name: "import",
  summary: "take in memories that were exported",
  details: "All of them or none. With --merge, of two with the same session and key the later change stays.",
  options: {
    agent: AGENT_OPTION,
    input: { kind: "string", short: "i", label: "FILE", summary: "the file to read", isRequired: true },
    merge: { kind: "boolean", summary: "also when the agent has memories already" },
    ...STORE_OPTIONS,
  },
  examples: [
    { command: "amplihack memory import --agent builder -i builder.json", does: "fills an empty agent" },
    {
      command: "amplihack memory import --agent builder -i more.json --merge",
      does: "adds to what is there",
    },
  ],
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const agent = options.agent;
    checkArguments({ agent });
    const file = resolve(system.files.workingDirectory() ?? "/", options.input);
    const exported = parseExport(readFile(system, file), agent);
    if (exported.agent !== agent) {
      terminal.note(
        `These were memories of ${escapeControls(exported.agent)}; they become those of ${agent}.\n`,
      );
    }
    return withStore(invocation, async store => {
      const counts = await store.take(agent, exported.memories, options.merge);
      if (options.format === "json") {
        terminal.printJson({ agent, file, imported: counts.added + counts.replaced, ...counts });
      } else {
        terminal.print(`Imported: ${counts.added} new, ${counts.replaced} replaced, ${counts.kept} kept.\n`);
      }
      return 0;
    });
  },
});

function readFile(system: System, file: string): string {
  const fail = (why: string): CommandError =>
    new CommandError(`${file} cannot be imported: ${why}`, { kind: "unreadable" });
  try {
    const read = readExactText(system, file, LARGEST_TRANSFER_BYTES);
    if (read === undefined) throw fail("there is no such file");
    if (read.replaced) throw fail("it is not UTF-8");
    return read.text;
  } catch (error) {
    throw error instanceof SystemError ? fail(error.code) : error;
  }
}
