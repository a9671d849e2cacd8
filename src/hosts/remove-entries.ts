import { getNodeValue } from "jsonc-parser";
import { type InvalidText, type JsonNode, propertiesOf, removeChild, replaceNode } from "../config/index.ts";
import { isSameJson, type Json } from "../protocol/index.ts";
import type { SettingsLayout } from "./host.ts";
import {
  entriesOf,
  type FoundEntry,
  type LocatedEntry,
  listEntries,
  locateEntries,
  type OpenedFile,
  openFile,
  rootOf,
} from "./settings-file.ts";

// Taking our entries out of a host's configuration, as pure functions over its text. Foreign entries, comments, key
// order, indentation, line ends and a byte order mark stay as they are.

/** Text of empty containers by their path, for instance `hooks/Stop`. */
export type EmptyContainers = Readonly<Record<string, string>>;

export interface EditedText {
  readonly ok: true;
  readonly text: string;
  readonly isChanged: boolean;
  readonly added: readonly FoundEntry[];
  readonly removed: readonly FoundEntry[];
  /** nothing is left but what a file of this kind must have */
  readonly isBare: boolean;
}

/** Says of an entry of ours whether it has to go, given those of ours before it in the same event. */
export type IsUnwanted = (entry: FoundEntry, earlier: readonly FoundEntry[]) => boolean;

export interface UnregisterOptions {
  /** text of containers that were there and empty before we registered, to be put back */
  readonly emptyBefore?: EmptyContainers;
  /** all entries of ours when absent */
  readonly isUnwanted?: IsUnwanted;
}

/** Takes every unwanted entry of ours away, and the containers that are empty because of it. */
export function unregisterEntries(
  text: string,
  layout: SettingsLayout,
  options: UnregisterOptions = {},
): InvalidText | EditedText {
  const before = listEntries(text, layout);
  if (!before.ok) return before;
  let edited = text;
  for (const event of new Set(before.entries.flatMap(entry => (entry.owned ? [entry.event] : [])))) {
    const cleared = clearEvent(edited, layout, event, "drop", options);
    if (!cleared.ok) return cleared;
    edited = cleared.text;
  }
  return describeEdit(text, edited, layout, before.entries);
}

/** What became of a file, by its entries before and after. */
export function describeEdit(
  text: string,
  edited: string,
  layout: SettingsLayout,
  before: readonly FoundEntry[],
): InvalidText | EditedText {
  const after = openFile(edited, layout);
  if (!after.ok) return after;
  const entries = entriesOf(after);
  const isIn = (all: readonly FoundEntry[], entry: FoundEntry) =>
    all.some(other => isSameEntry(other, entry));
  return {
    ok: true,
    text: edited,
    isChanged: edited !== text,
    added: entries.filter(entry => !isIn(before, entry)),
    removed: before.filter(entry => !isIn(entries, entry)),
    isBare: isSameJson(getNodeValue(after.root) as Json, layout.header ?? {}),
  };
}

function isSameEntry(left: FoundEntry, right: FoundEntry): boolean {
  return (
    left.event === right.event && left.matcher === right.matcher && isSameJson(left.handler, right.handler)
  );
}

export function ownEntries(opened: OpenedFile, event: string): readonly LocatedEntry[] {
  return locateEntries(opened).filter(entry => entry.event === event && entry.owned !== undefined);
}

/** Removes our handlers from one event; afterwards the event's list is kept, or dropped when it became empty. */
export function clearEvent(
  text: string,
  layout: SettingsLayout,
  event: string,
  emptyList: "keep" | "drop",
  { emptyBefore = {}, isUnwanted = () => true }: UnregisterOptions = {},
): InvalidText | { readonly ok: true; readonly text: string } {
  let current = text;
  for (;;) {
    const opened = openFile(current, layout);
    if (!opened.ok) return opened;
    const ours = ownEntries(opened, event);
    const located = ours.filter((entry, index) => isUnwanted(entry, ours.slice(0, index))).at(-1);
    if (located === undefined) return { ok: true, text: current };
    current = opened.bom + removeEntry(opened, layout, located, emptyList, emptyBefore);
  }
}

/** A group goes with its last handler, a list with its last item, the event map with its last event. */
function removeEntry(
  { body, root, events }: OpenedFile,
  layout: SettingsLayout,
  { event, node, handlers, item, list }: LocatedEntry,
  emptyList: "keep" | "drop",
  emptyBefore: EmptyContainers,
): string {
  if (handlers !== list && childCount(handlers) > 1)
    return removeChild(body, handlers, indexOf(handlers, node));
  if (childCount(list) > 1 || emptyList === "keep") return removeChild(body, list, indexOf(list, item));
  const listBefore = ownText(emptyBefore, containerPath(layout, event));
  if (listBefore !== undefined) return replaceNode(body, list, listBefore);
  if (events === undefined) return body;
  const [top] = rootOf(layout);
  if (childCount(events) > 1 || top === undefined) return removeMember(body, events, event);
  const mapBefore = ownText(emptyBefore, containerPath(layout));
  return mapBefore === undefined ? removeMember(body, root, top) : replaceNode(body, events, mapBefore);
}

function ownText(texts: EmptyContainers, path: string): string | undefined {
  return Object.hasOwn(texts, path) ? texts[path] : undefined;
}

function removeMember(body: string, object: JsonNode, name: string): string {
  const index = propertiesOf(object).findIndex(([key]) => key === name);
  return index < 0 ? body : removeChild(body, object, index);
}

export function childCount(node: JsonNode): number {
  return (node.children ?? []).length;
}

function indexOf(container: JsonNode, child: JsonNode): number {
  return (container.children ?? []).indexOf(child);
}

/** The name of a container among `EmptyContainers`. */
export function containerPath(layout: SettingsLayout, event?: string): string {
  return [...rootOf(layout), ...(event === undefined ? [] : [event])].join("/");
}
