import { patchedPaths } from "../../hosts/index.ts";
import {
  type DeleteEffect,
  describe,
  directoryName,
  dropKnown,
  hasUnknown,
  isKnown,
  joinPath,
  knownPrefix,
  knownText,
  NO_OUTPUT,
  type Output,
  type ProgramEffect,
  readContents,
  type Selection,
  text,
  unknown,
  type Value,
} from "../../shell/index.ts";
import { effectsOfRows, isSearchResult, listedArguments, listingBehind } from "../model/effects.ts";
import {
  type Field,
  type KnownCall,
  type Missing,
  type ParsedCall,
  program,
  type WordsOfCall,
} from "../model/program.ts";
import { fileInput, knownStdin, save } from "./file-access.ts";
import { isCmdStyle, runBareCmd } from "./windows.ts";

const ATTRIBUTE_OPTIONS = {
  flags:
    "-fvchHLP R|recursive silent quiet verbose changes preserve-root no-preserve-root dereference no-dereference help version",
  values: "reference from",
} as const;

const PATCH = program("patch", "changesMore", {
  setBy: "PATCH_GET PATCH_VERSION_CONTROL VERSION_CONTROL",
  options: {
    flags: `-RNfsbcenulEZTtv dry-run reverse forward force quiet silent backup context ed normal unified
    ignore-whitespace merge remove-empty-files set-utc set-time backup-if-mismatch no-backup-if-mismatch batch
    verbose posix binary help version`,
    values: `-pidorFBzYDVg strip input directory output reject-file fuzz prefix suffix basename-prefix ifdef
    version-control get quoting-style reject-format read-only`,
    abbreviates: false,
  },
  // Which files it names is told by those who read it.
  complete: {
    only: `p strip N forward f force s quiet silent u unified l ignore-whitespace t batch v version verbose help
    dry-run i input F fuzz no-backup-if-mismatch`,
    gap: ({ options, operands }) =>
      options.has("help", "version", "v") || (operands.length === 0 && options.has("p", "strip"))
        ? undefined
        : { kind: "value", what: "patch", why: "which file it changes is not told by its words" },
  },
  effects: effectsOfPatch,
});

const DD = program("dd", "dangerous gnu guessed", {
  options: { flags: "help version", abbreviates: false },
  complete: { gap: gapOfDd },
  effects: effectsOfDd,
  run: runDd,
});

const FIFO = program("mkfifo", "seldomFails gnu usesFiles", {
  options: { flags: "-Z help version", values: "m|mode", optional: "context", abbreviates: false },
  complete: { except: "Z context m mode" },
  effects: ({ operands }) => operands.map(path => ({ kind: "alter", path })),
});

/** Programs that write, make and change files where they are. */
export const files: Field = {
  tellsChanges: true,
  programs: () => [
    program("tee sponge", "passesOn gnu guessed", {
      options: { flags: "-ip a|append ignore-interrupts help version", optional: "output-error" },
      complete: { names: "tee" },
      effects: [
        { write: "operands", how: "append", when: "a" },
        { write: "operands", unless: "a" },
      ],
      run(call) {
        const contents = fileInput(call, []);
        for (const path of call.operands) save(path, contents, call, call.options.has("a"));
        return contents;
      },
    }),
    program("truncate", "removes dangerous gnu guessed", {
      options: { flags: "-co no-create help version", values: "-r s|size reference" },
      complete: { only: "c no-create s help version" },
      effects: ({ options, operands }) =>
        knownPrefix(options.valueOf("s") ?? text("")).startsWith("+")
          ? operands.map(path => ({ kind: "alter", path }))
          : operands.map(replaced),
    }),
    DD,
    FIFO,
    program("mkdir", "seldomFails gnu usesFiles", {
      options: { flags: "-pvZ parents verbose help version", values: "-m mode", optional: "context" },
      complete: { except: "Z context m mode" },
      effects: ({ operands }) => operands.map(path => ({ kind: "alter", path })),
      run(call) {
        for (const path of call.operands) markFile(path, call, { contents: [], isDirectory: true });
        return NO_OUTPUT;
      },
    }),
    program("touch", "gnu usesFiles", {
      options: { flags: "-afhm c|no-create no-dereference help version", values: "-drt date reference time" },
      complete: true,
      effects: ({ options, operands }) =>
        operands.map(path =>
          options.has("c") ? { kind: "alter", path } : { kind: "write", path, how: "create" },
        ),
      run(call) {
        for (const path of call.operands)
          markFile(path, call, { contents: readContents(path, call.cwd, undefined, call.scope) }, true);
        return NO_OUTPUT;
      },
    }),
    program("chmod", "dangerous gnu guessed usesFiles", {
      options: ATTRIBUTE_OPTIONS,
      complete: { fixed: "first", except: "R reference", gap: gapOfMode },
      effects: attributes("mode"),
    }),
    program("chown chgrp", "dangerous gnu guessed usesFiles", {
      options: ATTRIBUTE_OPTIONS,
      effects: attributes("owner"),
    }),
    program("chattr", "dangerous", { effects: specialAttributes }),
    program("setfacl", "dangerous", {
      options: {
        flags: "-Rbkndp recursive remove-all remove-default no-mask default test help|h version",
        values: "-mxMXS modify remove modify-file remove-file restore set set-file",
      },
      effects: accessLists,
    }),
    PATCH,
    program("ssh-keygen", "changesMore usesFiles", {
      uses: "f",
      options: { flags: "-ylqpieHv", values: "-ftbCNPmOaInVRFszE", abbreviates: false },
      effects: [
        { write: "f", how: "edit", when: "p", unless: "y l F H R e i" },
        { write: "f", how: "make", unless: "p y l F H R e i", andEnding: ".pub" },
      ],
    }),
    program("apply_patch applypatch", "", { effects: effectsOfPatchText }),
  ],
};

/** Bits that give rights to whoever runs a file, or a file to everybody, are not everyday. */
function gapOfMode({ operands: [mode] }: KnownCall): Missing | undefined {
  const written = (mode === undefined ? undefined : knownText(mode)) ?? "s";
  const isUnusual =
    written.length > 100 ||
    /s|t|^[0-7]*[2367]$|[oa][^,]*[+=][rwxX]*w|^[+=][rwxX]*w|^[1-7][0-7]{3}$/.test(written);
  return isUnusual
    ? { kind: "option", what: "chmod", why: "the mode gives others more than usual" }
    : undefined;
}

function replaced(path: Value): ProgramEffect {
  return { kind: "write", path, how: "replace" };
}

function markFile(
  path: Value,
  { cwd, scope }: ParsedCall,
  entry: { readonly contents: Output; readonly isDirectory?: boolean },
  keepsOld = false,
): void {
  const name = knownText(joinPath(cwd, path));
  if (name !== undefined && !(keepsOld && scope.state.files.has(name))) scope.state.files.set(name, entry);
}

/** Words of dd are `key=value`. */
function operandOfDd({ argv }: ParsedCall, key: string): Value | undefined {
  const word = argv.slice(1).find(value => knownPrefix(value).startsWith(`${key}=`));
  return word === undefined ? undefined : dropKnown(word, key.length + 1);
}

/** Each word is a name, a sign and a value. */
function gapOfDd({ operands }: WordsOfCall): Missing | undefined {
  const isKnownWord = (word: Value) =>
    /^(?:if|of|[iocb]?bs|count|i?skip|o?seek|conv|status|[io]flag)=/.test(knownPrefix(word));
  return operands.every(isKnownWord)
    ? undefined
    : { kind: "option", what: "dd", why: "not everything that this word does is known" };
}

function effectsOfDd(call: ParsedCall): readonly ProgramEffect[] {
  const [from, to] = [operandOfDd(call, "if"), operandOfDd(call, "of")];
  return [
    ...(to === undefined ? [] : [replaced(to)]),
    ...(from === undefined ? [] : [{ kind: "read", path: from, isCopy: true } as const]),
  ];
}

function runDd(call: ParsedCall): Output {
  const [from, to] = [operandOfDd(call, "if"), operandOfDd(call, "of")];
  const contents = fileInput(call, from === undefined ? [] : [from]);
  if (to === undefined) return contents;
  save(to, contents, call);
  return NO_OUTPUT;
}

function attributes(what: "mode" | "owner"): (call: ParsedCall) => readonly ProgramEffect[] {
  return ({ argv, operands, options }) => {
    // A mode such as `-rwx` looks like options; it is then found among the words.
    const dashed = argv
      .slice(1)
      .map(describe)
      .find(word => /^-[rwxXstugo]+(,|$)/.test(word) && !/^-[Rfvc]+$/.test(word));
    const hasSetting = dashed === undefined && !options.has("reference");
    // The mode of another file may be any.
    const setting = hasSetting
      ? describe(operands[0] ?? text(""))
      : (dashed ?? (options.has("reference") ? "attributes" : ""));
    const isRecursive = options.has("R");
    return operands
      .slice(hasSetting ? 1 : 0)
      .map(path => ({ kind: "attributes", path, isRecursive, what, setting }));
  };
}

function specialAttributes({ argv }: ParsedCall): readonly ProgramEffect[] {
  const words = argv.slice(1);
  const isRecursive = words.some(word => /^-[a-zA-Z]*R/.test(describe(word)));
  return words
    .filter(word => !/^[-+=]/.test(knownPrefix(word)))
    .map(path => ({ kind: "attributes", path, isRecursive, what: "mode", setting: "attributes" }));
}

/** Without a file it takes the names from the patch. */
function effectsOfPatch(call: ParsedCall): readonly ProgramEffect[] {
  const {
    options,
    operands: [file],
  } = call;
  if (options.has("dry-run")) return [];
  const isReverse = options.has("R", "reverse");
  if (file !== undefined) return [{ kind: "write", path: file, how: "edit", isReverse }];
  const given = options.valueOf("i", "input");
  const directory = options.valueOf("d", "directory");
  const path = directory ?? text(".");
  const from = given === undefined ? {} : { from: given };
  if (isReverse) return [{ kind: "write", path, how: "edit", isInto: true, isReverse, ...from }];
  const strip = Number(knownText(options.valueOf("p", "strip") ?? text("")) || "0");
  const named = patchNames(call, given)?.flatMap((name): readonly ProgramEffect[] => {
    const changed = joinPath(path, text(name.split("/").slice(strip).join("/")));
    return [
      { kind: "write", path: changed, how: "edit" },
      // What did not fit, and what was there before, is left beside it.
      { kind: "alter", path: changed, beside: at => [`${at}.orig`] },
      { kind: "alter", path: changed, beside: at => [`${at}.rej`] },
    ];
  });
  // Here the work around is kept; elsewhere the folder itself has to be.
  if (directory !== undefined)
    return [
      { kind: "alter", path, isTree: true },
      ...(named ?? [{ kind: "write", path, how: "extract", isInto: true } as const]),
    ];
  return named ?? [];
}

const MAX_PATCH_BYTES = 256 * 1024;
const MAX_PATCHED = 64;

/** The names in a patch that can be read; undefined when it cannot. */
function patchNames(call: ParsedCall, given: Value | undefined): readonly string[] | undefined {
  const { cwd, stdin, redirections, scope } = call;
  const file = given ?? redirections.find(({ operation }) => operation === "read")?.target;
  const path = file === undefined ? undefined : knownText(joinPath(cwd, file));
  const fed = stdin === undefined ? undefined : knownText(stdin);
  const content = path === undefined ? fed : scope.session.context.files?.readText(path, MAX_PATCH_BYTES);
  return content === undefined ? undefined : namesInPatch(content);
}

/** The names of files in a unified diff, with the folders in front that `-p` takes off. */
export function namesInPatch(content: string): readonly string[] {
  const names = content.match(/^(?:\+\+\+|---) [^\t\n]+/gm)?.map(line => line.slice(4).trim()) ?? [];
  return [...new Set(names)].filter(name => name !== "/dev/null").slice(0, MAX_PATCHED);
}

function accessLists({ operands, options }: ParsedCall): readonly ProgramEffect[] {
  if (options.isOn("test")) return [];
  const isRecursive = options.has("R", "recursive");
  return operands.map(path => ({
    kind: "attributes",
    path,
    isRecursive,
    what: "mode",
    setting: "attributes",
  }));
}

function effectsOfPatchText(call: ParsedCall): readonly ProgramEffect[] {
  const patches = [...call.argv.slice(1), ...knownStdin(call)];
  const named = patches.flatMap(patch => patchedPaths(knownText(patch) ?? ""));
  return [...new Set(named)].map(path => replaced(text(path)));
}

/** Programs that delete what they are given. */
export const removal: Field = {
  tellsChanges: true,
  programs: () => [
    program("rm unlink", "removes dangerous gnu guessed usesFiles", {
      options: {
        flags: "-fiIvPWx r|R|recursive force verbose d|dir one-file-system no-preserve-root help version",
        optional: "interactive preserve-root",
      },
      complete: { names: "rm unlink", except: "no-preserve-root P W x" },
      effects: removalEffects,
    }),
    program("rmdir", "removes dangerous gnu", {
      options: { flags: "-pv parents verbose ignore-fail-on-non-empty help version" },
      complete: true,
      effects: unlessCmd(removedDirectories),
      run: runForCmd,
    }),
    program("shred srm wipe scrub", "removes dangerous gnu guessed", {
      options: {
        flags: "-ufvxz r|R help version",
        values: "-nsp iterations size random-source pattern",
        optional: "remove",
      },
      effects: [{ delete: "operands", recursive: "r", isShredded: true }],
    }),
    program("rimraf del-cli del", "removes dangerous", {
      options: { values: "preserve-root impl max-retries retry-delay backoff", abbreviates: false },
      effects: unlessCmd(call => effectsOfRows([{ delete: "operands", recursive: "always" }], call)),
      run: runForCmd,
    }),
    program("trash trash-put rmtrash", "usesFiles", {
      options: {
        flags: "-rRfidvF recursive force verbose directory interactive help version",
        values: "trash-dir",
      },
      effects: ({ operands }) => thrownAway(operands),
    }),
    program("gio", "changesMore", {
      options: { flags: "-fv force help empty" },
      effects: effectsOfGio,
    }),
  ],
};

/** In the trash it is not lost, but no longer where it was. */
function thrownAway(paths: readonly Value[]): readonly ProgramEffect[] {
  return paths.map(from => ({ kind: "move", from, to: undefined, isToTrash: true }));
}

/** `gio trash FILE…`, `gio remove FILE…`; what else it does is not told. */
function effectsOfGio({ operands, options }: ParsedCall): readonly ProgramEffect[] {
  const [action, ...paths] = operands;
  const word = action === undefined ? undefined : knownText(action);
  const emptied = { what: "empty the trash", target: "gio trash --empty", names: [] } as const;
  if (word === "trash" && options.isOn("empty"))
    return [{ kind: "operation", rule: "cloud.other", ...emptied }];
  if (word === "trash") return thrownAway(paths);
  return word === "remove" ? paths.map(path => ({ kind: "delete", path, isRecursive: false })) : [];
}

/** `rmdir /s /q dir` and `del /s /q *` are commands of cmd.exe, and judged as such. */
function unlessCmd(
  effects: (call: ParsedCall) => readonly ProgramEffect[],
): (call: ParsedCall) => readonly ProgramEffect[] {
  return call => (isOfCmd(call) ? [] : effects(call));
}

function runForCmd(call: ParsedCall): Output | undefined {
  return isOfCmd(call) ? runBareCmd(call) : undefined;
}

function isOfCmd(call: ParsedCall): boolean {
  return /^(?:del|rmdir)$/i.test(call.program) && isCmdStyle(call);
}

/** With `-p` the directories above go as well, as long as they are empty then. */
function removedDirectories(call: ParsedCall): readonly ProgramEffect[] {
  const { operands, options } = call;
  const named = operands.flatMap((path): readonly ProgramEffect[] => {
    const above: Value[] = [];
    let name = options.has("p") ? directoryName(knownText(path) ?? ".") : ".";
    for (; name !== "." && name !== "/"; name = directoryName(name)) above.push(text(name));
    return [
      { kind: "delete", path, isRecursive: false, isEmptyOnly: true },
      ...above.map(each => ({ kind: "alter" as const, path: each })),
    ];
  });
  const listing = call.isOpenEnded ? listedArguments(call) : undefined;
  const starts = listing === "unknown" ? [text(".")] : (listing?.starts ?? []);
  return [...named, ...starts.map(emptyBelow)];
}

function emptyBelow(path: Value): ProgramEffect {
  return {
    kind: "delete",
    path,
    isRecursive: false,
    isContentsOnly: true,
    selection: "regenerable",
    isEmptyBelow: true,
  };
}

function removalEffects(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands } = call;
  const isRecursive = options.has("r");
  // `rm $FLAGS dir`: the flags may well be -rf. Whoever wrote flags already, as in `rm -f $OBJECTS app`, means names.
  const hasOwnFlags = options.options.length > 0 || options.endOfOptions !== undefined;
  const mayRecurse =
    !hasOwnFlags &&
    operands.some(value => value.pieces.some(piece => piece.kind === "unknown" && piece.mayBeMany));
  const effects = operands.flatMap(value =>
    deletionEffects(value, isRecursive || (mayRecurse && isKnown(value)), call),
  );
  const isNamed = isRecursive && operands.some(hasUnknown);
  return isNamed && listedArguments(call) === "unknown"
    ? effects
    : [...effects, ...deletionOfListed(isRecursive, call)];
}

function deletionEffects(path: Value, isRecursive: boolean, call: ParsedCall): readonly ProgramEffect[] {
  if (isSearchResult(path, call)) return [];
  const listing = hasUnknown(path) ? listingBehind(path, call) : undefined;
  if (listing !== undefined)
    return listing.starts.map(start => deletionBelow(start, isRecursive, listing.selection));
  const effects: DeleteEffect[] = [{ kind: "delete", path, isRecursive }];
  if (call.options.has("d") && !isRecursive)
    effects.push({ kind: "delete", path, isRecursive: false, isEmptyOnly: true });
  return effects;
}

function deletionBelow(path: Value, isRecursive: boolean, selection: Selection): DeleteEffect {
  return { kind: "delete", path, isRecursive, isContentsOnly: true, selection };
}

/** More arguments follow from a list: judged by what made the list. */
function deletionOfListed(isRecursive: boolean, call: ParsedCall): readonly ProgramEffect[] {
  if (!call.isOpenEnded) return [];
  const listing = listedArguments(call);
  if (listing !== undefined && listing !== "unknown")
    return listing.starts.map(start => deletionBelow(start, isRecursive, listing.selection));
  if (isSearchResult(unknown("any", "{}"), call) || (!isRecursive && listing === undefined)) return [];
  const path = unknown("any", listing === undefined ? "more arguments" : "names from a list");
  return [{ kind: "delete", path, isRecursive, isBulk: true }];
}
