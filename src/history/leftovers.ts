import { hasEnded, removeIfThere } from "../state/index.ts";
import { basename, dirname, SystemError } from "../system/index.ts";
import {
  findOpen,
  type OpenChange,
  type OpenFile,
  readOpen,
  replaceOpen,
  type Writing,
} from "./open-changes.ts";
import { factsAt } from "./path-state.ts";
import type { Store } from "./store.ts";

export function beginWriting(store: Store, paths: readonly string[]): Writing {
  const { random, processes } = store.system;
  return { mark: random.hex(MARK_LENGTH), writer: processes.self, paths: store.list(paths) };
}

const MARK_LENGTH = 12;
const NAME_LENGTH = 60;

/** Where the new content of a path is written before it takes its place. */
export function temporaryBeside(path: string, mark: string): string {
  return `${dirname(path)}/.${basename(path).slice(0, NAME_LENGTH)}.${mark}.tmp`;
}

/** Temporary files of undos that were killed. */
export function findLeftovers(store: Store): ReadonlySet<string> {
  return new Set(killedUndos(store).flatMap(({ open }) => leftoversOf(store, open)));
}

export function removeLeftovers(store: Store): void {
  for (const { file, open } of killedUndos(store)) {
    try {
      for (const path of leftoversOf(store, open)) removeIfThere(store.system.files, path);
    } catch (error) {
      // They are still written down: the next undo tries again.
      if (error instanceof SystemError) continue;
      throw error;
    }
    const { writing: _, ...rest } = open;
    replaceOpen(store, file, rest);
  }
}

function killedUndos(store: Store): readonly { readonly file: OpenFile; readonly open: OpenChange }[] {
  const { processes } = store.system;
  return findOpen(store, undefined).flatMap(file => {
    const open = readOpen(store, file);
    const isKilled = open?.writing !== undefined && hasEnded(processes, open.writing.writer);
    return isKilled ? [{ file, open }] : [];
  });
}

function leftoversOf(store: Store, { writing }: OpenChange): readonly string[] {
  if (writing === undefined) return [];
  return (store.readList(writing.paths) ?? [])
    .map(path => temporaryBeside(path, writing.mark))
    .filter(path => factsAt(store.system.files, path) !== undefined);
}
