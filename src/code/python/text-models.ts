import { decodePercent, rotate13 } from "../../shell/decode.ts";
import type { Datum } from "../meaning/datum.ts";
import { choiceOf, joined, knownTextOf, listDatum, literal, mapped, recordDatum } from "../meaning/datum.ts";
import { base32Text, base64Text, hexText } from "../meaning/decoding.ts";
import { elementOf } from "../meaning/members.ts";
import { changes, decoded, decodes, passes, passesReceiver, standardInput } from "../meaning/models.ts";
import { formatted } from "../meaning/operate.ts";
import { givesToken } from "../meaning/path-values.ts";
import type { Model, Run } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

const CODECS: ReadonlyMap<string, (encoded: string) => string | undefined> = new Map([
  ["rot13", rotate13],
  ["rot_13", rotate13],
  ["rot-13", rotate13],
  ["hex", hexText],
  ["hex_codec", hexText],
  ["base64", base64Text],
  ["base64_codec", base64Text],
]);

const uncomputable = (): undefined => undefined;
const COMPRESSIONS = new Set(["zlib", "zip", "bz2", "zlib_codec", "bz2_codec"]);

/** `codecs.decode(x, "rot13")`, `"…".decode("hex")`; a character set changes nothing. */
function decodeBy(run: Run, encoded: Datum, codec: Datum | undefined): Datum {
  const name = knownTextOf(codec)?.toLowerCase() ?? "utf-8";
  if (COMPRESSIONS.has(name)) return decoded(run, encoded, uncomputable);
  const decode = CODECS.get(name);
  return decode === undefined ? encoded : decoded(run, encoded, decode);
}

const decodesByName: Model = (call, run) => {
  const [encoded, codec] = call.positional;
  return encoded === undefined ? undefined : decodeBy(run, encoded, codec);
};

const decodesReceiver: Model = (call, run) =>
  call.receiver === undefined ? undefined : decodeBy(run, call.receiver, call.positional[0]);

/** `sep.join(list)` */
const joinsTexts: Model = call => {
  const [list] = call.positional;
  if (call.receiver === undefined || list === undefined) return undefined;
  if (list.kind !== "list" || list.isOpenEnded) return undefined;
  const separator = call.receiver;
  return joined(list.items.flatMap((item, index) => (index === 0 ? [item] : [separator, item])));
};

const splitsText: Model = call => {
  const known = knownTextOf(call.receiver);
  if (known === undefined) return undefined;
  const separator = knownTextOf(call.positional[0]);
  const words =
    separator === undefined || separator === "" ? known.trim().split(/\s+/) : known.split(separator);
  return listDatum(words.slice(0, 256).map(literal), words.length > 256);
};

const replacesText: Model = call => {
  const [from, to] = [knownTextOf(call.positional[0]), knownTextOf(call.positional[1])];
  if (call.receiver === undefined) return undefined;
  return mapped(call.receiver, known =>
    from === undefined || to === undefined || from === "" ? undefined : known.split(from).join(to),
  );
};

const fillsTemplate: Model = call =>
  call.receiver === undefined ? undefined : formatted(call.receiver, call.positional, call.named);

/** `chr(114)` */
const makesCharacter: Model = call => {
  const options = call.positional[0] === undefined ? [] : [call.positional[0]];
  return choiceOf(
    options.map(option =>
      mapped(option, known => {
        const code = Number(known);
        return Number.isInteger(code) && code >= 0 && code <= 0x10ffff
          ? String.fromCodePoint(code)
          : undefined;
      }),
    ),
  );
};

/** `bytes([114, 109])`; anything else keeps its text. */
const makesBytes: Model = call => {
  const [source] = call.positional;
  if (source?.kind !== "list") return source;
  const codes = source.items.map(item => Number(knownTextOf(item)));
  if (codes.some(code => !(code >= 0 && code <= 255))) return undefined;
  return literal(String.fromCharCode(...codes));
};

const reversesText: Model = call => {
  const subject = call.receiver ?? call.positional[0];
  if (subject === undefined) return undefined;
  if (subject.kind === "list") return listDatum([...subject.items].reverse(), subject.isOpenEnded);
  return mapped(subject, known => [...known].reverse().join(""));
};

/** `x[a:b]` of a list or a text. */
const slices: Model = call => {
  const [from, to] = call.positional.map(bound => Number(knownTextOf(bound)));
  const subject = call.receiver;
  if (subject === undefined || Number.isNaN(from)) return subject;
  const end = to === undefined || Number.isNaN(to) ? undefined : to;
  if (subject.kind === "list")
    return listDatum(subject.items.slice(from, end), subject.isOpenEnded && end === undefined);
  return mapped(subject, known => known.slice(from, end));
};

const MOST_COUNTED = 16;

/** `range(3)`: few numbers are known, many are numbers. */
const counts: Model = (call, run) => {
  const bounds = call.positional.map(bound => Number(knownTextOf(bound)));
  const [from, to] = bounds.length === 1 ? [0, bounds[0]] : bounds;
  const isKnown = from !== undefined && to !== undefined && bounds.length < 3 && to - from <= MOST_COUNTED;
  if (!isKnown) return listDatum([givesToken(call, run) ?? literal("0")]);
  return listDatum(
    Array.from({ length: Math.max(0, to - from) }, (_, index) => literal(String(from + index))),
  );
};

const enumerates: Model = call => {
  const [list] = call.positional;
  return list === undefined ? undefined : listDatum([listDatum([literal("0"), elementOf(list)])], true);
};

/** `dict(a=1)`; a plain copy otherwise. */
const makesRecord: Model = call => (call.named.size > 0 ? recordDatum(call.named) : call.positional[0]);

const readsField: Model = call => {
  const key = knownTextOf(call.positional[0]);
  if (call.receiver?.kind !== "record" || key === undefined) return undefined;
  return call.receiver.fields.get(key) ?? call.positional[1];
};

const listsValues: Model = call =>
  call.receiver?.kind === "record" ? listDatum([...call.receiver.fields.values()]) : undefined;

const listsEntries: Model = call =>
  call.receiver?.kind === "record"
    ? listDatum([...call.receiver.fields].map(([key, value]) => listDatum([literal(key), value])))
    : undefined;

const listsKeys: Model = call =>
  call.receiver?.kind === "record" ? listDatum([...call.receiver.fields.keys()].map(literal)) : undefined;

export const TEXT_MODELS: Rows = [
  ["text.join", joinsTexts],
  ["text.split text.rsplit", splitsText],
  ["text.replace", replacesText],
  ["text.format", fillsTemplate],
  ["text.strip text.lstrip text.rstrip", changes(known => known.trim(), 99)],
  ["text.lower text.casefold", changes(known => known.toLowerCase(), 99)],
  ["text.upper", changes(known => known.toUpperCase(), 99)],
  ["text.decode", decodesReceiver],
  ["text.encode text.expandtabs text.read text.readline text.readlines text.buffer.read", passesReceiver],
  ["text.reversed list.reversed reversed", reversesText],
  ["text.slice list.slice", slices],
  ["list.copy matches.copy", passesReceiver],
  ["codecs.decode", decodesByName],
  [
    "base64.b64decode base64.urlsafe_b64decode base64.standard_b64decode base64.decodebytes base64.decodestring",
    decodes(base64Text),
  ],
  ["binascii.a2b_base64", decodes(base64Text)],
  ["bytes.fromhex bytearray.fromhex binascii.unhexlify binascii.a2b_hex base64.b16decode", decodes(hexText)],
  ["base64.b32decode", decodes(base32Text)],
  ["urllib.parse.unquote", decodes(encoded => decodePercent(encoded))],
  ["urllib.parse.unquote_plus", decodes(encoded => decodePercent(encoded, true))],
  [
    "zlib.decompress gzip.decompress bz2.decompress lzma.decompress base64.a85decode base64.b85decode marshal.loads",
    decodes(uncomputable),
  ],
  ["str bytes.decode repr list tuple sorted set iter next frozenset copy.copy copy.deepcopy", passes()],
  ["os.fsencode os.fsdecode str.encode", passes()],
  ["bytes bytearray", makesBytes],
  ["chr", makesCharacter],
  ["range", counts],
  [
    "len int float abs round time.time time.time_ns os.getpid uuid.uuid4 uuid.uuid1 random.randint id hash",
    givesToken,
  ],
  ["datetime.datetime.now().strftime time.strftime datetime.now().strftime", givesToken],
  ["enumerate", enumerates],
  ["dict", makesRecord],
  ["record.get", readsField],
  ["record.values", listsValues],
  ["record.items", listsEntries],
  ["record.keys", listsKeys],
  ["input raw_input", (_call, run) => standardInput(run)],
];

export const TEXT_METHODS: Rows = [["decode", decodesReceiver]];
