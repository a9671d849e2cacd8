import { errorText } from "../protocol/index.ts";
import { removeIfThere } from "../state/index.ts";
import type { HistoryContext } from "./context.ts";
import type { VerifyReport } from "./interface.ts";
import { projectKeys, readJournals } from "./journal.ts";
import { findAllOpen, readOpen } from "./open-changes.ts";
import { objectSizes } from "./prune.ts";
import type { Listed, Store } from "./store.ts";

const MAX_PROBLEMS = 100;

/** Reads everything: lines, lists and every byte of the objects. */
export function verify({ store, system }: HistoryContext): VerifyReport {
  const { entries, problems: broken } = readJournals(store, projectKeys(store, undefined));
  const problems = [...broken];
  for (const entry of entries) {
    for (const list of [entry.files, entry.git] as readonly Listed<unknown>[])
      if (store.readList(list) === undefined)
        problems.push(`change ${entry.id}: its list of paths is gone or damaged`);
    for (const { path, before } of store.readList(entry.files) ?? [])
      if (before.kind === "file" && before.content.in === "store" && !store.hasObject(before.content.id))
        problems.push(`change ${entry.id}: the former content of ${path} is gone`);
  }
  for (const file of findAllOpen(store))
    if (readOpen(store, file) === undefined) problems.push(`${file.path} is damaged`);
  const sizes = objectSizes(store);
  let bytes = 0;
  for (const [id, size] of sizes) {
    bytes += size;
    const path = store.objectPath(id);
    try {
      if (system.files.digest(path) !== id)
        problems.push(`${path} is damaged: its content has another digest`);
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  return { changes: entries.length, objects: sizes.size, bytes, problems: problems.slice(0, MAX_PROBLEMS) };
}

export function storeSize(store: Store): {
  readonly changes: number;
  readonly objects: number;
  readonly bytes: number;
} {
  const sizes = objectSizes(store);
  const { entries } = readJournals(store, projectKeys(store, undefined));
  return {
    changes: entries.length,
    objects: sizes.size,
    bytes: [...sizes.values()].reduce((a, b) => a + b, 0),
  };
}

/** Tries it. */
export function whyNotWritable(store: Store): string | undefined {
  try {
    const probe = store.path("writable");
    store.writeSealed(probe, true);
    removeIfThere(store.system.files, probe);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
