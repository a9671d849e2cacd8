import {
  baseName,
  concatenate,
  describe,
  directoryName,
  dropKnown,
  isAbsolute,
  joinPath,
  knownPrefix,
  knownText,
  type Listing,
  NO_OUTPUT,
  type Output,
  type ProgramEffect,
  readContents,
  type TakenTree,
  text,
  type Value,
  writtenEntry,
} from "../../shell/index.ts";
import { listingBehind } from "../model/effects.ts";
import {
  type Field,
  type KnownCall,
  type Missing,
  type ParsedCall,
  type Program,
  program,
} from "../model/program.ts";
import { isDirectory, placedAt } from "./file-access.ts";

/** Programs that give files another place or another name. */
export const transfer: Field = {
  tellsChanges: true,
  programs: () => [
    program("mv", "dangerous gnu guessed usesFiles", {
      options: {
        flags:
          "-uvZfi n|no-clobber T|no-target-directory force interactive verbose strip-trailing-slashes help version no-copy exchange",
        values: "t|target-directory S suffix",
        optional: "backup update b context",
      },
      complete: { fixed: "last", except: "Z context exchange b backup S suffix" },
      effects: effectsOfMove,
      run: runTransfer,
    }),
    program("cp", "gnu guessed", {
      options: {
        flags: `-afirRuvxpPLHdbXcZ n|no-clobber T|no-target-directory l s|symbolic-link archive force recursive
          interactive verbose link help version remove-destination parents attributes-only dereference no-dereference
          one-file-system copy-contents strip-trailing-slashes debug keep-directory-symlink`,
        values: "t|target-directory S suffix no-preserve sparse",
        optional: "backup preserve reflink update context",
      },
      complete: {
        fixed: "last",
        except:
          "Z context b backup S suffix l link s symbolic-link parents remove-destination copy-contents c X L H dereference",
      },
      effects: effectsOfCopy,
      run: runTransfer,
    }),
    program("install", "gnu", {
      options: {
        flags: "-DbcCpsvZ d|directory T|no-target-directory verbose help version",
        values: "-mog mode owner group t|target-directory S suffix strip-program",
      },
      effects: effectsOfInstall,
      run: runTransfer,
    }),
    program("ln", "gnu usesFiles", {
      options: {
        flags: `-finrvbLP d|F|directory s|symbolic T|no-target-directory force no-dereference interactive logical physical
          relative verbose help version`,
        values: "t|target-directory S suffix",
        optional: "backup",
      },
      complete: {
        fixed: "all",
        only: "s f n r v T force no-dereference relative verbose help version",
        // Behind another name of a file, changes would reach it unseen.
        gap: ({ options }) =>
          options.has("s", "help", "version")
            ? undefined
            : { kind: "option", what: "ln", why: "a hard link is another name of the same file" },
      },
      effects: effectsOfLink,
      run: runTransfer,
    }),
    program("rename file-rename prename", "", {
      options: { flags: "-vfs n|nono verbose force help version", values: "e" },
      effects: ({ operands, options }) =>
        options.has("n")
          ? []
          : operands.slice(options.has("e") ? 0 : 1).map(from => ({ kind: "move", from, to: undefined })),
    }),
  ],
};

interface Placement {
  readonly sources: readonly Value[];
  readonly destination: Value | undefined;
  readonly isInto: boolean;
}

/** Sources and destination, by position or by `-t`. A single operand is a source. */
function readPlacement({ operands, options }: ParsedCall): Placement {
  const directory = options.valueOf("t");
  if (options.has("t"))
    return { sources: directory === undefined ? [] : operands, destination: directory, isInto: true };
  if (operands.length === 1) return { sources: operands, destination: undefined, isInto: false };
  return { sources: operands.slice(0, -1), destination: operands.at(-1), isInto: operands.length > 2 };
}

function writeEffects(call: ParsedCall): readonly ProgramEffect[] {
  const { sources, destination, isInto } = readPlacement(call);
  const { options } = call;
  if (destination === undefined) return [];
  return sources.flatMap((from): readonly ProgramEffect[] => {
    const path = options.has("T") ? destination : placedAt(destination, from, isInto, call);
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
    ...(isBackup ? [{ kind: "alter" as const, path, beside: (name: string) => [name + suffix] }] : []),
    ...(options.has("parents")
      ? [{ kind: "alter" as const, path: concatenate([destination, text("/"), from]), isTree: true }]
      : []),
  ];
}

function effectsOfInstall(call: ParsedCall): readonly ProgramEffect[] {
  if (call.options.has("d")) return call.operands.map(path => ({ kind: "alter", path }));
  const mode = call.options.valueOf("m", "mode");
  const { destination } = readPlacement(call);
  const setting = mode === undefined || destination === undefined ? undefined : describe(mode);
  return setting === undefined || destination === undefined
    ? effectsOfCopy(call)
    : [
        ...effectsOfCopy(call),
        { kind: "attributes", path: destination, isRecursive: false, what: "mode", setting },
      ];
}

function effectsOfMove(call: ParsedCall): readonly ProgramEffect[] {
  const { sources, destination } = readPlacement(call);
  const moves = sources.map((from): ProgramEffect => ({ kind: "move", from, to: destination }));
  return [...moves, ...writeEffects(call)];
}

function effectsOfCopy(call: ParsedCall): readonly ProgramEffect[] {
  const reads = readPlacement(call).sources.map(
    (path): ProgramEffect => ({ kind: "read", path, isCopy: true }),
  );
  return [...reads, ...writeEffects(call)];
}

function effectsOfLink(call: ParsedCall): readonly ProgramEffect[] {
  const { sources, destination, isInto } = readPlacement(call);
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
  const { sources, destination } = readPlacement(call);
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

/** Programs that put files into one and take them out again. */
export const archives: Field = {
  tellsChanges: true,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("tar bsdtar", "gnu", {
      setBy: "TAR_OPTIONS TAPE",
      options: {
        flags:
          "-zjJZvpPkOSw x|extract|get c|create t|list r|append u|update to-stdout remove-files help version overwrite absolute-names",
        values: `-TXbKNIgF f|file C|directory files-from exclude-from exclude transform strip-components to-command
          checkpoint-action use-compress-program info-script new-volume-script rsh-command owner group mode`,
        optional: "checkpoint",
      },
      rewrite: withDash,
      complete: { names: "tar", only: TAR_KNOWN, starts: "gzip bzip2 xz sh", gap: gapOfTar },
      effects: effectsOfTar,
      shellOptions: {
        names:
          "checkpoint-action to-command I use-compress-program F info-script new-volume-script rsh-command",
        prefix: /^exec=/,
      },
    }),
    program("cpio", "changesMore", {
      options: {
        flags:
          "-odmuvaAbBcklLrsSV0n i|extract create p|pass-through t|list make-directories to-stdout help version",
        values: "-FIOHERC D|directory file format pattern-file owner io-size",
      },
      effects(call) {
        const { options, operands } = call;
        if (options.has("o", "create")) return listedTrees(call);
        if (options.has("t") || !options.has("i", "p")) return [];
        if (options.has("i") && options.has("to-stdout"))
          return archiveReads(options.valueOf("F", "I", "file") ?? text("-"), operands);
        const path = (options.has("p") ? operands.at(-1) : undefined) ?? options.valueOf("D");
        return [{ kind: "write", path: path ?? text("."), how: "extract", isInto: true }];
      },
    }),
    program("unzip", "unpacks", {
      setBy: "UNZIP UNZIPOPT",
      options: { flags: "-oqltpcnjvZ help", values: "-dxP", abbreviates: false },
      complete: {
        only: "l t q v o n d",
        fixed: "all",
        gap: ({ options }) =>
          options.valuesOf("d").length < 2
            ? undefined
            : { kind: "option", what: "unzip -d", why: "it is given more than once" },
      },
      effects: ({ options, operands: [archive, ...members] }) =>
        options.has("p", "c") && archive !== undefined
          ? archiveReads(archive, members)
          : options.has("l", "t", "p", "v", "Z", "help")
            ? []
            : [
                {
                  kind: "write",
                  path: options.valueOf("d") ?? text("."),
                  how: "extract",
                  isInto: true,
                  ...(archive === undefined ? {} : { archive }),
                },
              ],
    }),
    program("zip", "", {
      setBy: "ZIPOPT ZIP",
      options: {
        flags: "-rmqjeudyT help version",
        values: "-xibntPO tt TT unzip-command",
        abbreviates: false,
      },
      rewrite: argv => argv.map(word => (knownText(word) === "-TT" ? text("--TT") : word)),
      complete: { fixed: "first", only: "r q j u y x i", gap: gapOfZip },
      effects: effectsOfZip,
      shellOptions: { names: "TT unzip-command" },
    }),
    ...otherArchives(),
    program("7z 7za", "unpacks changesMore", { effects: effectsOfSevenZip }),
    program("funzip", "unpacks"),
  ],
};

function otherArchives(): readonly Program[] {
  return [
    program("jar", "", {
      options: {
        flags: "-v0Mi x|extract c|create t|list u|update m verbose help version",
        values: "f|file C dir e manifest release",
        abbreviates: false,
      },
      rewrite: withDash,
      effects: effectsOfJar,
    }),
    program("ar", "", {
      options: { values: "output", flags: "help version" },
      effects: effectsOfAr,
    }),
  ];
}

/**
 * `tar xzf`: the first word may be letters without a dash. Their values follow in the order of the letters, so letters
 * with a value go last.
 */
function withDash(argv: readonly Value[]): readonly Value[] {
  const [name, first, ...others] = argv;
  const letters = first === undefined ? undefined : knownText(first);
  const isOldStyle = letters !== undefined && /^[A-Za-z]+$/.test(letters) && /[xctru]/.test(letters);
  if (name === undefined || !isOldStyle) return argv;
  const withValue = [...letters].filter(letter => "fCTXbKIg".includes(letter));
  const flags = [...letters].filter(letter => !withValue.includes(letter));
  return [name, text(`-${[...flags, ...withValue].join("")}`), ...others];
}

/** Everything of a folder but what the patterns name. */
function packed(leftOut: readonly Value[]): TakenTree {
  return {
    ignoreFiles: [],
    staysHere: true,
    leftOut: leftOut.flatMap(pattern => knownText(pattern)?.replace(/^\.\//, "") ?? []),
  };
}

const TAR_KNOWN = "c t x z j J v f C exclude help version";

function gapOfZip({ operands: [archive], options, isPiped }: KnownCall): Missing | undefined {
  // Ended by its reader it leaves the file in which it made the archive, under a name of its own.
  if (isPiped && !options.has("q"))
    return { kind: "value", what: "zip", why: "whoever reads its output may end it, and a file stays" };
  return /(?<![^/])(?=[^/]*\.[^/])[^/]+$/.test(knownText(archive ?? text("")) ?? "")
    ? undefined
    : { kind: "value", what: "zip", why: "it gives the archive another name" };
}

/** Packing into a file here, and listing. Where `tar` finds no `-f`, a variable or a tape may be meant. */
function gapOfTar({ options, argv }: KnownCall): Missing | undefined {
  const archive = options.valueOf("f");
  const isShown = options.has("help", "version");
  if (!isShown && (archive === undefined || !options.has("c", "t", "x")))
    return { kind: "value", what: "tar", why: "the archive is not named" };
  if (options.valuesOf("C").length > 1 || options.valuesOf("f").length > 1)
    return { kind: "option", what: "tar -C", why: "it is given more than once" };
  // `host:archive` lies on another machine.
  return argv.some(word => (knownText(word) ?? "").includes(":"))
    ? { kind: "reach", what: "tar", why: "a name may be another machine's" }
    : undefined;
}

function effectsOfTar(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  if (options.has("t")) return [];
  const directory = options.valueOf("C");
  const archive = options.valueOf("f");
  const isFile = archive !== undefined && knownText(archive) !== "-";
  if (options.has("x") && options.has("O", "to-stdout")) return isFile ? archiveReads(archive, operands) : [];
  if (options.has("x")) {
    const from = isFile ? { archive } : {};
    return [{ kind: "write", path: directory ?? text("."), how: "extract", isInto: true, ...from }];
  }
  if (!options.has("c", "r", "u")) return [];
  const followsLinks = options.has("h", "dereference");
  const effects = operands.flatMap((value): readonly ProgramEffect[] => {
    const path =
      directory === undefined || isAbsolute(value) ? value : concatenate([directory, text("/"), value]);
    return [
      { kind: "read", path, isCopy: true, taken: packed(options.valuesOf("exclude")) },
      ...(options.has("remove-files")
        ? [{ kind: "delete", path, isRecursive: true, followsLinks } as const]
        : []),
    ];
  });
  const listed = options.has("T", "files-from") ? listedTrees(call) : [];
  if (!isFile) return [...effects, ...listed];
  return [...effects, ...listed, { kind: "write", path: archive, how: "replace" }];
}

/** Names that come in are packed: everything that was searched, where no name chose among it. */
function listedTrees(call: ParsedCall): readonly ProgramEffect[] {
  const {
    starts,
    names,
    leaves = [],
  } = (call.stdin === undefined ? undefined : listingBehind(call.stdin, call)) ?? NO_LISTING;
  if (names.length > 0 || leaves.some(left => left === "untracked" || left === "ignored")) return [];
  return starts.map(path => ({ kind: "read", path, isCopy: true, taken: packed([]) }));
}

const NO_LISTING: Pick<Listing, "starts" | "names" | "leaves"> = { starts: [], names: [] };

/** What is shown of an archive: the members that are named, or all of them. */
function archiveReads(archive: Value, members: readonly Value[]): readonly ProgramEffect[] {
  const isNamed = members.length > 0 && members.every(member => /^[^*?[]+$/.test(knownText(member) ?? ""));
  return (isNamed ? members : [archive]).map(path => ({ kind: "read", path, isCopy: false }));
}

/** What stands behind `-x` stays out, up to the next option. */
function effectsOfZip({ argv, options, operands }: ParsedCall): readonly ProgramEffect[] {
  const at = argv.findIndex(word => knownText(word) === "-x");
  const behind = at < 0 ? [] : argv.slice(at + 1);
  const end = behind.findIndex(word => knownPrefix(word).startsWith("-"));
  const leftOut = end < 0 ? behind : behind.slice(0, end);
  const [archive, ...files] = operands.filter(word => !leftOut.includes(word));
  const isMoved = options.has("m");
  return [
    ...(archive === undefined || knownText(archive) === "-"
      ? []
      : [{ kind: "write", path: archive, how: "edit" } as const]),
    ...files.flatMap((path): readonly ProgramEffect[] => [
      {
        kind: "read",
        path,
        isCopy: true,
        followsLinks: !options.has("y"),
        ...(options.has("r") ? { taken: packed([...leftOut, ...options.valuesOf("x", "exclude")]) } : {}),
      },
      ...(isMoved
        ? [{ kind: "delete", path, isRecursive: true, followsLinks: !options.has("y") } as const]
        : []),
    ]),
  ];
}

/** `jar xf a.jar` takes it apart where it stands, `--dir` elsewhere; `-C DIR .` goes into the one it makes. */
function effectsOfJar({ options, operands }: ParsedCall): readonly ProgramEffect[] {
  const archive = options.valueOf("f");
  if (options.has("t", "help", "version")) return [];
  if (options.has("x")) {
    const path = options.valueOf("dir", "C") ?? text(".");
    return [
      { kind: "write", path, how: "extract", isInto: true, ...(archive === undefined ? {} : { archive }) },
    ];
  }
  return [
    ...[...options.valuesOf("C"), ...operands].map(
      (path): ProgramEffect => ({ kind: "read", path, isCopy: true, taken: packed([]) }),
    ),
    ...(archive === undefined ? [] : [{ kind: "write", path: archive, how: "edit" } as const]),
  ];
}

function effectsOfAr({ operands, options }: ParsedCall): readonly ProgramEffect[] {
  const [key, archive, ...members] = operands;
  const letter = (key === undefined ? "" : (knownText(key) ?? "")).replace(/^-/, "")[0] ?? "t";
  if (archive !== undefined && letter === "p") return archiveReads(archive, members);
  if (archive === undefined || "tpd".includes(letter)) return [];
  const path = options.valueOf("output") ?? text(".");
  if (letter === "x") return [{ kind: "write", path, how: "extract", isInto: true, archive }];
  return [
    ...members.map((member): ProgramEffect => ({ kind: "read", path: member, isCopy: true })),
    { kind: "write", path: archive, how: "edit" },
  ];
}

function effectsOfSevenZip({ argv }: ParsedCall): readonly ProgramEffect[] {
  const [, command, ...others] = argv;
  const letter = command === undefined ? undefined : knownText(command);
  const [opened, ...members] = others.filter(word => !knownPrefix(word).startsWith("-"));
  if (/^[xe]$/.test(letter ?? "") && opened !== undefined && others.some(word => describe(word) === "-so"))
    return archiveReads(opened, members);
  if (letter === "x" || letter === "e") {
    const output = others.map(describe).find(word => word.startsWith("-o"));
    return [{ kind: "write", path: text(output?.slice(2) ?? "."), how: "extract", isInto: true }];
  }
  if (letter !== "a" && letter !== "u") return [];
  const isMoved = others.some(word => describe(word) === "-sdel");
  const [archive, ...files] = others.filter(word => !knownPrefix(word).startsWith("-"));
  const leftOut = others.flatMap(word => {
    const [mark] = /^-xr?!/.exec(knownPrefix(word)) ?? [];
    return mark === undefined ? [] : [dropKnown(word, mark.length)];
  });
  const taken = files.flatMap((path): readonly ProgramEffect[] => [
    { kind: "read", path, isCopy: true, taken: packed(leftOut) },
    ...(isMoved ? [{ kind: "delete", path, isRecursive: true } as const] : []),
  ]);
  return archive === undefined ? taken : [...taken, { kind: "write", path: archive, how: "edit" }];
}
