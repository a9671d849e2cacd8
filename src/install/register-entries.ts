import { getNodeValue } from "jsonc-parser";
import {
  type InvalidText,
  insertFirst,
  insertMember,
  type JsonNode,
  memberOf,
  placeOf,
  propertiesOf,
} from "../config/index.ts";
import {
  BOM,
  childCount,
  clearEvent,
  containerPath,
  describeEdit,
  type EditedText,
  type EmptyContainers,
  entriesOf,
  type OpenedFile,
  openFile,
  ownEntries,
  rootOf,
  type SettingsLayout,
} from "../hosts/index.ts";
import { isSameJson, type Json, type JsonObject } from "../protocol/index.ts";
import { keepUserChanges, type RaisedTimeout } from "./user-changes.ts";
import type { WantedEntry } from "./wanted-entries.ts";

export interface RegisteredText extends EditedText {
  /** entries whose limit a person had raised, which is kept */
  readonly raisedTimeouts: readonly RaisedTimeout[];
  /** text of containers that were there and empty before; `unregisterEntries` puts it back */
  readonly emptyBefore: EmptyContainers;
}

/** Writes the wanted entries, ours first in every event, and takes away all other entries of ours. */
export function registerEntries(
  text: string,
  layout: SettingsLayout,
  wanted: readonly WantedEntry[],
): InvalidText | RegisteredText {
  const opened = openFile(text, layout);
  if (!opened.ok) return opened;
  const blocked = layout.kind === "named" ? undefined : findWrongList(opened, wanted);
  if (blocked !== undefined) return blocked;
  const before = entriesOf(opened);
  const ours = before.filter(({ owned }) => owned !== undefined);
  const kept = wanted.map(entry => keepUserChanges(entry, ours));
  let edited = addHeader(text.trim() === "" ? `${text.startsWith(BOM) ? BOM : ""}{}\n` : text, layout);

  for (const event of new Set([...wanted.map(each => each.nativeEvent), ...ours.map(each => each.event)])) {
    const mine = kept.map(({ entry }) => entry).filter(entry => entry.nativeEvent === event);
    if (isUpToDate(edited, layout, event, mine)) continue;
    const cleared = clearEvent(edited, layout, event, mine.length > 0 ? "keep" : "drop");
    if (!cleared.ok) return cleared;
    edited = mine.length === 0 ? cleared.text : insertEntries(cleared.text, layout, event, mine);
  }
  const result = describeEdit(text, edited, layout, before);
  if (!result.ok) return result;
  return {
    ...result,
    raisedTimeouts: kept.flatMap(({ raised }) => raised),
    emptyBefore: emptyContainers(opened, layout),
  };
}

/** An event we want to register on whose value is no list. */
function findWrongList(
  { events, body }: OpenedFile,
  wanted: readonly WantedEntry[],
): InvalidText | undefined {
  for (const { nativeEvent } of events === undefined ? [] : wanted) {
    const value = events === undefined ? undefined : memberOf(events, nativeEvent);
    if (value === undefined || value.type === "array") continue;
    const problem = `"${nativeEvent}" must be a list, found ${value.type}`;
    return { ok: false, problem, ...placeOf(body, value.offset) };
  }
  return undefined;
}

function usesGroups(layout: SettingsLayout, event: string): boolean {
  return layout.kind === "groups" || (layout.kind === "mixed" && /ToolUse/.test(event));
}

function itemOf(layout: SettingsLayout, { nativeEvent, matcher, handler }: WantedEntry): JsonObject {
  const selected = matcher === undefined ? {} : { matcher };
  if (layout.kind === "named") return { event: nativeEvent, ...selected, ...handler };
  return usesGroups(layout, nativeEvent) ? { ...selected, hooks: [handler] } : { ...selected, ...handler };
}

function isUpToDate(
  text: string,
  layout: SettingsLayout,
  event: string,
  wanted: readonly WantedEntry[],
): boolean {
  const opened = openFile(text, layout);
  if (!opened.ok || opened.events === undefined) return false;
  if (layout.kind === "named") {
    const found = ownEntries(opened, event).map(({ handler }) => handler);
    const items = wanted.map(entry => itemOf(layout, entry));
    return isSameJson(found, items);
  }
  const list = memberOf(opened.events, event);
  if (list?.type !== "array" || ownEntries(opened, event).length !== wanted.length) return false;
  return wanted.every((entry, index) => {
    const item = list.children?.[index];
    const value = item === undefined ? null : (getNodeValue(item) as Json);
    return isSameJson(value, itemOf(layout, entry));
  });
}

function insertEntries(
  text: string,
  layout: SettingsLayout,
  event: string,
  wanted: readonly WantedEntry[],
): string {
  let current = ensureRoot(text, layout);
  if (layout.kind === "named")
    return wanted.reduce((edited, entry) => insertNamed(edited, layout, entry), current);
  const items = wanted.map(entry => itemOf(layout, entry));
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

/** Under a name that says what it is; a name that somebody gave to another entry is not taken from it. */
function insertNamed(text: string, layout: SettingsLayout, entry: WantedEntry): string {
  const opened = openFile(text, layout);
  if (!opened.ok || opened.events === undefined) return text;
  const { events, body, bom } = opened;
  let name = `amplihack-${entry.subcommand}-${entry.nativeEvent}`;
  while (memberOf(events, name) !== undefined) name += "-2";
  return bom + insertMember(body, events, name, itemOf(layout, entry));
}

function ensureRoot(text: string, layout: SettingsLayout): string {
  const opened = openFile(text, layout);
  const [name] = rootOf(layout);
  if (!opened.ok || opened.events !== undefined || name === undefined) return text;
  return opened.bom + insertMember(opened.body, opened.root, name, {});
}

function addHeader(text: string, layout: SettingsLayout): string {
  let current = text;
  for (const [name, value] of Object.entries(layout.header ?? {})) {
    const opened = openFile(current, layout);
    if (opened.ok && memberOf(opened.root, name) === undefined)
      current = opened.bom + insertMember(opened.body, opened.root, name, value);
  }
  return current;
}

function emptyContainers({ body, events }: OpenedFile, layout: SettingsLayout): EmptyContainers {
  if (events === undefined || rootOf(layout).length === 0) return {};
  const containers: readonly (readonly [string, JsonNode])[] = [
    [containerPath(layout), events],
    ...propertiesOf(events).map(([event, list]) => [containerPath(layout, event), list] as const),
  ];
  const empty = containers.filter(
    ([, node]) => (node.type === "array" || node.type === "object") && childCount(node) === 0,
  );
  return Object.fromEntries(
    empty.map(([path, node]) => [path, body.slice(node.offset, node.offset + node.length)]),
  );
}
