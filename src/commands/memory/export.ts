import { CommandError, defineCommand, option } from "../../cli/index.ts";
import { MAX_TRANSFER_BYTES, renderExport } from "../../memory/index.ts";
import { writeAtomically } from "../../system/index.ts";
import { escapeControls } from "../../text/index.ts";
import { AGENT_OPTION, fileNamed, STORE_OPTIONS, withReader } from "./store-access.ts";

export const exportCommand = defineCommand({
  name: "export",
  summary: "write memories to a JSON file, of all agents or of one",
  details:
    "The file is readable by its owner alone. `amplihack memory import` gives back exactly what is in it.",
  options: {
    agent: AGENT_OPTION,
    output: option.string("FILE", "the file to write; - for standard output", {
      short: "o",
      isRequired: true,
    }),
    ...STORE_OPTIONS,
  },
  forAgents: { use: "asks", writes: ["output"] },
  examples: {
    "amplihack memory export -o memories.json": "writes all memories",
    "amplihack memory export --agent builder -o builder.json": "writes those of the agent builder",
    "amplihack memory export -o - | ssh db amplihack memory import -i -": "copies them to another machine",
  },
  async run(invocation) {
    const { system, terminal } = invocation;
    const { agent, output, format } = invocation.options;
    const file = output === "-" ? undefined : fileNamed(system, "--output", output);
    const memories = await withReader(invocation, reader => reader.list({ agent }, "name"));
    const text = renderExport(agent, memories, system.clock.nowMs());
    const bytes = system.text.encode(text);
    if (bytes.length > MAX_TRANSFER_BYTES) {
      throw new CommandError(`the export would be larger than ${MAX_TRANSFER_BYTES} bytes`, {
        kind: "too-large",
        fix: "copy the database file instead",
      });
    }
    if (file === undefined) {
      terminal.print(text);
      return 0;
    }
    writeAtomically(system, file, bytes);
    const count = memories.length;
    terminal.printResult(
      format,
      { agent: agent ?? null, file, count },
      `${escapeControls(`Exported ${count}${agent === undefined ? "" : ` of ${agent}`} to ${file}.`)}\n`,
    );
    return 0;
  },
});
