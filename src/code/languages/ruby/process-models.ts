import type { FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import { fromNetwork } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import { knownTextOf, listDatum, literal, reference } from "../../meaning/datum.ts";
import { noteNetwork, noteShell, noteSpawn } from "../../meaning/effects.ts";
import { invoke } from "../../meaning/invoke.ts";
import { memberOf } from "../../meaning/members.ts";
import { decodes, evaluates, runsShell, runWords, sends, sendsToReceiver } from "../../meaning/models.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** One string is for a shell, several are words; an environment in front and options behind are neither. */
const runs: LibraryFunction = (call, context) => {
  const words = call.positional.filter(datum => datum.kind !== "record" && datum.kind !== "function");
  const cwd = call.named.get("chdir");
  const [first] = words;
  if (first === undefined) return undefined;
  if (first.kind === "list" && words.length > 1) {
    // `system(["rm", "shown name"], "-rf")`
    return runWords(
      context,
      call,
      listDatum([first.items[0] ?? first, ...words.slice(1)], call.isOpenEnded),
      cwd,
    );
  }
  return runWords(
    context,
    call,
    words.length === 1 && !call.isOpenEnded ? first : listDatum(words, call.isOpenEnded),
    cwd,
    call.named.get("stdin_data"),
  );
};

/** `open("|cmd")` starts a program; every other name is a file. */
export function pipeOf(path: Datum | undefined): string | undefined {
  const known = knownTextOf(path);
  return known?.startsWith("|") === true ? known.slice(1) : undefined;
}

/** `obj.send(:system, "…")` */
const sendsMessage: LibraryFunction = (call, context) => {
  const [name, ...rest] = call.positional;
  const known = knownTextOf(name);
  if (known === undefined) return undefined;
  const target = call.receiver === undefined ? reference(known) : memberOf(context, call.receiver, known);
  const callee = context.language.functions.has(known) ? reference(known) : target;
  return invoke(context, callee, { ...call, positional: rest });
};

/** `method(:system)` */
const namesMethod: LibraryFunction = (call, context) => {
  const known = knownTextOf(call.positional[0]);
  if (known === undefined) return undefined;
  return call.receiver === undefined ? reference(known) : memberOf(context, call.receiver, known);
};

/** `m.call(x)`, `m.(x)` */
const callsReceiver: LibraryFunction = (call, context) =>
  call.receiver === undefined ? undefined : invoke(context, call.receiver, { ...call, receiver: undefined });

const kills: LibraryFunction = (call, context) => {
  const [signal, ...processes] = call.positional;
  const word = knownTextOf(signal);
  noteSpawn(context, call, [literal("kill"), literal(`-${word ?? "TERM"}`), ...processes], call.isOpenEnded);
  return undefined;
};

const connects: LibraryFunction = (call: FunctionCall, context) => {
  const target = call.positional[0] ?? reference("address");
  noteNetwork(context, call, target, []);
  return reference("connection", [fromNetwork(context)], target);
};

/** `$stdin.reopen(socket)` */
const reopens: LibraryFunction = (call, context) => {
  const [source] = call.positional;
  if (source?.kind === "reference" && source.value.origins.some(origin => origin.kind === "network")) {
    context.standardInput = source.value;
  }
  return undefined;
};

const readsProgram: LibraryFunction = (call, context) => {
  const [command] = call.positional;
  return command === undefined ? undefined : reference("`()", noteShell(context, call, command));
};

export const PROCESS_MODELS: Rows = [
  ["system exec spawn IO.popen PTY.spawn", runs],
  [
    "Open3.capture2 Open3.capture2e Open3.capture3 Open3.popen2 Open3.popen2e Open3.popen3 Open3.pipeline Open3.pipeline_r",
    runs,
  ],
  ["`", readsProgram],
  ["Shellwords.split Shellwords.shellsplit", call => call.positional[0]],
  ["sh Rake.sh", runsShell()],
  [
    "eval instance_eval class_eval module_eval binding.eval TOPLEVEL_BINDING.eval RubyVM.InstructionSequence.compile",
    evaluates,
  ],
  ["send public_send __send__", sendsMessage],
  ["method", namesMethod],
  ["kill", kills],
  [
    "Net.HTTP.get Net.HTTP.get_response Net.HTTP.post Net.HTTP.post_form URI.open HTTParty.get HTTParty.post Faraday.get Faraday.post RestClient.get RestClient.post",
    sends("url"),
  ],
  ["Net.HTTP.start Net.HTTP.new TCPSocket.new TCPSocket.open UDPSocket.new", connects],
  [
    "connection.write connection.puts connection.print connection.send connection.post connection.request connection.put",
    sendsToReceiver,
  ],
  ["text.reopen", reopens],
  ["Marshal.load Zlib.Inflate.inflate Zlib.gunzip", decodes(() => undefined)],
];

/** Whatever the receiver is, a text handed to a method of that name is for a shell. */
const runsText: LibraryFunction = (call, context) =>
  call.positional[0]?.kind === "text" ? runs(call, context) : undefined;

export const PROCESS_METHODS: Rows = [
  ["system", runsText],
  ["send public_send __send__", sendsMessage],
  ["method", namesMethod],
  ["call yield", callsReceiver],
  ["instance_eval class_eval", evaluates],
];
