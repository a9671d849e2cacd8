import { ownValue } from "../../protocol/index.ts";
import {
  baseName,
  decodeBase32,
  decodeBase64,
  decodeHex,
  decodePercent,
  decodeUtf8,
  directoryName,
  knownPrefix,
  rotate13,
} from "../../shell/index.ts";
import {
  appendItem,
  createChoice,
  type Datum,
  firstValue,
  formatted,
  joined,
  knownDatumText,
  listDatum,
  listItems,
  literal,
  mapText,
  separatedBy,
} from "./datum.ts";
import { decode, joinCharacters } from "./effects.ts";
import {
  absolute,
  anyName,
  directChildren,
  type EvaluationContext,
  environmentDatum,
  expandTilde,
  homeDatum,
  joinPaths,
  type LibraryFunction,
  normalised,
  select,
  someToken,
  standardInput,
  temporaryDirectory,
  temporaryPath,
  toPattern,
  withArgument,
  workingDirectory,
} from "./evaluation-context.ts";
import { invoke, loopElement } from "./invoke.ts";

// Makers of library functions that only compute: texts, lists and records. Every `string` parameter is a selector of
// an argument, see `select`.

/** Gives back an argument: `str(x)`, `Promise.resolve(x)`. */
export function gives(argument: string): LibraryFunction {
  return withArgument(argument, datum => datum);
}

const VALUES = {
  home: homeDatum,
  "working directory": workingDirectory,
  "temporary directory": temporaryDirectory,
  "temporary path": (context: EvaluationContext) => temporaryPath(context),
  "standard input": standardInput,
  "any name": () => anyName("matches"),
} as const;

/** Gives the same whatever it is called with. */
export function returns(value: keyof typeof VALUES): LibraryFunction {
  return (_call, context) => VALUES[value](context);
}

const PATHS = {
  absolute,
  normal: normalised,
  "home for tilde": expandTilde,
  pattern: (path: Datum) => toPattern(path),
  "everything in it": (path: Datum) => directChildren(path, "path"),
} as const;

/** A path made of a path. */
export function makesPath(path: string, how: keyof typeof PATHS): LibraryFunction {
  return withArgument(path, (datum, _call, context) => PATHS[how](datum, context));
}

/** Path pieces put together; where they do not restart, an absolute piece is a piece like any other. */
export function joinsPath(parts: string, type = "text", how?: "without restart"): LibraryFunction {
  return withArgument(parts, (list, call) =>
    joinPaths(listItems(list), type, how === undefined, call.isOpenEnded),
  );
}

/** A number or an identifier: never empty, no slash, no blank. */
export function givesToken(): LibraryFunction {
  return call => someToken(`${call.name}()`);
}

const CHANGES = {
  trim: (known: string) => known.trim(),
  lower: (known: string) => known.toLowerCase(),
  upper: (known: string) => known.toUpperCase(),
  dirname: directoryName,
  basename: baseName,
} as const;

/** A function of the known text. */
export function changesText(text: string, how: keyof typeof CHANGES): LibraryFunction {
  return withArgument(text, datum => mapText(datum, CHANGES[how]));
}

function asText(bytes: Uint8Array | undefined): string | undefined {
  return bytes === undefined ? undefined : decodeUtf8(bytes);
}

/** What can be turned back; compressed and encrypted text is only known to be decoded. */
const DECODERS = {
  base64: (encoded: string) => asText(decodeBase64(encoded)),
  base32: (encoded: string) => asText(decodeBase32(encoded)),
  hex: (encoded: string) => asText(decodeHex(encoded)),
  rot13: rotate13,
  percent: (encoded: string) => decodePercent(encoded),
  "percent and plus": (encoded: string) => decodePercent(encoded, true),
  other: () => undefined,
} as const;

export type Encoding = keyof typeof DECODERS;

/** Turns an encoded text back; not computable is still known to be decoded. */
export function decodes(encoding: Encoding, text = "0 this"): LibraryFunction {
  return withArgument(text, (encoded, _call, context) => decode(context, encoded, DECODERS[encoding]));
}

/** The same where an argument names the encoding; every other name changes nothing. */
export function decodesByName(
  text: string,
  name: string,
  encodings: Readonly<Record<string, Encoding>>,
): LibraryFunction {
  return withArgument(text, (encoded, call, context) => {
    const known = knownDatumText(select(call, name))?.toLowerCase() ?? "";
    const short = known.replace(/_codec$/, "").replace(/[-_]/g, "");
    const encoding = ownValue(encodings, short);
    return encoding === undefined ? encoded : decode(context, encoded, DECODERS[encoding]);
  });
}

/** `unpack("H*", x)`, `x.unpack1("m")`, `pack("C*", 114, 109)` */
export function unpacks(template: string, data: string): LibraryFunction {
  return withArgument(data, (encoded, call, context) => {
    const letter = knownDatumText(select(call, template))?.charAt(0) ?? "";
    const [first] = listItems(encoded);
    if (first === undefined) return undefined;
    if (/[CWU]/.test(letter)) return joinCharacters(listItems(encoded));
    return decode(context, first, DECODERS[letter === "m" ? "base64" : letter === "H" ? "hex" : "other"]);
  });
}

/** Characters by their numbers: `chr(114)`, `String.fromCharCode(114, 109)`, `bytes([114])`. */
export function makesCharacters(codes: string): LibraryFunction {
  return withArgument(codes, list => joinCharacters(listItems(list)));
}

/** `list.join(",")`, `",".join(list)`, `implode(",", $list)` in either order. */
export function joinsItems(list: string, separator: string, fallback = ""): LibraryFunction {
  return withArgument(list, (first, call) => {
    const other = select(call, separator);
    const second = other === undefined || other === first ? literal(fallback) : other;
    const [items, between] = first.kind === "list" ? [first, second] : [second, first];
    if (items.kind !== "list" || items.isOpenEnded) return undefined;
    return joined(separatedBy(between, items.items));
  });
}

const MAX_WORDS = 1024;

/** Without a separator a text falls apart at its blanks. */
export function splits(text: string, separator: string): LibraryFunction {
  return withArgument(text, (datum, call) => {
    const [known, given] = [knownDatumText(datum), select(call, separator) ?? literal(" ")];
    const mark = knownDatumText(given);
    if (known === undefined || mark === undefined) return undefined;
    const words = mark === " " ? known.trim().split(/\s+/) : known.split(mark);
    return listDatum(words.slice(0, MAX_WORDS).map(literal), words.length > MAX_WORDS);
  });
}

export function replaces(text: string, from: string, to: string, how?: "once"): LibraryFunction {
  return withArgument(text, (subject, call) => {
    const [old, fresh] = [knownDatumText(select(call, from)), knownDatumText(select(call, to))];
    return mapText(subject, known => {
      if (old === undefined || fresh === undefined || old === "") return undefined;
      return how === "once" ? known.replace(old, () => fresh) : known.split(old).join(fresh);
    });
  });
}

/** `"rm %s".format(x)`, `sprintf("rm %s", x)` */
export function formats(template: string, fillings: string): LibraryFunction {
  return withArgument(template, (text, call) => {
    const given = select(call, fillings);
    return formatted(text, given === undefined ? [] : listItems(given), call.named);
  });
}

/** `x[a:b]`, `x.slice(a, b)` of a list or a text. */
export const slices = (): LibraryFunction =>
  withArgument("this", (subject, call) => {
    const [from, to] = call.positional.map(bound => Number(knownDatumText(bound)));
    if (Number.isNaN(from)) return subject;
    const end = to === undefined || Number.isNaN(to) ? undefined : to;
    if (subject.kind === "list")
      return listDatum(subject.items.slice(from, end), subject.isOpenEnded && end === undefined);
    return mapText(subject, known => known.slice(from, end));
  });

/** Turns a list or a text around. */
export function reverses(argument: string): LibraryFunction {
  return withArgument(argument, subject =>
    subject.kind === "list"
      ? listDatum([...subject.items].reverse(), subject.isOpenEnded)
      : mapText(subject, known => [...known].reverse().join("")),
  );
}

/** Puts items to the end of a list, which changes in place. */
export function appendsItems(list: string, items: string): LibraryFunction {
  return withArgument(list, (target, call) => {
    const more = select(call, items);
    if (target.kind !== "list" || more === undefined) return undefined;
    for (const item of listItems(more)) appendItem(target, item);
    if (more.kind === "list" && more.isOpenEnded) target.isOpenEnded = true;
    return undefined;
  });
}

/** Calls a function with the items of a list, one after the other when they are known. Gives what it gave. */
export function mapsItems(callee: string, list: string): LibraryFunction {
  return withArgument(list, (subject, call, context) => {
    const target = select(call, callee);
    const isNamed = target?.kind === "text" && context.language.callsTexts === true;
    if (target?.kind !== "function" && target?.kind !== "reference" && !isNamed) return subject;
    const items = knownItems(subject) ?? [loopElement(subject)];
    const results = items.map(item =>
      invoke(context, target, { ...call, positional: [item], named: new Map(), isOpenEnded: false }),
    );
    return listDatum(results, knownItems(subject) === undefined);
  });
}

/** The same, but gives the list: `list.each { … }`. */
export function visitsItems(callee: string, list: string): LibraryFunction {
  const visit = mapsItems(callee, list);
  return withArgument(list, (subject, call, context) => {
    visit(call, context);
    return subject;
  });
}

/** The items of a list that is known to its end. */
function knownItems(datum: Datum): readonly Datum[] | undefined {
  return datum.kind === "list" && !datum.isOpenEnded ? datum.items : undefined;
}

const VIEWS = {
  keys: (key: string) => literal(key),
  values: (_key: string, value: Datum) => value,
  entries: (key: string, value: Datum) => listDatum([literal(key), value]),
} as const;

/** The fields of a record as a list: `Object.keys(o)`, `d.items()`. */
export function listsFields(record: string, what: keyof typeof VIEWS): LibraryFunction {
  return withArgument(record, datum =>
    datum.kind === "record"
      ? listDatum([...datum.fields].map(([key, value]) => VIEWS[what](key, value)))
      : undefined,
  );
}

/** An environment variable by its name. A fallback counts only where the variable may be missing. */
export function readsVariable(name: string, fallback = ""): LibraryFunction {
  return withArgument(name, (given, call, context) => {
    const value = environmentDatum(context, knownPrefix(firstValue(given)));
    const other = select(call, fallback);
    if (other === undefined || (value.kind === "text" && value.value.origins.length === 0)) return value;
    return createChoice([value, other]);
  });
}
