import type { OptionSpec, ParsedOptions } from "../../shell/options.ts";
import { describe, knownPrefix, knownText, text, type Value } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";
import { words } from "../words.ts";
import { type Call, isOnlyHelp, type Model, type ModelTable, placedAt, readOptions } from "./call.ts";
import { isSearchResult } from "./lists.ts";

const INTO: OptionSpec["as"] = { "target-directory": "t", "no-target-directory": "T", "no-clobber": "n" };

const MV: OptionSpec = {
  values: ["t", "target-directory", "S", "suffix"],
  flags: words(`
      f force i interactive n no-clobber T no-target-directory u v verbose Z strip-trailing-slashes help
      version no-copy exchange
    `),
  optional: ["backup", "update", "b", "context"],
  as: INTO ?? {},
};

const CP: OptionSpec = {
  values: ["t", "target-directory", "S", "suffix"],
  flags: words(`
      a archive f force i n no-clobber r R recursive T no-target-directory u v x p P L H l s d b help
      version remove-destination parents attributes-only
    `),
  optional: words("backup preserve no-preserve reflink sparse update"),
  as: INTO ?? {},
};

const INSTALL: OptionSpec = {
  values: words("m mode o owner g group t target-directory S suffix strip-program"),
  flags: words("d directory D T no-target-directory b c C p s v help version"),
  as: { ...INTO, directory: "d" },
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
  (spec: OptionSpec): Model =>
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
    values: ["t", "target-directory", "S", "suffix"],
    flags: words("s symbolic f force i n no-dereference T no-target-directory r v b L P help version"),
    optional: ["backup"],
    as: { "target-directory": "t", "no-target-directory": "T" },
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

const RSYNC: OptionSpec = {
  values: words(`
      e rsh f filter exclude exclude-from include include-from files-from compare-dest copy-dest
      link-dest backup-dir suffix rsync-path port password-file log-file bwlimit timeout max-delete T
      temp-dir B chmod chown M partial-dir info out-format modify-window max-size min-size compress-level
    `),
  flags: words(`
      a v r z P n dry-run delete delete-before delete-during delete-delay delete-after delete-excluded
      remove-source-files del help version archive u h progress list-only
    `),
  as: {
    "dry-run": "n",
    "delete-before": "delete",
    "delete-during": "delete",
    "delete-delay": "delete",
    "delete-after": "delete",
    "delete-excluded": "delete",
    del: "delete",
  },
};

/** `host:path` and `rsync://`; a drive letter or a slash before the colon is a local path. */
export function isRemotePath(value: Value): boolean {
  const known = knownPrefix(value);
  return (
    /^(\w+:\/\/|[^/:]+@?[^/:]*:)/.test(known) ||
    /^\[[^\]]+\]:/.test(known) ||
    (/^[^/]*:/.test(describe(value)) && !known.startsWith("/"))
  );
}

function remotePath(value: Value): Value {
  const shown = describe(value);
  const path = shown.slice(shown.indexOf(":") + 1);
  return text(path === "" ? "." : path.startsWith("/") ? path : `~/${path}`);
}

const rsync: Model = call => {
  const options = readOptions(call, RSYNC);
  if (isOnlyHelp(options) || options.has("n", "list-only")) return [];
  const operands = options.operands.map(operand => operand.value);
  const destination = operands.at(-1);
  if (destination === undefined || operands.length < 2) return [];
  const sources = operands.slice(0, -1);
  const effects: CommandEffect[] = [];
  if (isRemotePath(destination)) {
    effects.push({
      kind: "send",
      by: call.by,
      to: destination,
      payloads: sources.map(value => ({ value, role: "file" })),
    });
    if (options.has("delete")) effects.push(mirror(call, remotePath(destination), true));
  } else {
    for (const source of sources.filter(value => !isRemotePath(value)))
      effects.push({ kind: "read", by: call.by, path: source, isCopy: true });
    effects.push({ kind: "write", by: call.by, path: destination, how: "replace", isInto: true });
    if (options.has("delete")) effects.push(mirror(call, destination, false));
  }
  if (options.has("remove-source-files")) {
    for (const path of sources)
      effects.push({ kind: "delete", by: call.by, path, isRecursive: true, isContentsOnly: true });
  }
  return effects;
};

/** Making a place equal to another one deletes what is only there. */
export function mirror(call: Call, path: Value, isRemote: boolean): CommandEffect {
  const place = isRemote ? ({ kind: "remote", via: call.program, host: undefined } as const) : call.by.place;
  return {
    kind: "delete",
    by: { ...call.by, place },
    path,
    isRecursive: true,
    isContentsOnly: true,
    isMirror: true,
  };
}

const rclone: Model = call => {
  const options = readOptions(call, {
    values: words("config transfers checkers exclude include filter bwlimit log-file"),
    flags: words("P v n dry-run"),
    as: { n: "dry-run" },
    abbreviates: false,
  });
  const [action, source, destination] = options.operands.map(operand => operand.value);
  if (options.has("dry-run") || action === undefined || destination === undefined || source === undefined)
    return [];
  const isMirror = ["sync", "bisync"].includes(knownText(action) ?? "");
  if (isMirror) return [mirror(call, destination, isRemotePath(destination))];
  return isRemotePath(destination)
    ? []
    : [{ kind: "write", by: call.by, path: destination, how: "replace", isInto: true }];
};

const robocopy: Model = call => {
  const isMirror = call.argv.some(word => /^\/(mir|purge)$/i.test(describe(word)));
  const isListOnly = call.argv.some(word => /^\/l$/i.test(describe(word)));
  const destination = call.argv[2];
  return isMirror && !isListOnly && destination !== undefined ? [mirror(call, destination, false)] : [];
};

/** `tar xzf`, `tar -xzf`, `tar --extract`: the first word may be letters without a dash. */
const tar: Model = call => {
  const [name, first, ...others] = call.argv;
  if (name === undefined || first === undefined) return [];
  const letters = knownText(first);
  const isOldStyle = letters !== undefined && /^[A-Za-z]+$/.test(letters) && /[xctru]/.test(letters);
  const argv = isOldStyle ? [name, text(`-${orderValues(letters)}`), ...others] : call.argv;
  const options = readOptions(
    { ...call, argv },
    {
      values: words(`
      f file C directory T files-from X exclude-from exclude transform strip-components b K N to-command
      checkpoint-action I use-compress-program owner group mode g
    `),
      flags: words(`
      x extract get c create t list r append u update z j J v p P k remove-files help version overwrite
      absolute-names
    `),
      as: {
        extract: "x",
        get: "x",
        create: "c",
        list: "t",
        append: "r",
        update: "u",
        file: "f",
        directory: "C",
      },
    },
  );
  if (isOnlyHelp(options) || options.has("t")) return [];
  const archive = options.valueOf("f");
  const directory = options.valueOf("C");
  const effects: CommandEffect[] = [];
  if (options.has("x")) {
    effects.push({ kind: "write", by: call.by, path: directory ?? text("."), how: "extract", isInto: true });
  } else if (options.has("c", "r", "u")) {
    const within = directory === undefined ? call.by : { ...call.by, cwd: call.by.cwd };
    for (const { value } of options.operands) {
      const path = directory === undefined ? value : joined(directory, value);
      effects.push({ kind: "read", by: within, path, isCopy: true });
      if (options.has("remove-files")) effects.push({ kind: "delete", by: call.by, path, isRecursive: true });
    }
    if (archive !== undefined && knownText(archive) !== "-")
      effects.push({ kind: "write", by: call.by, path: archive, how: "replace" });
  }
  return effects;
};

/** In the old style the values follow in the order of the letters, so letters with a value go last. */
function orderValues(letters: string): string {
  const withValue = [...letters].filter(letter => "fCTXbKIg".includes(letter));
  return [...letters].filter(letter => !withValue.includes(letter)).join("") + withValue.join("");
}

function joined(directory: Value, value: Value): Value {
  if (knownPrefix(value).startsWith("/")) return value;
  return {
    pieces: [...directory.pieces, { kind: "text", text: "/" }, ...value.pieces],
    origins: value.origins,
  };
}

const unzip: Model = call => {
  const options = readOptions(call, {
    values: ["d", "x", "P"],
    flags: words("o q l t p n j v Z"),
    abbreviates: false,
  });
  if (options.has("l", "t", "p", "v", "Z", "help")) return [];
  return [
    { kind: "write", by: call.by, path: options.valueOf("d") ?? text("."), how: "extract", isInto: true },
  ];
};

const zip: Model = call => {
  const options = readOptions(call, {
    values: words("x i b n t tt P O TT"),
    flags: words("r m q j e u d y T"),
    abbreviates: false,
  });
  const [archive, ...files] = options.operands.map(operand => operand.value);
  if (archive === undefined || isOnlyHelp(options)) return [];
  const effects: CommandEffect[] = [{ kind: "write", by: call.by, path: archive, how: "edit" }];
  for (const path of files) {
    effects.push({ kind: "read", by: call.by, path, isCopy: true });
    if (options.has("m")) effects.push({ kind: "delete", by: call.by, path, isRecursive: true });
  }
  return effects;
};

const sevenZip: Model = call => {
  const [, command, ...others] = call.argv;
  const letter = command === undefined ? undefined : knownText(command);
  const output = others.map(describe).find(word => word.startsWith("-o"));
  if (letter === "x" || letter === "e") {
    return [
      { kind: "write", by: call.by, path: text(output?.slice(2) ?? "."), how: "extract", isInto: true },
    ];
  }
  if (letter !== "a" && letter !== "u") return [];
  const files = others.filter(word => !knownPrefix(word).startsWith("-")).slice(1);
  return files.map(path => ({ kind: "read", by: call.by, path, isCopy: true }));
};

export const transfer: ModelTable = {
  mv,
  gmv: mv,
  cp: copyWith(CP),
  gcp: copyWith(CP),
  install: copyWith(INSTALL),
  ginstall: copyWith(INSTALL),
  ln,
  rsync,
  rclone,
  robocopy,
  tar,
  gtar: tar,
  bsdtar: tar,
  unzip,
  zip,
  "7z": sevenZip,
  "7za": sevenZip,
};
