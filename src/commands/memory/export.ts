import { defineCommand } from "../../cli/command.ts";
import { CommandError } from "../../cli/errors.ts";
import { LARGEST_TRANSFER_BYTES, renderExport } from "../../memory/transfer.ts";
import { writeAtomically } from "../../system/atomic-write.ts";
import { resolve } from "../../system/paths.ts";
import { AGENT_OPTION, STORE_OPTIONS, withReader } from "./store-access.ts";

export const exportCommand = defineCommand({
  name: "export",
  summary: "write the memories of an agent to a JSON file",
  details:
    "The file is readable by its owner alone. `amplihack memory import` gives back exactly what is in it.",
  options: {
    agent: AGENT_OPTION,
    output: { kind: "string", short: "o", label: "FILE", summary: "the file to write", isRequired: true },
    ...STORE_OPTIONS,
  },
  examples: [
    { command: "amplihack memory export --agent builder -o builder.json", does: "writes all of them" },
  ],
  run(invocation) {
    const { options, system, terminal } = invocation;
    const agent = options.agent;
    const output = options.output;
    const file = resolve(system.files.workingDirectory() ?? "/", output);
    return withReader(invocation, async reader => {
      const memories = await reader.list({ agent }, "name");
      const bytes = system.text.encode(renderExport(agent, memories, system.clock.nowMs()));
      if (bytes.length > LARGEST_TRANSFER_BYTES) {
        throw new CommandError(`the export would be larger than ${LARGEST_TRANSFER_BYTES} bytes`, {
          kind: "too-large",
          fix: "copy the database file instead",
        });
      }
      writeAtomically(system, file, bytes);
      if (options.format === "json") terminal.printJson({ agent, file, count: memories.length });
      else terminal.print(`Exported ${memories.length} of ${agent} to ${file}.\n`);
      return 0;
    });
  },
});
