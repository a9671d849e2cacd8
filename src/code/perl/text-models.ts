import { decodePercent } from "../../shell/decode.ts";
import { appendItem, joined, knownTextOf, listDatum, literal, mapped, reference } from "../meaning/datum.ts";
import { base64Text, hexText } from "../meaning/decoding.ts";
import { invoke } from "../meaning/invoke.ts";
import { elementOf } from "../meaning/members.ts";
import { changes, decoded, decodes, passes } from "../meaning/models.ts";
import { formatted } from "../meaning/operate.ts";
import type { Model } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

const joinsItems: Model = call => {
  const [separator, ...items] = call.positional;
  if (separator === undefined || call.isOpenEnded) return undefined;
  return joined(items.flatMap((item, index) => (index === 0 ? [item] : [separator, item])));
};

const formats: Model = call => {
  const [template, ...fillings] = call.positional;
  return template === undefined ? undefined : formatted(template, fillings);
};

/** `pack("H*", "726d")`, `unpack("u", …)` */
const packs: Model = (call, run) => {
  const [template, encoded] = call.positional;
  const known = knownTextOf(template);
  if (encoded === undefined || known === undefined) return undefined;
  if (known.startsWith("H")) return decoded(run, encoded, hexText);
  if (known.startsWith("C") || known.startsWith("W") || known.startsWith("U")) {
    const codes = call.positional.slice(1).map(item => Number(knownTextOf(item)));
    if (codes.every(code => code >= 0 && code <= 0xffff)) return literal(String.fromCharCode(...codes));
  }
  return decoded(run, encoded, () => undefined);
};

const makesCharacter: Model = call => {
  const [code] = call.positional;
  return code === undefined
    ? undefined
    : mapped(code, known => {
        const number = Number(known);
        return number >= 0 && number <= 0x10ffff ? String.fromCodePoint(Math.trunc(number)) : undefined;
      });
};

/** `map { … } @list`, `grep { … } @list` */
const mapsItems: Model = (call, run) => {
  const [callee, ...items] = call.positional;
  if (callee?.kind !== "function") return listDatum(items, call.isOpenEnded);
  const topics =
    items.length === 0
      ? [reference("item")]
      : items.map(item => (item.kind === "list" ? elementOf(item) : item));
  const results = topics.map(topic => {
    run.globals.names.set("$_", topic);
    return invoke(run, callee, { ...call, positional: [topic], named: new Map(), isOpenEnded: false });
  });
  return call.path === "grep" ? listDatum(topics, call.isOpenEnded) : listDatum(results, call.isOpenEnded);
};

const reverses: Model = call => {
  const [only] = call.positional;
  if (call.positional.length === 1 && only?.kind === "text")
    return mapped(only, known => [...known].reverse().join(""));
  return listDatum([...call.positional].reverse(), call.isOpenEnded);
};

/** `shift`: the first of the list leaves it. */
const shifts: Model = call => {
  if (call.receiver?.kind !== "list") return undefined;
  const list = call.receiver;
  const item = call.path.endsWith("pop") ? list.items.pop() : list.items.shift();
  return item ?? reference("argument", list.origins);
};

const pushes: Model = call => {
  const [, ...items] = call.positional;
  const [list] = call.positional;
  if (list?.kind === "list") for (const item of items) appendItem(list, item);
  return undefined;
};

const splits: Model = call => {
  const known = knownTextOf(call.positional[1]);
  const separator = knownTextOf(call.positional[0]);
  if (known === undefined || separator === undefined) return undefined;
  const words = separator === " " ? known.trim().split(/\s+/) : known.split(separator);
  return listDatum(words.slice(0, 1024).map(literal), words.length > 1024);
};

export const TEXT_MODELS: Rows = [
  ["join", joinsItems],
  ["sprintf", formats],
  ["pack unpack", packs],
  ["chr", makesCharacter],
  ["map grep sort first any all", mapsItems],
  ["reverse", reverses],
  ["list.shift list.pop", shifts],
  ["push unshift", pushes],
  ["split", splits],
  ["lc lcfirst", changes(known => known.toLowerCase())],
  ["uc ucfirst", changes(known => known.toUpperCase())],
  ["chomp chop scalar quotemeta ref bless defined", passes()],
  ["decode_base64 decode_base64url", decodes(base64Text)],
  ["uri_unescape URI.Escape.uri_unescape", decodes(encoded => decodePercent(encoded))],
  ["Compress.Zlib.uncompress Compress.Zlib.memGunzip uncompress", decodes(() => undefined)],
];
