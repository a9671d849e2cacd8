import type { PathState } from "./change.ts";
import type { Entry } from "./journal.ts";
import { readKnownList } from "./known-sweep.ts";
import { findAllOpen, type OpenChange, readOpen } from "./open-changes.ts";
import { readSeen } from "./seen-cache.ts";
import { isObjectList, type Listed, type Store } from "./store.ts";

/** Calls `use` for every object that an entry of the journal needs. */
export function useObjects(store: Store, entry: Entry, use: (id: string) => void): void {
  useList(entry.files, use);
  useList(entry.git, use);
  for (const { before, after } of store.readList(entry.files) ?? []) {
    useState(before, use);
    useState(after, use);
  }
  for (const { index, files } of store.readList(entry.git) ?? []) {
    if (index?.before !== undefined) use(index.before);
    for (const { before, after } of files) {
      useState(before, use);
      useState(after, use);
    }
  }
}

/** Objects of open changes and of what the last sweeps saw. */
export function objectsInUse(store: Store): ReadonlySet<string> {
  const used = new Set<string>();
  const use = (id: string) => used.add(id);
  for (const file of findAllOpen(store)) {
    const open = readOpen(store, file);
    if (open !== undefined) useOpen(store, open, use);
  }
  for (const name of store.names("seen")) {
    const seen = readKnownList(store, name) ?? readSeen(store, store.path("seen", name))?.seen;
    if (seen === undefined) continue;
    useList(seen, use);
    for (const { state } of store.readList(seen) ?? []) useState(state, use);
  }
  return used;
}

function useOpen(store: Store, open: OpenChange, use: (id: string) => void): void {
  const { seen, targets, sweeps, git, writing } = open;
  useList(targets, use);
  if (writing !== undefined) useList(writing.paths, use);
  for (const snapshot of git) {
    useList(snapshot.refs, use);
    useList(snapshot.stashes, use);
  }
  for (const list of [seen, ...sweeps.map(sweep => sweep.seen), ...git.map(({ files }) => files)]) {
    useList(list, use);
    for (const { state } of store.readList(list) ?? []) useState(state, use);
  }
}

function useList<T>(list: Listed<T>, use: (id: string) => void): void {
  if (isObjectList(list)) use(list.object);
}

function useState(state: PathState, use: (id: string) => void): void {
  if (state.kind === "file" && (state.content.in === "store" || state.content.in === "digest"))
    use(state.content.id);
}
