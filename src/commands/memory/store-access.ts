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

export const AGENT_OPTION = option.string("NAME", "whose memories", { isRequired: true });
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
 * The memory that agent, key and perhaps session name. Without a session it is the one outside all sessions, or
 * the only one; several are an error, so that nothing is read or deleted by accident.
 */
export async function findOne(
  reader: MemoryReader,
  name: { readonly agent: string; readonly session: string | undefined; readonly key: string },
): Promise<Memory> {
  const found = await reader.list(name, "name");
  const [first] = found;
  const shown = `'${escapeControls(name.key)}'`;
  if (first === undefined) {
    const where = name.session === undefined ? "" : ` in session '${escapeControls(name.session)}'`;
    throw new CommandError(`agent '${escapeControls(name.agent)}' has no memory ${shown}${where}`, {
      kind: "not-found",
      fix: `amplihack memory list --agent ${escapeControls(name.agent)}`,
    });
  }
  if (found.length === 1) return first;
  const outside = found.find(memory => memory.session === "");
  if (outside !== undefined) return outside;
  throw new CommandError(`${found.length} sessions have a memory ${shown}`, {
    kind: "ambiguous",
    causes: found.slice(0, 10).map(memory => `session ${escapeControls(memory.session)}`),
    fix: "say which with --session",
  });
}

/** One line of a list: name, session, kind and the beginning of the text. */
export function renderLine(memory: Memory): string {
  const { agent, session, category, updated_at } = toDocument(memory);
  const place = session === null ? agent : `${agent} · ${session}`;
  const text = escapeControls(memory.value.replace(/\s+/g, " ").trim()).slice(0, 100);
  return `${escapeControls(memory.key)}  (${escapeControls(place)}, ${category}, ${updated_at.slice(0, 10)})\n    ${text}\n`;
}
