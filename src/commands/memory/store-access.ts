import {
  askYesOrNo,
  CommandError,
  type CommandInvocation,
  FORMAT_OPTION,
  type OptionSpecs,
  option,
  ProgressLine,
  usageError,
} from "../../cli/index.ts";
import {
  checkTexts,
  findMemoryPlace,
  loadOpenPostgresStore,
  type Memory,
  MemoryError,
  type MemoryPlace,
  type MemoryReader,
  type MemoryStore,
  type MovableStore,
  openReader,
  openStore,
  type TEXT_LIMITS,
  type TeamPlace,
  teamOrigin,
  toDocument,
} from "../../memory/index.ts";
import {
  checkTeamName,
  type DatabaseAddress,
  findDatabaseUrl,
  unencryptedNotice,
} from "../../postgres/index.ts";
import { expandHome, quoteWord, resolve, type System } from "../../system/index.ts";
import { clip, escapeControls } from "../../text/index.ts";
import { startSync } from "./background-sync.ts";

export const STORE_OPTIONS = {
  "db-path": option.string("FILE", "another database than ~/.amplihack/memory.db"),
  backend: option.choice(["sqlite", "postgres"], "the file (by default), or the team's database: memory.url"),
  url: option.string("URL", "the team's database, postgres://USER@HOST/DATABASE"),
  team: option.string("NAME", "whose memories there (memory.team by default)"),
  format: FORMAT_OPTION,
} as const satisfies OptionSpecs;

/** What an agent notes for itself is its own; what it writes for others, or on another machine, is not. */
export const SHARED_STORE = ["url", "backend=postgres"] as const;

export const AGENT_OPTION = option.string("NAME", "only those of this agent");
export const SESSION_OPTION = option.string("SESSION", "only those of this session");

type StoreInvocation = CommandInvocation<typeof STORE_OPTIONS>;
/** What a command was told on its own options; the rest is common. */
export type AnyInvocation = Omit<StoreInvocation, "options"> & {
  readonly options: Pick<StoreInvocation["options"], keyof typeof STORE_OPTIONS>;
};

/** Of a command that is about one memory: `KEY`, and perhaps agent and session. */
type NamingInvocation = AnyInvocation & {
  readonly options: { readonly agent: string | undefined; readonly session: string | undefined };
};

/** Where the memories are that a command is about. */
export type StorePlace = { readonly path: string } | TeamPlace;

export function storePlace(invocation: AnyInvocation): StorePlace {
  const { backend, url, team, "db-path": path } = invocation.options;
  const isTeams = backend === "postgres" || url !== undefined;
  if (backend === "sqlite" && url !== undefined) throw usageError("--url is not for --backend sqlite");
  if (isTeams && path !== undefined) throw usageError("--db-path is not for the database of a team");
  if (!isTeams && team !== undefined)
    throw usageError("--team is for the database of a team", "add --backend postgres, or --url");
  return isTeams ? teamPlace(invocation) : { path: databasePath(invocation) };
}

export function databasePath(invocation: Pick<AnyInvocation, "options" | "system" | "terminal">): string {
  const given = invocation.options["db-path"];
  if (given === undefined) return memoryPlace(invocation).databasePath;
  return fileNamed(invocation.system, "--db-path", given);
}

/** The absolute path of a file that an option names. */
export function fileNamed({ files, env }: System, optionName: string, given: string): string {
  if (given === "") throw usageError(`${optionName} must name a file`);
  return resolve(files.workingDirectory() ?? "/", expandHome(given, env.get("HOME")));
}

export function teamPlace(invocation: AnyInvocation): TeamPlace {
  const { url, team } = invocation.options;
  const { memory } = memoryPlace(invocation).config;
  if (team !== undefined) checkTeamName(team);
  if (url === "") throw usageError("--url must name a database");
  const address = findDatabaseUrl(invocation.system, { option: "--url URL", given: url, memory });
  warnUnencrypted(invocation, address);
  return { address, team: team ?? memory.team };
}

export function warnUnencrypted(
  { terminal }: Pick<AnyInvocation, "terminal">,
  address: DatabaseAddress,
): void {
  const notice = unencryptedNotice(address);
  if (notice !== undefined) terminal.warn(`${notice}\n`);
}

export function memoryPlace({ system, terminal }: Pick<AnyInvocation, "system" | "terminal">): MemoryPlace {
  return findMemoryPlace(system, warning => terminal.warn(`${warning}\n`));
}

/**
 * Runs with the memories to read; a place without any is empty and stays so. `warn` is told of what a server lacks for
 * searching.
 */
export function withReader<T>(
  invocation: AnyInvocation,
  work: (reader: MemoryReader) => Promise<T>,
  warn?: (message: string) => void,
): Promise<T> {
  const { system } = invocation;
  const place = storePlace(invocation);
  const open = async () =>
    "path" in place
      ? openReader(system, place.path)
      : (await loadOpenPostgresStore()).openPostgresReader(system, place, { warn });
  return using(invocation, "reading memories …", open, work);
}

/**
 * Runs with the store to change, which is made when there is none. What changed in the copy of a team's memories is sent
 * in the background.
 */
export async function withStore<T>(
  invocation: AnyInvocation,
  work: (store: MemoryStore) => Promise<T>,
): Promise<T> {
  const { options, system } = invocation;
  const place = storePlace(invocation);
  const copy =
    "path" in place && options["db-path"] === undefined ? findMemoryPlace(system, () => {}) : undefined;
  const origin = copy === undefined ? undefined : teamOrigin(copy.config);
  const result = await using(invocation, "writing memories …", () => openPlace(system, place, origin), work);
  if (copy !== undefined) await startSync(system, copy, true);
  return result;
}

/** The driver of PostgreSQL is loaded only where it is needed. */
export async function openPlace(system: System, place: StorePlace, origin?: string): Promise<MovableStore> {
  if ("path" in place) return openStore(system, place.path, { origin });
  const { openPostgresStore } = await loadOpenPostgresStore();
  return openPostgresStore(system, place);
}

function using<S extends MemoryReader, T>(
  invocation: AnyInvocation,
  text: string,
  open: () => Promise<S>,
  work: (store: S) => Promise<T>,
): Promise<T> {
  return new ProgressLine(invocation.system, invocation.terminal).during(text, async () => {
    const store = await open();
    try {
      return await work(store);
    } finally {
      store.close();
    }
  });
}

/** Names and texts from the command line that no store would take are usage errors. */
export function checkArguments(texts: Partial<Pick<Memory, keyof typeof TEXT_LIMITS>>): void {
  try {
    checkTexts(texts);
  } catch (error) {
    throw error instanceof MemoryError ? usageError(error.message) : error;
  }
}

export function findOne(invocation: NamingInvocation): Promise<Memory> {
  return withReader(invocation, reader => findIn(reader, invocation));
}

/**
 * The memory that a key and perhaps agent and session name. Without a session it is the one outside all sessions, or
 * the only one; several are an error, so that nothing is read or deleted by accident.
 */
export async function findIn(
  reader: MemoryReader,
  { options, positionals }: Pick<NamingInvocation, "options" | "positionals">,
): Promise<Memory> {
  const { agent, session } = options;
  const [key = ""] = positionals;
  const found = await reader.list({ agent, session, key }, "name");
  const shown = `'${escapeControls(key)}'`;
  if (found.length === 0) throw notFound(options, shown);
  const agents = [...new Set(found.map(memory => memory.agent))];
  if (agents.length > 1) throw ambiguous("agent", agents, shown);
  const [first] = found.length === 1 ? found : found.filter(memory => memory.session === "");
  if (first !== undefined) return first;
  throw ambiguous(
    "session",
    found.map(memory => memory.session),
    shown,
  );
}

function notFound(options: NamingInvocation["options"], shown: string): CommandError {
  const { agent, session } = options;
  const who = agent === undefined ? "there is" : `agent '${escapeControls(agent)}' has`;
  const where = session === undefined ? "" : ` in session '${escapeControls(session)}'`;
  return new CommandError(`${who} no memory ${shown}${where}`, {
    kind: "not-found",
    fix: `amplihack memory list${optionWords(options, "agent", "db-path", "backend", "url", "team")}`,
  });
}

/** The options as they were given, for a command that is to be typed next; a URL that was typed holds no password. */
function optionWords(
  options: NamingInvocation["options"],
  ...names: readonly (keyof NamingInvocation["options"])[]
): string {
  return names
    .flatMap(name => (options[name] === undefined ? [] : [` --${name} ${quoteWord(options[name])}`]))
    .map(escapeControls)
    .join("");
}

const MAX_NAMED = 10;

function ambiguous(kind: "agent" | "session", names: readonly string[], shown: string): CommandError {
  return new CommandError(`${names.length} ${kind}s have a memory ${shown}`, {
    kind: "ambiguous",
    causes: names.slice(0, MAX_NAMED).map(name => `${kind} ${escapeControls(name)}`),
    fix: `say which with --${kind}`,
  });
}

/** A memory without its text, as lists of what is deleted show it. */
export function withoutValue(memory: Memory) {
  const { value: _, ...rest } = toDocument(memory);
  return rest;
}

/** Asks before anything is deleted; throws when there is no terminal. */
export function confirmDeletion(
  { terminal, system, options }: AnyInvocation,
  count: number,
  flag: string,
): boolean {
  const what = count === 1 ? "this memory" : `${count} memories`;
  const isCopy =
    options["db-path"] === undefined && findMemoryPlace(system, () => {}).config.memory.url !== undefined;
  const whose =
    isCopy || options.url !== undefined || options.backend === "postgres"
      ? ", shared ones for the whole team"
      : "";
  if (terminal.isInteractive) return askYesOrNo(terminal, `Delete ${what} for good${whose}?`);
  throw usageError(
    `deleting${whose === "" ? "" : `${whose},`} needs your confirmation, and there is no terminal to ask at`,
    `add ${flag}`,
  );
}

/** With its indent and the mark of what was left out, as wide as a usual terminal. */
const MAX_SHOWN_TEXT = 75;

/** One line of a list: name, session, kind and the beginning of the text. */
export function renderLine(memory: Memory): string {
  const { agent, session, category, updated_at } = toDocument(memory);
  const place = session === null ? agent : `${agent} · ${session}`;
  const pinned = memory.isPinned === true ? ", pinned" : "";
  const about = `${escapeControls(place)}, ${category}, ${updated_at.slice(0, 10)}${pinned}`;
  return `${escapeControls(memory.key)}  (${about})\n    ${clipStart(memory.value, MAX_SHOWN_TEXT)}\n`;
}

/** Of a stored text, which may come from anywhere, on one line. */
export function clipStart(value: string, length: number): string {
  return clip(escapeControls(value.replace(/\s+/g, " ").trim()), length);
}
