import {
  findMember,
  insertMember,
  type JsonNode,
  listProperties,
  openJson,
  type Part,
  readJsonc,
  removeChild,
  replaceNode,
  userConfigFile,
} from "../config/index.ts";
import { type FailurePolicy, isSameJson, type Json, memberAt } from "../protocol/index.ts";
import type { UserDirectories } from "../state/index.ts";
import type { FileEdit } from "./file-edit.ts";

const POLICIES: readonly FailurePolicy[] = ["open", "ask", "closed"];

/** One member of the user's configuration and its new value; undefined removes it. */
export interface ConfigSetting {
  readonly path: readonly [string, ...string[]];
  readonly value: Json | undefined;
}

/** Sets members of the user's configuration; comments and everything else stay. */
export function settingsEdit({ stateHome }: UserDirectories, settings: readonly ConfigSetting[]): FileEdit {
  const isSet = (text: string) =>
    settings.every(({ path, value }) => {
      const written = valueIn(text, path);
      return value === undefined ? written === undefined : isSameJson(written ?? null, value);
    });
  return {
    path: userConfigFile(stateHome),
    compute(current) {
      const text = current === undefined || current.trim() === "" ? "{}\n" : current;
      const opened = openJson(text);
      if (!opened.ok) return opened;
      if (opened.root.type !== "object" || !readJsonc(text).ok)
        return { ok: false, problem: "expected an object in JSON with comments", line: 1, column: 1 };
      return { ok: true, text: isSet(text) ? current : settings.reduce(withSetting, text) };
    },
    check: written => (isSet(written ?? "{}") ? undefined : "the setting is not as wanted"),
  };
}

/** Only the member itself changes; the text is known to be an object. */
function withSetting(text: string, { path, value }: ConfigSetting): string {
  const opened = openJson(text);
  if (!opened.ok) return text;
  if (value === undefined) return withoutMember(text, opened.root, path);
  let node = opened.root;
  for (const [index, key] of path.entries()) {
    const member = findMember(node, key);
    const rest = path.slice(index + 1);
    if (member !== undefined && (rest.length === 0 || member.type !== "object"))
      return replaceNode(text, member, JSON.stringify(nest(rest, value)));
    if (member === undefined) return insertMember(text, node, key, nest(rest, value));
    node = member;
  }
  return text;
}

function withoutMember(text: string, root: JsonNode, path: readonly string[]): string {
  const object = path
    .slice(0, -1)
    .reduce<JsonNode | undefined>((node, key) => node && findMember(node, key), root);
  const name = path.at(-1);
  return object === undefined
    ? text
    : removeChild(
        text,
        object,
        listProperties(object).findIndex(([key]) => key === name),
      );
}

function nest(path: readonly string[], value: Json): Json {
  return path.reduceRight<Json>((inner, key) => ({ [key]: inner }), value);
}

function valueIn(text: string, path: ConfigSetting["path"]): Json | undefined {
  const read = readJsonc(text);
  return read.ok ? memberAt(read.value, ...path) : undefined;
}

/** What the text of a configuration file says about one subcommand, or about all others. */
export function policyIn(text: string, name: string): FailurePolicy | undefined {
  const value = valueIn(text, ["failure", name]);
  return POLICIES.find(policy => policy === value);
}

/** Whether the text of a configuration file names a part; false for one that says nothing about parts. */
export function namesPart(text: string, part: Part): boolean {
  const parts = valueIn(text, ["parts"]);
  return Array.isArray(parts) && parts.includes(part);
}
