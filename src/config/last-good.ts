import { isJsonObject, isSameJson, type Json, readJson, stringAt } from "../protocol/index.ts";
import { computeSeal, findMachineKey, readMachineKey, readText } from "../state/index.ts";
import { join, type System, sha256Hex, writeAtomically } from "../system/index.ts";
import { readJsonc } from "./jsonc.ts";

const MAX_BYTES = 1024 * 1024;
const NAME_LENGTH = 32;

/** The text of a configuration file when it could last be read whole; undefined when none is kept, or its seal is broken. */
export function readLastGood(
  system: Pick<System, "files" | "text">,
  stateHome: string,
  path: string,
): Json | undefined {
  const good = readKept(system, stateHome, path);
  const read = good === undefined ? undefined : readJsonc(good);
  return read?.ok === true ? read.value : undefined;
}

/** Keeps the text of a file that could be read whole, sealed, so that nothing else is taken for it. */
export function keepLastGood(system: System, stateHome: string, path: string, content: string): void {
  if (readKept(system, stateHome, path) === content) return;
  const seal = computeSeal(system, readMachineKey(system, stateHome), [path, content]);
  const kept = JSON.stringify({ version: 1, path, content, seal });
  system.files.makeDirectory(lastGoodFolder(stateHome), 0o700);
  writeAtomically(system, lastGoodFile(system, stateHome, path), system.text.encode(`${kept}\n`), {
    mode: 0o600,
  });
}

function readKept(
  system: Pick<System, "files" | "text">,
  stateHome: string,
  path: string,
): string | undefined {
  try {
    const text = readText(system, lastGoodFile(system, stateHome, path), MAX_BYTES);
    const key = text === undefined ? undefined : findMachineKey(system, stateHome);
    if (text === undefined || key === undefined) return undefined;
    const read = readJson(text);
    const content = read.ok ? stringAt(read.value, "content") : undefined;
    if (!read.ok || content === undefined) return undefined;
    return stringAt(read.value, "seal") === computeSeal(system, key, [path, content]) ? content : undefined;
  } catch {
    // What cannot be read here is as if it had never been kept; the notice of the file itself stands.
    return undefined;
  }
}

function lastGoodFolder(stateHome: string): string {
  return join(stateHome, "guard", "last-good");
}

function lastGoodFile({ text }: Pick<System, "text">, stateHome: string, path: string): string {
  return join(lastGoodFolder(stateHome), `${sha256Hex(text.encode(path)).slice(0, NAME_LENGTH)}.json`);
}

/** Members that were read count; those that are missing are as they were. */
export function laidOver(good: Json, value: Json): Json {
  if (!isJsonObject(good) || !isJsonObject(value)) return value;
  const merged = Object.entries(value).map(
    ([key, member]) =>
      [key, Object.hasOwn(good, key) ? laidOver(good[key] as Json, member) : member] as const,
  );
  return { ...good, ...Object.fromEntries(merged) };
}

/** The value with one member as it was. A list keeps what can be read of it, and what it had. */
export function withMember(value: Json, good: Json, member: string): Json {
  if (!isJsonObject(value) || !isJsonObject(good)) return good;
  // Names may hold dots: the longest that fits is meant.
  const [key] = Object.keys(good)
    .filter(name => member === name || [".", "["].some(sign => member.startsWith(`${name}${sign}`)))
    .sort((one, other) => other.length - one.length);
  if (key === undefined) return value;
  const [written, before] = [value[key], good[key] as Json];
  const rest = member.slice(key.length);
  if (rest.startsWith("[") && Array.isArray(written) && Array.isArray(before)) {
    const lost = before.filter((one: Json) => !written.some((other: Json) => isSameJson(one, other)));
    return { ...value, [key]: [...written, ...lost] };
  }
  if (!rest.startsWith(".") || written === undefined) return { ...value, [key]: before };
  return { ...value, [key]: withMember(written, before, rest.slice(1)) };
}

const MAX_CUTS = 200;

/** The members of a broken text that stand whole before the mistake; lists that are cut are left out. */
export function readWholeMembers(text: string): Json {
  const cuts = memberEnds(text);
  for (const { end, depth } of cuts.slice(-MAX_CUTS).reverse()) {
    const read = readJsonc(`${text.slice(0, end)}${"}".repeat(depth)}`);
    if (read.ok) return read.value;
  }
  return {};
}

/** Where members of objects end that lie in no list, and in how many objects. */
function memberEnds(text: string): readonly { readonly end: number; readonly depth: number }[] {
  const ends: { readonly end: number; readonly depth: number }[] = [];
  const open: string[] = [];
  const token = /"(?:\\[\s\S]?|[^"\\])*(?:"|$)|\/\/[^\n\r]*|\/\*[\s\S]*?(?:\*\/|$)|[{}[\],]/g;
  for (const { 0: sign, index } of text.matchAll(token)) {
    if (sign === "{" || sign === "[") open.push(sign);
    else if (sign === "}" || sign === "]") open.pop();
    else if (sign !== ",") continue;
    const end = sign === "," ? index : index + 1;
    if (open.length > 0 && sign !== "[" && !open.includes("[")) ends.push({ end, depth: open.length });
  }
  return ends;
}
