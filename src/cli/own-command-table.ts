import type { OwnCommand } from "../programs/index.ts";
import { type Command, isFamily, type LeafCommand, type OptionSpec, type OptionSpecs } from "./command.ts";
import { GLOBAL_OPTIONS } from "./parse.ts";

/** The text of `programs/records/own-commands.json`: by its path, all that the guard must know of each command. */
export function renderOwnCommands(commands: readonly Command[]): string {
  const rows = commands.flatMap(command =>
    isFamily(command)
      ? command.subcommands.map(leaf => {
          const initial = command.initial === leaf ? ({ isInitial: true } as const) : {};
          return [`${command.name} ${leaf.name}`, { ...toOwnCommand(leaf), ...initial }] as const;
        })
      : [[command.name, toOwnCommand(command)] as const],
  );
  const lines = rows.map(([path, row]) => `  ${JSON.stringify(path)}: ${JSON.stringify(row)}`).sort();
  return `{\n${lines.join(",\n")}\n}\n`;
}

function toOwnCommand({ forAgents, isPassThrough, options }: LeafCommand): OwnCommand {
  const uses = typeof forAgents === "string" ? { use: forAgents } : forAgents;
  // No option changes what such a call means.
  if (uses.use === "passes" && Object.keys(uses).every(name => name === "use" || name === "looks"))
    return uses;
  const specs: OptionSpecs = { ...GLOBAL_OPTIONS, ...options };
  const spelled = (isWanted: (spec: OptionSpec) => boolean) =>
    Object.entries(specs)
      .filter(([, spec]) => isWanted(spec))
      .map(([name, { short }]) => (short === undefined ? name : `${name}|${short}`))
      .join(" ");
  const isBare = (spec: OptionSpec) => "bare" in spec;
  return {
    ...uses,
    flags: spelled(({ kind }) => kind === "boolean"),
    values: spelled(spec => spec.kind !== "boolean" && !isBare(spec)),
    bare: spelled(isBare),
    ...(isPassThrough === true ? { isPassThrough } : {}),
  };
}
