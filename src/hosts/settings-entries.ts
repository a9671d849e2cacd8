import { getNodeValue, type Node } from "jsonc-parser";
import { isSameJson, type Json, type JsonObject } from "../protocol/index.ts";
import { carriedOver, type RaisedTimeout, raisedTimeouts } from "./carried-over.ts";
import type { WantedEntry } from "./hook-registry.ts";
import type { Layout } from "./host.ts";
import {
  insertFirst,
  insertMember,
  memberOf,
  placeOf,
  propertiesOf,
  removeChild,
  replaceNode,
} from "./json-text.ts";
import {
  BOM,
  type FoundEntry,
  type LocatedEntry,
  listEntries,
  locateEntries,
  type OpenedFile,
  openFile,
  type Problem,
} from "./settings-file.ts";

// Our entries in a host's configuration, as pure functions over its text. Foreign entries, comments, key order,
// indentation, line ends and a byte order mark stay as they are.

/** Text of empty containers by their path, for instance `hooks/Stop`. */
export type EmptyContainers = Readonly<Record<string, string>>;

export interface Edited {
  readonly ok: true;
  readonly text: string;
  readonly isChanged: boolean;
  readonly added: readonly FoundEntry[];
  readonly removed: readonly FoundEntry[];
  /** entries whose limit a person had raised, which is kept */
  readonly raisedTimeouts: readonly RaisedTimeout[];
  /** text of containers that were there and empty before; `unregisterEntries` puts it back */
  readonly emptyBefore: EmptyContainers;
  /** nothing is left but what a file of this kind must have */
  readonly isBare: boolean;
}

/** Writes the wanted entries, ours first in every event, and takes away all other entries of ours. */
export function registerEntries(
  text: string,
  layout: Layout,
  wanted: readonly WantedEntry[],
): Problem | Edited {
  const before = listEntries(text, layout);
  if (!before.ok) return before;
  const blocked = wrongList(text, layout, wanted);
  if (blocked !== undefined) return blocked;
  const ours = before.entries.filter(({ owned }) => owned !== undefined);
  const raised = raisedTimeouts(ours, wanted);
  const entries = wanted.map(entry => ({ ...entry, handler: carriedOver(entry, ours, raised) }));
  const emptyBefore = emptyContainers(text, layout);
  let edited = addHeader(text.trim() === "" ? `${text.startsWith(BOM) ? BOM : ""}{}\n` : text, layout);

  for (const event of eventsOf(ours, entries)) {
    const mine = entries.filter(entry => entry.nativeEvent === event);
    if (isUpToDate(edited, layout, event, mine)) continue;
    const cleared = clear(edited, layout, event, mine.length > 0 ? "keep" : "drop", {});
    if (!cleared.ok) return cleared;
    edited = mine.length === 0 ? cleared.text : insertEntries(cleared.text, layout, event, mine);
  }
  return summarise(text, edited, layout, before.entries, { raisedTimeouts: raised, emptyBefore });
}

/** Says of an entry of ours whether it has to go, given those of ours before it in the same event. */
export type IsUnwanted = (entry: FoundEntry, earlier: readonly FoundEntry[]) => boolean;

export interface UnregisterOptions {
  /** what `registerEntries` found, to be put back */
  readonly emptyBefore?: EmptyContainers;
  /** all entries of ours when absent */
  readonly isUnwanted?: IsUnwanted;
}

/** Takes every unwanted entry of ours away, and the containers that are empty because of it. */
export function unregisterEntries(
  text: string,
  layout: Layout,
  { emptyBefore = {}, isUnwanted = () => true }: UnregisterOptions = {},
): Problem | Edited {
  const before = listEntries(text, layout);
  if (!before.ok) return before;
  const ours = before.entries.filter(({ owned }) => owned !== undefined);
  let edited = text;
  for (const event of eventsOf(ours, [])) {
    const cleared = clear(edited, layout, event, "drop", emptyBefore, isUnwanted);
    if (!cleared.ok) return cleared;
    edited = cleared.text;
  }
  return summarise(text, edited, layout, before.entries, { raisedTimeouts: [], emptyBefore: {} });
}

function summarise(
  text: string,
  edited: string,
  layout: Layout,
  before: readonly FoundEntry[],
  more: Pick<Edited, "raisedTimeouts" | "emptyBefore">,
): Problem | Edited {
  const after = listEntries(edited, layout);
  if (!after.ok) return after;
  const isIn = (entries: readonly FoundEntry[], entry: FoundEntry) =>
    entries.some(other => isSameEntry(other, entry));
  return {
    ok: true,
    text: edited,
    isChanged: edited !== text,
    added: after.entries.filter(entry => !isIn(before, entry)),
    removed: before.filter(entry => !isIn(after.entries, entry)),
    isBare: isBareFile(edited, layout),
    ...more,
  };
}

function isSameEntry(left: FoundEntry, right: FoundEntry): boolean {
  return (
    left.event === right.event && left.matcher === right.matcher && isSameJson(left.handler, right.handler)
  );
}

function eventsOf(ours: readonly FoundEntry[], wanted: readonly WantedEntry[]): readonly string[] {
  return [...new Set([...wanted.map(entry => entry.nativeEvent), ...ours.map(entry => entry.event)])];
}

/** An event we want to register on whose value is no list. */
function wrongList(text: string, layout: Layout, wanted: readonly WantedEntry[]): Problem | undefined {
  const opened = openFile(text, layout);
  if (!opened.ok || opened.events === undefined) return undefined;
  for (const { nativeEvent } of wanted) {
    const value = memberOf(opened.events, nativeEvent);
    if (value === undefined || value.type === "array") continue;
    const problem = `"${nativeEvent}" must be a list, found ${value.type}`;
    return { ok: false, problem, ...placeOf(opened.body, value.offset) };
  }
  return undefined;
}

function ownEntries(opened: OpenedFile, event: string): readonly LocatedEntry[] {
  return locateEntries(opened).filter(entry => entry.event === event && entry.owned !== undefined);
}

function usesGroups(layout: Layout, event: string): boolean {
  return layout.kind === "groups" || (layout.kind === "mixed" && /ToolUse/.test(event));
}

function itemOf(layout: Layout, { nativeEvent, matcher, handler }: WantedEntry): JsonObject {
  const selected = matcher === undefined ? {} : { matcher };
  return usesGroups(layout, nativeEvent) ? { ...selected, hooks: [handler] } : { ...selected, ...handler };
}

function isUpToDate(text: string, layout: Layout, event: string, wanted: readonly WantedEntry[]): boolean {
  const opened = openFile(text, layout);
  if (!opened.ok || opened.events === undefined) return false;
  const list = memberOf(opened.events, event);
  if (list?.type !== "array") return false;
  const ours = ownEntries(opened, event);
  if (ours.length !== wanted.length) return false;
  return wanted.every((entry, index) => {
    const item = list.children?.[index];
    const value = item === undefined ? null : (getNodeValue(item) as Json);
    return isSameJson(value, itemOf(layout, entry));
  });
}

/** Removes our handlers from one event; afterwards the event's list is kept, or dropped when it became empty. */
function clear(
  text: string,
  layout: Layout,
  event: string,
  fate: "keep" | "drop",
  emptyBefore: EmptyContainers,
  isUnwanted: IsUnwanted = () => true,
): Problem | { readonly ok: true; readonly text: string } {
  let current = text;
  for (;;) {
    const opened = openFile(current, layout);
    if (!opened.ok) return opened;
    const ours = ownEntries(opened, event);
    const located = ours.filter((entry, index) => isUnwanted(entry, ours.slice(0, index))).at(-1);
    if (located === undefined) return { ok: true, text: current };
    current = opened.bom + removeEntry(opened, layout, located, fate, emptyBefore);
  }
}

/** A group goes with its last handler, a list with its last item, the event map with its last event. */
function removeEntry(
  { body, root, events }: OpenedFile,
  layout: Layout,
  { event, node, handlers, item, list }: LocatedEntry,
  fate: "keep" | "drop",
  emptyBefore: EmptyContainers,
): string {
  if (handlers !== list && childCount(handlers) > 1)
    return removeChild(body, handlers, indexOf(handlers, node));
  if (childCount(list) > 1 || fate === "keep") return removeChild(body, list, indexOf(list, item));
  const emptyList = ownText(emptyBefore, pathName(layout, event));
  if (emptyList !== undefined) return replaceNode(body, list, emptyList);
  if (events === undefined) return body;
  const [top] = layout.root;
  if (childCount(events) > 1 || top === undefined) return removeMember(body, events, event);
  const emptyMap = ownText(emptyBefore, pathName(layout));
  return emptyMap === undefined ? removeMember(body, root, top) : replaceNode(body, events, emptyMap);
}

function ownText(texts: EmptyContainers, path: string): string | undefined {
  return Object.hasOwn(texts, path) ? texts[path] : undefined;
}

function removeMember(body: string, object: Node, name: string): string {
  const index = propertiesOf(object).findIndex(([key]) => key === name);
  return index < 0 ? body : removeChild(body, object, index);
}

function childCount(node: Node): number {
  return (node.children ?? []).length;
}

function indexOf(container: Node, child: Node): number {
  return (container.children ?? []).indexOf(child);
}

function insertEntries(text: string, layout: Layout, event: string, wanted: readonly WantedEntry[]): string {
  const items = wanted.map(entry => itemOf(layout, entry));
  let current = ensureRoot(text, layout);
  const first = openFile(current, layout);
  if (!first.ok || first.events === undefined) return current;
  if (memberOf(first.events, event) === undefined)
    return first.bom + insertMember(first.body, first.events, event, items);
  for (const item of [...items].reverse()) {
    const opened = openFile(current, layout);
    const list = opened.ok && opened.events !== undefined ? memberOf(opened.events, event) : undefined;
    if (!opened.ok || list === undefined) return current;
    current = opened.bom + insertFirst(opened.body, list, item);
  }
  return current;
}

function ensureRoot(text: string, layout: Layout): string {
  const opened = openFile(text, layout);
  const [name] = layout.root;
  if (!opened.ok || opened.events !== undefined || name === undefined) return text;
  return opened.bom + insertMember(opened.body, opened.root, name, {});
}

function addHeader(text: string, layout: Layout): string {
  let current = text;
  for (const [name, value] of Object.entries(layout.header ?? {})) {
    const opened = openFile(current, layout);
    if (opened.ok && memberOf(opened.root, name) === undefined)
      current = opened.bom + insertMember(opened.body, opened.root, name, value);
  }
  return current;
}

function pathName(layout: Layout, event?: string): string {
  return [...layout.root, ...(event === undefined ? [] : [event])].join("/");
}

function emptyContainers(text: string, layout: Layout): EmptyContainers {
  const opened = openFile(text, layout);
  if (!opened.ok || opened.events === undefined || layout.root.length === 0) return {};
  const { body, events } = opened;
  const containers: readonly (readonly [string, Node])[] = [
    [pathName(layout), events],
    ...propertiesOf(events).map(([event, list]) => [pathName(layout, event), list] as const),
  ];
  const empty = containers.filter(
    ([, node]) => (node.type === "array" || node.type === "object") && childCount(node) === 0,
  );
  return Object.fromEntries(
    empty.map(([path, node]) => [path, body.slice(node.offset, node.offset + node.length)]),
  );
}

function isBareFile(text: string, layout: Layout): boolean {
  const opened = openFile(text, layout);
  return opened.ok && isSameJson(getNodeValue(opened.root) as Json, layout.header ?? {});
}
