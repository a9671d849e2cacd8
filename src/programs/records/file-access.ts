import {
  baseName,
  type CodeEffect,
  concatenate,
  joinOutputs,
  joinPath,
  knownText,
  NO_OUTPUT,
  type Output,
  type ProgramCall,
  readContents,
  text,
  type Value,
  writeContents,
} from "../../shell/index.ts";

/** What a program reads: the named files one after the other, or stdin. */
export function fileInput(call: ProgramCall, files: readonly Value[]): Output {
  const [first] = files;
  if (first === undefined) return call.stdin === undefined ? NO_OUTPUT : [call.stdin];
  return joinOutputs(
    files.map(path =>
      knownText(path) === "-" ? fileInput(call, []) : readContents(path, call.cwd, call.stdin, call.scope),
    ),
  );
}

/** Records that a file holds these contents from now on. */
export function save(path: Value, contents: Output, call: ProgramCall, isAppend = false): void {
  const { cwd, scope, span } = call;
  writeContents(path, contents, isAppend, { cwd, scope, invocation: call.id, span });
}

/** Records what code does that a program was given. */
export function recordCodeEffect(found: CodeEffect["call"], { id, span, scope }: ProgramCall): void {
  scope.session.codeEffects.push({ call: found, invocation: id, span });
}

/** What comes in on the input, if anything does. */
export function knownStdin({ stdin }: ProgramCall): readonly Value[] {
  return stdin === undefined ? [] : [stdin];
}

/** Where a file ends up: below `destination` when that is a directory, else at it. */
export function placedAt(destination: Value, source: Value, isInto: boolean, call: ProgramCall): Value {
  if (!isInto && !isDirectory(destination, call)) return destination;
  const name = knownText(source);
  return name === undefined ? destination : concatenate([destination, text(`/${baseName(name)}`)]);
}

/** As far as a look can tell: made by this command, or there on this machine. */
export function isDirectory(path: Value, { cwd, place, scope }: ProgramCall): boolean {
  const last = path.pieces.at(-1);
  if (last?.kind === "text" && last.text.endsWith("/")) return true;
  const written = knownText(path);
  const name = knownText(joinPath(cwd, path));
  if (written === undefined || name === undefined || place.kind !== "local") return false;
  if (/(?:^|\/)\.\.?$/.test(written)) return true;
  const made = scope.state.files.get(name);
  if (made?.isDirectory === true) return true;
  return scope.session.context.files?.kind(made?.sameAs ?? name) === "directory";
}
