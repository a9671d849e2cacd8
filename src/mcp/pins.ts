/** The definitions of servers' tools as a person accepted them: a change of one is noticed, shown and held. */
import { loadConfig } from "../config/index.ts";
import { type DefinitionKeeper, INSTRUCTIONS, type ReviewedDefinition } from "../engine/index.ts";
import { spokenOrders } from "../hooks/index.ts";
import { unifiedDiff } from "../install/index.ts";
import {
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  numberAt,
  stringAt,
} from "../protocol/index.ts";
import { AtomicJsonFile, listIfThere, requireDirectories } from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import { clip, escapeHidden, redactOpening } from "../text/index.ts";

/** One definition. `accepted` is absent for one that nobody has accepted, `held` for one that is as accepted. */
export interface Pin {
  readonly accepted?: JsonObject;
  readonly acceptedMs?: number;
  readonly held?: JsonObject;
  /** what in it is worded as orders for a model */
  readonly orders?: string;
}

/** What is kept of one server. */
export interface ServerPins {
  readonly server: string;
  /** the command line that started it, without secrets */
  readonly command: string;
  /** all that it had at first sight is kept; what comes later is new */
  readonly isWhole: boolean;
  readonly tools: Readonly<Record<string, Pin>>;
}

const MAX_DIFF = 4_000;
const MAX_DEFINITION = 64 * 1024;

function pinsFolder(stateHome: string): string {
  return join(stateHome, "mcp", "pins");
}

function pinsFile(system: System, stateHome: string, server: string): AtomicJsonFile<ServerPins> {
  const path = join(pinsFolder(stateHome), `${encodeURIComponent(server)}.json`);
  return new AtomicJsonFile(path, { system, parse: parsePins });
}

function parsePins(value: Json): ServerPins {
  const [server, command] = [stringAt(value, "server"), stringAt(value, "command")];
  const tools = isJsonObject(value) ? value["tools"] : undefined;
  if (server === undefined || command === undefined || !isJsonObject(tools))
    throw new Error("expected server, command and tools");
  const pins = Object.entries(tools).map(([name, pin]) => [name, parsePin(pin)] as const);
  const isWhole = isJsonObject(value) && value["isWhole"] === true;
  return { server, command, isWhole, tools: Object.fromEntries(pins) };
}

function parsePin(pin: Json | undefined): Pin {
  const given = isJsonObject(pin) ? pin : {};
  const { accepted, held } = given;
  const acceptedMs = numberAt(given, "acceptedMs");
  const orders = stringAt(given, "orders");
  return {
    ...(isJsonObject(accepted) ? { accepted } : {}),
    ...(acceptedMs === undefined ? {} : { acceptedMs }),
    ...(isJsonObject(held) ? { held } : {}),
    ...(orders === undefined ? {} : { orders }),
  };
}

export function readPins(system: System): readonly ServerPins[] {
  const { stateHome } = requireDirectories(system);
  const names = listIfThere(system.files, pinsFolder(stateHome)).filter(name => name.endsWith(".json"));
  return names.toSorted().flatMap(name => {
    const server = decodeURIComponent(name.slice(0, -".json".length));
    return pinsFile(system, stateHome, server).read() ?? [];
  });
}

/** Accepts what is held of these tools, or of all. Returns the names that were held. */
export function acceptPins(system: System, server: string, tools: readonly string[]): readonly string[] {
  const { stateHome } = requireDirectories(system);
  const accepted: string[] = [];
  pinsFile(system, stateHome, server).update(
    pins => {
      const isMeant = (name: string) => tools.length === 0 || tools.includes(name);
      const entries = Object.entries(pins.tools).map(([name, pin]): readonly [string, Pin] => {
        if (pin.held === undefined || !isMeant(name)) return [name, pin];
        accepted.push(name);
        return [name, { accepted: pin.held, acceptedMs: system.clock.nowMs() }];
      });
      return { ...pins, tools: Object.fromEntries(entries) };
    },
    { server, command: "", isWhole: false, tools: {} },
  );
  return accepted;
}

/** What is kept of a server goes; its next start is a first sight again. */
export function forgetPins(system: System, server: string): void {
  const { stateHome } = requireDirectories(system);
  system.files.remove(pinsFile(system, stateHome, server).path);
}

/** What changed, for a person: a new definition is all added lines. */
export function pinDiff(server: string, name: string, { accepted, held }: Pin): string {
  const text = (definition: JsonObject | undefined) =>
    definition === undefined
      ? undefined
      : `${JSON.stringify(definition, null, 2).split("\n").map(escapeHidden).join("\n")}\n`;
  return held === undefined ? "" : unifiedDiff(`${server}/${name}`, text(accepted), text(held));
}

/** Why a definition is held, in a few words. */
export function whyHeld({ accepted, orders }: Pin): string {
  if (orders !== undefined) return `reads like instructions to the model: ${orders}`;
  return accepted === undefined ? "new since the server was first seen" : "changed since it was accepted";
}

/** Keeps the definitions of one server over its starts. */
export function keepDefinitions(system: System, server: string, words: readonly string[]): DefinitionKeeper {
  const { stateHome } = requireDirectories(system);
  const file = pinsFile(system, stateHome, server);
  const command = redactOpening(words.join(" "));
  const orders = async (value: Json): Promise<string | undefined> => {
    const found = await spokenOrders(
      value,
      () => loadConfig(system, requireDirectories(system)).config.guard,
    );
    return found.length === 0 ? undefined : found.map(({ what, rule }) => `${what} [${rule}]`).join("; ");
  };
  return {
    orders,
    accept: name => void acceptPins(system, server, [name]),
    async review(definitions, isWhole) {
      const looked = await Promise.all(
        definitions.map(async given => {
          const definition = judgedPart(given);
          return { given, definition, orders: await orders(definition) };
        }),
      );
      const pins = file.update(
        kept => ({
          ...kept,
          command: kept.command === "" ? command : kept.command,
          isWhole: kept.isWhole || isWhole,
          tools: {
            ...kept.tools,
            ...Object.fromEntries(
              looked.map(({ definition, orders: said }) => {
                const name = stringAt(definition, "name") ?? "";
                const isFirst = !kept.isWhole && said === undefined;
                return [name, nextPin(kept.tools[name], definition, said, isFirst, system.clock.nowMs())];
              }),
            ),
          },
        }),
        { server, command, isWhole: false, tools: {} },
      );
      const elsewhere = namesElsewhere(system, server);
      return looked.map(({ given, definition }) =>
        reviewed(pins, given, stringAt(definition, "name") ?? "", command, elsewhere),
      );
    },
  };
}

/** A definition that is as accepted is not held; one that is new is accepted at first sight, unless it gives orders. */
function nextPin(
  pin: Pin | undefined,
  definition: JsonObject,
  orders: string | undefined,
  isFirst: boolean,
  nowMs: number,
): Pin {
  const { accepted, acceptedMs } = pin ?? {};
  if (accepted !== undefined && isSameJson(accepted, definition))
    return { accepted, acceptedMs: acceptedMs ?? nowMs };
  if (pin === undefined && isFirst) return { accepted: definition, acceptedMs: nowMs };
  return {
    ...(accepted === undefined ? {} : { accepted, acceptedMs: acceptedMs ?? nowMs }),
    held: definition,
    ...(orders === undefined ? {} : { orders }),
  };
}

/** The members that a model or a client acts upon: everything but what belongs to one message. */
function judgedPart({ _meta, icons: _, ...definition }: JsonObject): JsonObject {
  const text = JSON.stringify(definition);
  if (text.length <= MAX_DEFINITION) return definition;
  return { name: definition["name"] ?? "", description: clip(text, MAX_DEFINITION) };
}

function reviewed(
  { server, command: before, tools }: ServerPins,
  given: JsonObject,
  name: string,
  command: string,
  elsewhere: ReadonlyMap<string, string>,
): ReviewedDefinition {
  const pin = tools[name] ?? {};
  const other = elsewhere.get(name);
  const mark = (definition: JsonObject): JsonObject =>
    other === undefined || name === INSTRUCTIONS
      ? definition
      : {
          ...definition,
          description: `[${name} of ${server}, not of ${other}] ${stringAt(definition, "description") ?? ""}`,
        };
  if (pin.held === undefined) return { name, shown: mark(given), held: undefined };
  const accept = `amplihack mcp pins ${server} ${name === INSTRUCTIONS ? `"${name}"` : name} --accept`;
  const what = name === INSTRUCTIONS ? "the instructions" : `the tool ${name}`;
  const another = before === command ? "" : ` It was started with another command before: ${before}`;
  const diff = clip(pinDiff(server, name, pin), MAX_DIFF);
  return {
    name,
    shown: mark(pin.accepted ?? standIn(name, server)),
    held: {
      person: `${what} of ${server}: ${whyHeld(pin)}.${another}\n${diff}\nTo accept it: ${accept}`,
      model: `its definition is held (${whyHeld(pin)}) until your user accepts it at a terminal: ${accept}`,
    },
  };
}

function standIn(name: string, server: string): JsonObject {
  const description = `Held: the user has not accepted this definition of ${server} yet.`;
  return name === INSTRUCTIONS ? { name } : { name, description, inputSchema: { type: "object" } };
}

/** Names of tools that other servers have as well, with one server that has it. */
function namesElsewhere(system: System, server: string): ReadonlyMap<string, string> {
  const others = readPins(system).filter(each => each.server !== server);
  return new Map(others.flatMap(each => Object.keys(each.tools).map(name => [name, each.server] as const)));
}

/** What a server is called when nobody named it: the package or file that its command starts. */
export function serverName(words: readonly string[]): string {
  const named = words.filter(word => !word.startsWith("-"));
  const found =
    named.find(word => /mcp|server/i.test(word)) ??
    named.slice(1).find(word => /[@/]|\.(?:[cm]?[jt]s|py|rb)$/.test(word)) ??
    named[0];
  const base = found
    ?.replace(/(?<=.)@[^/]*$/, "")
    .split("/")
    .at(-1)
    ?.replace(/\.\w{1,4}$/, "");
  return base?.replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "") || "mcp";
}
