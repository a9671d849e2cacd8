import {
  appendOutput,
  concatenate,
  describe,
  directoryName,
  hasGlob,
  type Invocation,
  isAbsolute,
  joinPath,
  knownPrefix,
  knownText,
  type Left,
  type Listing,
  type Output,
  type ProgramEffect,
  runInner,
  text,
  unknown,
  unknownOutput,
  type Value,
  wordAt,
  words,
} from "../../shell/index.ts";
import { compileGlob, matchesGlob } from "../../system/index.ts";
import { type Field, type ParsedCall, type Printed, program, type WordsOfCall } from "../model/program.ts";
import { replaceMark, runString } from "../model/run.ts";
import { ACTIONS_WITH_COMMAND, gapOfFind, readFind, type Search } from "./find-expression.ts";
import { isRegenerablePattern } from "./regenerable.ts";

/** Programs that look for files, list them, and run something on each. */
export const search: Field = {
  tellsChanges: true,
  programs: () => [
    program("find bfs", "readsNothing dangerous gnu guessed usesFiles", {
      complete: { names: "find", gap: gapOfFind },
      effects: [],
      effectsAfter: effectsOfFind,
      lists: ({ argv }) => toListing(readFind(argv, false), leftByFind(argv)),
      prints: printsOfFind,
      run: runFind,
    }),
    program("fd fdfind", "readsNothing dangerous usesFiles", {
      options: {
        flags:
          "-HIuUsigalpFL01hV hidden no-ignore unrestricted absolute-path follow full-path list-details print0 glob help version",
        values:
          "-dtepEcjSnoC max-depth min-depth exact-depth type extension exclude color threads size changed-within changed-before owner base-directory search-path and",
      },
      complete: {
        names: "fd fdfind",
        only: `H I u s i g a p F L 0 1 d t e E c S h V hidden no-ignore unrestricted absolute-path full-path print0 glob
          max-depth min-depth exact-depth type extension exclude color size changed-within changed-before help version`,
      },
      effects: [],
      effectsAfter: effectsOfFd,
      lists: call => toListing(readFd(call.argv), leftByFd(call)),
      run: runFd,
    }),
    program("ls", "readsNothing gnu usesFiles", {
      options: {
        flags: `-aAbBcCdDfFgGhHiklLmnNopqQrRsStuUvxXZ1 all almost-all author escape ignore-backups directory dired file-type
          full-time group-directories-first no-group human-readable si dereference-command-line
          dereference-command-line-symlink-to-dir inode kibibytes dereference numeric-uid-gid literal
          hide-control-chars show-control-chars quote-name reverse recursive size zero context help version`,
        values:
          "-ITw block-size format hide indicator-style ignore quoting-style sort time time-style tabsize width",
        optional: "color classify hyperlink",
        abbreviates: false,
      },
      complete: true,
      lists: listDirectory,
      harmless: { reads: "*" },
    }),
    program("entr", "readsNothing", {
      options: { flags: "-acdnprsz", stopsAtOperand: true },
      run(call) {
        const [first] = call.operands;
        if (call.options.has("s") && first !== undefined) return runString(first, call);
        const item = unknown("any", "/_", call.stdin?.origins ?? []);
        const argv = call.operands.map(word => replaceMark(word, "/_", item));
        return runInner(argv, call, { stdin: undefined });
      },
    }),
  ],
};

/** Words that print something else than names, start something, or lead out of where it searches. */
const OTHER_OUTPUT = /^-(?:f?printf|fprint0?|f?ls|exec(?:dir)?|ok(?:dir)?|L|H|follow|delete|files0-from)$/;

function printsOfFind({ argv }: WordsOfCall): Printed | undefined {
  if (argv.some((word, at) => at > 0 && OTHER_OUTPUT.test(knownText(word) ?? ""))) return undefined;
  const { starts, names, isNamed } = readFind(argv, false);
  return { starts, hasFolders: true, ...(isNamed ? { names } : {}) };
}

function toListing({ starts, listed, names }: Search, leaves: readonly Left[]): Listing {
  return { starts, selection: listed, names, isSearch: true, leaves };
}

/** `-maxdepth 1`, and what a test for hidden names leaves out. */
function leftByFind(argv: readonly Value[]): readonly Left[] {
  const line = argv.slice(1).map(describe).join(" ");
  return [
    ...(/ -maxdepth [01]\b/.test(line) ? BELOW : []),
    ...(/(?:!|-not) -(?:name \.\*|name \.\?\*|(?:whole)?path \S*\/\.\*)(?: |$)/.test(line) ? HIDDEN : []),
  ];
}

/** Hidden files and those that git ignores stay out without these options. */
function leftByFd({ options }: ParsedCall): readonly Left[] {
  const isAll = options.has("u", "unrestricted");
  return [
    ...(isAll || options.has("H", "hidden") ? [] : HIDDEN),
    ...(isAll || options.has("I", "no-ignore") ? [] : (["ignored"] as const)),
  ];
}

const HIDDEN: readonly Left[] = ["hidden"];
const BELOW: readonly Left[] = ["below"];

function listDirectory({ argv, options }: ParsedCall): Listing {
  const operands = argv.slice(1).filter(word => !describe(word).startsWith("-"));
  const isNarrow =
    operands.length > 0 &&
    operands.every(word => hasGlob(word) && isRegenerablePattern(describe(word).replace(/^.*\//s, "")));
  const isWhole = !operands.some(word => hasGlob(word) || knownText(word) === undefined);
  return {
    starts: operands.length === 0 ? [text(".")] : operands,
    selection: isNarrow ? "regenerable" : isWhole ? "all" : "some",
    names: [],
    leaves: [
      ...(options.has(...words("a A f all almost-all")) ? [] : HIDDEN),
      ...(options.has("R", "recursive") ? [] : BELOW),
    ],
  };
}

function runFind(call: ParsedCall): Output {
  let output: Output = [unknownOutput(call)];
  for (let index = 1; index < call.argv.length; index += 1) {
    const action = knownText(wordAt(call.argv, index));
    if (action === undefined || !ACTIONS_WITH_COMMAND.has(action)) continue;
    const end = endOfAction(call.argv, index + 1);
    const template = call.argv.slice(index + 1, end);
    for (const start of startPoints(call))
      output = appendOutput(output, runFound(template, start, action.endsWith("dir"), call));
    index = end;
  }
  return output;
}

/** `;` or `+` behind `{}`. */
function endOfAction(argv: readonly Value[], start: number): number {
  for (let index = start; index < argv.length; index += 1) {
    const word = knownText(wordAt(argv, index));
    if (word === ";" || (word === "+" && knownText(wordAt(argv, index - 1)) === "{}")) return index;
  }
  return argv.length;
}

/** The paths in front of the first expression; the current directory without any. */
function startPoints(call: ParsedCall): readonly Value[] {
  const starts: Value[] = [];
  for (const word of call.argv.slice(1)) {
    const written = knownPrefix(word);
    if (/^-(?:[HLP]|O\d|D)$/.test(written)) continue;
    if (written.startsWith("-") || written === "(" || written === "!" || written === ")") break;
    starts.push(word);
  }
  return starts.length === 0 ? [text(".")] : starts;
}

function runFound(
  template: readonly Value[],
  start: Value,
  isInDirectory: boolean,
  call: ParsedCall,
): Output {
  const found = unknown("any", "{}", [{ kind: "program", invocation: call.id }]);
  const name = unknown("token", "{}", [{ kind: "program", invocation: call.id }]);
  const item = isInDirectory ? concatenate([text("./"), name]) : below(start, found);
  const cwd = isInDirectory ? parentOrBelow(joinPath(call.cwd, start), found) : call.cwd;
  return runInner(
    template.map(word => replaceMark(word, "{}", item)),
    call,
    { cwd },
  );
}

/** Each file is handled in the directory that holds it: the parent of the start, or something inside. */
function parentOrBelow(start: Value, found: Value): Value {
  const known = knownText(start);
  return known === undefined ? found : concatenate([text(directoryName(known)), found]);
}

function below(start: Value, found: Value): Value {
  const known = knownText(start);
  return concatenate([
    known === "/" ? text("/") : start,
    ...(known?.endsWith("/") === true ? [] : [text("/")]),
    found,
  ]);
}

/** `fd PATTERN DIR -x CMD`: everything behind -x is the command. */
function runFd(call: ParsedCall): Output {
  const at = call.argv.findIndex(word => EXEC_OPTION.test(knownText(word) ?? ""));
  if (at < 0) return [unknownOutput(call)];
  const { options } = call;
  const [, second] = options.operands.filter(operand => operand.index < at);
  const start = options.valueOf("search-path") ?? second?.value ?? text(".");
  const base = options.valueOf("base-directory", "C");
  const end = call.argv.findIndex((word, index) => index > at && knownText(word) === ";");
  const template = call.argv.slice(at + 1, end < 0 ? undefined : end);
  const found = unknown("any", "{}", [{ kind: "program", invocation: call.id }]);
  const item =
    isAbsolute(start) || knownText(start) !== "." ? below(start, found) : concatenate([text("./"), found]);
  const marks = ["{}", "{.}", "{/}", "{//}", "{/.}"];
  const isMarked = template.some(word => marks.some(mark => knownPrefix(word).includes(mark)));
  const argv = isMarked
    ? template.map(word => marks.reduce((filled, mark) => replaceMark(filled, mark, item), word))
    : [...template, item];
  return runInner(argv, call, { cwd: base === undefined ? call.cwd : joinPath(call.cwd, base) });
}

const EXEC_OPTION = /^(?:-[xX]|--exec|--exec-batch)$/;
const VALUE_OPTION =
  /^(-e|--extension|-t|--type|-d|--max-depth|-E|--exclude|-S|--size|--changed-within|--changed-before|-j|-o|--owner)$/;

/** `fd` searches by a regular expression and by extension. */
function readFd(argv: readonly Value[]): Search {
  const operands: string[] = [];
  const extensions: string[] = [];
  for (let index = 1; index < argv.length; index += 1) {
    const word = describe(wordAt(argv, index));
    if (EXEC_OPTION.test(word)) break;
    if (word === "-e" || word === "--extension") extensions.push(describe(wordAt(argv, index + 1)));
    if (VALUE_OPTION.test(word)) index += 1;
    else if (!word.startsWith("-")) operands.push(word);
  }
  const [pattern, ...starts] = operands;
  const isGlob = argv.some(word => /^(-g|--glob)$/.test(describe(word)));
  const name = isGlob ? pattern : pattern?.replace(/^\^|\$$/g, "").replace(/\\\./g, ".");
  const isNarrow =
    (extensions.length > 0 && extensions.every(extension => isRegenerablePattern(`*.${extension}`))) ||
    (name !== undefined && isRegenerablePattern(name));
  const isFiltered = extensions.length > 0 || (name !== undefined && name !== "" && name !== ".");
  return {
    starts: starts.length === 0 ? [text(".")] : starts.map(start => text(start)),
    selection: undefined,
    handed: undefined,
    listed: isNarrow ? "regenerable" : isFiltered ? "some" : "all",
    isBelowOnly: true,
    isEmptyBelow: false,
    names: name === undefined || name === "." || name === "" ? [] : [name],
    isNamed: false,
  };
}

function effectsOfFd(call: ParsedCall): readonly ProgramEffect[] {
  const found = readFd(call.argv);
  if (!call.argv.some(word => EXEC_OPTION.test(describe(word))) || !startsRemover(call)) return [];
  return [
    ...found.starts.map(
      (path): ProgramEffect => ({
        kind: "delete",
        path,
        isRecursive: true,
        selection: found.listed,
        isContentsOnly: true,
      }),
    ),
    ...repositoriesIn(found, call),
  ];
}

function effectsOfFind(call: ParsedCall): readonly ProgramEffect[] {
  const found = readFind(call.argv, startsRemover(call));
  const { starts, selection, handed, isBelowOnly, names, isNamed, isEmptyBelow } = found;
  const followsLinks = call.argv.some(word => /^-(L|follow)$/.test(describe(word)));
  const deleted = starts.map(
    (path): ProgramEffect => ({
      kind: "delete",
      path,
      isRecursive: true,
      selection: selection ?? "all",
      isContentsOnly: isBelowOnly,
      preview: renderPreview(call.argv),
      isEmptyBelow,
      followsLinks,
      ...(isNamed ? { names } : {}),
    }),
  );
  const written = call.argv.flatMap((word, index): readonly ProgramEffect[] => {
    const path = call.argv[index + 1];
    const isFile = /^-(fprint0?|fprintf|fls)$/.test(describe(word)) && path !== undefined;
    return isFile ? [{ kind: "write", path, how: "replace" }] : [];
  });
  return [
    ...(selection === undefined ? [] : [...deleted, ...repositoriesIn({ starts, names }, call)]),
    ...(handed === "all" ? changesOfAll(starts, call) : []),
    ...written,
  ];
}

/** A search for `.git` by name finds the one of the starting point, unless it starts deeper. */
function repositoriesIn(
  { starts, names }: Pick<Search, "starts" | "names">,
  { argv }: ParsedCall,
): readonly ProgramEffect[] {
  const isDeep = argv.some(
    (word, index) => /^-+min-?depth$/.test(describe(word)) && Number(describe(wordAt(argv, index + 1))) > 1,
  );
  const isFound = (name: string) =>
    name.startsWith(".g") && matchesGlob(compileGlob(name, "fnmatch"), ".git");
  if (isDeep || !names.some(isFound)) return [];
  return starts.map(start => ({
    kind: "delete",
    path: concatenate([start, text("/.git")]),
    isRecursive: true,
  }));
}

/** `-exec chmod 777 {} +` over everything is a recursive change; `-exec mv {} DIR` moves all that lies there. */
function changesOfAll(starts: readonly Value[], call: ParsedCall): readonly ProgramEffect[] {
  const { effects } = call.scope.session;
  return startedBy(call).flatMap(({ id }) =>
    (effects[id] ?? []).flatMap((effect): readonly ProgramEffect[] => {
      if (effect.kind === "attributes") return starts.map(path => ({ ...effect, path, isRecursive: true }));
      return effect.kind === "move" && isFound(effect.from)
        ? starts.flatMap(start => EVERYTHING.map(all => ({ ...effect, from: below(start, all) })))
        : [];
    }),
  );
}

/** Hidden names too, which a shell would leave out. */
const EVERYTHING: readonly Value[] = ["*", ".[!.]*"].map(pattern => ({
  pieces: [{ kind: "glob", pattern }],
  origins: [],
}));

/** The word is what the search found, whole. */
function isFound({ pieces }: Value): boolean {
  const last = pieces.at(-1);
  return last?.kind === "unknown" && last.label === "{}";
}

/** The same search up to its first action, which only prints. */
function renderPreview(argv: readonly Value[]): string {
  const shown = argv.map(describe);
  const action = shown.findIndex(word => word === "-delete" || ACTIONS_WITH_COMMAND.has(word));
  const kept = action < 0 ? shown : shown.slice(0, action);
  return [...kept.map(word => (/^[A-Za-z0-9_./=+-]+$/.test(word) ? word : `'${word}'`)), "-print"].join(" ");
}

/**
 * By itself or through others: `-exec sudo rm {} +`, `-exec sh -c 'rm "$1"' _ {} \\;`. Whatever puts something else in the place
 * of what was found removes it: `-exec cp /dev/null {} \\;`.
 */
function startsRemover(call: ParsedCall): boolean {
  const { removers, effects } = call.scope.session;
  const isReplaced = (effect: ProgramEffect) =>
    effect.kind === "write" && effect.how === "replace" && isFound(effect.path);
  return startedBy(call).some(({ id }) => removers.has(id) || (effects[id] ?? []).some(isReplaced));
}

function startedBy({ id: root, scope }: ParsedCall): readonly Invocation[] {
  const started = new Set([root]);
  return scope.session.invocations.filter(({ id, parent }) => {
    if (parent === undefined || !started.has(parent.invocation)) return false;
    started.add(id);
    return true;
  });
}
