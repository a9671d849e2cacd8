import {
  concatenate,
  describe,
  knownText,
  type Listing,
  type Output,
  type ProgramEffect,
  runInner,
  text,
  unknown,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { readsOfFiles } from "../model/listings.ts";
import type { Field, ParsedCall, Program } from "../model/program.ts";
import { programs } from "../model/program-table.ts";
import { computeLiteral } from "./encoding.ts";
import { inputOf, recordCodeEffect } from "./file-access.ts";
import { isRegenerablePattern } from "./regenerable.ts";
import { translate } from "./translate.ts";

const GREP_READS: Program["reads"] = {
  text: "e f regexp file",
  files: "f file",
  unless: "q quiet silent c count l files-with-matches L files-without-match",
};

/** Programs that show, search and change text, computed where their input is known. */
export const textPrograms: Field = {
  toldExcept: "split m4 dc",
  programs: () =>
    programs(
      `
    cat bat | is passesOn | gnu | flags -AbeEnstTuv help version | values -lrH language line-range style theme | exact
    head tail | is passesOn selects | gnu | flags -qvfFz help version | values -s n|lines c|bytes | exact
    tac | is passesOn | gnu | flags -br help version | values s
    cut | is passesOn | gnu | flags -snz complement help version | values c|b|characters|bytes d|delimiter f|fields
        output-delimiter
    tr | is passesOn | gnu | flags -t d|delete s|squeeze-repeats c|C|complement help version | ends at operand
    uniq | is passesOn | gnu | flags -cdDiuz | values f|skip-fields s|skip-chars w|check-chars
    sort | is passesOn | gnu | flags -bdfgiMhnRrVcCmsuz help version | values -okTtS output key field-separator
        temporary-directory buffer-size compress-program | exact
    shuf iconv | gnu | values -oktTSnf output key field-separator | exact
    split | gnu | values -blna filter | exact
    grep egrep fgrep zgrep | is passesOn selects | gnu | values -efmABCDd regexp file max-count include exclude
        exclude-dir exclude-from label context after-context before-context | optional color colour | exact
    rg | is passesOn selects | values -efgtTABCmrMj regexp file glob iglob type type-not max-count replace max-depth
        sort color context pre pre-glob hostname-bin | exact
    ag ack | exact | unknown takes value
    jq yq xq | flags -i inplace in-place | values -fL from-file indent | exact
    column | values -socN | exact
    less | values -pPt | exact | variables LESSOPEN LESSCLOSE EDITOR VISUAL
    man | is readsNothing | values P|pager | variables PAGER MANPAGER BROWSER
    m4
    dc
  `,
      {
        cat: { run: call => inputOf(call, call.operands) },
        head: { rewrite: countFirst, run: slice },
        tac: {
          run: call =>
            computeLiteral(
              inputOf(call, call.operands),
              content => linesOf(content).reverse().join(""),
              call,
            ),
        },
        cut: { run: cutFields },
        tr: { run: translateInput },
        uniq: { effects: [{ read: "first" }, { write: "rest" }] },
        sort: {
          effects: [{ read: "operands" }, { write: "o output" }],
          shellOptions: { names: "compress-program" },
        },
        shuf: { effects: [{ read: "operands" }, { write: "o output" }] },
        split: { shellOptions: { names: "filter" } },
        grep: {
          reads: { ...GREP_READS, recursive: "r R recursive dereference-recursive" },
          narrows: narrowByPattern,
        },
        rg: {
          reads: { ...GREP_READS, recursive: "always" },
          run: runPreprocessor,
          effectsAfter: removedByPreprocessor,
        },
        ag: { reads: { ...GREP_READS, text: "", recursive: "always" } },
        jq: {
          run: printVariables,
          effects(call) {
            const files = filesOfQuery(call);
            if (call.options.has("i", "inplace", "in-place"))
              return files.map(path => ({ kind: "write", path, how: "edit" }));
            if (call.options.has("arg", "args", "argjson")) return readsOfFiles(files.slice(-1), call);
            return readsOfFiles([...files, ...call.options.valuesOf("f", "from-file")], call);
          },
        },
        man: { shellOptions: { names: "P" } },
        m4: { shellLines: /\be?syscmd\(`?([^')]*)/g },
        dc: { shellLines: /!\s*([^<>=].*)$/gm },
      },
    ),
};

/** Behind the query, unless a file holds it; `yq eval QUERY FILE` has a word in front. */
function filesOfQuery({ operands, options }: ParsedCall): readonly Value[] {
  const isNamed = /^(e|ea|eval|eval-all)$/.test(knownText(wordAt(operands, 0)) ?? "");
  const given = isNamed ? operands.slice(1) : operands;
  return options.has("f", "from-file") ? given : given.slice(1);
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
    inputOf(call, call.operands),
    content =>
      /^\+?\d+$/.test(count) ? sliceText(content, count, call.options.has("c"), isHead) : undefined,
    call,
  );
}

function sliceText(content: string, count: string, isCharacters: boolean, isHead: boolean): string {
  const units = isCharacters ? Array.from(content) : linesOf(content);
  const number = Number(count);
  if (isHead) return units.slice(0, number).join("");
  if (count.startsWith("+")) return units.slice(number - 1).join("");
  return number === 0 ? "" : units.slice(-number).join("");
}

function linesOf(content: string): string[] {
  return content.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function translateInput(call: ParsedCall): Output {
  const { options } = call;
  const [from, to] = call.operands.map(operand => knownText(operand));
  const how = { deletes: options.has("d"), squeezes: options.has("s"), complements: options.has("c") };
  return computeLiteral(
    inputOf(call, []),
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
  return computeLiteral(inputOf(call, call.operands), change, call);
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
function narrowByPattern(listing: Listing, { argv }: ParsedCall): Listing {
  const shown = argv.slice(1).map(describe);
  const pattern = shown.find(word => !word.startsWith("-"));
  if (pattern === undefined || shown.some(word => /^-[a-z]*v|^--invert/.test(word))) return listing;
  return isRegenerablePattern(pattern.replace(/^\\?\.|\$$/g, "*.").replace(/\\/g, ""))
    ? { ...listing, selection: "regenerable" }
    : listing;
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
