import type { Datum } from "../meaning/datum.ts";
import {
  firstValue,
  knownTextOf,
  listDatum,
  literal,
  optionsOf,
  originsOf,
  reference,
  textDatum,
} from "../meaning/datum.ts";
import { noteShell, noteSpawn } from "../meaning/effects.ts";
import { argument, callsForEach, callsLater, isTrue, runsShell, runWords } from "../meaning/models.ts";
import type { Call, Model, Run } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

/** `subprocess.run(args, shell=…, cwd=…, input=…)` and its siblings. */
const runsSubprocess: Model = (call, run) => {
  const words = argument(call, 0, "args");
  if (words === undefined) return undefined;
  const cwd = call.named.get("cwd");
  const stdin = call.named.get("input") ?? socketOf(call.named.get("stdin"));
  if (!isTrue(call.named.get("shell"))) return runWords(run, call, words, cwd, stdin);
  const origins = optionsOf(words).flatMap(option => {
    const script = option.kind === "list" ? option.items[0] : option;
    return script === undefined ? [] : noteShell(run, call, script, cwd);
  });
  return reference(`${call.path}()`, origins);
};

/** `stdin=socket` is a shell on a socket; pipes and files are not known here. */
function socketOf(datum: Datum | undefined): Datum | undefined {
  if (datum === undefined) return undefined;
  return originsOf(datum).some(origin => origin.kind === "network") ? datum : undefined;
}

/** Program and arguments one by one: `os.execlp(file, arg0, arg1 …)`; `skipped` stand in front of the file. */
function replacesWithWords(skipped: number): Model {
  return (call, run) => {
    const [file, , ...words] = call.positional.slice(skipped);
    if (file === undefined) return undefined;
    const last = words.at(-1);
    const argv = last?.kind === "record" ? words.slice(0, -1) : words;
    noteSpawn(run, call, [file, ...argv], call.isOpenEnded);
    return undefined;
  };
}

/** Program and a list of arguments: `os.execv(file, [arg0, …])`. */
function replacesWithList(skipped: number): Model {
  return (call, run) => {
    const [file, list] = call.positional.slice(skipped);
    if (file === undefined) return undefined;
    for (const option of list === undefined ? [listDatum([])] : optionsOf(list)) {
      if (option.kind === "list") noteSpawn(run, call, [file, ...option.items.slice(1)], option.isOpenEnded);
      else noteSpawn(run, call, [file], true);
    }
    return undefined;
  };
}

const spawnsWords: Model = (call, run) =>
  reference(`${call.path}()`, noteSpawn(run, call, call.positional, call.isOpenEnded, call.named.get("cwd")));

/** `pty.spawn("/bin/sh")`, `pexpect.spawn("ssh", [..])` */
const spawnsTerminal: Model = (call, run) => {
  const [words, rest] = call.positional;
  if (words === undefined) return undefined;
  if (rest?.kind === "list") return runWords(run, call, listDatum([words, ...rest.items], rest.isOpenEnded));
  return runWords(run, call, words);
};

/** `sh.rm("-rf", "/")`: the attribute is the program. */
const runsAttribute: Model = (call, run) => {
  const program = call.path.slice(call.path.lastIndexOf(".") + 1);
  return reference(
    `${call.path}()`,
    noteSpawn(run, call, [literal(program), ...call.positional], call.isOpenEnded),
  );
};

/** `os.kill(pid, signal)` as the program of that name. */
const kills: Model = (call, run) => {
  const [process, signal] = call.positional;
  if (process === undefined) return undefined;
  const word = signal === undefined ? undefined : signalName(signal);
  noteSpawn(
    run,
    call,
    [literal("kill"), ...(word === undefined ? [] : [literal(`-${word}`)]), process],
    false,
  );
  return undefined;
};

function signalName(signal: Datum): string | undefined {
  if (signal.kind === "reference") return signal.path.slice(signal.path.lastIndexOf(".") + 1);
  return knownTextOf(signal);
}

/** `os.dup2(sock.fileno(), 0)` puts a socket in the place of stdin. */
const duplicates: Model = (call, run) => {
  const [from, to] = call.positional;
  if (from === undefined || (to !== undefined && knownTextOf(to) !== "0")) return undefined;
  if (originsOf(from).some(origin => origin.kind === "network")) run.standardInput = firstValue(from);
  return undefined;
};

/** `shlex.split("rm -rf x")`: whoever runs the words runs the line. */
const splitsLine: Model = call => {
  const line = call.positional[0];
  return line === undefined ? undefined : textDatum(firstValue(line), "command-line");
};

/** `with fabric.Connection(h) as c: c.run("…")` and others with a telling name. */
const runsWhenText: Model = (call: Call, run: Run) => {
  const command = call.positional[0];
  if (command?.kind !== "text" || call.path === "platform.system") return undefined;
  return reference(`${call.path}()`, noteShell(run, call, command));
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
