import { decodePercent } from "../../shell/decode.ts";
import type { Datum } from "../meaning/datum.ts";
import {
  appendItem,
  joined,
  knownTextOf,
  listDatum,
  literal,
  mapped,
  originsOf,
  reference,
} from "../meaning/datum.ts";
import { base64Text, hexText } from "../meaning/decoding.ts";
import { invoke } from "../meaning/invoke.ts";
import { elementOf } from "../meaning/members.ts";
import { changes, decoded, decodes, passes, passesReceiver } from "../meaning/models.ts";
import { narrow } from "../meaning/narrow.ts";
import type { Call, Model, Run } from "../meaning/run.ts";
import { createScope, declare } from "../meaning/scope.ts";

type Rows = readonly (readonly [string, Model])[];

const ENCODINGS: ReadonlyMap<string, (encoded: string) => string | undefined> = new Map([
  ["base64", base64Text],
  ["base64url", base64Text],
  ["hex", hexText],
]);

/** `Buffer.from("…", "base64")` */
const makesBuffer: Model = (call, run) => {
  const [source, encoding] = call.positional;
  if (source === undefined) return undefined;
  const decode = ENCODINGS.get(knownTextOf(encoding) ?? "");
  if (decode !== undefined) return decoded(run, source, decode);
  return source.kind === "list" ? fromCodes(source.items) : source;
};

function fromCodes(items: readonly Datum[]): Datum | undefined {
  const codes = items.map(item => Number(knownTextOf(item)));
  if (codes.some(code => !(code >= 0 && code <= 0xffff))) return undefined;
  return literal(String.fromCharCode(...codes));
}

/** `.toString("base64")` makes something else of a text; without encoding it is the text. */
const becomesText: Model = call => {
  if (call.receiver === undefined) return undefined;
  const encoding = knownTextOf(call.positional[0]);
  return encoding === undefined || /^(?:utf-?8|latin1|ascii|binary|ucs2|utf16le)$/i.test(encoding)
    ? call.receiver
    : undefined;
};

const joinsItems: Model = call => {
  const list = call.receiver;
  if (list?.kind !== "list" || list.isOpenEnded) return undefined;
  const separator = call.positional[0] ?? literal(",");
  return joined(list.items.flatMap((item, index) => (index === 0 ? [item] : [separator, item])));
};

const splitsText: Model = call => {
  const [known, separator] = [knownTextOf(call.receiver), knownTextOf(call.positional[0])];
  if (known === undefined || separator === undefined) return undefined;
  const words = known.split(separator);
  return listDatum(words.slice(0, 1024).map(literal), words.length > 1024);
};

const concatenates: Model = call => {
  const { receiver, positional } = call;
  if (receiver === undefined) return undefined;
  if (receiver.kind !== "list") return joined([receiver, ...positional]);
  const items = positional.flatMap(item => (item.kind === "list" ? item.items : [item]));
  return listDatum([...receiver.items, ...items], receiver.isOpenEnded);
};

const reverses: Model = call =>
  call.receiver?.kind === "list"
    ? listDatum([...call.receiver.items].reverse(), call.receiver.isOpenEnded)
    : undefined;

const slices: Model = call => {
  const [from, to] = call.positional.map(bound => Number(knownTextOf(bound)));
  const subject = call.receiver;
  if (subject === undefined || Number.isNaN(from)) return subject;
  const end = to === undefined || Number.isNaN(to) ? undefined : to;
  if (subject.kind === "list")
    return listDatum(subject.items.slice(from, end), subject.isOpenEnded && end === undefined);
  return mapped(subject, known => known.slice(from, end));
};

const replacesText: Model = call => {
  const [from, to] = [knownTextOf(call.positional[0]), knownTextOf(call.positional[1])];
  if (call.receiver === undefined) return undefined;
  const isAll = call.path.endsWith("replaceAll");
  return mapped(call.receiver, known => {
    if (from === undefined || to === undefined || from === "") return undefined;
    return isAll ? known.split(from).join(to) : known.replace(from, () => to);
  });
};

const pushes: Model = call => {
  if (call.receiver?.kind !== "list") return undefined;
  for (const item of call.positional) appendItem(call.receiver, item);
  if (call.isOpenEnded) call.receiver.isOpenEnded = true;
  return undefined;
};

/** `list.map(f)`, `list.forEach(f)`: f sees one of the items. */
const mapsItems: Model = (call, run) => {
  const callback = call.positional[0];
  if (callback === undefined || call.receiver === undefined) return undefined;
  const items =
    call.receiver.kind === "list" && !call.receiver.isOpenEnded
      ? call.receiver.items
      : [elementOf(call.receiver)];
  const results = items.map(item => invoke(run, callback, { ...call, positional: [item], named: new Map() }));
  return listDatum(results, call.receiver.kind !== "list" || call.receiver.isOpenEnded);
};

/** `names.filter(n => n.endsWith(".log"))` keeps what it says. */
const filtersItems: Model = (call, run) => {
  const [test] = call.positional;
  if (call.receiver === undefined) return undefined;
  if (test !== undefined)
    invoke(run, test, { ...call, positional: [elementOf(call.receiver)], named: new Map() });
  if (test?.kind !== "function") return call.receiver;
  return filtered(call.receiver, test);
};

function filtered(subject: Datum, test: Extract<Datum, { kind: "function" }>): Datum {
  const [parameter] = test.definition.parameters;
  const [body] = test.definition.body;
  const condition = body?.kind === "return" ? body.value : undefined;
  if (parameter?.kind !== "name" || condition === undefined || subject.kind === "list") return subject;
  const scope = createScope();
  declare(scope, parameter.name, subject);
  narrow(scope, condition);
  return scope.names.get(parameter.name) ?? subject;
}

/** `Object.values(o)`, `Object.keys(o)`, `Object.entries(o)` */
function listsFields(view: (key: string, value: Datum) => Datum): Model {
  return call => {
    const [record] = call.positional;
    if (record?.kind !== "record") return record;
    return listDatum([...record.fields].map(([key, value]) => view(key, value)));
  };
}

const makesCharacters: Model = call => fromCodes(call.positional);

/** A promise, a response body, a parsed text: whatever it is, it came from there. */
const derives: Model = (call: Call, _run: Run) =>
  reference(
    `${call.path}()`,
    originsOf(listDatum([...call.positional, ...(call.receiver === undefined ? [] : [call.receiver])])),
  );

/** `promise.then(f)`: f sees what was promised; the result is f's. */
const continues: Model = (call, run) => {
  const [callback] = call.positional;
  if (callback === undefined || call.receiver === undefined) return call.receiver;
  return invoke(run, callback, { ...call, positional: [call.receiver], named: new Map() });
};

export const TEXT_MODELS: Rows = [
  ["atob", decodes(base64Text)],
  ["Buffer.from Buffer Uint8Array.from Uint8Array", makesBuffer],
  ["decodeURIComponent decodeURI unescape", decodes(encoded => decodePercent(encoded))],
  ["text.toString text.valueOf", becomesText],
  ["String String.raw TextDecoder().decode", passes()],
  ["text.trim text.trimEnd text.trimStart", changes(known => known.trim(), 99)],
  ["text.toLowerCase", changes(known => known.toLowerCase(), 99)],
  ["text.toUpperCase", changes(known => known.toUpperCase(), 99)],
  ["text.split", splitsText],
  ["text.concat list.concat", concatenates],
  ["text.replace text.replaceAll", replacesText],
  ["text.slice text.substring list.slice", slices],
  ["list.join", joinsItems],
  ["list.reverse list.toReversed", reverses],
  ["list.push list.unshift", pushes],
  ["list.map list.forEach list.flatMap matches.map matches.forEach entry.map entry.forEach", mapsItems],
  ["list.filter matches.filter entry.filter", filtersItems],
  ["list.flat list.sort list.values matches.sort text.text text.json text.arrayBuffer", passesReceiver],
  ["Object.values", listsFields((_key, value) => value)],
  ["Object.keys", listsFields(key => literal(key))],
  ["Object.entries", listsFields((key, value) => listDatum([literal(key), value]))],
  ["String.fromCharCode String.fromCodePoint", makesCharacters],
  ["JSON.stringify JSON.parse encodeURIComponent btoa", derives],
  ["Promise.resolve Promise.all Promise.allSettled Array.from Object.freeze structuredClone", passes()],
  [
    "zlib.gunzipSync zlib.inflateSync zlib.brotliDecompressSync zlib.unzipSync Bun.gunzipSync Bun.inflateSync",
    decodes(() => undefined),
  ],
];

export const TEXT_METHODS: Rows = [["then finally", continues]];
