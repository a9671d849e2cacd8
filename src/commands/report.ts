import { defineCommand } from "../cli/command.ts";
import { option } from "../cli/option.ts";

export const command = defineCommand({
  name: "report",
  summary: "write what the dashboard shows to one HTML file",
  group: "Look",
  details:
    "The file needs no server and loads nothing. It holds commands (without their secrets), paths and session ids:\n" +
    "look before you share it.",
  options: {
    html: option.string("FILE", "the file to write; readable by you alone", { isRequired: true }),
    memory: option.boolean("put the newest memories in too"),
  },
  examples: {
    "amplihack report --html report.html": "writes the file into this directory",
    "amplihack report --html report.html --memory": "with memories, to be searched in it",
  },
  async run({ options, system, terminal }) {
    const { findDataFiles } = await import("../dashboard/data-files.ts");
    const { renderReport } = await import("../dashboard/report.ts");
    const { writeAtomically } = await import("../system/atomic-write.ts");
    const { dirname, expandHome, resolve } = await import("../system/paths.ts");
    const path = resolve(
      system.files.workingDirectory() ?? "/",
      expandHome(options.html, system.env.get("HOME")),
    );
    const files = findDataFiles(system, message => terminal.warn(message));
    const html = await renderReport(system, files, { hasMemories: options.memory });
    const folder = dirname(path);
    const isNew = system.files.follow(folder) === undefined;
    writeAtomically(system, path, system.text.encode(html), { mode: 0o600 });
    if (isNew) terminal.note(`${folder} was not there and has been made\n`);
    terminal.print(`${path}\n`);
    return 0;
  },
});
