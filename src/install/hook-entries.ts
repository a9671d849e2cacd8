import { getNodeValue } from "jsonc-parser";
import {
  findMember,
  type InvalidText,
  insertFirst,
  insertMember,
  type JsonNode,
  listProperties,
  toPlace,
} from "../config/index.ts";
import {
  BOM,
  childCount,
  clearEvent,
  containerPath,
  describeEdit,
  type EditedText,
  type EmptyContainers,
  type FoundEntry,
  HOST_LIST,
  HOSTS,
  type HostId,
  type HostRegistration,
  type InstallScope,
  isHostId,
  listEntries,
  listFoundEntries,
  type OpenedFile,
  type OwnedCommand,
  openFile,
  ownEntries,
  ownedHandler,
  planRegistrations,
  type Registration,
  rootPath,
  rowsWaiting,
  type SettingsLayout,
} from "../hosts/index.ts";
import {
  describeEvent,
  errorText,
  isSameJson,
  type Json,
  type JsonObject,
  numberAt,
} from "../protocol/index.ts";
import { isExecutable, type UserDirectories } from "../state/index.ts";
import { basename, expandHomeWord, join, quoteWord, type System } from "../system/index.ts";
import { readFile } from "./file-edit.ts";
import { namesHome } from "./package.ts";
import { filesOwner, findTarget, hostSetup, INSTALLABLE_HOSTS, type RegistrationTarget } from "./targets.ts";

/** One handler as it stands in a host's configuration file. */
export interface WantedEntry extends HostRegistration {
  readonly handler: JsonObject;
}

interface EntryOptions {
  /** the staged hook program, as the file shall name it */
  readonly program: string;
  /** the file is read by several hosts, so nothing in it may name one */
  readonly isShared: boolean;
  /** subcommands whose failure must refuse; written down where the host has a member for it */
  readonly isClosed?: (subcommand: string) => boolean;
  /** left out when the installed program does not know them */
  readonly supports?: (subcommand: string) => boolean;
  /** how long a question waits for an answer of the team */
  readonly waitMs?: number | undefined;
}

/** The handlers to write into one file of a host. */
export function wantedEntries(host: HostId, options: EntryOptions): readonly WantedEntry[] {
  const { registration } = HOSTS[host];
  if (registration === undefined) return [];
  return planRegistrations(host, rowsWaiting(options.waitMs ?? 0))
    .registrations.filter(each => options.supports?.(each.subcommand) ?? true)
    .map(each => ({ ...each, handler: makeHandler(host, registration, each, options) }));
}

/** The words of a call that tells host and event, for files that a single host reads. */
export function hookArguments(host: HostId, registration: HostRegistration): readonly string[] {
  const { subcommand, nativeEvent } = registration;
  return [subcommand, "--host", host, "--event", nativeEvent, ...limitWords(registration)];
}

/** The hook has to know how long its host waits: one that waits longer is ended, and the call runs. */
function limitWords({ limitSeconds }: HostRegistration): readonly string[] {
  return limitSeconds === undefined ? [] : [`${LIMIT_WORD}${limitSeconds}`];
}

const LIMIT_WORD = "--limit=";

/**
 * What a shell runs. A clone on a machine without the program is not held up: the shell says that it is missing, and
 * the hook has no opinion. Every other exit code stays as it is.
 */
function commandLine(program: string, words: readonly string[]): string {
  const call = [quoteProgram(program), ...words.map(quoteWord)].join(" ");
  return namesHome(program) ? `${call} ; c=$? ; [ $c = 127 ] || exit $c` : call;
}

/** Quoted, but for a home that the shell is to fill in. */
export function quoteProgram(program: string): string {
  return namesHome(program) ? `"$HOME"${quoteWord(program.slice("$HOME".length))}` : quoteWord(program);
}

function makeHandler(
  host: HostId,
  { layout, timeout }: Registration,
  entry: HostRegistration,
  { program, isShared, isClosed }: EntryOptions,
): JsonObject {
  const isVeto = describeEvent(entry.event).power === "veto";
  const words = isShared ? [entry.subcommand, ...limitWords(entry)] : hookArguments(host, entry);
  const commandKey = layout.commandKey ?? "command";
  // Started without a shell, so a home can only be filled in by one that is named.
  const argv = namesHome(program) ? ["/bin/sh", "-c", commandLine(program, words)] : [program, ...words];
  const line =
    layout.argumentsKey === undefined
      ? { [commandKey]: commandLine(program, words) }
      : { [commandKey]: argv[0], [layout.argumentsKey]: argv.slice(1) };
  return {
    ...(layout.hasType === true ? { type: "command" } : {}),
    ...line,
    ...(timeout === undefined || entry.timeout === undefined ? {} : { [timeout.key]: entry.timeout }),
    ...(isVeto && isClosed?.(entry.subcommand) === true ? layout.closedMember : {}),
  };
}

const REGISTRATIONS = HOST_LIST.flatMap(({ registration }) => registration ?? []);
const TIMEOUT_KEYS = [...new Set(REGISTRATIONS.flatMap(({ timeout }) => timeout?.key ?? []))];
/** Members of a handler that are ours to set; any other one a person added. */
const MANAGED_KEYS: ReadonlySet<string> = new Set([
  "type",
  "command",
  "bash",
  "args",
  "matcher",
  "event",
  ...TIMEOUT_KEYS,
  ...REGISTRATIONS.flatMap(({ layout }) => Object.keys(layout.closedMember ?? {})),
]);

/** The limit of a handler, under whatever name its host has for it. */
function timeoutIn(handler: JsonObject): number | undefined {
  return TIMEOUT_KEYS.map(key => numberAt(handler, key)).find(value => value !== undefined);
}

/** A limit of ours that a person raised above what would be written now. */
interface RaisedTimeout {
  readonly event: string;
  readonly subcommand: string;
  readonly timeout: number;
}

/** What is written for an entry: ours, and what a person added to it or raised. */
function keepUserChanges(
  wanted: WantedEntry,
  ours: readonly FoundEntry[],
): { readonly entry: WantedEntry; readonly raised: readonly RaisedTimeout[] } {
  const { nativeEvent: event, subcommand, handler, timeout } = wanted;
  const known = ours.find(entry => entry.event === event && entry.owned?.subcommand === subcommand);
  if (known === undefined) return { entry: wanted, raised: [] };
  const added = Object.entries(known.handler).filter(([name]) => !MANAGED_KEYS.has(name));
  const present = timeoutIn(known.handler) ?? 0;
  // What we raised ourselves is lowered again.
  const own = known.owned?.words.find(word => word.startsWith(LIMIT_WORD))?.slice(LIMIT_WORD.length);
  const isOurs = own !== undefined && [Number(own), Number(own) * 1_000].includes(present);
  const isRaised = timeout !== undefined && present > timeout && !isOurs;
  const key = TIMEOUT_KEYS.find(name => Object.hasOwn(handler, name));
  const limit = isRaised && key !== undefined ? { [key]: present } : {};
  return {
    entry: { ...wanted, handler: { ...handler, ...limit, ...Object.fromEntries(added) } },
    raised: isRaised ? [{ event, subcommand, timeout: present }] : [],
  };
}

/** One hook of ours as it stands in a host's configuration. */
export interface OwnEntry extends OwnedCommand {
  /** the host's name for it */
  readonly event: string;
  readonly matcher: string | undefined;
  /** in the host's unit */
  readonly timeout: number | undefined;
}

/** What a host's configuration says about us. */
export interface FoundRegistration {
  readonly target: RegistrationTarget;
  readonly isThere: boolean;
  readonly entries: readonly OwnEntry[];
  /** why the configuration cannot be read */
  readonly problem?: string;
}

const GENERATED_HEADS = [
  "// Written by amplihack ",
  "#!/bin/sh\n# Written by amplihack ",
  "---\n# Written by amplihack.",
  "# Written by amplihack.",
];

/** Whether a file that we would generate is one that we generated. */
export function isGenerated(text: string): boolean {
  return GENERATED_HEADS.some(head => text.startsWith(head));
}

/** The files behind a target: one, or one per event where a host takes programs. */
export function listFiles({ registration, owner, path }: RegistrationTarget): readonly string[] {
  if (registration.layout.kind !== "executables") return [path];
  const names = new Set(planRegistrations(owner).registrations.map(each => each.nativeEvent));
  return [...names].map(name => join(path, name));
}

export function readRegistration(system: System, target: RegistrationTarget): FoundRegistration {
  try {
    const texts = listFiles(target).map(path => ({ path, text: readFile(system, path) }));
    const isThere = texts.some(({ text }) => text !== undefined);
    const home = system.env.get("HOME");
    const entries = texts.flatMap(({ path, text }) =>
      (text === undefined ? [] : entriesIn(target, path, text)).map(entry => ({
        ...entry,
        program: expandHomeWord(entry.program, home),
      })),
    );
    return { target, isThere, entries };
  } catch (error) {
    return { target, isThere: true, entries: [], problem: errorText(error) };
  }
}

function entriesIn(target: RegistrationTarget, path: string, text: string): readonly OwnEntry[] {
  const { layout } = target.registration;
  if (layout.kind === "module") return isGenerated(text) ? moduleEntries(target, text) : [];
  if (layout.kind === "executables") return isGenerated(text) ? scriptEntries(path, text) : [];
  const listed = listEntries(text, layout);
  if (!listed.ok) throw new Error(`${listed.problem} (line ${listed.line}, column ${listed.column})`);
  return listed.entries.flatMap(({ event, matcher, handler, owned }) =>
    owned === undefined ? [] : [{ ...owned, event, matcher, timeout: timeoutIn(handler) }],
  );
}

/** A module starts every hook that the host can take; which program stands in its text. */
function moduleEntries({ owner }: RegistrationTarget, text: string): readonly OwnEntry[] {
  const written = /^const PROGRAM = (".*");$/m.exec(text)?.[1];
  if (written === undefined) return [];
  const program = String(JSON.parse(written));
  return planRegistrations(owner).registrations.map(each => ({
    event: each.nativeEvent,
    subcommand: each.subcommand,
    matcher: undefined,
    timeout: undefined,
    program,
    words: hookArguments(owner, each),
    line: `${program} ${each.subcommand}`,
    kind: "program",
  }));
}

function scriptEntries(path: string, text: string): readonly OwnEntry[] {
  const owned = ownedHandler({ command: /^exec (.*)$/m.exec(text)?.[1] ?? "" });
  return owned === undefined
    ? []
    : [{ ...owned, event: basename(path), matcher: undefined, timeout: undefined }];
}

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
  const before = listFoundEntries(opened);
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
    const value = events === undefined ? undefined : findMember(events, nativeEvent);
    if (value === undefined || value.type === "array") continue;
    const problem = `"${nativeEvent}" must be a list, found ${value.type}`;
    return { ok: false, problem, ...toPlace(body, value.offset) };
  }
  return undefined;
}

function usesGroups(layout: SettingsLayout, event: string): boolean {
  return layout.kind === "groups" || (layout.kind === "mixed" && /ToolUse/.test(event));
}

function makeSettingsItem(
  layout: SettingsLayout,
  { nativeEvent, matcher, handler }: WantedEntry,
): JsonObject {
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
    const items = wanted.map(entry => makeSettingsItem(layout, entry));
    return isSameJson(found, items);
  }
  const list = findMember(opened.events, event);
  if (list?.type !== "array" || ownEntries(opened, event).length !== wanted.length) return false;
  return wanted.every((entry, index) => {
    const item = list.children?.[index];
    const value = item === undefined ? null : (getNodeValue(item) as Json);
    return isSameJson(value, makeSettingsItem(layout, entry));
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
  const items = wanted.map(entry => makeSettingsItem(layout, entry));
  const first = openFile(current, layout);
  if (!first.ok || first.events === undefined) return current;
  if (findMember(first.events, event) === undefined)
    return first.bom + insertMember(first.body, first.events, event, items);
  for (const item of [...items].reverse()) {
    const opened = openFile(current, layout);
    const list = opened.ok && opened.events !== undefined ? findMember(opened.events, event) : undefined;
    if (!opened.ok || list === undefined) return current;
    current = opened.bom + insertFirst(opened.body, list, item);
  }
  return current;
}

/** Adds the entry under a descriptive name; a name that another entry already has is not reused. */
function insertNamed(text: string, layout: SettingsLayout, entry: WantedEntry): string {
  const opened = openFile(text, layout);
  if (!opened.ok || opened.events === undefined) return text;
  const { events, body, bom } = opened;
  let name = `amplihack-${entry.subcommand}-${entry.nativeEvent}`;
  while (findMember(events, name) !== undefined) name += "-2";
  return bom + insertMember(body, events, name, makeSettingsItem(layout, entry));
}

function ensureRoot(text: string, layout: SettingsLayout): string {
  const opened = openFile(text, layout);
  const [name] = rootPath(layout);
  if (!opened.ok || opened.events !== undefined || name === undefined) return text;
  return opened.bom + insertMember(opened.body, opened.root, name, {});
}

function addHeader(text: string, layout: SettingsLayout): string {
  let current = text;
  for (const [name, value] of Object.entries(layout.header ?? {})) {
    const opened = openFile(current, layout);
    if (opened.ok && findMember(opened.root, name) === undefined)
      current = opened.bom + insertMember(opened.body, opened.root, name, value);
  }
  return current;
}

function emptyContainers({ body, events }: OpenedFile, layout: SettingsLayout): EmptyContainers {
  if (events === undefined || rootPath(layout).length === 0) return {};
  const containers: readonly (readonly [string, JsonNode])[] = [
    [containerPath(layout), events],
    ...listProperties(events).map(([event, list]) => [containerPath(layout, event), list] as const),
  ];
  const empty = containers.filter(
    ([, node]) => (node.type === "array" || node.type === "object") && childCount(node) === 0,
  );
  return Object.fromEntries(
    empty.map(([path, node]) => [path, body.slice(node.offset, node.offset + node.length)]),
  );
}

/** A host that reads our hooks from two places and runs them twice. */
interface DuplicateRegistration {
  readonly host: HostId;
  readonly kept: FoundRegistration;
  readonly redundant: FoundRegistration;
}

/** Files of other hosts that a host reads besides its own. */
function alsoReads(host: HostId): readonly { readonly host: HostId; readonly scope: InstallScope }[] {
  const others = hostSetup(host).alsoReads ?? [];
  return others.flatMap(other => (isHostId(other.host) ? [{ host: other.host, scope: other.scope }] : []));
}

/** All registrations of ours that can be found: for the user, and for the project this runs in. */
export function findRegistrations(system: System, places: UserDirectories): readonly FoundRegistration[] {
  const scopes: readonly InstallScope[] = places.projectRoot === places.home ? ["user"] : ["user", "project"];
  return INSTALLABLE_HOSTS.flatMap(host =>
    scopes.map(scope => readRegistration(system, findTarget(system, places, host, scope))),
  );
}

/** A file of another host that registers our hooks for this host, too. `planned` will be written by this installation. */
export function findServing(
  system: System,
  places: UserDirectories,
  { host, scope }: Pick<RegistrationTarget, "host" | "scope">,
  planned: readonly RegistrationTarget[],
): RegistrationTarget | undefined {
  return alsoReads(host)
    .filter(other => other.scope === "user" || scope === "project")
    .map(other => findTarget(system, places, other.host, other.scope))
    .find(
      target =>
        planned.some(other => other.path === target.path) || isRegistered(readRegistration(system, target)),
    );
}

export function isRegistered({ entries }: FoundRegistration): boolean {
  return entries.some(entry => entry.kind === "program");
}

/** Hosts that would run our hooks twice. The redundant copy is the user's, or the one in the host's own file. */
export function findDuplicates(system: System, places: UserDirectories): readonly DuplicateRegistration[] {
  const all = findRegistrations(system, places).filter(isRegistered);
  const at = (host: HostId, scope: InstallScope) =>
    all.find(each => each.target.host === host && each.target.scope === scope);
  return INSTALLABLE_HOSTS.filter(host => host === filesOwner(host)).flatMap(host => {
    const [other] = alsoReads(host).flatMap(place => at(place.host, place.scope) ?? []);
    const own = [at(host, "project"), at(host, "user")].filter(each => each !== undefined);
    const [kept, ...redundant] = other === undefined ? own : [other, ...own];
    // A copy that does not work is never a reason to call another one redundant.
    if (kept === undefined || !kept.entries.every(({ program }) => isExecutable(system, program))) return [];
    return redundant.map(each => ({ host, kept, redundant: each }));
  });
}

export function describeDuplicate({ host, kept, redundant }: DuplicateRegistration): string {
  return `${host} reads both ${kept.target.path} and ${redundant.target.path} and runs every hook twice`;
}
