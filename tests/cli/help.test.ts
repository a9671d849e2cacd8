import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { isFamily } from "../../src/cli/command.ts";
import { loadCommands } from "../../src/cli/command-table.ts";
import { commandHelp, overviewHelp } from "../../src/cli/help.ts";
import { openTerminal } from "../../src/cli/terminal.ts";
import { createMemorySystem } from "../../src/system/memory.ts";

const commands = await loadCommands(fileURLToPath(new URL("../../src/commands/", import.meta.url)));
const plain = openTerminal(createMemorySystem(), { isQuiet: false, noColor: true, isJson: false });
const all = commands.flatMap(command => [
  [`amplihack ${command.name}`, command] as const,
  ...(isFamily(command)
    ? command.subcommands.map(sub => [`amplihack ${command.name} ${sub.name}`, sub] as const)
    : []),
]);
/** What cannot be broken: usage lines, names of options, and command lines to be typed. */
const isFixed = (line: string): boolean => /^ {2}(\S*amplihack|echo|-|\s+--|source)/.test(line);

describe("help", () => {
  it.each([80, 120])("breaks lines between words on a terminal of %i columns", columns => {
    const terminal = { ...plain, columns };
    const texts = [
      overviewHelp(commands, terminal),
      ...all.map(([path, each]) => commandHelp(each, path, terminal)),
    ];
    const long = texts
      .flatMap(text => text.split("\n"))
      .filter(line => line.length > columns && !isFixed(line));
    expect(long).toEqual([]);
  });

  it("says the same on a terminal as elsewhere, and keeps lists", () => {
    const words = (text: string): readonly string[] => text.split(/\s+/);
    for (const [path, each] of all)
      expect(words(commandHelp(each, path, { ...plain, columns: 80 }))).toEqual(
        words(commandHelp(each, path, { ...plain, columns: undefined })),
      );
    const [, history] = all.find(([path]) => path === "amplihack history list") ?? [];
    expect(history && commandHelp(history, "amplihack history list", { ...plain, columns: 80 })).toContain(
      "\n  redone      an undo that was reversed\n",
    );
  });
});
