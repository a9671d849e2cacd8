import type { CodeCall, Language } from "../../shell/code-calls.ts";
import { joinPath } from "../../shell/paths.ts";
import type { Origin, Value } from "../../shell/value.ts";
import { isKnown, knownPrefix, text, unknown, wordAt } from "../../shell/value.ts";
import type { Datum } from "./datum.ts";
import { combinationsOf, firstValue, optionsOf, originsOf, valuesOf } from "./datum.ts";
import type { Call, Run } from "./run.ts";
import { fromDecoder, fromNetwork, fromProgram } from "./run.ts";

const MOST_CALLS = 2_000;
const LONGEST_KEY = 400;

/** Add a call to what was found, unless the same was found at the same place. */
function note(run: Run, found: CodeCall): void {
  const call = run.evaluatedAt === undefined ? found : { ...found, at: run.evaluatedAt };
  const key = keyOf(call);
  if (run.noted.has(key)) return;
  run.noted.add(key);
  if (run.calls.length >= MOST_CALLS) run.effort.isCutShort = true;
  else run.calls.push(call);
}

/** Short texts as they are, long ones by their start and length. */
function keyOf(call: CodeCall): string {
  return JSON.stringify(call, (_name, value: unknown) =>
    typeof value === "string" && value.length > LONGEST_KEY
      ? `${value.slice(0, LONGEST_KEY)}…${value.length}`
      : value,
  );
}

/** A path as the program means it once it has changed its directory. */
export function located(run: Run, path: Value): Value {
  return run.directory === undefined ? path : joinPath(run.directory, path);
}

/** Every path a datum names; the items of a list are paths of their own. */
export function pathsOf(run: Run, datum: Datum): Value[] {
  return optionsOf(datum).flatMap(option => {
    if (option.kind !== "list") return valuesOf(option).map(path => located(run, path));
    const paths = option.items.flatMap(item => valuesOf(item)).map(path => located(run, path));
    return option.isOpenEnded ? [...paths, unknown("any", "…", option.origins)] : paths;
  });
}

export function noteDelete(run: Run, call: Call, target: Datum, isRecursive: boolean): void {
  for (const path of pathsOf(run, target)) note(run, { kind: "delete", path, isRecursive, at: call.at });
}

export function noteRead(run: Run, call: Call, target: Datum): void {
  for (const path of pathsOf(run, target)) note(run, { kind: "read", path, at: call.at });
}

export function noteWrite(run: Run, call: Call, target: Datum, isAppend: boolean, content?: Datum): void {
  const written = content === undefined ? undefined : firstValue(content);
  for (const path of pathsOf(run, target)) {
    note(run, { kind: "write", path, isAppend, content: written, at: call.at });
  }
}

export function noteMove(run: Run, call: Call, from: Datum, to: Datum, kind: "move" | "copy"): void {
  const [sources, targets] = [pathsOf(run, from), pathsOf(run, to)];
  const isPaired = sources.length > 1 && targets.length > 1;
  for (const source of isPaired ? fewOf(sources) : sources) {
    for (const target of isPaired ? fewOf(targets) : targets) {
      note(run, { kind, from: source, to: target, at: call.at });
    }
  }
}

const MOST_PAIRED = 8;

/** Alternatives on both sides multiply: past a few, the rest is one unknown. */
function fewOf(values: readonly Value[]): readonly Value[] {
  if (values.length <= MOST_PAIRED) return values;
  return [
    ...values.slice(0, MOST_PAIRED - 1),
    unknown(
      "any",
      "…",
      values.flatMap(value => value.origins),
    ),
  ];
}

export function noteMode(run: Run, call: Call, target: Datum, isRecursive: boolean): void {
  for (const path of pathsOf(run, target)) note(run, { kind: "mode", path, isRecursive, at: call.at });
}

export function noteNetwork(run: Run, call: Call, target: Datum, sends: readonly Datum[]): void {
  const sent = sends.flatMap(datum => {
    const value = firstValue(datum);
    const origins = originsOf(datum);
    return [origins.length === 0 ? value : { ...value, origins }];
  });
  for (const value of valuesOf(target)) {
    note(run, { kind: "network", target: value, sends: sent, at: call.at });
  }
}

export function noteDirectory(run: Run, call: Call, target: Datum): void {
  const options = valuesOf(target);
  const path = options.length === 1 ? wordAt(options, 0) : unknown("any", "…", originsOf(target));
  const base = run.directory ?? run.context.cwd;
  run.directory = joinPath(base, path);
  note(run, { kind: "directory", path: run.directory, at: call.at });
}

/** More code. Known text without a foreign origin is read on the spot by the caller, not noted. */
export function noteEvaluate(run: Run, call: Call, language: Language | "shell", code: Datum): void {
  for (const value of valuesOf(code)) note(run, { kind: "evaluate", language, code: value, at: call.at });
}

/** A string for a shell. Gives the origins of what the command prints. */
export function noteShell(run: Run, call: Call, command: Datum, cwd?: Datum): readonly Origin[] {
  const directory = spawnDirectory(run, cwd);
  const commands = valuesOf(command);
  for (const value of commands) {
    const stdin =
      run.standardInput ??
      (isOnSocket(run, value) ? unknown("any", "socket", [fromNetwork(run)]) : undefined);
    note(
      run,
      stdin === undefined
        ? { kind: "shell", command: value, cwd: directory, at: call.at }
        : {
            kind: "spawn",
            argv: [text("sh"), text("-c"), value],
            isOpenEnded: false,
            cwd: directory,
            stdin,
            at: call.at,
          },
    );
  }
  const first = commands[0];
  return outputOrigins(run, first === undefined ? "" : programOf(first));
}

/** `sh -i <&3` after a connection was opened: descriptors from 3 on are the program's own. */
function isOnSocket(run: Run, command: Value): boolean {
  if (!run.calls.some(call => call.kind === "network")) return false;
  return command.pieces.some(piece => piece.kind === "text" && /<&\s*(?:[3-9]|$)/.test(piece.text));
}

/** A program with its arguments, for every combination of what they may be. */
export function noteSpawn(
  run: Run,
  call: Call,
  argv: readonly Datum[],
  isOpenEnded: boolean,
  cwd?: Datum,
  stdin?: Datum,
): readonly Origin[] {
  const directory = spawnDirectory(run, cwd);
  const input = stdin === undefined ? run.standardInput : firstValue(stdin);
  const combinations = combinationsOf(argv.map(valuesOf)) ?? [argv.map(unlessChoice)];
  for (const values of combinations) {
    if (values.length === 0) continue;
    note(run, { kind: "spawn", argv: values, isOpenEnded, cwd: directory, stdin: input, at: call.at });
  }
  const program = combinations[0]?.[0];
  return outputOrigins(run, program === undefined ? "" : programOf(program));
}

function unlessChoice(datum: Datum): Value {
  return datum.kind === "choice" ? unknown("any", "…", originsOf(datum)) : firstValue(datum);
}

function spawnDirectory(run: Run, cwd: Datum | undefined): Value | undefined {
  if (cwd === undefined) return run.directory;
  return located(run, firstValue(cwd));
}

function programOf(value: Value): string {
  const word = knownPrefix(value).trimStart().split(/\s/, 1)[0] ?? "";
  return word.slice(word.lastIndexOf("/") + 1);
}

const NETWORK_PROGRAMS = new Set([
  "curl",
  "wget",
  "http",
  "https",
  "xh",
  "aria2c",
  "fetch",
  "nc",
  "ncat",
  "ftp",
]);
const DECODER_PROGRAMS = new Set(["base64", "xxd", "openssl", "gunzip", "zcat", "uudecode"]);

function outputOrigins(run: Run, program: string): readonly Origin[] {
  if (NETWORK_PROGRAMS.has(program)) return [fromNetwork(run)];
  if (DECODER_PROGRAMS.has(program)) return [fromDecoder(run)];
  return [fromProgram(run)];
}

/** Must this code be told to the caller, or is it known and of the program's own making? */
export function isForeignCode(code: Value): boolean {
  return !isKnown(code) || code.origins.length > 0;
}
