import type { Datum } from "../meaning/datum.ts";
import {
  joined,
  knownTextOf,
  listDatum,
  literal,
  optionsOf,
  originsOf,
  reference,
} from "../meaning/datum.ts";
import { noteDelete, noteDirectory, noteMove, noteShell, noteSpawn } from "../meaning/effects.ts";
import { isTrue, runsShell, runWords } from "../meaning/models.ts";
import type { Call, Model, Run } from "../meaning/run.ts";

type Rows = readonly (readonly [string, Model])[];

/** The options record of a call, wherever it stands. */
export function optionOf(call: Call, name: string): Datum | undefined {
  for (const datum of call.positional) {
    const found = datum.kind === "record" ? datum.fields.get(name) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** `exec("…", { cwd })` */
const runsLine: Model = (call, run) => {
  const [command] = call.positional;
  if (command === undefined) return undefined;
  const origins = noteShell(run, call, command, optionOf(call, "cwd"));
  return finish(run, call, reference(`${call.path}()`, origins));
};

/** The callback of an asynchronous call gets the output: `(error, stdout) => …`. */
function finish(run: Run, call: Call, output: Datum): Datum {
  const callback = call.positional.find(datum => datum.kind === "function");
  if (callback?.kind === "function") {
    run.uncalled.set(callback.definition, callback);
  }
  return output;
}

/** `spawn("rm", ["-rf", "/"], { shell, cwd })` */
const runsProgram: Model = (call, run) => {
  const [program, second] = call.positional;
  if (program === undefined) return undefined;
  const cwd = optionOf(call, "cwd");
  const words = second?.kind === "list" ? second.items : [];
  const isOpenEnded =
    second?.kind === "list" ? second.isOpenEnded : second !== undefined && isUnknown(second);
  if (isTrue(optionOf(call, "shell"))) {
    const line = joined([program, ...words.flatMap(word => [literal(" "), word])]);
    return finish(run, call, reference(`${call.path}()`, noteShell(run, call, line, cwd)));
  }
  const origins = noteSpawn(
    run,
    call,
    [program, ...words],
    isOpenEnded,
    cwd,
    optionOf(call, "input") ?? socketOf(optionOf(call, "stdio")),
  );
  return finish(run, call, reference(`${call.path}()`, origins));
};

function isUnknown(datum: Datum): boolean {
  return datum.kind === "reference" || datum.kind === "choice";
}

/** `stdio: [socket, socket, socket]` */
function socketOf(stdio: Datum | undefined): Datum | undefined {
  if (stdio === undefined) return undefined;
  const first = stdio.kind === "list" ? stdio.items[0] : stdio;
  if (first === undefined) return undefined;
  return originsOf(first).some(origin => origin.kind === "network") ? first : undefined;
}

const forks: Model = (call, run) => {
  const [script, second] = call.positional;
  if (script === undefined) return undefined;
  const words = second?.kind === "list" ? second.items : [];
  noteSpawn(run, call, [literal("node"), script, ...words], false, optionOf(call, "cwd"));
  return undefined;
};

/** `Bun.spawn(["rm"])`, `Bun.spawn({ cmd: ["rm"] })`, `Deno.run({ cmd })` */
const runsList: Model = (call, run) => {
  const words = optionOf(call, "cmd") ?? call.positional[0];
  return words === undefined
    ? undefined
    : runWords(run, call, words, optionOf(call, "cwd"), optionOf(call, "stdin"));
};

/** `new Deno.Command("rm", { args: ["-rf"] })` */
const runsWithArgs: Model = (call, run) => {
  const [program] = call.positional;
  const args = optionOf(call, "args");
  if (program === undefined) return undefined;
  const words = args?.kind === "list" ? args.items : [];
  const isOpenEnded = args !== undefined && (args.kind !== "list" || args.isOpenEnded);
  return reference(
    `${call.path}()`,
    noteSpawn(run, call, [program, ...words], isOpenEnded, optionOf(call, "cwd")),
  );
};

/** `execa("rm", ["-rf"])`, and `execa("rm -rf x", { shell: true })`. */
const runsExeca: Model = (call, run) => (isTemplateCall(call) ? runsLine(call, run) : runsProgram(call, run));

function isTemplateCall(call: Call): boolean {
  const line = knownTextOf(call.positional[0]);
  return call.positional.length === 1 && line?.includes(" ") === true;
}

/** `$({ cwd })` gives another `$`. */
const runsTemplate: Model = (call, run) => {
  if (call.positional[0]?.kind === "record") return reference(call.path);
  return runsLine(call, run);
};

/** `shell.rm("-rf", "/")` of shelljs: options first, then paths. */
const shellRemoves: Model = (call, run) => {
  const [flags, paths] = splitFlags(call);
  for (const path of paths) noteDelete(run, call, path, /r/i.test(flags));
  return undefined;
};

function shellMoves(kind: "move" | "copy"): Model {
  return (call, run) => {
    const [, paths] = splitFlags(call);
    const target = paths.at(-1);
    if (target !== undefined) noteMove(run, call, listDatum(paths.slice(0, -1)), target, kind);
    return undefined;
  };
}

function splitFlags(call: Call): readonly [string, Datum[]] {
  const [first] = call.positional;
  const flags = knownTextOf(first);
  return flags?.startsWith("-") === true ? [flags, call.positional.slice(1)] : ["", [...call.positional]];
}

const kills: Model = (call, run) => {
  const [process, signal] = call.positional;
  if (process === undefined) return undefined;
  const word = knownTextOf(signal);
  noteSpawn(
    run,
    call,
    [literal("kill"), ...(word === undefined ? [] : [literal(`-${word}`)]), process],
    false,
  );
  return undefined;
};

const changesDirectory: Model = (call, run) => {
  const [path] = call.positional;
  if (path !== undefined) noteDirectory(run, call, path);
  return undefined;
};

/** `promisify(exec)` */
const passesFunction: Model = call => call.positional[0];

/** `socket.pipe(shell.stdin)`: a program reads what comes over the wire. */
const pipes: Model = (call, run) => {
  const [target] = call.positional;
  if (call.receiver === undefined || target?.kind !== "reference") return undefined;
  const isFromNetwork = originsOf(call.receiver).some(origin => origin.kind === "network");
  const isToProgram = /(?:spawn|exec\w*)\(\)\.stdin$/.test(target.path);
  if (!isFromNetwork || !isToProgram) return target;
  const received = optionsOf(call.receiver)[0] ?? call.receiver;
  noteSpawn(run, call, [literal("sh"), literal("-s")], false, undefined, received);
  return target;
};

export const PROCESS_MODELS: Rows = [
  ["child_process.exec child_process.execSync execSync", runsLine],
  [
    "child_process.spawn child_process.spawnSync child_process.execFile child_process.execFileSync spawnSync cross-spawn cross-spawn.sync cross-spawn.spawn",
    runsProgram,
  ],
  ["child_process.fork", forks],
  ["Bun.spawn Bun.spawnSync Deno.run bun.spawn bun.spawnSync", runsList],
  ["Deno.Command", runsWithArgs],
  [
    "Bun.$ bun.$ $ zx.$ execa.$ execa.execaCommand execa.execaCommandSync execa.command execa.commandSync",
    runsTemplate,
  ],
  ["execa execa.execa execa.execaSync execa.sync execa.node", runsExeca],
  ["shelljs.exec", runsShell()],
  ["shelljs.rm", shellRemoves],
  ["shelljs.mv", shellMoves("move")],
  ["shelljs.cp", shellMoves("copy")],
  ["shelljs.cd process.chdir Deno.chdir", changesDirectory],
  ["process.kill Deno.kill", kills],
  ["util.promisify", passesFunction],
];

export const PROCESS_METHODS: Rows = [
  ["execSync", runsLine],
  ["spawnSync execFileSync", runsProgram],
  ["pipe", pipes],
];
