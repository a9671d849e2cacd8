import { readText } from "../state/index.ts";
import type { System } from "../system/index.ts";
import type { PathChange, PathState } from "./change.ts";
import { contentId } from "./path-state.ts";
import type { Store } from "./store.ts";

const MAX_CONFIG = 1024 * 1024;

/**
 * The settings of a repository with the sections as they were that a call changed, and all others as they are now.
 * Undefined when such a section was changed again.
 */
export function mergeSections(
  system: System,
  store: Store,
  { path, before, after }: PathChange,
): PathState | undefined {
  const read = (state: PathState) => {
    const id = contentId(state);
    const bytes = id === undefined ? undefined : store.readObject(id, MAX_CONFIG);
    return bytes === undefined ? undefined : sections(system.text.decode(bytes).text);
  };
  const old = read(before);
  const left = read(after);
  const present = readText(system, path, MAX_CONFIG);
  if (old === undefined || left === undefined || present === undefined || before.kind !== "file")
    return undefined;
  const merged = sections(present);
  for (const name of new Set([...old.keys(), ...left.keys()])) {
    if (old.get(name) === left.get(name)) continue;
    if (merged.get(name) !== left.get(name) && merged.get(name) !== old.get(name)) return undefined;
    const text = old.get(name);
    if (text === undefined) merged.delete(name);
    else merged.set(name, text);
  }
  const id = store.keepBytes(system.text.encode([...merged.values()].join("")));
  return { ...before, content: { in: "store", id } };
}

/** Text by header line; a section that is written twice counts as one. */
function sections(text: string): Map<string, string> {
  const found = new Map<string, string>();
  let name = "";
  for (const line of text.split(/(?<=\n)/)) {
    if (/^\s*\[/.test(line)) name = line.trim();
    found.set(name, (found.get(name) ?? "") + line);
  }
  return found;
}
