import { askYesOrNo } from "../../cli/ask.ts";
import type { Invocation } from "../../cli/command.ts";
import { CommandError, usageError } from "../../cli/errors.ts";
import { FORMAT_OPTION, type OptionSpecs, option } from "../../cli/option.ts";
import { ProgressLine } from "../../cli/progress.ts";
import { checkTexts, type Memory, type TEXT_LIMITS } from "../../memory/memory.ts";
import { toDocument } from "../../memory/memory-document.ts";
import { MemoryError } from "../../memory/memory-error.ts";
import { findMemoryPlace } from "../../memory/memory-place.ts";
import { openReader, openStore } from "../../memory/open-store.ts";
import type { MemoryReader, MemoryStore } from "../../memory/store.ts";
import { escapeControls } from "../../state/index.ts";
import { expandHome, resolve } from "../../system/paths.ts";

export const STORE_OPTIONS = {
  "db-path": option.string("FILE", "another database than ~/.amplihack/memory.db"),
  backend: option.choice(["sqlite"], "where memories are kept", { initial: "sqlite" }),
  format: FORMAT_OPTION,
} as const satisfies OptionSpecs;

export const AGENT_OPTION = option.string("NAME", "only those of this agent");
export const SESSION_OPTION = option.string("SESSION", "only those of this session");

type StoreInvocation = Invocation<typeof STORE_OPTIONS>;
/** What a command was told on its own options; the rest is common. */
type AnyInvocation = Omit<StoreInvocation, "options"> & {
  readonly options: Pick<StoreInvocation["options"], "db-path" | "backend" | "format">;
};

/** Where the memories are that a command is about. */
export function databasePath({ options, system, terminal }: AnyInvocation): string {
  const given = options["db-path"];
  if (given === undefined)
    return findMemoryPlace(system, warning => terminal.warn(`${warning}\n`)).databasePath;
  if (given === "") throw usageError("--db-path must name a file");
  const directory = system.files.workingDirectory() ?? "/";
  return resolve(directory, expandHome(given, system.env.get("HOME")));
}

/** Runs with the memories to read; a place without any is empty and stays so. */
export function withReader<T>(
  invocation: AnyInvocation,
  work: (reader: MemoryReader) => Promise<T>,
): Promise<T> {
  return using(invocation, "reading memories …", path => openReader(invocation.system, path), work);
}

/** Runs with the store to change, which is made when there is none. */
export function withStore<T>(
  invocation: AnyInvocation,
  work: (store: MemoryStore) => Promise<T>,
): Promise<T> {
  return using(invocation, "writing memories …", path => openStore(invocation.system, path), work);
}

function using<S extends MemoryReader, T>(
  invocation: AnyInvocation,
  text: string,
  open: (path: string) => Promise<S>,
  work: (store: S) => Promise<T>,
): Promise<T> {
  const path = databasePath(invocation);
  return new ProgressLine(invocation.system, invocation.terminal).during(text, async () => {
    const store = await open(path);
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

/**
 * The memory that a key and perhaps agent and session name. Without a session it is the one outside all sessions, or
 * the only one; several are an error, so that nothing is read or deleted by accident.
 */
export async function findOne(
  reader: MemoryReader,
  name: { readonly agent: string | undefined; readonly session: string | undefined; readonly key: string },
): Promise<Memory> {
  const found = await reader.list(name, "name");
  const shown = `'${escapeControls(name.key)}'`;
  if (found.length === 0) throw notFound(name, shown);
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

function notFound(
  { agent, session }: { readonly agent: string | undefined; readonly session: string | undefined },
  shown: string,
): CommandError {
  const who = agent === undefined ? "there is" : `agent '${escapeControls(agent)}' has`;
  const where = session === undefined ? "" : ` in session '${escapeControls(session)}'`;
  return new CommandError(`${who} no memory ${shown}${where}`, {
    kind: "not-found",
    fix: `amplihack memory list${agent === undefined ? "" : ` --agent ${escapeControls(agent)}`}`,
  });
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

/** Asks before anything is deleted; an error where nobody can be asked. */
export function confirmDeletion(
  { terminal }: Pick<AnyInvocation, "terminal">,
  count: number,
  flag: string,
): boolean {
  const what = count === 1 ? "this memory" : `${count} memories`;
  if (terminal.isInteractive) return askYesOrNo(terminal, `Delete ${what} for good?`);
  throw usageError("deleting needs a yes and there is no terminal to ask at", `add ${flag}`);
}

/** One line of a list: name, session, kind and the beginning of the text. */
export function renderLine(memory: Memory): string {
  const { agent, session, category, updated_at } = toDocument(memory);
  const place = session === null ? agent : `${agent} · ${session}`;
  const text = escapeControls(memory.value.replace(/\s+/g, " ").trim()).slice(0, 100);
  const pinned = memory.isPinned === true ? ", pinned" : "";
  const about = `${escapeControls(place)}, ${category}, ${updated_at.slice(0, 10)}${pinned}`;
  return `${escapeControls(memory.key)}  (${about})\n    ${text}\n`;
}
