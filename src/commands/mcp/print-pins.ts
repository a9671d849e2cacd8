import { CommandError, type Terminal, usageError } from "../../cli/index.ts";
import { loadPins } from "../../mcp/index.ts";
import type { System } from "../../system/index.ts";
import { count, escapeHidden } from "../../text/index.ts";

interface PinOptions {
  readonly accept: boolean;
  readonly forget: boolean;
  readonly format: "text" | "json";
}

export async function printPins(
  system: System,
  terminal: Terminal,
  [server, tool]: readonly string[],
  { accept, forget, format }: PinOptions,
): Promise<number> {
  const { acceptPins, forgetPins, pinDiff, readPins, whyHeld } = await loadPins();
  if ((accept || forget) && server === undefined)
    throw usageError(`--${accept ? "accept" : "forget"} needs a server; amplihack mcp pins lists them`);
  if (accept && forget) throw usageError("--accept and --forget exclude each other");
  if (forget && tool !== undefined) throw usageError("--forget is for a whole server");
  const all = readPins(system);
  const shown = all.filter(each => server === undefined || each.server === server);
  if (server !== undefined && shown.length === 0)
    throw new CommandError(`nothing is kept of a server ${server}`, {
      kind: "failed",
      causes: [
        all.length === 0 ? "no server was guarded yet" : `known: ${all.map(each => each.server).join(", ")}`,
      ],
    });
  if (tool !== undefined && !shown.some(({ tools }) => Object.hasOwn(tools, tool)))
    throw new CommandError(`${server} has no tool ${tool}`, {
      kind: "failed",
      fix: `amplihack mcp pins ${server}`,
    });
  if (forget && server !== undefined) {
    forgetPins(system, server);
    terminal.print(`Forgotten: ${server}. What it says at its next start is kept as its first definition.\n`);
    return 0;
  }
  if (accept && server !== undefined) {
    const accepted = acceptPins(system, server, tool === undefined ? [] : [tool]);
    terminal.print(
      accepted.length === 0
        ? "Nothing is held there.\n"
        : `Accepted: ${accepted.join(", ")}. The server has to be started again.\n`,
    );
    return 0;
  }
  const servers = shown.map(pins => ({
    server: pins.server,
    command: pins.command,
    tools: Object.entries(pins.tools)
      .filter(([name]) => tool === undefined || name === tool)
      .map(([name, pin]) => ({
        name,
        state: pin.held === undefined ? ("accepted" as const) : ("held" as const),
        ...(pin.held === undefined ? {} : { why: whyHeld(pin), diff: pinDiff(pins.server, name, pin) }),
      })),
  }));
  const lines = servers.flatMap(each => {
    const held = each.tools.filter(({ state }) => state === "held");
    return [
      `${each.server}: ${count(each.tools.length, "definition")}, ${held.length} held (${escapeHidden(each.command)})`,
      ...each.tools.map(
        ({ name, state, why }) =>
          `  ${state.padEnd(8)}  ${escapeHidden(name)}${why === undefined ? "" : `: ${why}`}`,
      ),
      ...(server === undefined ? [] : held.map(({ diff }) => `\n${diff ?? ""}`)),
      ...(held.length === 0
        ? []
        : [
            `To accept what is held: amplihack mcp pins ${[each.server, tool ?? []].flat().join(" ")} --accept`,
          ]),
    ];
  });
  if (lines.length === 0) lines.push("No server was guarded yet. amplihack mcp guard --help says how.");
  terminal.printResult(format, { servers }, `${lines.join("\n")}\n`);
  return 0;
}
