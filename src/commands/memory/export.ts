import { defineCommand } from "../../cli/command.ts";
import { CommandError } from "../../cli/errors.ts";
import { option } from "../../cli/option.ts";
import { MAX_TRANSFER_BYTES, renderExport } from "../../memory/transfer.ts";
import { writeAtomically } from "../../system/atomic-write.ts";
import { resolve } from "../../system/paths.ts";
import { AGENT_OPTION, STORE_OPTIONS, withReader } from "./store-access.ts";

export const exportCommand = defineCommand({
  name: "export",
  summary: "write memories to a JSON file, of all agents or of one",
  details:
    "The file is readable by its owner alone. `amplihack memory import` gives back exactly what is in it.",
  options: {
    agent: AGENT_OPTION,
    output: option.string("FILE", "the file to write", { short: "o", isRequired: true }),
    ...STORE_OPTIONS,
  },
  examples: {
    "amplihack memory export -o memories.json": "writes all memories",
    "amplihack memory export --agent builder -o builder.json": "writes those of the agent builder",
  },
  async run(invocation) {
    const { system, terminal } = invocation;
    const { agent, output, format } = invocation.options;
    const file = resolve(system.files.workingDirectory() ?? "/", output);
    const memories = await withReader(invocation, reader => reader.list({ agent }, "name"));
    const bytes = system.text.encode(renderExport(agent, memories, system.clock.nowMs()));
    if (bytes.length > MAX_TRANSFER_BYTES) {
      throw new CommandError(`the export would be larger than ${MAX_TRANSFER_BYTES} bytes`, {
        kind: "too-large",
        fix: "copy the database file instead",
      });
    }
    writeAtomically(system, file, bytes);
    const count = memories.length;
    terminal.printResult(
      format,
      { agent: agent ?? null, file, count },
      `Exported ${count}${agent === undefined ? "" : ` of ${agent}`} to ${file}.\n`,
    );
    return 0;
  },
});
