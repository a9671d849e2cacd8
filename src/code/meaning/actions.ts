import { knownPrefix, knownText, type Origin, unknown } from "../../shell/index.ts";
import { type EvaluationContext, type FunctionCall, fromDecoder, fromNetwork } from "./context.ts";
import type { Datum } from "./datum.ts";
import {
  choiceOf,
  firstValue,
  joined,
  mapText,
  optionsOf,
  originsOf,
  reference,
  tainted,
  textDatum,
} from "./datum.ts";
import {
  isForeignCode,
  noteEvaluate,
  noteNetwork,
  noteRead,
  noteShell,
  noteSpawn,
  noteWrite,
} from "./effects.ts";

// What library functions do, with the value that comes of it.

export function contentOf(path: Datum): Datum {
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
  const origins = optionsOf(words).flatMap(option => {
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
  const isPlain = optionsOf(target).every(option => option.kind === "text" && !isForeignCode(option.value));
  noteNetwork(context, call, target, isPlain ? rest : [target, ...rest]);
  return reference(`${call.name}()`, [fromNetwork(context)]);
}

/** The argument, if what is read from it comes over the network. */
export function networkOnly(datum: Datum | undefined): Datum | undefined {
  if (datum === undefined) return undefined;
  return originsOf(datum).some(origin => origin.kind === "network") ? datum : undefined;
}

/** Where files of that name are opened over the network. */
export function isAddress(datum: Datum): boolean {
  return /^(?:https?|ftp):/.test(knownPrefix(firstValue(datum)));
}

const MAX_EVAL_DEPTH = 6;

export function evaluateText(code: Datum, call: FunctionCall, context: EvaluationContext): Datum | undefined {
  let result: Datum | undefined;
  for (const option of optionsOf(code)) {
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
  const options = encoded.kind === "list" ? [textDatum(firstValue(encoded))] : optionsOf(encoded);
  return choiceOf(options.map(option => tainted(mapText(option, change, "text"), [fromDecoder(context)])));
}

/** Characters by their numbers. */
export function charactersOf(codes: readonly Datum[]): Datum {
  return joined(
    codes.map(code =>
      mapText(code, known => {
        const number = Math.trunc(Number(known));
        return number >= 0 && number <= 0x10ffff ? String.fromCodePoint(number) : undefined;
      }),
    ),
  );
}
