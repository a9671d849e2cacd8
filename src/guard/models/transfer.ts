import type { OptionGrammar, ParsedOptions } from "../../shell/options.ts";
import { text, type Value } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";
import { type Call, isOnlyHelp, type Model, type ModelTable, placedAt, readOptions } from "./call.ts";
import { isSearchResult } from "./lists.ts";

const MV: OptionGrammar = {
  values: "t|target-directory S suffix",
  flags:
    "-uvZi f force interactive n|no-clobber T|no-target-directory verbose strip-trailing-slashes help version no-copy exchange",
  optional: "backup update b context",
};

const CP: OptionGrammar = {
  values: "t|target-directory S suffix",
  flags:
    "-afirRuvxpPLHlsdb archive force n|no-clobber recursive T|no-target-directory help version remove-destination parents attributes-only",
  optional: "backup preserve no-preserve reflink sparse update",
};

const INSTALL: OptionGrammar = {
  values: "-mog mode owner group t|target-directory S suffix strip-program",
  flags: "-DbcCpsv d|directory T|no-target-directory help version",
};

interface Placement {
  readonly sources: readonly Value[];
  readonly destination: Value | undefined;
  readonly isInto: boolean;
}

/** Sources and destination, by position or by `-t`. A single operand is a source. */
function placement(options: ParsedOptions): Placement {
  const operands = options.operands.map(operand => operand.value);
  const directory = options.valueOf("t");
  if (options.has("t"))
    return { sources: directory === undefined ? [] : operands, destination: directory, isInto: true };
  if (operands.length === 1) return { sources: operands, destination: undefined, isInto: false };
  return { sources: operands.slice(0, -1), destination: operands.at(-1), isInto: operands.length > 2 };
}

function writesOf(
  call: Call,
  { sources, destination, isInto }: Placement,
  options: ParsedOptions,
): CommandEffect[] {
  if (destination === undefined) return [];
  return sources.map(source => ({
    kind: "write",
    by: call.by,
    path: placedAt(call, destination, source, isInto && !options.has("T")),
    how: options.has("n") ? "create" : "replace",
    from: source,
    isInto,
  }));
}

/** The first word says how; a second one that is no file does no harm among the names. */
const rename: Model = call => {
  const options = readOptions(call, {
    flags: "-nvfs nono verbose force help version",
    values: "-e",
  });
  if (isOnlyHelp(options) || options.has("n", "nono")) return [];
  const files = options.operands.map(operand => operand.value).slice(options.has("e") ? 0 : 1);
  return files.map(from => ({ kind: "move", by: call.by, from, to: undefined }));
};

const mv: Model = call => {
  const options = readOptions(call, MV);
  if (isOnlyHelp(options)) return [];
  const placed = placement(options);
  const moves: CommandEffect[] = placed.sources
    .filter(source => !isSearchResult(call, source))
    .map(from => ({ kind: "move", by: call.by, from, to: placed.destination }));
  return [...moves, ...writesOf(call, placed, options)];
};

const copyWith =
  (spec: OptionGrammar): Model =>
  call => {
    const options = readOptions(call, spec);
    if (isOnlyHelp(options) || (options.has("d") && spec === INSTALL)) return [];
    const placed = placement(options);
    const reads: CommandEffect[] = placed.sources.map(path => ({
      kind: "read",
      by: call.by,
      path,
      isCopy: true,
    }));
    return [...reads, ...writesOf(call, placed, options)];
  };

const ln: Model = call => {
  const options = readOptions(call, {
    values: "-S t|target-directory suffix",
    flags: "-sfinrvbLP symbolic force no-dereference T|no-target-directory help version",
    optional: "backup",
  });
  if (isOnlyHelp(options)) return [];
  const placed = placement(options);
  return placed.sources.flatMap((source): CommandEffect[] => {
    const { destination } = placed;
    const path =
      destination === undefined
        ? text(".")
        : placedAt(call, destination, source, placed.isInto && !options.has("T"));
    return [
      { kind: "read", by: call.by, path: source, isCopy: true },
      { kind: "write", by: call.by, path, how: "link", from: source },
    ];
  });
};
export const transfer: ModelTable = {
  mv,
  gmv: mv,
  rename,
  "file-rename": rename,
  prename: rename,
  cp: copyWith(CP),
  gcp: copyWith(CP),
  install: copyWith(INSTALL),
  ginstall: copyWith(INSTALL),
  ln,
};
