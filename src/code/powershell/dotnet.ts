import { decodeBase64, decodeUtf8, decodeUtf16LittleEndian } from "../../shell/decode.ts";
import type { Datum } from "../meaning/datum.ts";
import { joined, knownTextOf, listDatum, literal, mapped, reference } from "../meaning/datum.ts";
import { noteDelete, noteMove, noteNetwork, noteRead, noteShell, noteWrite } from "../meaning/effects.ts";
import { invoke } from "../meaning/invoke.ts";
import { contentOf, decoded, evaluateText, isTrue } from "../meaning/models.ts";
import type { Model } from "../meaning/run.ts";
import { environmentDatum, fromNetwork, homeDatum } from "../meaning/run.ts";
import { windowsPath } from "./paths.ts";

type Rows = readonly (readonly [string, Model])[];

/** Bytes travel as a text of one character per byte, so that the encoding can be chosen later. */
function bytesOf(encoded: string): string | undefined {
  const bytes = decodeBase64(encoded);
  return bytes === undefined ? undefined : [...bytes].map(byte => String.fromCharCode(byte)).join("");
}

function toBytes(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0) & 0xff);
}

const decodesBase64: Model = (call, run) => {
  const [encoded] = call.positional;
  return encoded === undefined ? undefined : decoded(run, encoded, bytesOf);
};

function getsString(decode: (bytes: Uint8Array) => string): Model {
  return call =>
    call.positional[0] === undefined
      ? undefined
      : mapped(call.positional[0], known => decode(toBytes(known)));
}

const removesFile: Model = (call, run) => {
  const [path, flag] = call.positional;
  if (path !== undefined) noteDelete(run, call, windowsPath(run, path, true), isTrueWord(flag));
  return undefined;
};

function isTrueWord(datum: Datum | undefined): boolean {
  return datum !== undefined && isTrue(datum) && !(datum.kind === "reference" && datum.path === "$false");
}

const readsFile: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(run, call, windowsPath(run, path, true));
  return contentOf(path);
};

function writesFile(isAppend: boolean): Model {
  return (call, run) => {
    const [path, content] = call.positional;
    if (path !== undefined) noteWrite(run, call, windowsPath(run, path, true), isAppend, content);
    return undefined;
  };
}

const movesFile: Model = (call, run) => {
  const [from, to] = call.positional;
  if (from !== undefined && to !== undefined) {
    noteMove(run, call, windowsPath(run, from, true), windowsPath(run, to, true), "move");
  }
  return undefined;
};

/** `Process.Start("cmd", "/c …")` */
const startsProcess: Model = (call, run) => {
  const [program, words] = call.positional;
  if (program === undefined) return undefined;
  noteShell(run, call, words === undefined ? program : joined([program, literal(" "), words]));
  return undefined;
};

const downloadsText: Model = (call, run) => {
  const [address] = call.positional;
  if (address !== undefined) noteNetwork(run, call, address, []);
  return reference("response", [fromNetwork(run)]);
};

const downloadsFile: Model = (call, run) => {
  const [address, file] = call.positional;
  if (address === undefined) return undefined;
  noteNetwork(run, call, address, []);
  if (file !== undefined)
    noteMove(run, call, reference("download", [fromNetwork(run)]), windowsPath(run, file, true), "copy");
  return undefined;
};

const uploads: Model = (call, run) => {
  const [address, ...rest] = call.positional;
  if (address !== undefined) noteNetwork(run, call, address, rest);
  return reference("response", [fromNetwork(run)]);
};

const connects: Model = (call, run) => {
  const [host] = call.positional;
  noteNetwork(run, call, host ?? reference("address"), []);
  return reference("connection", [fromNetwork(run)]);
};

const makesBlock: Model = (call, run) => {
  const [code] = call.positional;
  return code === undefined ? undefined : evaluateText(run, call, code);
};

const namesFolder: Model = (call, run) => {
  const name = knownTextOf(call.positional[0])?.toLowerCase();
  return name === "userprofile" || name === "personal" ? homeDatum(run) : undefined;
};

const readsVariable: Model = (call, run) => {
  const name = knownTextOf(call.positional[0]);
  return name === undefined ? undefined : environmentDatum(run, name);
};

const removesReceiver: Model = (call, run) => {
  if (call.receiver !== undefined) noteDelete(run, call, call.receiver, isTrueWord(call.positional[0]));
  return undefined;
};

const invokesReceiver: Model = (call, run) =>
  call.receiver === undefined ? undefined : invoke(run, call.receiver, { ...call, receiver: undefined });

/** `$a -join ""` */
const joins: Model = call => {
  const list = call.receiver;
  const [separator] = call.positional;
  if (list?.kind !== "list" || list.isOpenEnded || separator === undefined) return undefined;
  return joined(list.items.flatMap((item, index) => (index === 0 ? [item] : [separator, item])));
};

const splits: Model = call => {
  const [known, separator] = [knownTextOf(call.receiver), knownTextOf(call.positional[0])];
  if (known === undefined || separator === undefined || separator === "") return undefined;
  return listDatum(known.split(separator).slice(0, 1024).map(literal));
};

const replaces: Model = call => {
  const list = call.positional[0];
  const pair = list?.kind === "list" ? list.items : call.positional;
  const [from, to] = [knownTextOf(pair[0]), knownTextOf(pair[1]) ?? ""];
  if (call.receiver === undefined) return undefined;
  return mapped(call.receiver, known =>
    from === undefined || from === "" ? undefined : known.split(from).join(to),
  );
};

export const DOTNET_MODELS: Rows = [
  ["[convert].frombase64string", decodesBase64],
  [
    "[text.encoding].utf8.getstring [text.encoding].ascii.getstring [text.encoding].default.getstring",
    getsString(decodeUtf8),
  ],
  ["[text.encoding].unicode.getstring", getsString(decodeUtf16LittleEndian)],
  ["[io.file].delete [io.directory].delete", removesFile],
  ["[io.file].readalltext [io.file].readalllines [io.file].readallbytes", readsFile],
  [
    "[io.file].writealltext [io.file].writealllines [io.file].writeallbytes [io.file].create",
    writesFile(false),
  ],
  ["[io.file].appendalltext", writesFile(true)],
  ["[io.file].move [io.directory].move", movesFile],
  ["[diagnostics.process].start", startsProcess],
  ["[scriptblock].create", makesBlock],
  ["[environment].getfolderpath", namesFolder],
  ["[environment].getenvironmentvariable", readsVariable],
  ["net.webclient.downloadstring net.webclient.downloaddata", downloadsText],
  ["net.webclient.downloadfile", downloadsFile],
  ["net.webclient.uploadstring net.webclient.uploadfile net.webclient.uploaddata", uploads],
  ["[net.sockets.tcpclient].new", connects],
  ["text.-join list.-join", joins],
  ["text.-split text.split", splits],
  ["text.-replace text.replace", replaces],
  ["text.delete matches.delete", removesReceiver],
];

export const DOTNET_METHODS: Rows = [
  ["downloadstring", downloadsText],
  ["downloadfile", downloadsFile],
  ["uploadstring uploadfile", uploads],
  ["invoke invokereturnasis", invokesReceiver],
];
