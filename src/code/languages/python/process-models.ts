import type { EvaluationContext, FunctionCall, LibraryFunction } from "../../meaning/context.ts";
import type { Datum } from "../../meaning/datum.ts";
import {
  firstValue,
  knownTextOf,
  listDatum,
  literal,
  optionsOf,
  originsOf,
  reference,
  textDatum,
} from "../../meaning/datum.ts";
import { noteShell, noteSpawn } from "../../meaning/effects.ts";
import { argument, callsForEach, callsLater, isTrue, runsShell, runWords } from "../../meaning/models.ts";

type Rows = readonly (readonly [string, LibraryFunction])[];

/** `subprocess.run(args, shell=…, cwd=…, input=…)` and its siblings. */
const runsSubprocess: LibraryFunction = (call, context) => {
  const words = argument(call, 0, "args");
  if (words === undefined) return undefined;
  const cwd = call.named.get("cwd");
  const stdin = call.named.get("input") ?? socketOf(call.named.get("stdin"));
  if (!isTrue(call.named.get("shell"))) return runWords(context, call, words, cwd, stdin);
  const origins = optionsOf(words).flatMap(option => {
    const script = option.kind === "list" ? option.items[0] : option;
    return script === undefined ? [] : noteShell(context, call, script, cwd);
  });
  return reference(`${call.name}()`, origins);
};

/** `stdin=socket` is a shell on a socket; pipes and files are not known here. */
function socketOf(datum: Datum | undefined): Datum | undefined {
  if (datum === undefined) return undefined;
  return originsOf(datum).some(origin => origin.kind === "network") ? datum : undefined;
}

/** Program and arguments one by one: `os.execlp(file, arg0, arg1 …)`; `skipped` stand in front of the file. */
function replacesWithWords(skipped: number): LibraryFunction {
  return (call, context) => {
    const [file, , ...words] = call.positional.slice(skipped);
    if (file === undefined) return undefined;
    const last = words.at(-1);
    const argv = last?.kind === "record" ? words.slice(0, -1) : words;
    noteSpawn(context, call, [file, ...argv], call.isOpenEnded);
    return undefined;
  };
}

/** Program and a list of arguments: `os.execv(file, [arg0, …])`. */
function replacesWithList(skipped: number): LibraryFunction {
  return (call, context) => {
    const [file, list] = call.positional.slice(skipped);
    if (file === undefined) return undefined;
    for (const option of list === undefined ? [listDatum([])] : optionsOf(list)) {
      if (option.kind === "list")
        noteSpawn(context, call, [file, ...option.items.slice(1)], option.isOpenEnded);
      else noteSpawn(context, call, [file], true);
    }
    return undefined;
  };
}

const spawnsWords: LibraryFunction = (call, context) =>
  reference(
    `${call.name}()`,
    noteSpawn(context, call, call.positional, call.isOpenEnded, call.named.get("cwd")),
  );

/** `pty.spawn("/bin/sh")`, `pexpect.spawn("ssh", [..])` */
const spawnsTerminal: LibraryFunction = (call, context) => {
  const [words, rest] = call.positional;
  if (words === undefined) return undefined;
  if (rest?.kind === "list")
    return runWords(context, call, listDatum([words, ...rest.items], rest.isOpenEnded));
  return runWords(context, call, words);
};

/** `sh.rm("-rf", "/")`: the attribute is the program. */
const runsAttribute: LibraryFunction = (call, context) => {
  const program = call.name.slice(call.name.lastIndexOf(".") + 1);
  return reference(
    `${call.name}()`,
    noteSpawn(context, call, [literal(program), ...call.positional], call.isOpenEnded),
  );
};

/** `os.kill(pid, signal)` as the program of that name. */
const kills: LibraryFunction = (call, context) => {
  const [process, signal] = call.positional;
  if (process === undefined) return undefined;
  const word = signal === undefined ? undefined : signalName(signal);
  noteSpawn(
    context,
    call,
    [literal("kill"), ...(word === undefined ? [] : [literal(`-${word}`)]), process],
    false,
  );
  return undefined;
};

function signalName(signal: Datum): string | undefined {
  if (signal.kind === "reference") return signal.name.slice(signal.name.lastIndexOf(".") + 1);
  return knownTextOf(signal);
}

/** `os.dup2(sock.fileno(), 0)` puts a socket in the place of stdin. */
const duplicates: LibraryFunction = (call, context) => {
  const [from, to] = call.positional;
  if (from === undefined || (to !== undefined && knownTextOf(to) !== "0")) return undefined;
  if (originsOf(from).some(origin => origin.kind === "network")) context.standardInput = firstValue(from);
  return undefined;
};

/** `shlex.split("rm -rf x")`: whoever runs the words runs the line. */
const splitsLine: LibraryFunction = call => {
  const line = call.positional[0];
  return line === undefined ? undefined : textDatum(firstValue(line), "command-line");
};

/** `with fabric.Connection(h) as c: c.run("…")` and others with a telling name. */
const runsWhenText: LibraryFunction = (call: FunctionCall, context: EvaluationContext) => {
  const command = call.positional[0];
  if (command?.kind !== "text" || call.name === "platform.system") return undefined;
  return reference(`${call.name}()`, noteShell(context, call, command));
};

export const PROCESS_MODELS: Rows = [
  [
    "os.system os.popen os.popen2 os.popen3 os.popen4 popen2.popen2 popen2.popen3 commands.getoutput commands.getstatusoutput",
    runsShell("command", "cmd"),
  ],
  ["subprocess.getoutput subprocess.getstatusoutput asyncio.create_subprocess_shell", runsShell("cmd")],
  [
    "subprocess.run subprocess.call subprocess.check_call subprocess.check_output subprocess.Popen",
    runsSubprocess,
  ],
  ["asyncio.create_subprocess_exec", spawnsWords],
  ["os.execl os.execlp os.execle os.execlpe", replacesWithWords(0)],
  ["os.execv os.execvp os.execve os.execvpe os.posix_spawn os.posix_spawnp", replacesWithList(0)],
  ["os.spawnl os.spawnlp os.spawnle os.spawnlpe", replacesWithWords(1)],
  ["os.spawnv os.spawnvp os.spawnve os.spawnvpe", replacesWithList(1)],
  ["pty.spawn pexpect.spawn pexpect.run pexpect.runu", spawnsTerminal],
  ["sh.* plumbum.cmd.*", runsAttribute],
  [
    "sh.Command",
    call =>
      call.positional[0] === undefined
        ? undefined
        : reference(`sh.${knownTextOf(call.positional[0]) ?? "…"}`),
  ],
  ["os.kill os.killpg", kills],
  ["os.dup2", duplicates],
  ["shlex.split", splitsLine],
  ["shlex.join", call => call.positional[0]],
  ["map filter", callsForEach],
  ["threading.Thread multiprocessing.Process", callsLater(99, "target")],
  ["threading.Timer", callsLater(1, "function")],
  ["functools.partial atexit.register asyncio.to_thread", callsLater(0, "func")],
  ["signal.signal", callsLater(1)],
];

export const PROCESS_METHODS: Rows = [
  ["submit apply_async call_soon call_later run_in_executor", callsLater(0, "func")],
  ["system", runsWhenText],
];
