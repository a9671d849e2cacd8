import type { LibraryFunction } from "../../meaning/context.ts";
import { fromNetwork } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import { joined, knownTextOf, listDatum, literal, originsOf, reference } from "../../meaning/datum.ts";
import {
  noteEvaluate,
  noteMove,
  noteNetwork,
  noteRead,
  noteShell,
  noteSpawn,
} from "../../meaning/effects.ts";
import {
  argument,
  contentOf,
  evaluates,
  runsShell,
  runWords,
  sends,
  sendsToReceiver,
} from "../../meaning/models.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** One string is for a shell, a list is words. */
const runs: LibraryFunction = (call, context) => {
  const words = call.positional.filter(datum => datum.kind !== "function");
  const [first] = words;
  if (first === undefined) return undefined;
  return runWords(
    context,
    call,
    words.length === 1 && !call.isOpenEnded ? first : listDatum(words, call.isOpenEnded),
  );
};

/** `open3($in, $out, $err, "rm", …)`: handles first. */
function runsAfterHandles(count: number): LibraryFunction {
  return (call, context) => runs({ ...call, positional: call.positional.slice(count) }, context);
}

/** `do "file.pl"`: the content of the file is the code. */
const runsFile: LibraryFunction = (call, context) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(context, call, path);
  noteEvaluate(context, call, "perl", contentOf(path));
  return undefined;
};

const kills: LibraryFunction = (call, context) => {
  const [signal, ...processes] = call.positional;
  noteSpawn(
    context,
    call,
    [literal("kill"), literal(`-${knownTextOf(signal) ?? "TERM"}`), ...processes],
    call.isOpenEnded,
  );
  return undefined;
};

/** `IO::Socket::INET->new(PeerAddr => "host", PeerPort => 1)` */
const connects: LibraryFunction = (call, context) => {
  const host =
    call.named.get("PeerAddr") ?? call.named.get("PeerHost") ?? call.positional[0] ?? reference("address");
  const port = call.named.get("PeerPort");
  const target: Datum = port === undefined ? host : joined([host, literal(":"), port]);
  noteNetwork(context, call, target, []);
  return reference("connection", [fromNetwork(context)], target);
};

const downloads: LibraryFunction = (call, context) => {
  const [address, file] = call.positional;
  if (address === undefined) return undefined;
  noteNetwork(context, call, address, []);
  if (file !== undefined)
    noteMove(context, call, reference("download", [fromNetwork(context)]), file, "copy");
  return reference(`${call.name}()`, [fromNetwork(context)]);
};

/** `socket(S, …)` gives its first argument a meaning: the handle is the network. */
const opensSocket: LibraryFunction = (call, context) => {
  const [handle] = call.positional;
  const name = handle?.kind === "reference" ? handle.name : undefined;
  if (name !== undefined) context.globals.names.set(name, reference("connection", [fromNetwork(context)]));
  return undefined;
};

const connectsSocket: LibraryFunction = (call, context) => {
  const [, address] = call.positional;
  noteNetwork(context, call, address ?? reference("address"), []);
  return undefined;
};

/** `open(STDIN, ">&", $socket)` */
export function duplicatesSocket(datum: Datum | undefined): boolean {
  return datum !== undefined && originsOf(datum).some(origin => origin.kind === "network");
}

const readsProgram: LibraryFunction = (call, context) => {
  const command = argument(call, 0);
  return command === undefined ? undefined : reference("`()", noteShell(context, call, command));
};

/** `IPC::Run::run(["rm", "-rf"], …)` — lists are flat here, so the words stand in a row. */
export const PROCESS_MODELS: Rows = [
  ["system exec IPC.Run.run IPC.System.Simple.system IPC.System.Simple.capture capture", runs],
  ["open3", runsAfterHandles(3)],
  ["open2", runsAfterHandles(2)],
  ["` readpipe", readsProgram],
  ["eval", evaluates],
  ["do", runsFile],
  ["kill", kills],
  ["IO.Socket.INET.new IO.Socket.SSL.new IO.Socket.IP.new Net.FTP.new Net.SMTP.new", connects],
  [
    "connection.send connection.print connection.syswrite connection.put connection.data connection.datasend",
    sendsToReceiver,
  ],
  ["socket", opensSocket],
  ["connect", connectsSocket],
  ["get getprint head", sends()],
  ["getstore mirror", downloads],
  [
    ["LWP.UserAgent.new()", "HTTP.Tiny.new()", "Mojo.UserAgent.new()", "WWW.Mechanize.new()"]
      .flatMap(client => ["get", "post", "put", "request", "post_form"].map(method => `${client}.${method}`))
      .join(" "),
    sends("url"),
  ],
  ["Win32.Spawn", runsShell()],
];

export const PROCESS_METHODS: Rows = [
  ["system", (call, context) => (call.positional[0]?.kind === "text" ? runs(call, context) : undefined)],
];
