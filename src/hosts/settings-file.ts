import { getNodeValue } from "jsonc-parser";
import {
  findMember,
  type InvalidText,
  type JsonNode,
  listProperties,
  openJson,
  removeChild,
  replaceNode,
  toPlace,
} from "../config/index.ts";
import {
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  ownValue,
  stringAt,
} from "../protocol/index.ts";
import { isAbsolute, join } from "../system/index.ts";
import type { EnvironmentReader, InstallScope, Registration, SettingsLayout } from "./host.ts";
import { type OwnedCommand, ownedHandler } from "./subcommands.ts";

/** Where a file of a host is: below the project, or below the home or where users moved it. */
export function settingsPath(
  { files, relocation }: Registration,
  scope: InstallScope,
  places: { readonly home: string; readonly projectRoot: string },
  env: EnvironmentReader,
): string | undefined {
  const path = files[scope];
  if (path === undefined || scope === "project")
    return path === undefined ? undefined : join(places.projectRoot, path);
  const moved = relocation === undefined ? "" : (env.get(relocation.variable) ?? "");
  if (relocation === undefined || !isAbsolute(moved) || moved.split("/").includes(".."))
    return join(places.home, path);
  return join(moved, path.slice(relocation.folder.length));
}

export const BOM = "\uFEFF";

/** One handler found in a file. `owned` is undefined for other people's. */
export interface FoundEntry {
  readonly event: string;
  readonly matcher: string | undefined;
  readonly handler: JsonObject;
  readonly owned: OwnedCommand | undefined;
}

/** A configuration file, read as far as hooks are concerned. */
export interface OpenedFile {
  readonly ok: true;
  readonly bom: string;
  readonly body: string;
  readonly root: JsonNode;
  /** the event map; undefined when the file has none yet */
  readonly events: JsonNode | undefined;
}

/** A handler and where it stands: in the list of a group, in the list of an event itself, or under a name. */
interface LocatedEntry extends FoundEntry {
  readonly node: JsonNode;
  readonly handlers: JsonNode;
  /** what the list holds it in: a group, the handler itself, or the member with its name */
  readonly item: JsonNode;
  readonly list: JsonNode;
}

/** Path of members from the top of a file to its event map. */
export function rootPath({ root }: SettingsLayout): readonly string[] {
  return root ?? ["hooks"];
}

/** All handlers of a file, ours and others'. */
export function listEntries(
  text: string,
  layout: SettingsLayout,
): InvalidText | { readonly ok: true; readonly entries: readonly FoundEntry[] } {
  const opened = openFile(text, layout);
  if (!opened.ok) return opened;
  return { ok: true, entries: listFoundEntries(opened) };
}

export function listFoundEntries(opened: OpenedFile): readonly FoundEntry[] {
  return locateEntries(opened).map(({ event, matcher, handler, owned }) => ({
    event,
    matcher,
    handler,
    owned,
  }));
}

/** Refuses what could only be edited by guessing: broken JSON, wrong types on our way, repeated names. */
export function openFile(text: string, layout: SettingsLayout): InvalidText | OpenedFile {
  const bom = text.startsWith(BOM) ? BOM : "";
  const body = text.slice(bom.length).trim() === "" ? "{}" : text.slice(bom.length);
  const opened = openJson(body);
  if (!opened.ok) return opened;
  const { root } = opened;
  const fail = (node: JsonNode, problem: string): InvalidText => ({
    ok: false,
    problem,
    ...toPlace(body, node.offset),
  });
  if (root.type !== "object") return fail(root, `expected an object at the top, found ${root.type}`);
  let events: JsonNode | undefined = root;
  for (const name of rootPath(layout)) {
    const [found, twice]: readonly JsonNode[] = listProperties(events).flatMap(([key, value]) =>
      key === name ? [value] : [],
    );
    if (twice !== undefined) return fail(twice, `"${name}" appears twice; hosts read only one of them`);
    events = found;
    if (events === undefined) break;
    if (events.type !== "object") return fail(events, `"${name}" must be an object, found ${events.type}`);
  }
  const names = new Set<string>();
  for (const [name, value] of events === undefined ? [] : listProperties(events)) {
    if (names.has(name)) return fail(value, `"${name}" appears twice; hosts read only one of them`);
    names.add(name);
  }
  return { ok: true, bom, body, root, events };
}

function locateEntries({ events }: OpenedFile): readonly LocatedEntry[] {
  if (events === undefined) return [];
  return listProperties(events).flatMap(([name, value], index) =>
    value.type === "array"
      ? (value.children ?? []).flatMap(item => entriesIn(name, value, item))
      : namedEntry(events, index, value),
  );
}

/** A handler under a name of its own, which says its event. */
function namedEntry(list: JsonNode, index: number, node: JsonNode): LocatedEntry[] {
  const item = list.children?.[index];
  const value = getNodeValue(node) as Json;
  const event = stringAt(value, "event");
  if (item === undefined || event === undefined || !isJsonObject(value)) return [];
  const matcher = stringAt(value, "matcher");
  return [{ event, matcher, handler: value, owned: ownedHandler(value), node, handlers: list, item, list }];
}

/** Hosts accept groups and bare handlers side by side, so both are looked at whatever the layout. */
function entriesIn(event: string, list: JsonNode, item: JsonNode): LocatedEntry[] {
  if (item.type !== "object") return [];
  const group = findMember(item, "hooks");
  const matcherNode = findMember(item, "matcher");
  const matcher = matcherNode?.type === "string" ? String(matcherNode.value) : undefined;
  const handlers = group?.type === "array" ? group : list;
  const nodes = handlers === list ? [item] : (handlers.children ?? []);
  return nodes.map(node => {
    const value = getNodeValue(node) as Json;
    const handler = isJsonObject(value) ? value : {};
    return { event, matcher, handler, owned: ownedHandler(handler), node, handlers, item, list };
  });
}

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
  const entries = listFoundEntries(after);
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
    return removeChild(body, handlers, childIndex(handlers, node));
  if (childCount(list) > 1 || emptyList === "keep") return removeChild(body, list, childIndex(list, item));
  const listBefore = ownValue(emptyBefore, containerPath(layout, event));
  if (listBefore !== undefined) return replaceNode(body, list, listBefore);
  if (events === undefined) return body;
  const [top] = rootPath(layout);
  if (childCount(events) > 1 || top === undefined) return removeMember(body, events, event);
  const mapBefore = ownValue(emptyBefore, containerPath(layout));
  return mapBefore === undefined ? removeMember(body, root, top) : replaceNode(body, events, mapBefore);
}

function removeMember(body: string, object: JsonNode, name: string): string {
  const index = listProperties(object).findIndex(([key]) => key === name);
  return index < 0 ? body : removeChild(body, object, index);
}

export function childCount(node: JsonNode): number {
  return (node.children ?? []).length;
}

function childIndex(container: JsonNode, child: JsonNode): number {
  return (container.children ?? []).indexOf(child);
}

/** The name of a container among `EmptyContainers`. */
export function containerPath(layout: SettingsLayout, event?: string): string {
  return [...rootPath(layout), ...(event === undefined ? [] : [event])].join("/");
}
