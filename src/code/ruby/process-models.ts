import type { Datum } from "../meaning/datum.ts";
import { knownTextOf, listDatum, literal, reference } from "../meaning/datum.ts";
import { noteNetwork, noteShell, noteSpawn } from "../meaning/effects.ts";
import { invoke } from "../meaning/invoke.ts";
import { memberOf } from "../meaning/members.ts";
import { decodes, evaluates, runsShell, runWords, sends, sendsToReceiver } from "../meaning/models.ts";
import type { Call, Model } from "../meaning/run.ts";
import { fromNetwork } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

/** One string is for a shell, several are words; an environment in front and options behind are neither. */
const runs: Model = (call, run) => {
  const words = call.positional.filter(datum => datum.kind !== "record" && datum.kind !== "function");
  const cwd = call.named.get("chdir");
  const [first] = words;
  if (first === undefined) return undefined;
  if (first.kind === "list" && words.length > 1) {
    // `system(["rm", "shown name"], "-rf")`
    return runWords(
      run,
      call,
      listDatum([first.items[0] ?? first, ...words.slice(1)], call.isOpenEnded),
      cwd,
    );
  }
  return runWords(
    run,
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
const sendsMessage: Model = (call, run) => {
  const [name, ...rest] = call.positional;
  const known = knownTextOf(name);
  if (known === undefined) return undefined;
  const target = call.receiver === undefined ? reference(known) : memberOf(run, call.receiver, known);
  const callee = run.library.models.has(known) ? reference(known) : target;
  return invoke(run, callee, { ...call, positional: rest });
};

/** `method(:system)` */
const namesMethod: Model = (call, run) => {
  const known = knownTextOf(call.positional[0]);
  if (known === undefined) return undefined;
  return call.receiver === undefined ? reference(known) : memberOf(run, call.receiver, known);
};

/** `m.call(x)`, `m.(x)` */
const callsReceiver: Model = (call, run) =>
  call.receiver === undefined ? undefined : invoke(run, call.receiver, { ...call, receiver: undefined });

const kills: Model = (call, run) => {
  const [signal, ...processes] = call.positional;
  const word = knownTextOf(signal);
  noteSpawn(run, call, [literal("kill"), literal(`-${word ?? "TERM"}`), ...processes], call.isOpenEnded);
  return undefined;
};

const connects: Model = (call: Call, run) => {
  const target = call.positional[0] ?? reference("address");
  noteNetwork(run, call, target, []);
  return reference("connection", [fromNetwork(run)], target);
};

/** `$stdin.reopen(socket)` */
const reopens: Model = (call, run) => {
  const [source] = call.positional;
  if (source?.kind === "reference" && source.value.origins.some(origin => origin.kind === "network")) {
    run.standardInput = source.value;
  }
  return undefined;
};

const readsProgram: Model = (call, run) => {
  const [command] = call.positional;
  return command === undefined ? undefined : reference("`()", noteShell(run, call, command));
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
const runsText: Model = (call, run) => (call.positional[0]?.kind === "text" ? runs(call, run) : undefined);

export const PROCESS_METHODS: Rows = [
  ["system", runsText],
  ["send public_send __send__", sendsMessage],
  ["method", namesMethod],
  ["call yield", callsReceiver],
  ["instance_eval class_eval", evaluates],
];
