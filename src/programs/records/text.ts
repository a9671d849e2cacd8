import {
  concatenate,
  decodeEscapes,
  describe,
  knownText,
  type Left,
  type Listing,
  type Output,
  type ParsedOptions,
  type ProgramEffect,
  runInner,
  text,
  unknown,
  type Value,
  wordAt,
  words,
} from "../../shell/index.ts";
import { listingIn, readsOfFiles } from "../model/effects.ts";
import {
  type Field,
  type KnownCall,
  type Missing,
  type ParsedCall,
  type Printed,
  program,
  type WordsOfCall,
} from "../model/program.ts";
import { computeLiteral } from "./encoding.ts";
import { fileInput, recordCodeEffect } from "./file-access.ts";
import { isRegenerablePattern } from "./regenerable.ts";

const GREP_READS = {
  text: "e f regexp file",
  // A filter by a name reads the files of that name.
  files: "f file include g glob iglob",
  unless: "q quiet silent c count l files-with-matches L files-without-match",
};
const GREP_TREE = { all: "v invert-match f file", only: "include", without: "exclude exclude-dir" };
const RIPGREP_TREE = {
  all: "v invert-match passthru f file",
  only: "g glob iglob t type",
  without: "",
  hidden: ". hidden",
  ignored: "u unrestricted no-ignore no-ignore-vcs no-ignore-exclude",
};

/** Programs that show, search and change text, computed where their input is known. */
export const textPrograms: Field = {
  tellsChanges: true,
  // biome-ignore lint/complexity/noExcessiveLinesPerFunction: a table, a record a program
  programs: () => [
    program("cat bat", "passesOn gnu", {
      harmless: { reads: "*", names: "cat" },
      options: {
        flags:
          "-AbeEnstTuv help version show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
        values: "-lrH language line-range style theme",
        abbreviates: false,
      },
      complete: { names: "cat" },
      run: call => fileInput(call, call.operands),
    }),
    program("head tail", "passesOn selects gnu", {
      harmless: { reads: "*" },
      options: {
        flags: "-qvFz quiet silent verbose retry zero-terminated help version",
        values: "-s n|lines c|bytes pid sleep-interval max-unchanged-stats",
        optional: "f|follow",
        abbreviates: false,
      },
      complete: true,
      chooses: "n z q",
      rewrite: countFirst,
      run: slice,
    }),
    program("tac", "passesOn gnu", {
      options: { flags: "-br before regex help version", values: "s|separator" },
      complete: true,
      chooses: "",
      run: call =>
        computeLiteral(
          fileInput(call, call.operands),
          content => splitLines(content).reverse().join(""),
          call,
        ),
    }),
    program("cut", "passesOn gnu", {
      options: {
        flags: "-snz only-delimited zero-terminated complement help version",
        values: "c|b|characters|bytes d|delimiter f|fields output-delimiter",
      },
      complete: true,
      run: cutFields,
    }),
    program("tr", "passesOn gnu", {
      options: {
        flags: "-t truncate-set1 d|delete s|squeeze-repeats c|C|complement help version",
        stopsAtOperand: true,
      },
      complete: { fixed: "all" },
      run: translateInput,
    }),
    program("uniq", "passesOn gnu", {
      options: {
        flags: "-cdDiuz count repeated ignore-case unique zero-terminated help version",
        values: "f|skip-fields s|skip-chars w|check-chars",
        optional: "all-repeated group",
      },
      complete: { fixed: "all" },
      effects: [{ read: "first" }, { write: "rest" }],
    }),
    program("sort", "passesOn gnu", {
      options: {
        flags: `-bdfgiMhnRrVcCmsuz help version ignore-leading-blanks dictionary-order ignore-case general-numeric-sort
          ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse version-sort merge stable
          unique zero-terminated debug`,
        values: `-okTtS output key field-separator temporary-directory buffer-size compress-program sort random-source
          batch-size files0-from parallel`,
        optional: "check",
        abbreviates: false,
      },
      complete: { except: "T temporary-directory compress-program files0-from random-source" },
      chooses: "r u n z f V",
      effects: [{ read: "operands" }, { write: "o output" }],
      shellOptions: { names: "compress-program" },
    }),
    program("shuf iconv", "gnu", {
      options: { values: "-oktTSnf output key field-separator", abbreviates: false },
      effects: [{ read: "operands" }, { write: "o output" }],
    }),
    program("split", "gnu changesMore", {
      options: {
        values: "-bClnat filter bytes line-bytes lines number suffix-length separator additional-suffix",
        optional: "numeric-suffixes hex-suffixes",
        abbreviates: false,
      },
      effects: piecesOfSplit,
      shellOptions: { names: "filter" },
    }),
    program("csplit", "gnu changesMore", {
      options: { values: "-fbn prefix suffix-format digits", abbreviates: false },
      effects: piecesOfCsplit,
    }),
    program("grep egrep fgrep zgrep", "passesOn selects gnu", {
      setBy: "GREP_OPTIONS",
      options: {
        flags: `-EFGPiywxzsvVbnHhoqaIrRLlcTZU0123456789 extended-regexp fixed-strings basic-regexp perl-regexp ignore-case
          no-ignore-case word-regexp line-regexp null-data no-messages invert-match version help byte-offset
          line-number line-buffered with-filename no-filename only-matching quiet silent text recursive
          dereference-recursive files-without-match files-with-matches count initial-tab null binary unix-byte-offsets no-group-separator`,
        values:
          "-efmABCDd regexp file max-count include exclude exclude-dir exclude-from label context after-context before-context binary-files directories devices group-separator",
        optional: "color colour",
        abbreviates: false,
      },
      complete: {
        names: "grep egrep fgrep",
        starts: "grep",
        fixed: "first",
        except: "D devices exclude-from",
        filters: "include exclude exclude-dir",
      },
      reads: {
        ...GREP_READS,
        recursive: "r R recursive dereference-recursive",
        tree: GREP_TREE,
        followsLinks: "R dereference-recursive",
      },
      lists: listsOfGrep,
      prints: printsOfGrep,
      chooses: "v i E F e w x P z invert-match ignore-case",
      narrows: narrowByPattern,
    }),
    program("rg", "passesOn selects usesFiles", {
      setBy: "RIPGREP_CONFIG_PATH",
      options: {
        flags: `-ivnNHIhlLcowxsSqFPUzupVa.0b files files-with-matches files-without-match line-number no-line-number
          with-filename no-filename count count-matches only-matching word-regexp line-regexp smart-case ignore-case
          case-sensitive fixed-strings pcre2 multiline multiline-dotall invert-match quiet hidden no-hidden no-ignore
          no-ignore-vcs no-ignore-parent no-ignore-dot no-ignore-exclude no-ignore-global no-ignore-files unrestricted
          follow heading no-heading pretty null json stats trim text binary column byte-offset vimgrep passthru crlf
          one-file-system no-config no-messages no-require-git null-data type-list version help debug search-zip
          line-buffered block-buffered no-mmap mmap glob-case-insensitive include-zero max-columns-preview`,
        values:
          "-efgtTABCmrMjdE regexp file glob iglob type type-not max-count replace max-depth sort sortr color colors context after-context before-context pre pre-glob hostname-bin type-add type-clear max-columns max-filesize threads encoding ignore-file context-separator field-context-separator field-match-separator path-separator engine regex-size-limit dfa-size-limit hyperlink-format",
        abbreviates: false,
      },
      complete: {
        fixed: "first",
        except: "pre pre-glob hostname-bin z search-zip ignore-file f file",
        filters: "glob iglob type type-not",
      },
      reads: {
        ...GREP_READS,
        unless: `${GREP_READS.unless} files type-list`,
        recursive: "always",
        tree: RIPGREP_TREE,
      },
      lists: listsOfRipgrep,
      prints: printsOfRipgrep,
      run: runPreprocessor,
      effectsAfter: removedByPreprocessor,
    }),
    program("ag ack", "usesFiles", {
      options: { abbreviates: false, unknownTakesValue: true },
      reads: { ...GREP_READS, text: "", recursive: "always" },
    }),
    program("jq yq xq", "", {
      setByFiles: ".jq",
      options: {
        flags: `-incjrRsSaCeMhV inplace in-place seq stream stream-errors slurp raw-input null-input compact-output tab
          color-output monochrome-output ascii-output unbuffered sort-keys raw-output join-output raw-output0 arg
          argjson slurpfile rawfile argfile args jsonargs exit-status help version build-configuration`,
        values: "-fL from-file indent",
        abbreviates: false,
      },
      complete: {
        names: "jq",
        except: "i inplace in-place L f from-file arg argjson slurpfile rawfile argfile args jsonargs",
        gap: gapOfQuery,
      },
      reads: { text: "f from-file" },
      run: printVariables,
      effects(call) {
        const files = filesOfQuery(call);
        if (call.options.has("i", "inplace", "in-place"))
          return files.map(path => ({ kind: "write", path, how: "edit" }));
        if (call.options.has("arg", "args", "argjson")) return readsOfFiles(files.slice(-1), call);
        return readsOfFiles([...files, ...call.options.valuesOf("f", "from-file")], call);
      },
    }),
    program("column", "", {
      options: {
        flags:
          "-txenJLdhV table-header-repeat table fillrows keep-empty-lines json table-noheadings table-maxout help version",
        values:
          "-socNRTHWEOlpri separator output-separator columns output-width table-columns table-right table-truncate table-hide table-wrap table-noextreme table-order table-columns-limit tree tree-id tree-parent table-name",
        abbreviates: false,
      },
      complete: { names: "column" },
    }),
    program("less", "", {
      options: { values: "-pPt", abbreviates: false },
      shellLines: /^\+!(.*)$/gm,
      shellVariables: "LESSOPEN LESSCLOSE EDITOR VISUAL",
    }),
    program("man", "", {
      options: { values: "P|pager" },
      shellVariables: "PAGER MANPAGER BROWSER",
      shellOptions: { names: "P" },
    }),
    program("m4", "changesMore", { shellLines: /\be?syscmd\(`?([^')]*)/g }),
    program("dc", "changesMore", { shellLines: /!\s*([^<>=].*)$/gm }),
  ],
};

/** Behind the query, unless a file holds it; `yq eval QUERY FILE` has a word in front. */
function filesOfQuery({ operands, options }: ParsedCall): readonly Value[] {
  const isNamed = /^(e|ea|eval|eval-all)$/.test(knownText(wordAt(operands, 0)) ?? "");
  const given = isNamed ? operands.slice(1) : operands;
  return options.has("f", "from-file") ? given : given.slice(1);
}

/** A query can neither write nor start anything; it can look at the environment and at other files. */
function gapOfQuery({ operands }: KnownCall): Missing | undefined {
  const query = operands[0] === undefined ? "." : knownText(operands[0]);
  if (query === undefined) return { kind: "value", what: "jq", why: "its query is not known" };
  if (/\benv\b|\$ENV/.test(query))
    return { kind: "secret", what: "jq env", why: "variables of the environment are shown" };
  return /\b(?:import|include)\b/.test(query)
    ? { kind: "code", what: "jq", why: "its query loads another file" }
    : undefined;
}

/** `head -5` is `head -n5`. */
function countFirst(argv: readonly Value[]): readonly Value[] {
  return argv.map((word, index) => {
    const count = index === 1 ? /^-(\d+)$/.exec(knownText(word) ?? "")?.[1] : undefined;
    return count === undefined ? word : text(`-n${count}`);
  });
}

function slice(call: ParsedCall): Output {
  const count = knownText(call.options.valueOf("n", "c") ?? text("10")) ?? "";
  const isHead = call.program === "head";
  return computeLiteral(
    fileInput(call, call.operands),
    content =>
      /^\+?\d+$/.test(count) ? sliceText(content, count, call.options.has("c"), isHead) : undefined,
    call,
  );
}

function sliceText(content: string, count: string, isCharacters: boolean, isHead: boolean): string {
  const units = isCharacters ? Array.from(content) : splitLines(content);
  const number = Number(count);
  if (isHead) return units.slice(0, number).join("");
  if (count.startsWith("+")) return units.slice(number - 1).join("");
  return number === 0 ? "" : units.slice(-number).join("");
}

function splitLines(content: string): string[] {
  return content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function translateInput(call: ParsedCall): Output {
  const { options } = call;
  const [from, to] = call.operands.map(operand => knownText(operand));
  const how = { deletes: options.has("d"), squeezes: options.has("s"), complements: options.has("c") };
  return computeLiteral(
    fileInput(call, []),
    content => (from === undefined ? undefined : translate(content, from, to, how)),
    call,
  );
}

function cutFields(call: ParsedCall): Output {
  const { options } = call;
  const list = knownText(options.valueOf("c", "f") ?? text("")) ?? "";
  const delimiter = options.has("c") ? "" : (knownText(options.valueOf("d") ?? text("\t")) ?? "\t");
  const pick = (line: string) => {
    const parts = delimiter === "" ? Array.from(line) : line.split(delimiter);
    if (delimiter !== "" && parts.length === 1) return line;
    return parts.filter((_, index) => isListed(index + 1, list)).join(delimiter);
  };
  const change = (content: string) =>
    /^[\d,-]+$/.test(list) && !options.has("complement")
      ? content.split("\n").map(pick).join("\n")
      : undefined;
  return computeLiteral(fileInput(call, call.operands), change, call);
}

function isListed(position: number, list: string): boolean {
  return list.split(",").some(range => {
    const [from = "", to = from] = range.split("-");
    return (
      position >= Number(from === "" ? 1 : from) &&
      position <= (to === "" ? Number.POSITIVE_INFINITY : Number(to))
    );
  });
}

/** `grep '\.log$'` leaves names that are junk. */
/** `grep -rl PATTERN DIR`: the names of files that hold it. */
function listsOfGrep({ options, operands }: ParsedCall): Listing | undefined {
  if (!options.has(...words("r R recursive dereference-recursive"))) return undefined;
  if (!options.has(...words("l L files-with-matches files-without-match"))) return undefined;
  const names = options.valuesOf("include").map(describe);
  return { ...listingIn(searchedIn(options, operands), []), names, ...heldBy(options, operands) };
}

function searchedIn(options: ParsedOptions, operands: readonly Value[]): readonly Value[] {
  return options.has(...words(GREP_READS.text)) ? operands : operands.slice(1);
}

function heldBy(options: ParsedOptions, [first]: readonly Value[]): Pick<Listing, "holding"> {
  const isOther = options.has(...words(`${GREP_READS.text} L files-without-match v invert-match`));
  const pattern = isOther || first === undefined ? undefined : knownText(first);
  return pattern === undefined ? {} : { holding: pattern };
}

/** Names of files, each on a line, and nothing else. */
const NAMES_FILES = words("l files-with-matches L");
const NAMES_NO_FILES = words("c o json f file follow dereference-recursive R");

function printsOfGrep({ options, operands }: WordsOfCall): Printed | undefined {
  const isList =
    options.has(...NAMES_FILES) && options.has("r", "recursive") && !options.has(...NAMES_NO_FILES);
  return isList ? below(options.has("e", "regexp") ? operands : operands.slice(1)) : undefined;
}

/** With ripgrep `-L` follows links. */
function printsOfRipgrep({ options, operands }: WordsOfCall): Printed | undefined {
  const isGiven = options.has("files", "e", "regexp");
  const isList = options.has(...NAMES_FILES, "files") && !options.has(...NAMES_NO_FILES, "L");
  return isList ? below(isGiven ? operands : operands.slice(1)) : undefined;
}

function below(starts: readonly Value[]): Printed {
  return { starts: starts.length === 0 ? [text(".")] : starts };
}

function listsOfRipgrep({ options, operands }: ParsedCall): Listing | undefined {
  const isList = options.has("files");
  if (!isList && !options.has(...words("l L files-with-matches files-without-match"))) return undefined;
  const leaves: readonly Left[] = [
    ...(options.has(...words(RIPGREP_TREE.hidden)) ? [] : (["hidden"] as const)),
    ...(options.has(...words(RIPGREP_TREE.ignored)) ? [] : (["ignored"] as const)),
  ];
  const names = options
    .valuesOf("g", "glob", "iglob")
    .map(describe)
    .filter(name => !name.startsWith("!"));
  if (isList) return { ...listingIn(operands, leaves), names };
  return { ...listingIn(searchedIn(options, operands), leaves), names, ...heldBy(options, operands) };
}

function narrowByPattern(listing: Listing, { argv }: ParsedCall): Listing {
  const shown = argv.slice(1).map(describe);
  const pattern = shown.find(word => !word.startsWith("-"));
  if (pattern === undefined || shown.some(word => /^-[a-z]*v|^--invert/.test(word))) return listing;
  const narrowed = { ...listing, matching: [...(listing.matching ?? []), pattern] };
  return isRegenerablePattern(pattern.replace(/^\\?\.|\$$/g, "*.").replace(/\\/g, ""))
    ? { ...narrowed, selection: "regenerable" }
    : narrowed;
}

/** `jq -n env.NAME`, `$ENV.NAME`: a variable of the environment is part of what is printed. */
function printVariables(call: ParsedCall): Output | undefined {
  const [program] = call.operands;
  for (const [, name] of describe(program ?? text("")).matchAll(/(?:\benv|\$ENV)\.([A-Za-z_]\w*)/g)) {
    const value = unknown("any", `$${name}`, [{ kind: "environment", name: name ?? "" }]);
    recordCodeEffect({ kind: "output", value, at: 0 }, call);
  }
  return undefined;
}

/** A preprocessor that removes what it is given removes everything that is searched. */
function removedByPreprocessor(call: ParsedCall): readonly ProgramEffect[] {
  const { removers, invocations } = call.scope.session;
  const isRemover = [...removers].some(id => invocations[id]?.parent?.invocation === call.id);
  return isRemover ? searchedPaths(call).map(path => ({ kind: "delete", path, isRecursive: true })) : [];
}

function searchedPaths({ operands, options }: ParsedCall): readonly Value[] {
  const paths = operands.slice(options.has("e", "f", "regexp", "file") ? 0 : 1);
  return paths.length === 0 ? [text(".")] : paths;
}

/** `rg --pre CMD`: the program is started for every file that is searched. */
function runPreprocessor(call: ParsedCall): Output | undefined {
  const program = call.options.valueOf("pre", "hostname-bin");
  if (program === undefined) return undefined;
  for (const path of searchedPaths(call))
    runInner([program, concatenate([path, text("/"), unknown("any", "every file")])], call);
  return undefined;
}

const LOWER = "abcdefghijklmnopqrstuvwxyz";
const UPPER = LOWER.toUpperCase();
const DIGITS = "0123456789";

const CLASSES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    lower: LOWER,
    upper: UPPER,
    digit: DIGITS,
    alpha: UPPER + LOWER,
    alnum: DIGITS + UPPER + LOWER,
    space: " \t\n\v\f\r",
    blank: " \t",
  }),
);

/** What `tr` does to text; undefined when a set has something this does not know. */
export function translate(
  content: string,
  from: string,
  to: string | undefined,
  options: { readonly deletes: boolean; readonly squeezes: boolean; readonly complements: boolean },
): string | undefined {
  const first = expandSet(from);
  const second = to === undefined ? undefined : expandSet(to);
  if (first === undefined || (to !== undefined && second === undefined)) return undefined;
  const positions = new Map(first.map((character, index) => [character, index] as const));
  const isIn = (character: string) => positions.has(character) !== options.complements;
  const squeezed = new Set(options.deletes || to === undefined ? (second ?? first) : second);
  let result = "";
  let last: string | undefined;
  for (const character of content) {
    if (options.deletes && isIn(character)) continue;
    let next = character;
    if (!options.deletes && second !== undefined && isIn(character)) {
      next =
        (options.complements ? second.at(-1) : (second[positions.get(character) ?? 0] ?? second.at(-1))) ??
        character;
    }
    const isSqueezed =
      options.squeezes &&
      (options.complements && second === undefined ? !squeezed.has(next) : squeezed.has(next));
    if (isSqueezed && next === last) continue;
    result += next;
    last = next;
  }
  return result;
}

function expandSet(source: string): readonly string[] | undefined {
  const decoded = Array.from(decodeEscapes(source, "printf").text);
  const characters: string[] = [];
  for (let index = 0; index < decoded.length; index += 1) {
    const character = decoded[index] ?? "";
    const named =
      character === "[" && decoded[index + 1] === ":"
        ? /^\[:(\w+):\]/.exec(decoded.slice(index, index + 12).join(""))
        : null;
    if (named !== null) {
      const members = CLASSES.get(named[1] ?? "");
      if (members === undefined) return undefined;
      characters.push(...members);
      index += named[0].length - 1;
    } else if (decoded[index + 1] === "-" && index + 2 < decoded.length) {
      const low = character.codePointAt(0) ?? 0;
      const high = decoded[index + 2]?.codePointAt(0) ?? 0;
      if (high < low || high - low > 512) return undefined;
      for (let code = low; code <= high; code += 1) characters.push(String.fromCodePoint(code));
      index += 2;
    } else if (character === "[" && decoded[index + 2] === "*") return undefined;
    else characters.push(character);
  }
  return characters;
}

const MAX_PIECES = 100;

function piecesOfSplit({ options, operands: [source, prefix] }: ParsedCall): readonly ProgramEffect[] {
  const readOption = (...names: string[]) => knownText(options.valueOf(...names) ?? text("")) ?? "";
  const digits = options.has("x", "hex-suffixes") ? 16 : options.has("d", "numeric-suffixes") ? 10 : 26;
  const length = Number(readOption("a", "suffix-length")) || 2;
  const suffix = (number: number) => {
    let written = "";
    for (let rest = number, at = 0; at < length; at++, rest = Math.floor(rest / digits))
      written =
        (digits === 26 ? String.fromCharCode(97 + (rest % 26)) : (rest % digits).toString(16)) + written;
    return written + readOption("additional-suffix");
  };
  return pieces(source, prefix, Math.min(MAX_PIECES, digits ** length), suffix);
}

function piecesOfCsplit({ options, operands: [source] }: ParsedCall): readonly ProgramEffect[] {
  const readOption = (...names: string[]) => knownText(options.valueOf(...names) ?? text("")) ?? "";
  const format = readOption("b", "suffix-format") || `%0${readOption("n", "digits") || "2"}d`;
  const suffix = (number: number) =>
    format.replace(/%0?(\d*)[du]/, (_, width: string) => String(number).padStart(Number(width), "0"));
  return pieces(source, options.valueOf("f", "prefix"), MAX_PIECES, suffix);
}

/** The names that the first pieces get; those beside each other in the working directory are found by the history. */
function pieces(
  source: Value | undefined,
  prefix: Value | undefined,
  count: number,
  suffix: (number: number) => string,
): readonly ProgramEffect[] {
  const reads: readonly ProgramEffect[] =
    source === undefined ? [] : [{ kind: "read", path: source, isCopy: true }];
  if (prefix === undefined || knownText(prefix)?.includes("/") === false) return reads;
  return [
    ...reads,
    ...Array.from(
      { length: count },
      (_, number) =>
        ({ kind: "write", path: concatenate([prefix, text(suffix(number))]), how: "replace" }) as const,
    ),
  ];
}
