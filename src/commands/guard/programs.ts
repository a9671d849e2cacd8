import { CommandError, defineCommand, FORMAT_OPTION } from "../../cli/index.ts";
import {
  loadDescribe,
  loadOwnPrograms,
  loadRegistry,
  type ProgramDescription,
} from "../../programs/index.ts";
import { didYouMean } from "../../text/index.ts";
import { openForCommand } from "./judged.ts";

export const programsCommand = defineCommand({
  name: "programs",
  summary: "show what the guard knows about programs: options that matter, effects, operations",
  details:
    "A program of your own is understood when the section `programs` of your configuration has a record of it.",
  options: { format: FORMAT_OPTION },
  positionals: [
    { name: "NAME", summary: "a program such as find; all names when left out", isOptional: true },
  ],
  forAgents: { use: "passes", looks: [] },
  examples: {
    "amplihack guard programs terraform": "shows what is known about one program",
    "amplihack guard programs": "lists every name",
  },
  async run({ options, positionals, system, terminal }) {
    const { describeProgram } = await loadDescribe();
    const { ownPrograms } = await loadOwnPrograms();
    const { programNames } = await loadRegistry();
    const { programs } = openForCommand(system, terminal, undefined).config.guard;
    const names = [...programNames(), ...programs.flatMap(one => one.names.split(" "))].sort();
    const [name] = positionals;
    if (name === undefined) {
      terminal.printResult(options.format, names, `${names.join("\n")}\n`);
      return 0;
    }
    const found = describeProgram(name, ownPrograms(programs));
    if (found === undefined) {
      throw new CommandError(`nothing is known about the program '${name}'${didYouMean(name, names)}`, {
        kind: "not-found",
        causes: ["a program without a record is taken to read the files that it is given, and nothing else"],
        fix: "amplihack guard programs",
      });
    }
    terminal.printResult(
      options.format,
      found,
      render(found, text => terminal.paint("bold", text)),
    );
    return 0;
  },
});

function render(found: ProgramDescription, bold: (text: string) => string): string {
  const others = found.names.filter(name => name !== found.name);
  const { flags, values, optional } = found.options;
  const rows: readonly (readonly [string, string])[] = [
    ["same as", others.join(" ")],
    ["flags", flags],
    ["with a value", [values, optional].filter(list => list !== "").join(" ")],
    ...found.effects.map(effect => ["effect", effect] as const),
    ["starts", found.runs ? "programs or code in its words or its input are judged as well" : ""],
    ["known as", found.traits.join(", ")],
    ...found.operations.map(
      ({ command, rule, what, needs, unless }) =>
        [
          rule,
          [
            command,
            what,
            needs === undefined ? "" : `needs ${needs}`,
            unless === undefined ? "" : `unless ${unless}`,
          ]
            .filter(cell => cell !== "")
            .join(" | "),
        ] as const,
    ),
  ];
  const shown = rows.filter(([, text]) => text !== "");
  return [bold(found.name), ...shown.map(([title, text]) => `  ${title.padEnd(16)} ${text}`), ""].join("\n");
}
