import { decodePercent, rotate13 } from "../../shell/decode.ts";
import { joined, knownTextOf, listDatum, literal, mapped } from "../meaning/datum.ts";
import { base64Text, hexText } from "../meaning/decoding.ts";
import { changes, decoded, decodes, passes } from "../meaning/models.ts";
import { formatted } from "../meaning/operate.ts";
import type { Model } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

/** `implode(sep, list)`, in either order. */
const joinsItems: Model = call => {
  const list = call.positional.find(datum => datum.kind === "list");
  const separator = call.positional.find(datum => datum.kind !== "list") ?? literal("");
  if (list?.kind !== "list" || list.isOpenEnded) return undefined;
  return joined(list.items.flatMap((item, index) => (index === 0 ? [item] : [separator, item])));
};

const splits: Model = call => {
  const [separator, subject] = [knownTextOf(call.positional[0]), knownTextOf(call.positional[1])];
  if (separator === undefined || separator === "" || subject === undefined) return undefined;
  const words = subject.split(separator);
  return listDatum(words.slice(0, 1024).map(literal), words.length > 1024);
};

const formats: Model = call => {
  const [template, ...fillings] = call.positional;
  return template === undefined ? undefined : formatted(template, fillings);
};

const replaces: Model = call => {
  const [from, to, subject] = call.positional;
  const [known, other] = [knownTextOf(from), knownTextOf(to)];
  if (subject === undefined) return undefined;
  return mapped(subject, text =>
    known === undefined || other === undefined || known === "" ? undefined : text.split(known).join(other),
  );
};

const packs: Model = (call, run) => {
  const [template, encoded] = call.positional;
  if (encoded === undefined) return undefined;
  return decoded(run, encoded, knownTextOf(template)?.startsWith("H") === true ? hexText : () => undefined);
};

const makesCharacter: Model = call => {
  const [code] = call.positional;
  return code === undefined
    ? undefined
    : mapped(code, known => {
        const number = Number(known);
        return number >= 0 && number < 256 ? String.fromCharCode(number) : undefined;
      });
};

export const TEXT_MODELS: Rows = [
  ["implode join", joinsItems],
  ["explode", splits],
  ["sprintf vsprintf", formats],
  ["str_replace", replaces],
  ["array", call => listDatum(call.positional, call.isOpenEnded)],
  ["base64_decode", decodes(base64Text)],
  ["hex2bin", decodes(hexText)],
  ["str_rot13", decodes(rotate13)],
  ["urldecode", decodes(encoded => decodePercent(encoded, true))],
  ["rawurldecode", decodes(encoded => decodePercent(encoded))],
  ["gzinflate gzuncompress gzdecode unserialize convert_uudecode", decodes(() => undefined)],
  ["pack", packs],
  ["chr", makesCharacter],
  ["strrev", changes(known => [...known].reverse().join(""))],
  ["strtolower", changes(known => known.toLowerCase())],
  ["strtoupper", changes(known => known.toUpperCase())],
  ["trim rtrim ltrim", changes(known => known.trim())],
  ["strval escapeshellcmd array_values array_reverse array_filter array_unique stripslashes", passes()],
  ["escapeshellarg", changes(known => `'${known.replaceAll("'", "'\\''")}'`)],
];
