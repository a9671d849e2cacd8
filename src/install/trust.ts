import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml } from "smol-toml";
import { ownedHandler } from "../hosts/index.ts";
import {
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  listAt,
  memberAt,
  numberAt,
  objectAt,
  ownValue,
  stringAt,
} from "../protocol/index.ts";
import type { UserDirectories } from "../state/index.ts";
import { dirname, join, type System } from "../system/index.ts";
import { type Computed, type FileEdit, hashText, readFile } from "./file-edit.ts";
import { findTarget, type RegistrationTarget } from "./targets.ts";

// Tables `[parent."key"]` in a TOML text, edited as text so that every other byte stays. Only this one way of writing
// them is known here; whoever calls has to check by a parser that the result means what it should.

interface FoundTable {
  readonly key: string;
  /** of the quoted key in the header */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  /** after the last line that belongs to it; comments before the next table do not */
  readonly end: number;
}

function findTables(text: string, parent: string): readonly FoundTable[] {
  const parts = parent.split(".").map(part => `\\s*${part}\\s*\\.`);
  const header = new RegExp(
    `^[ \\t]*\\[${parts.join("")}\\s*("(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\n]*')\\s*\\]`,
    "gm",
  );
  return [...text.matchAll(header)].flatMap(match => {
    const [whole, quoted = ""] = match;
    const key = readKey(quoted);
    if (key === undefined) return [];
    const keyEnd = match.index + whole.lastIndexOf(quoted) + quoted.length;
    return [
      { key, keyStart: keyEnd - quoted.length, keyEnd, start: match.index, end: endOfTable(text, keyEnd) },
    ];
  });
}

function readKey(quoted: string): string | undefined {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}

function endOfTable(text: string, from: number): number {
  let end = lineEnd(text, from);
  for (let at = end; at < text.length; ) {
    const next = lineEnd(text, at);
    const line = text.slice(at, next).trim();
    if (line.startsWith("[")) break;
    if (line !== "" && !line.startsWith("#")) end = next;
    at = next;
  }
  return end;
}

function lineEnd(text: string, from: number): number {
  const found = text.indexOf("\n", from);
  return found < 0 ? text.length : found + 1;
}

/** Takes tables away, each with the blank line before it. */
function removeTables(text: string, parent: string, keys: ReadonlySet<string>): string {
  let edited = text;
  for (const { key, start, end } of findTables(text, parent).toReversed()) {
    if (keys.has(key)) edited = withoutTable(edited, start, end);
  }
  return edited;
}

function withoutTable(text: string, start: number, end: number): string {
  const blank = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, start))?.[1]?.length ?? 0;
  return text.slice(0, start - blank) + text.slice(end);
}

/** Takes `[parent.key]` and the tables below it away, the first with the blank line before it. */
export function removeTableTree(text: string, parent: string, key: string): string {
  const name = `(?:"${key}"|'${key}'|${key})`;
  const header = new RegExp(`^[ \\t]*\\[\\s*${parent}\\s*\\.\\s*${name}\\s*[.\\]]`, "gm");
  let edited = text;
  for (const { index } of [...text.matchAll(header)].toReversed())
    edited = withoutTable(edited, index, endOfTable(edited, index));
  return edited;
}

function renameTables(text: string, parent: string, names: ReadonlyMap<string, string>): string {
  let edited = text;
  for (const { key, keyStart, keyEnd } of findTables(text, parent).toReversed()) {
    const name = names.get(key);
    if (name !== undefined) edited = edited.slice(0, keyStart) + JSON.stringify(name) + edited.slice(keyEnd);
  }
  return edited;
}

/** JSON strings, and lists of them, are those of TOML, too. */
export function appendTable(
  text: string,
  parent: string,
  key: string,
  members: Readonly<Record<string, string | readonly string[]>>,
): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = [
    ...(text === "" ? [] : [""]),
    `[${parent}.${JSON.stringify(key)}]`,
    ...Object.entries(members).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  ];
  const start = text === "" || text.endsWith("\n") ? text : text + eol;
  return start + lines.map(line => line + eol).join("");
}

// Codex runs only hooks whose fingerprint stands in its `config.toml`, under a name made of the hooks file, the event
// and the position. Entries of ours move those of others, whose fingerprints then have to move along.

const STATE = "hooks.state";
const [HOOKS, STATES] = ["hooks", "state"] as const;
const DEFAULT_TIMEOUT_SECONDS = 600;
const SESSION_END = { usual: 1, max: 3 };
const WITHOUT_MATCHER = new Set(["UserPromptSubmit", "Stop"]);
const FURTHER_MEMBERS = ["statusMessage", "additionalContextLimit"];

/** One handler of a hooks file, under the name by which Codex keeps its state. */
interface Fingerprint {
  readonly key: string;
  readonly event: string;
  readonly hash: string;
  readonly isOurs: boolean;
}

export interface TrustChange {
  /** the hooks file as Codex names it */
  readonly hooksFile: string;
  readonly before: string;
  readonly after: string;
  /** the user agreed that Codex may run our hooks */
  readonly isAgreed: boolean;
}

/** Every command handler of a hooks file with its name and fingerprint, in order. */
export function fingerprints(hooksFile: string, text: string): readonly Fingerprint[] {
  const events = objectAt(parseJsonc(text) as Json, "hooks");
  return Object.keys(events).flatMap(event =>
    listAt(events, event).flatMap((group, groupIndex) =>
      listAt(group, "hooks").flatMap((handler, index) => {
        if (!isJsonObject(handler) || stringAt(handler, "command") === undefined) return [];
        const key = `${hooksFile}:${snakeCase(event)}:${groupIndex}:${index}`;
        const hash = fingerprint(event, stringAt(group, "matcher"), handler);
        return [{ key, event, hash, isOurs: ownedHandler(handler) !== undefined }];
      }),
    ),
  );
}

/** SHA-256 over the handler as Codex sees it: limits filled in, members sorted, no blanks. */
function fingerprint(event: string, matcher: string | undefined, handler: JsonObject): string {
  const extra = FURTHER_MEMBERS.flatMap(name => {
    const value = ownValue(handler, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const identity = {
    event_name: snakeCase(event),
    ...(matcher !== undefined && !WITHOUT_MATCHER.has(event) ? { matcher } : {}),
    hooks: [
      {
        type: "command",
        command: stringAt(handler, "command") ?? "",
        timeout: resolveTimeout(event, numberAt(handler, "timeout")),
        async: memberAt(handler, "async") === true,
        ...Object.fromEntries(extra),
      },
    ],
  };
  return `sha256:${hashText(JSON.stringify(sorted(identity)))}`;
}

function resolveTimeout(event: string, given: number | undefined): number {
  const seconds = given === undefined ? undefined : Math.max(1, given);
  if (event !== "SessionEnd") return seconds ?? DEFAULT_TIMEOUT_SECONDS;
  return Math.min(seconds ?? SESSION_END.usual, SESSION_END.max);
}

/** `trusted`: Codex will run it; `modified`: it was trusted with other content; `disabled`: switched off in Codex. */
type TrustStatus = "trusted" | "untrusted" | "modified" | "disabled";

export function trustStatus(config: string | undefined, { key, hash }: Fingerprint): TrustStatus {
  const state = memberAt(readTrustState(readToml(config ?? "")), key);
  if (memberAt(state, "enabled") === false) return "disabled";
  const trusted = stringAt(state, "trusted_hash");
  if (trusted === undefined) return "untrusted";
  return trusted === hash ? "trusted" : "modified";
}

/** The text of `config.toml` after a change of the hooks file. */
export function changeTrust(current: string | undefined, change: TrustChange): Computed {
  const text = current ?? "";
  const document = readToml(text);
  if (document === undefined) return refuse("it is not valid TOML");
  const before = fingerprints(change.hooksFile, change.before);
  const after = fingerprints(change.hooksFile, change.after);
  const state = readTrustState(document);
  const plan = planTrust(state, before, after, change.isAgreed);
  const wanted = stateAfter(state, plan);
  const edited = editTables(text, plan);
  const result = readToml(edited);
  const isRight =
    result !== undefined &&
    isSameJson(readTrustState(result), wanted) &&
    isSameJson(withoutState(result), withoutState(document));
  if (!isRight) return refuse("its [hooks.state] is written in a form that cannot be edited safely");
  return { ok: true, text: edited === "" && current === undefined ? undefined : edited };
}

interface TrustPlan {
  readonly moved: ReadonlyMap<string, string>;
  readonly removed: ReadonlySet<string>;
  readonly added: readonly Fingerprint[];
}

function planTrust(
  state: JsonObject,
  before: readonly Fingerprint[],
  after: readonly Fingerprint[],
  isAgreed: boolean,
): TrustPlan {
  const isArmed = ({ key, hash }: Fingerprint) => memberAt(state, key, "trusted_hash") === hash;
  // An earlier attempt may have come half-way: what is right already stays.
  const armed = new Set(after.filter(isArmed).map(each => each.key));
  const ours = after.filter(each => each.isOurs);
  const moved = new Map(
    [...movedFingerprints(before, after)].filter(
      ([from, to]) => ownValue(state, from) !== undefined && !armed.has(from) && !armed.has(to),
    ),
  );
  // A name that is about to be used may still be held by something that is no longer there.
  const taken = new Set([...ours.map(each => each.key), ...moved.values()]);
  const isGone = (key: string) => taken.has(key) || before.some(each => each.isOurs && each.key === key);
  const removed = Object.keys(state).filter(key => isGone(key) && !armed.has(key) && !moved.has(key));
  const added = isAgreed ? ours.filter(each => !armed.has(each.key)) : [];
  return { moved, removed: new Set(removed), added };
}

/** Handlers of others keep their order, so the n-th of an event is the n-th afterwards. */
function movedFingerprints(
  before: readonly Fingerprint[],
  after: readonly Fingerprint[],
): Map<string, string> {
  const moves = new Map<string, string>();
  for (const event of new Set(before.map(each => each.event))) {
    const foreign = (all: readonly Fingerprint[]) => all.filter(each => !each.isOurs && each.event === event);
    const places = foreign(after);
    foreign(before).forEach(({ key }, index) => {
      const moved = places[index];
      if (moved !== undefined && moved.key !== key) moves.set(key, moved.key);
    });
  }
  return moves;
}

function stateAfter(state: JsonObject, { moved, removed, added }: TrustPlan): JsonObject {
  const kept = Object.entries(state).filter(([key]) => !removed.has(key));
  return Object.fromEntries([
    ...kept.map(([key, value]) => [moved.get(key) ?? key, value] as const),
    ...added.map(({ key, hash }) => [key, { trusted_hash: hash }] as const),
  ]);
}

function editTables(text: string, { moved, removed, added }: TrustPlan): string {
  const kept = renameTables(removeTables(text, STATE, removed), STATE, moved);
  return added.reduce(
    (edited, { key, hash }) => appendTable(edited, STATE, key, { trusted_hash: hash }),
    kept,
  );
}

function refuse(problem: string): Computed {
  return { ok: false, problem, line: 1, column: 1 };
}

export function readToml(text: string): JsonObject | undefined {
  try {
    // Dates become text here, which is enough to see that they did not change.
    return JSON.parse(
      JSON.stringify(parseToml(text, { integersAsBigInt: "asNeeded" }), bigIntAsText),
    ) as JsonObject;
  } catch {
    return undefined;
  }
}

function bigIntAsText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function readTrustState(document: JsonObject | undefined): JsonObject {
  return objectAt(memberAt(document, HOOKS), STATES);
}

function withoutState(document: JsonObject): JsonObject {
  const { [HOOKS]: hooks, ...rest } = document;
  if (!isJsonObject(hooks)) return document;
  const { [STATES]: _, ...others } = hooks;
  return Object.keys(others).length === 0 ? rest : { ...rest, [HOOKS]: others };
}

function snakeCase(event: string): string {
  return event.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase();
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map(key => [key, sorted(value[key] ?? null)]),
  );
}

/** Whether the host runs only hooks whose fingerprint its user agreed to. */
export function hasFingerprints({ registration }: RegistrationTarget): boolean {
  return registration.fingerprints !== undefined;
}

/** The hooks file by the name under which the host keeps its state. */
export function trustedName(system: System, { scope, registration, path }: RegistrationTarget): string {
  const { relocation } = registration;
  const isMoved = scope === "user" && relocation && (system.env.get(relocation.variable) ?? "") !== "";
  const folder = dirname(path);
  if (!isMoved || system.files.follow(folder) === undefined) return path;
  return join(system.files.realPath(folder), path.slice(folder.length + 1));
}

/** The user's file that holds the fingerprints, of projects as well. */
export function trustFile(
  system: System,
  places: UserDirectories,
  { owner, registration }: RegistrationTarget,
): string {
  const folder = dirname(findTarget(system, places, owner, "user").path);
  return join(folder, registration.fingerprints?.file ?? "config.toml");
}

/** How the fingerprints change with the hooks file. */
export function trustEdit(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  hooks: FileEdit,
  isAgreed: boolean,
): FileEdit {
  const before = readFile(system, target.path) ?? "";
  const computed = hooks.compute(before);
  const after = computed.ok ? (computed.text ?? "") : before;
  const hooksFile = trustedName(system, target);
  return {
    path: trustFile(system, places, target),
    compute: current => changeTrust(current, { hooksFile, before, after, isAgreed }),
  };
}

/** How far the host trusts our hooks in a text of its hooks file. */
export function readTrust(
  system: System,
  places: UserDirectories,
  target: RegistrationTarget,
  hooks: string,
): readonly TrustStatus[] {
  const config = readFile(system, trustFile(system, places, target));
  return fingerprints(trustedName(system, target), hooks)
    .filter(each => each.isOurs)
    .map(each => trustStatus(config, each));
}
