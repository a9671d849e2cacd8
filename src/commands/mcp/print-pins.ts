import { CommandError, type Terminal, usageError } from "../../cli/index.ts";
import { loadPins, type ServerPins } from "../../mcp/index.ts";
import type { System } from "../../system/index.ts";
import { count, escapeHidden } from "../../text/index.ts";

type Pins = Awaited<ReturnType<typeof loadPins>>;

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
  const pins = await loadPins();
  checkWords(server, tool, { accept, forget });
  const all = pins.readPins(system);
  const chosen = all.filter(each => server === undefined || each.server === server);
  requireKnown(all, chosen, server, tool);
  if (server !== undefined && forget) {
    pins.forgetPins(system, server);
    terminal.print(`Forgotten: ${server}. What it says at its next start is kept as its first definition.\n`);
    return 0;
  }
  if (server !== undefined && accept) {
    const accepted = pins.acceptPins(system, server, tool === undefined ? [] : [tool]);
    terminal.print(
      accepted.length === 0
        ? "Nothing is held there.\n"
        : `Accepted: ${accepted.join(", ")}. The server has to be started again.\n`,
    );
    return 0;
  }
  const servers = chosen.map(each => describeServer(each, tool, pins));
  const lines = servers.flatMap(each => serverLines(each, server, tool));
  if (lines.length === 0) lines.push("No server was guarded yet. amplihack mcp guard --help says how.");
  terminal.printResult(format, { servers }, `${lines.join("\n")}\n`);
  return 0;
}

function checkWords(
  server: string | undefined,
  tool: string | undefined,
  { accept, forget }: Omit<PinOptions, "format">,
): void {
  if ((accept || forget) && server === undefined)
    throw usageError(`--${accept ? "accept" : "forget"} needs a server; amplihack mcp pins lists them`);
  if (accept && forget) throw usageError("--accept and --forget exclude each other");
  if (forget && tool !== undefined) throw usageError("--forget is for a whole server");
}

function requireKnown(
  all: readonly ServerPins[],
  chosen: readonly ServerPins[],
  server: string | undefined,
  tool: string | undefined,
): void {
  if (server !== undefined && chosen.length === 0)
    throw new CommandError(`nothing is kept of a server ${server}`, {
      kind: "failed",
      causes: [
        all.length === 0 ? "no server was guarded yet" : `known: ${all.map(each => each.server).join(", ")}`,
      ],
    });
  if (tool !== undefined && !chosen.some(({ tools }) => Object.hasOwn(tools, tool)))
    throw new CommandError(`${server} has no tool ${tool}`, {
      kind: "failed",
      fix: `amplihack mcp pins ${server}`,
    });
}

/** One server with its definitions, or the chosen one of them; what is held says why, and what changed. */
function describeServer(
  { server, command, tools }: ServerPins,
  tool: string | undefined,
  { pinDiff, whyHeld }: Pins,
) {
  const named = Object.entries(tools).filter(([name]) => tool === undefined || name === tool);
  return {
    server,
    command,
    tools: named.map(([name, pin]) => ({
      name,
      state: pin.held === undefined ? ("accepted" as const) : ("held" as const),
      ...(pin.held === undefined ? {} : { why: whyHeld(pin), diff: pinDiff(server, name, pin) }),
    })),
  };
}

/** Where one server was asked for, its differences are shown, too. */
function serverLines(
  { server, command, tools }: ReturnType<typeof describeServer>,
  asked: string | undefined,
  tool: string | undefined,
): readonly string[] {
  const held = tools.filter(({ state }) => state === "held");
  const named = [server, tool ?? []].flat().join(" ");
  return [
    `${server}: ${count(tools.length, "definition")}, ${held.length} held (${escapeHidden(command)})`,
    ...tools.map(
      ({ name, state, why }) =>
        `  ${state.padEnd(8)}  ${escapeHidden(name)}${why === undefined ? "" : `: ${why}`}`,
    ),
    ...(asked === undefined ? [] : held.map(({ diff }) => `\n${diff ?? ""}`)),
    ...(held.length === 0 ? [] : [`To accept what is held: amplihack mcp pins ${named} --accept`]),
  ];
}
