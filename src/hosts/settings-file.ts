import { getNodeValue } from "jsonc-parser";
import {
  type InvalidText,
  type JsonNode,
  memberOf,
  openJson,
  placeOf,
  propertiesOf,
} from "../config/index.ts";
import { isJsonObject, type Json, type JsonObject, stringAt } from "../protocol/index.ts";
import { isAbsolute, join } from "../system/index.ts";
import type { EnvironmentReader, InstallScope, Registration, SettingsLayout } from "./host.ts";
import { type OwnedCommand, ownedHandler } from "./owned-command.ts";

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
export interface LocatedEntry extends FoundEntry {
  readonly node: JsonNode;
  readonly handlers: JsonNode;
  /** what the list holds it in: a group, the handler itself, or the member with its name */
  readonly item: JsonNode;
  readonly list: JsonNode;
}

/** Path of members from the top of a file to its event map. */
export function rootOf({ root }: SettingsLayout): readonly string[] {
  return root ?? ["hooks"];
}

/** All handlers of a file, ours and others'. */
export function listEntries(
  text: string,
  layout: SettingsLayout,
): InvalidText | { readonly ok: true; readonly entries: readonly FoundEntry[] } {
  const opened = openFile(text, layout);
  if (!opened.ok) return opened;
  return { ok: true, entries: entriesOf(opened) };
}

export function entriesOf(opened: OpenedFile): readonly FoundEntry[] {
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
    ...placeOf(body, node.offset),
  });
  if (root.type !== "object") return fail(root, `expected an object at the top, found ${root.type}`);
  let events: JsonNode | undefined = root;
  for (const name of rootOf(layout)) {
    const [found, twice]: readonly JsonNode[] = propertiesOf(events).flatMap(([key, value]) =>
      key === name ? [value] : [],
    );
    if (twice !== undefined) return fail(twice, `"${name}" stands twice; hosts read only one of them`);
    events = found;
    if (events === undefined) break;
    if (events.type !== "object") return fail(events, `"${name}" must be an object, found ${events.type}`);
  }
  const names = new Set<string>();
  for (const [name, value] of events === undefined ? [] : propertiesOf(events)) {
    if (names.has(name)) return fail(value, `"${name}" stands twice; hosts read only one of them`);
    names.add(name);
  }
  return { ok: true, bom, body, root, events };
}

export function locateEntries({ events }: OpenedFile): readonly LocatedEntry[] {
  if (events === undefined) return [];
  return propertiesOf(events).flatMap(([name, value], index) =>
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
  const group = memberOf(item, "hooks");
  const matcherNode = memberOf(item, "matcher");
  const matcher = matcherNode?.type === "string" ? String(matcherNode.value) : undefined;
  const handlers = group?.type === "array" ? group : list;
  const nodes = handlers === list ? [item] : (handlers.children ?? []);
  return nodes.map(node => {
    const value = getNodeValue(node) as Json;
    const handler = isJsonObject(value) ? value : {};
    return { event, matcher, handler, owned: ownedHandler(handler), node, handlers, item, list };
  });
}
