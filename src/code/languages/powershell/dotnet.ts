import { decodeBase64, decodeUtf8, decodeUtf16LittleEndian } from "../../../shell/decode.ts";
import type { LibraryFunction } from "../../meaning/context.ts";
import { environmentDatum, fromNetwork, homeDatum } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import { joined, knownTextOf, listDatum, literal, mapped, reference } from "../../meaning/datum.ts";
import { noteDelete, noteMove, noteNetwork, noteRead, noteShell, noteWrite } from "../../meaning/effects.ts";
import { invoke } from "../../meaning/invoke.ts";
import { contentOf, decoded, evaluateText, isTrue } from "../../meaning/models.ts";
import { windowsPath } from "./paths.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** Bytes travel as a text of one character per byte, so that the encoding can be chosen later. */
function bytesOf(encoded: string): string | undefined {
  const bytes = decodeBase64(encoded);
  return bytes === undefined ? undefined : [...bytes].map(byte => String.fromCharCode(byte)).join("");
}

function toBytes(text: string): Uint8Array {
  return Uint8Array.from(text, character => character.charCodeAt(0) & 0xff);
}

const decodesBase64: LibraryFunction = (call, context) => {
  const [encoded] = call.positional;
  return encoded === undefined ? undefined : decoded(context, encoded, bytesOf);
};

function getsString(decode: (bytes: Uint8Array) => string): LibraryFunction {
  return call =>
    call.positional[0] === undefined
      ? undefined
      : mapped(call.positional[0], known => decode(toBytes(known)));
}

const removesFile: LibraryFunction = (call, context) => {
  const [path, flag] = call.positional;
  if (path !== undefined) noteDelete(context, call, windowsPath(context, path, true), isTrueWord(flag));
  return undefined;
};

function isTrueWord(datum: Datum | undefined): boolean {
  return datum !== undefined && isTrue(datum) && !(datum.kind === "reference" && datum.name === "$false");
}

const readsFile: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(context, call, windowsPath(context, path, true));
  return contentOf(path);
};

function writesFile(isAppend: boolean): LibraryFunction {
  return (call, context) => {
    const [path, content] = call.positional;
    if (path !== undefined) noteWrite(context, call, windowsPath(context, path, true), isAppend, content);
    return undefined;
  };
}

const movesFile: LibraryFunction = (call, context) => {
  const [from, to] = call.positional;
  if (from !== undefined && to !== undefined) {
    noteMove(context, call, windowsPath(context, from, true), windowsPath(context, to, true), "move");
  }
  return undefined;
};

/** `Process.Start("cmd", "/c …")` */
const startsProcess: LibraryFunction = (call, context) => {
  const [program, words] = call.positional;
  if (program === undefined) return undefined;
  noteShell(context, call, words === undefined ? program : joined([program, literal(" "), words]));
  return undefined;
};

const downloadsText: LibraryFunction = (call, context) => {
  const [address] = call.positional;
  if (address !== undefined) noteNetwork(context, call, address, []);
  return reference("response", [fromNetwork(context)]);
};

const downloadsFile: LibraryFunction = (call, context) => {
  const [address, file] = call.positional;
  if (address === undefined) return undefined;
  noteNetwork(context, call, address, []);
  if (file !== undefined)
    noteMove(
      context,
      call,
      reference("download", [fromNetwork(context)]),
      windowsPath(context, file, true),
      "copy",
    );
  return undefined;
};

const uploads: LibraryFunction = (call, context) => {
  const [address, ...rest] = call.positional;
  if (address !== undefined) noteNetwork(context, call, address, rest);
  return reference("response", [fromNetwork(context)]);
};

const connects: LibraryFunction = (call, context) => {
  const [host] = call.positional;
  noteNetwork(context, call, host ?? reference("address"), []);
  return reference("connection", [fromNetwork(context)]);
};

const makesBlock: LibraryFunction = (call, context) => {
  const [code] = call.positional;
  return code === undefined ? undefined : evaluateText(context, call, code);
};

const namesFolder: LibraryFunction = (call, context) => {
  const name = knownTextOf(call.positional[0])?.toLowerCase();
  return name === "userprofile" || name === "personal" ? homeDatum(context) : undefined;
};

const readsVariable: LibraryFunction = (call, context) => {
  const name = knownTextOf(call.positional[0]);
  return name === undefined ? undefined : environmentDatum(context, name);
};

const removesReceiver: LibraryFunction = (call, context) => {
  if (call.receiver !== undefined) noteDelete(context, call, call.receiver, isTrueWord(call.positional[0]));
  return undefined;
};

const invokesReceiver: LibraryFunction = (call, context) =>
  call.receiver === undefined ? undefined : invoke(context, call.receiver, { ...call, receiver: undefined });

/** `$a -join ""` */
const joins: LibraryFunction = call => {
  const list = call.receiver;
  const [separator] = call.positional;
  if (list?.kind !== "list" || list.isOpenEnded || separator === undefined) return undefined;
  return joined(list.items.flatMap((item, index) => (index === 0 ? [item] : [separator, item])));
};

const splits: LibraryFunction = call => {
  const [known, separator] = [knownTextOf(call.receiver), knownTextOf(call.positional[0])];
  if (known === undefined || separator === undefined || separator === "") return undefined;
  return listDatum(known.split(separator).slice(0, 1024).map(literal));
};

const replaces: LibraryFunction = call => {
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
