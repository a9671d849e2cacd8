import type { Datum } from "../meaning/datum.ts";
import { joined, knownTextOf, listDatum, literal, originsOf, reference } from "../meaning/datum.ts";
import { noteEvaluate, noteMove, noteNetwork, noteRead, noteShell, noteSpawn } from "../meaning/effects.ts";
import {
  argument,
  contentOf,
  evaluates,
  runsShell,
  runWords,
  sends,
  sendsToReceiver,
} from "../meaning/models.ts";
import type { Model } from "../meaning/run.ts";
import { fromNetwork } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

/** One string is for a shell, a list is words. */
const runs: Model = (call, run) => {
  const words = call.positional.filter(datum => datum.kind !== "function");
  const [first] = words;
  if (first === undefined) return undefined;
  return runWords(
    run,
    call,
    words.length === 1 && !call.isOpenEnded ? first : listDatum(words, call.isOpenEnded),
  );
};

/** `open3($in, $out, $err, "rm", …)`: handles first. */
function runsAfterHandles(count: number): Model {
  return (call, run) => runs({ ...call, positional: call.positional.slice(count) }, run);
}

/** `do "file.pl"`: the content of the file is the code. */
const runsFile: Model = (call, run) => {
  const [path] = call.positional;
  if (path === undefined) return undefined;
  noteRead(run, call, path);
  noteEvaluate(run, call, "perl", contentOf(path));
  return undefined;
};

const kills: Model = (call, run) => {
  const [signal, ...processes] = call.positional;
  noteSpawn(
    run,
    call,
    [literal("kill"), literal(`-${knownTextOf(signal) ?? "TERM"}`), ...processes],
    call.isOpenEnded,
  );
  return undefined;
};

/** `IO::Socket::INET->new(PeerAddr => "host", PeerPort => 1)` */
const connects: Model = (call, run) => {
  const host =
    call.named.get("PeerAddr") ?? call.named.get("PeerHost") ?? call.positional[0] ?? reference("address");
  const port = call.named.get("PeerPort");
  const target: Datum = port === undefined ? host : joined([host, literal(":"), port]);
  noteNetwork(run, call, target, []);
  return reference("connection", [fromNetwork(run)], target);
};

const downloads: Model = (call, run) => {
  const [address, file] = call.positional;
  if (address === undefined) return undefined;
  noteNetwork(run, call, address, []);
  if (file !== undefined) noteMove(run, call, reference("download", [fromNetwork(run)]), file, "copy");
  return reference(`${call.path}()`, [fromNetwork(run)]);
};

/** `socket(S, …)` gives its first argument a meaning: the handle is the network. */
const opensSocket: Model = (call, run) => {
  const [handle] = call.positional;
  const name = handle?.kind === "reference" ? handle.path : undefined;
  if (name !== undefined) run.globals.names.set(name, reference("connection", [fromNetwork(run)]));
  return undefined;
};

const connectsSocket: Model = (call, run) => {
  const [, address] = call.positional;
  noteNetwork(run, call, address ?? reference("address"), []);
  return undefined;
};

/** `open(STDIN, ">&", $socket)` */
export function duplicatesSocket(datum: Datum | undefined): boolean {
  return datum !== undefined && originsOf(datum).some(origin => origin.kind === "network");
}

const readsProgram: Model = (call, run) => {
  const command = argument(call, 0);
  return command === undefined ? undefined : reference("`()", noteShell(run, call, command));
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
  ["system", (call, run) => (call.positional[0]?.kind === "text" ? runs(call, run) : undefined)],
];
