import type { OperationRule } from "../../config/index.ts";
import {
  type CodeCall,
  dropKnown,
  hasGlob,
  isKnown,
  joinPath,
  knownPrefix,
  knownText,
  type Language,
  type Origin,
  text,
  unknown,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { chosenNames } from "./chosen-names.ts";
import {
  createChoice,
  type Datum,
  datumOrigins,
  firstValue,
  flatten,
  joined,
  knownDatumText,
  listCombinations,
  listOptions,
  listValues,
  mapText,
  reference,
  tainted,
  textDatum,
} from "./datum.ts";
import {
  type EvaluationContext,
  type FunctionCall,
  fromDecoder,
  fromNetwork,
  isTrue,
} from "./evaluation-context.ts";

const MAX_CALLS = 2_000;
const MAX_KEY_LENGTH = 400;

/** Add a call to what was found, unless the same was found at the same place. */
export function note(context: EvaluationContext, found: CodeCall): void {
  const call = context.evaluatedAt === undefined ? found : { ...found, at: context.evaluatedAt };
  if (isRepeated(context.noted, call)) return;
  if (context.calls.length >= MAX_CALLS) context.budget.isCutShort = true;
  else context.calls.push(call);
}

/** Most calls are the only one of their kind at their place: only where there is a second one, they are compared. */
function isRepeated(noted: Map<string, CodeCall | Set<string>>, call: CodeCall): boolean {
  const place = `${call.kind} ${call.at}`;
  const before = noted.get(place);
  if (before === undefined) {
    noted.set(place, call);
    return false;
  }
  const keys = before instanceof Set ? before : new Set([dedupeKey(before)]);
  noted.set(place, keys);
  const { size } = keys;
  return keys.add(dedupeKey(call)).size === size;
}

/** A text that only the same call has: short texts as they are, long ones by their start; both with their length. */
function dedupeKey(part: unknown): string {
  if (typeof part === "string") return `${part.length}:${part.slice(0, MAX_KEY_LENGTH)}`;
  if (typeof part !== "object" || part === null) return String(part);
  let key = "";
  for (const field of Object.values(part)) key += `${dedupeKey(field)},`;
  return `(${key})`;
}

/** A path as the program means it once it has changed its directory. */
function locate(context: EvaluationContext, path: Value): Value {
  const isOnDrive = context.language.toPath !== undefined && /^[A-Za-z]:/.test(knownPrefix(path));
  return context.directory === undefined || isOnDrive ? path : joinPath(context.directory, path);
}

function toPath(context: EvaluationContext, datum: Datum): Datum {
  return context.language.toPath?.(datum, context) ?? datum;
}

/** Every path a datum names; the items of a list, and of lists in it, are paths of their own. */
function listPaths(context: EvaluationContext, datum: Datum): Value[] {
  return listOptions(toPath(context, datum)).flatMap(option => {
    if (option.kind !== "list") return listValues(option).map(path => locate(context, path));
    const { items, isOpenEnded, origins } = flatten(option);
    const paths = items.flatMap(listValues).map(path => locate(context, path));
    return isOpenEnded ? [...paths, unknown("any", "…", origins)] : paths;
  });
}

/** One call for every path. */
function noteEach(context: EvaluationContext, target: Datum, make: (path: Value) => CodeCall): undefined {
  for (const path of listPaths(context, target)) note(context, make(path));
}

export function noteDelete(
  context: EvaluationContext,
  { at }: FunctionCall,
  target: Datum,
  isRecursive: boolean,
): undefined {
  return noteEach(context, target, path => ({ kind: "delete", path, isRecursive, at }));
}

export function noteMode(
  context: EvaluationContext,
  { at }: FunctionCall,
  target: Datum,
  isRecursive: boolean,
  mode: Datum | undefined,
): undefined {
  const setting = knownDatumText(mode);
  return noteEach(context, target, path => ({ kind: "mode", path, isRecursive, setting, at }));
}

export function noteRead(context: EvaluationContext, { at }: FunctionCall, target: Datum): undefined {
  return noteEach(context, target, path =>
    hasGlob(path)
      ? { kind: "read", path, at, ...chosenNames(context.source.text) }
      : { kind: "read", path, at },
  );
}

/** Most of what programs print is of no interest: only what came from the environment is told. */
export function notePrint(context: EvaluationContext, { at }: FunctionCall, printed: Datum): undefined {
  for (const value of listOptions(printed).flatMap(listValues))
    if (value.origins.some(({ kind }) => kind === "environment"))
      note(context, { kind: "output", value, at });
}

export function noteWrite(
  context: EvaluationContext,
  { at }: FunctionCall,
  target: Datum,
  isAppend: boolean,
  written?: Datum,
): undefined {
  const content = written === undefined ? undefined : firstValue(written);
  return noteEach(context, target, path => ({ kind: "write", path, isAppend, content, at }));
}

export function noteMove(
  context: EvaluationContext,
  call: FunctionCall,
  from: Datum,
  to: Datum,
  kind: "move" | "copy" | "unpack",
): undefined {
  const [sources, targets] = [listPaths(context, from), listPaths(context, to)];
  const isPaired = sources.length > 1 && targets.length > 1;
  for (const source of isPaired ? limitAlternatives(sources) : sources) {
    for (const target of isPaired ? limitAlternatives(targets) : targets) {
      const found = { from: source, to: target, at: call.at };
      note(context, kind === "unpack" ? { kind: "copy", isPacked: true, ...found } : { kind, ...found });
    }
  }
}

const MAX_PAIRED = 8;

/** Alternatives on both sides multiply: past a few, the rest is one unknown. */
function limitAlternatives(values: readonly Value[]): readonly Value[] {
  if (values.length <= MAX_PAIRED) return values;
  return [
    ...values.slice(0, MAX_PAIRED - 1),
    unknown(
      "any",
      "…",
      values.flatMap(value => value.origins),
    ),
  ];
}

export function noteNetwork(
  context: EvaluationContext,
  call: FunctionCall,
  target: Datum,
  sends: readonly Datum[],
): undefined {
  const sent = sends.flatMap(datum => {
    const value = firstValue(datum);
    const origins = datumOrigins(datum);
    return [origins.length === 0 ? value : { ...value, origins }];
  });
  const method = findMethod(call, sends);
  const bodies = sends.flatMap(readBody);
  for (const value of listValues(target)) {
    const [mark = ""] = /^file:(?:\/\/(?:localhost)?(?=\/|$))?/i.exec(knownPrefix(value)) ?? [];
    // An address of a file is a file.
    if (mark !== "") note(context, { kind: "read", path: dropKnown(value, mark.length), at: call.at });
    note(context, { kind: "network", target: value, sends: sent, method, bodies, at: call.at });
  }
}

/** `requests.delete`, `{ method: "DELETE" }`, `request("DELETE", …)` */
function findMethod({ name, positional, named }: FunctionCall, sends: readonly Datum[]): string | undefined {
  if (/\.delete$/i.test(name)) return "DELETE";
  const given = [...positional, ...sends].flatMap(datum =>
    datum.kind === "record" ? (datum.fields.get("method") ?? []) : [datum],
  );
  const stated = [...named].find(([key]) => /^method$/i.test(key))?.[1];
  return [stated, ...given].map(knownDatumText).find(text => /^(delete|post|put|patch)$/i.test(text ?? ""));
}

/** What is known of a body: a text, or the texts of a record as one of JSON. */
function readBody(datum: Datum): readonly string[] {
  const known = knownDatumText(datum);
  if (known !== undefined) return [known];
  if (datum.kind !== "record") return [];
  const inner = [...datum.fields].flatMap(([name, value]) => {
    const text = knownDatumText(value);
    return text === undefined ? [] : [[name, text] as const];
  });
  const whole = inner.length === 0 ? [] : [JSON.stringify(Object.fromEntries(inner))];
  return [...whole, ...[...datum.fields.values()].flatMap(readBody)];
}

export function noteDirectory(context: EvaluationContext, call: FunctionCall, target: Datum): undefined {
  const options = listValues(toPath(context, target));
  const path = options.length === 1 ? wordAt(options, 0) : unknown("any", "…", datumOrigins(target));
  context.directory ??= context.inputs.cwd;
  context.directory = locate(context, path);
  note(context, { kind: "directory", path: context.directory, at: call.at });
}

export function noteSql(
  context: EvaluationContext,
  { at }: FunctionCall,
  statement: Datum,
  database: Datum | undefined,
): undefined {
  const file = database === undefined ? undefined : locate(context, firstValue(toPath(context, database)));
  if (knownDatumText(database) === ":memory:") return undefined;
  for (const value of listValues(statement))
    if (/[a-z]/i.test(knownPrefix(value))) note(context, { kind: "sql", statement: value, file, at });
  return undefined;
}

export function noteLoss(
  context: EvaluationContext,
  { name, at }: FunctionCall,
  rule: OperationRule,
  what: string,
  verdict?: "ask",
): undefined {
  note(context, {
    kind: "operation",
    effect: {
      kind: "operation",
      rule,
      what,
      target: name,
      names: [name],
      ...(verdict === undefined ? {} : { verdict }),
    },
    at,
  });
}

/** A process that is started in a loop which never ends and waits for nothing. */
export function noteEndlessStart(context: EvaluationContext, name: string, at: number): void {
  if (context.endless === 0) return;
  const what = "start processes without end";
  const effect = { kind: "operation", rule: "sys.forkbomb", what, target: name, names: [] } as const;
  note(context, { kind: "operation", effect, at });
}

/** These end before the next line runs. */
const WAITING_CALL =
  /(?:Sync|\.(?:run|call|check_call|check_output|system|execute|getoutput)|^(?:system|exec|`))$/;

/** More code. Known text without a foreign origin is read on the spot by the caller, not noted. */
export function noteEvaluate(
  context: EvaluationContext,
  call: FunctionCall,
  language: Language | "shell",
  code: Datum,
): undefined {
  for (const value of listValues(code))
    note(context, { kind: "evaluate", language, code: value, at: call.at });
}

/** A string for a shell. Gives the origins of what the command prints. */
export function noteShell(
  context: EvaluationContext,
  call: FunctionCall,
  command: Datum,
  cwd?: Datum,
): readonly Origin[] {
  const directory = spawnDirectory(context, cwd);
  const commands = listValues(command);
  const isLeft = commands.some(value => /&\s*$/.test(knownPrefix(value)));
  if (isLeft || !WAITING_CALL.test(call.name)) noteEndlessStart(context, call.name, call.at);
  for (const value of commands) {
    const stdin =
      context.standardInput ??
      (isOnSocket(context, value) ? unknown("any", "socket", [fromNetwork(context)]) : undefined);
    note(
      context,
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
  return outputOrigins(context, first === undefined ? "" : programName(first));
}

/** `sh -i <&3` after a connection was opened: descriptors from 3 on are the program's own. */
function isOnSocket(context: EvaluationContext, command: Value): boolean {
  if (!context.calls.some(call => call.kind === "network")) return false;
  return command.pieces.some(piece => piece.kind === "text" && /<&\s*(?:[3-9]|$)/.test(piece.text));
}

/** A program with its arguments, for every combination of what they may be. */
export function noteSpawn(
  context: EvaluationContext,
  call: FunctionCall,
  argv: readonly Datum[],
  isOpenEnded: boolean,
  cwd?: Datum,
  stdin?: Datum,
): readonly Origin[] {
  const directory = spawnDirectory(context, cwd);
  if (!WAITING_CALL.test(call.name)) noteEndlessStart(context, call.name, call.at);
  const input = stdin === undefined ? context.standardInput : firstValue(stdin);
  const combinations = listCombinations(argv.map(listValues)) ?? [argv.map(unlessChoice)];
  for (const values of combinations) {
    if (values.length === 0) continue;
    note(context, { kind: "spawn", argv: values, isOpenEnded, cwd: directory, stdin: input, at: call.at });
  }
  const program = combinations[0]?.[0];
  return outputOrigins(context, program === undefined ? "" : programName(program));
}

function unlessChoice(datum: Datum): Value {
  return datum.kind === "choice" ? unknown("any", "…", datumOrigins(datum)) : firstValue(datum);
}

function spawnDirectory(context: EvaluationContext, cwd: Datum | undefined): Value | undefined {
  return cwd !== undefined && isTrue(cwd) ? locate(context, firstValue(cwd)) : context.directory;
}

function programName(value: Value): string {
  const word = knownPrefix(value).trimStart().split(/\s/, 1)[0] ?? "";
  return word.slice(word.lastIndexOf("/") + 1);
}

function outputOrigins(context: EvaluationContext, program: string): readonly Origin[] {
  const { inputs, invocation } = context;
  return [{ kind: inputs.outputOf?.(program) ?? "program", invocation }];
}

/** Must this code be told to the caller, or is it known and of the program's own making? */
function isForeignCode(code: Value): boolean {
  return !isKnown(code) || code.origins.length > 0;
}

// What library functions do, with the value that comes of it.

export function fileContent(path: Datum): Datum {
  return textDatum(unknown("any", "…", [fileOrigin(path)]));
}

function fileOrigin(path: Datum): Origin {
  return { kind: "file", path: firstValue(path) };
}

export function openFile(context: EvaluationContext, call: FunctionCall, path: Datum, mode: string): Datum {
  if (/[waxc+]/.test(mode)) noteWrite(context, call, path, mode.includes("a"));
  if (!/[waxc]/.test(mode)) noteRead(context, call, path);
  return fileHandle(path);
}

export function fileHandle(path: Datum): Datum {
  return reference("file", [fileOrigin(path)], path);
}

export function runWords(
  context: EvaluationContext,
  call: FunctionCall,
  words: Datum,
  cwd?: Datum,
  stdin?: Datum,
): Datum {
  const origins = listOptions(words).flatMap(option => {
    if (option.kind === "list") return noteSpawn(context, call, option.items, option.isOpenEnded, cwd, stdin);
    if (option.kind === "text") return noteShell(context, call, option, cwd);
    return noteSpawn(context, call, [option], true, cwd, stdin);
  });
  return reference(`${call.name}()`, origins);
}

export function send(
  context: EvaluationContext,
  call: FunctionCall,
  target: Datum,
  rest: readonly Datum[],
): Datum {
  // A literal address tells nothing; one put together from something may carry it away.
  const isPlain = listOptions(target).every(option => option.kind === "text" && !isForeignCode(option.value));
  noteNetwork(context, call, target, isPlain ? rest : [target, ...rest]);
  return reference(`${call.name}()`, [fromNetwork(context)]);
}

/** The argument, if what is read from it comes over the network. */
export function networkOnly(datum: Datum | undefined): Datum | undefined {
  if (datum === undefined) return undefined;
  return datumOrigins(datum).some(origin => origin.kind === "network") ? datum : undefined;
}

/** Where files of that name are opened over the network. */
export function isAddress(datum: Datum): boolean {
  return /^(?:https?|ftp):/.test(knownPrefix(firstValue(datum)));
}

const MAX_EVAL_DEPTH = 6;

export function evaluateText(code: Datum, call: FunctionCall, context: EvaluationContext): Datum | undefined {
  let result: Datum | undefined;
  for (const option of listOptions(code)) {
    const value = firstValue(option);
    const known = knownText(value);
    if (known !== undefined) result = evaluateKnown(context, call, known);
    if (isForeignCode(value)) noteEvaluate(context, call, context.language.id, textDatum(value));
  }
  return result;
}

function evaluateKnown(context: EvaluationContext, call: FunctionCall, code: string): Datum | undefined {
  if (context.evaluations >= MAX_EVAL_DEPTH) {
    context.budget.isCutShort = true;
    return undefined;
  }
  const outer = context.evaluatedAt;
  context.evaluatedAt = outer ?? call.at;
  context.evaluations += 1;
  const nodes = context.language.parse(code, context.budget);
  const result = context.evaluator.evaluateAll(context, context.globals, nodes);
  context.evaluations -= 1;
  context.evaluatedAt = outer;
  return result;
}

/** Turned back by a function of the known text; not computable is still known to be decoded. */
export function decode(
  context: EvaluationContext,
  encoded: Datum,
  change: (known: string) => string | undefined,
): Datum {
  const options = encoded.kind === "list" ? [textDatum(firstValue(encoded))] : listOptions(encoded);
  return createChoice(
    options.map(option => tainted(mapText(option, change, "text"), [fromDecoder(context)])),
  );
}

/** Characters by their numbers. */
export function joinCharacters(codes: readonly Datum[]): Datum {
  return joined(
    codes.map(code =>
      mapText(code, known => {
        const number = Math.trunc(Number(known));
        return number >= 0 && number <= 0x10ffff ? String.fromCodePoint(number) : undefined;
      }),
    ),
  );
}
