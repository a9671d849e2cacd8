import { rotate13 } from "../../shell/decode.ts";
import type { Datum } from "../meaning/datum.ts";
import { appendItem, joined, knownTextOf, listDatum, literal, mapped } from "../meaning/datum.ts";
import { base64Text, hexText } from "../meaning/decoding.ts";
import { invoke, invokeCallbacks } from "../meaning/invoke.ts";
import { elementOf } from "../meaning/members.ts";
import { changes, decoded, decodes, passes, passesReceiver, standardInput } from "../meaning/models.ts";
import { formatted } from "../meaning/operate.ts";
import type { Call, Model, Run } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

/** A block called with the items, one after the other when they are known. */
const eachItem: Model = (call, run) => {
  const { receiver } = call;
  if (receiver === undefined) return undefined;
  const block = call.positional.find(datum => datum.kind === "function" || datum.kind === "reference");
  if (block === undefined) return receiver;
  const items = receiver.kind === "list" && !receiver.isOpenEnded ? receiver.items : [elementOf(receiver)];
  const results = items.map(item =>
    invoke(run, block, { ...call, positional: [item], named: new Map(), isOpenEnded: false }),
  );
  return call.path.endsWith("map") || call.path.endsWith("collect") ? listDatum(results) : receiver;
};

const joinsItems: Model = call => {
  const list = call.receiver;
  if (list?.kind !== "list" || list.isOpenEnded) return undefined;
  const separator = call.positional[0] ?? literal("");
  return joined(list.items.flatMap((item, index) => (index === 0 ? [item] : [separator, item])));
};

const splits: Model = call => {
  const known = knownTextOf(call.receiver);
  if (known === undefined) return undefined;
  const separator = knownTextOf(call.positional[0]);
  const words =
    separator === undefined || separator === " " ? known.trim().split(/\s+/) : known.split(separator);
  return listDatum(words.slice(0, 1024).map(literal), words.length > 1024);
};

const appends: Model = call => {
  const [item] = call.positional;
  if (item === undefined || call.receiver === undefined) return undefined;
  if (call.receiver.kind === "list") appendItem(call.receiver, item);
  return call.receiver.kind === "list" ? call.receiver : joined([call.receiver, item]);
};

/** `"cm0=".unpack1("m")`, `["726d"].pack("H*")` */
function unpacks(run: Run, call: Call, encoded: Datum | undefined): Datum | undefined {
  const template = knownTextOf(call.positional[0]);
  if (encoded === undefined || template === undefined) return undefined;
  if (template.startsWith("m")) return decoded(run, encoded, base64Text);
  if (template.startsWith("H")) return decoded(run, encoded, hexText);
  return decoded(run, encoded, () => undefined);
}

const unpacksText: Model = (call, run) => {
  const plain = unpacks(run, call, call.receiver);
  return plain === undefined || call.path.endsWith("unpack1") ? plain : listDatum([plain]);
};

const packsList: Model = (call, run) =>
  call.receiver?.kind === "list" ? unpacks(run, call, call.receiver.items[0]) : undefined;

const replaces: Model = call => {
  const [from, to] = [knownTextOf(call.positional[0]), knownTextOf(call.positional[1])];
  if (call.receiver === undefined) return undefined;
  return mapped(call.receiver, known =>
    from === undefined || to === undefined || from === "" ? undefined : known.split(from).join(to),
  );
};

/** `text.tr("a-z", "n-za-m")` is rot13; any other table is computed by nobody. */
const translates: Model = (call, run) => {
  if (call.receiver === undefined) return undefined;
  const table = knownTextOf(call.positional[0])?.toLowerCase();
  return decoded(run, call.receiver, table?.startsWith("a-z") === true ? rotate13 : () => undefined);
};

const formats: Model = call => {
  const [template, ...fillings] = call.positional;
  return template === undefined ? undefined : formatted(template, fillings, call.named);
};

const LOOPS =
  "each each_entry map collect each_with_index each_slice select filter reject flat_map tap then sort_by";
const loopsOf = (type: string): string =>
  LOOPS.split(" ")
    .map(name => `${type}.${name}`)
    .join(" ");

export const TEXT_MODELS: Rows = [
  [`${loopsOf("list")} ${loopsOf("matches")} ${loopsOf("path")} text.then text.tap`, eachItem],
  ["list.join", joinsItems],
  ["text.split text.shellsplit", splits],
  ["list.<< list.push list.append text.<< text.concat", appends],
  ["text.unpack text.unpack1", unpacksText],
  ["list.pack", packsList],
  ["text.gsub text.sub text.gsub! text.sub!", replaces],
  ["text.tr", translates],
  ["text.reverse", changes(known => [...known].reverse().join(""), 99)],
  ["text.strip text.chomp text.chop text.lstrip text.rstrip", changes(known => known.trim(), 99)],
  ["text.downcase", changes(known => known.toLowerCase(), 99)],
  ["text.upcase", changes(known => known.toUpperCase(), 99)],
  [
    "text.to_s text.to_str text.to_sym text.freeze text.dup path.to_s path.to_path text.force_encoding text.read text.gets text.readlines list.flatten list.uniq list.sort list.to_a matches.sort matches.to_a",
    passesReceiver,
  ],
  ["String Array URI URI.parse URI.encode_www_form JSON.generate", passes()],
  ["Base64.decode64 Base64.strict_decode64 Base64.urlsafe_decode64", decodes(base64Text)],
  ["format sprintf", formats],
  ["gets readline readlines $stdin.read STDIN.read ARGF.read", (_call, run) => standardInput(run)],
];

/** A method nobody knows, called with a block: the block runs. */
export const TEXT_METHODS: Rows = [
  ["each map each_with_index", (call, run) => invokeCallbacks(run, call, call.positional)],
];
