import {
  baseName,
  concatenate,
  describe,
  directoryName,
  joinPath,
  knownText,
  NO_OUTPUT,
  type Output,
  type ProgramEffect,
  readContents,
  text,
  type Value,
  writtenEntry,
} from "../../shell/index.ts";
import { isSearchResult } from "../model/listings.ts";
import type { Field, ParsedCall } from "../model/program.ts";
import { programs } from "../model/program-table.ts";
import { isDirectory, placedAt } from "./file-access.ts";

/** Programs that give files another place or another name. */
export const transfer: Field = {
  toldExcept: "",
  programs: () =>
    programs(
      `
    mv | is dangerous | gnu | flags -uvZfi n|no-clobber T|no-target-directory force interactive verbose
        strip-trailing-slashes help version no-copy exchange | values t|target-directory S suffix | optional backup
        update b context
    cp | gnu | flags -afirRuvxpPLHdbXcZ n|no-clobber T|no-target-directory l s|symbolic-link archive force recursive
        interactive verbose link help version remove-destination parents attributes-only | values t|target-directory S
        suffix no-preserve sparse | optional backup preserve reflink update context
    install | gnu | flags -DbcCpsvZ d|directory T|no-target-directory verbose help version | values -mog mode owner
        group t|target-directory S suffix strip-program
    ln | gnu | flags -finrvbLP s|symbolic T|no-target-directory force no-dereference help version | values
        t|target-directory S suffix | optional backup
    rename file-rename prename | flags -vfs n|nono verbose force help version | values e
  `,
      {
        mv: { effects: effectsOfMove, run: runTransfer },
        cp: { effects: effectsOfCopy, run: runTransfer },
        install: { effects: effectsOfInstall, run: runTransfer },
        ln: { effects: effectsOfLink, run: runTransfer },
        rename: {
          // The first word says how; a second one that is no file does no harm among the names.
          effects: ({ operands, options }) =>
            options.has("n")
              ? []
              : operands.slice(options.has("e") ? 0 : 1).map(from => ({ kind: "move", from, to: undefined })),
        },
      },
    ),
};

interface Placement {
  readonly sources: readonly Value[];
  readonly destination: Value | undefined;
  readonly isInto: boolean;
}

/** Sources and destination, by position or by `-t`. A single operand is a source. */
function placementOf({ operands, options }: ParsedCall): Placement {
  const directory = options.valueOf("t");
  if (options.has("t"))
    return { sources: directory === undefined ? [] : operands, destination: directory, isInto: true };
  if (operands.length === 1) return { sources: operands, destination: undefined, isInto: false };
  return { sources: operands.slice(0, -1), destination: operands.at(-1), isInto: operands.length > 2 };
}

function writesOf(call: ParsedCall): readonly ProgramEffect[] {
  const { sources, destination, isInto } = placementOf(call);
  const { options } = call;
  if (destination === undefined) return [];
  return sources.flatMap((from): readonly ProgramEffect[] => {
    const path = placedAt(destination, from, isInto && !options.has("T"), call);
    const how = options.has("n") ? "create" : "replace";
    return [{ kind: "write", path, how, from, isInto }, ...leftBeside(path, destination, from, options)];
  });
}

/** Copies of what was there before, and the directories of the source that `--parents` makes. */
function leftBeside(
  path: Value,
  destination: Value,
  from: Value,
  options: ParsedCall["options"],
): readonly ProgramEffect[] {
  const suffix = knownText(options.valueOf("S", "suffix") ?? text("~")) ?? "~";
  const isBackup = options.has("b", "backup", "S", "suffix");
  return [
    ...(isBackup ? [{ kind: "alter" as const, path, beside: (name: string) => name + suffix }] : []),
    ...(options.has("parents")
      ? [{ kind: "alter" as const, path: concatenate([destination, text("/"), from]), isTree: true }]
      : []),
  ];
}

function effectsOfInstall(call: ParsedCall): readonly ProgramEffect[] {
  if (call.options.has("d")) return call.operands.map(path => ({ kind: "alter", path }));
  const mode = call.options.valueOf("m", "mode");
  const { destination } = placementOf(call);
  const setting = mode === undefined || destination === undefined ? undefined : describe(mode);
  return setting === undefined || destination === undefined
    ? effectsOfCopy(call)
    : [
        ...effectsOfCopy(call),
        { kind: "attributes", path: destination, isRecursive: false, what: "mode", setting },
      ];
}

function effectsOfMove(call: ParsedCall): readonly ProgramEffect[] {
  const { sources, destination } = placementOf(call);
  const moves = sources
    .filter(source => !isSearchResult(source, call))
    .map((from): ProgramEffect => ({ kind: "move", from, to: destination }));
  return [...moves, ...writesOf(call)];
}

function effectsOfCopy(call: ParsedCall): readonly ProgramEffect[] {
  const reads = placementOf(call).sources.map(
    (path): ProgramEffect => ({ kind: "read", path, isCopy: true }),
  );
  return [...reads, ...writesOf(call)];
}

function effectsOfLink(call: ParsedCall): readonly ProgramEffect[] {
  const { sources, destination, isInto } = placementOf(call);
  return sources.flatMap((source): readonly ProgramEffect[] => {
    const path =
      destination === undefined
        ? text(".")
        : placedAt(destination, source, isInto && !call.options.has("T"), call);
    // With -n a link to a directory is replaced, not entered.
    const isReplaced = call.options.has("n", "no-dereference") && destination !== undefined;
    return [
      { kind: "read", path: source, isCopy: true },
      { kind: "write", path, how: "link", from: source },
      ...(isReplaced ? [{ kind: "alter" as const, path: destination }] : []),
    ];
  });
}

/** The new name holds what the old one does, or is another name of it. */
function runTransfer(call: ParsedCall): Output {
  const { sources, destination } = placementOf(call);
  const [only] = sources;
  if (destination === undefined && only !== undefined)
    nameAnew(only, text(baseName(knownText(only) ?? "")), call);
  for (const source of destination === undefined ? [] : sources) {
    const isFolder = call.options.has("t") || sources.length > 1 || isDirectory(destination ?? source, call);
    const name = knownText(source);
    if (isFolder && name === undefined) continue;
    const target = destination ?? source;
    nameAnew(source, isFolder ? concatenate([target, text("/"), text(baseName(name ?? ""))]) : target, call);
  }
  return NO_OUTPUT;
}

function nameAnew(source: Value, path: Value, call: ParsedCall): void {
  const { scope, cwd } = call;
  const name = knownText(joinPath(cwd, path));
  if (name === undefined) return;
  const isLink = call.program === "ln";
  const base = isLink ? text(directoryName(name)) : cwd;
  const original = knownText(joinPath(base, source));
  const entry = writtenEntry(source, cwd, scope);
  const contents = entry?.contents ?? readContents(source, base, call.stdin, scope);
  scope.state.files.set(name, { contents, sameAs: entry?.sameAs ?? original, isLink });
  // What `cp -l` makes are other names of the same files.
  if (isLink || (call.program === "cp" && call.options.has("l", "link")))
    scope.session.links.push({ path: text(name), target: joinPath(base, source), invocation: call.id });
}
