import { isRegenerablePattern } from "../../programs/regenerable.ts";
import type { Invocation } from "../../shell/facts.ts";
import { describe, hasGlob, knownText, text, type Value } from "../../shell/value.ts";
import type { Selection } from "../effects.ts";
import { wordSet } from "../words.ts";
import { type Call, startersOf } from "./call.ts";
import { readFd } from "./fd.ts";
import { readFind } from "./find-expression.ts";

/** Names that some program listed, and what they can be. */
export interface Listing {
  readonly starts: readonly Value[];
  readonly selection: Selection;
  readonly from: Invocation;
  /** names the results may have, as patterns */
  readonly names: readonly string[];
}

/** Of these some names may not come through. */
const CHOOSERS = wordSet("grep egrep rg head tail sed awk");
const PASS_THROUGH = wordSet("grep egrep rg sort uniq head tail tee cat sed awk tr cut xargs tac");

/** The program whose output a value is, followed through filters; undefined when no search or list is behind it. */
export function listingBehind(call: Pick<Call, "facts">, value: Value, depth = 0): Listing | undefined {
  for (const origin of value.origins) {
    if (origin.kind !== "program" || depth > 6) continue;
    const source = call.facts.invocations[origin.invocation];
    if (source === undefined) continue;
    const listing = readListing(source) ?? filtered(call, source, depth);
    if (listing !== undefined) return listing;
  }
  return undefined;
}

function filtered(call: Pick<Call, "facts">, source: Invocation, depth: number): Listing | undefined {
  if (source.program === undefined || !PASS_THROUGH.has(source.program) || source.stdin === undefined)
    return undefined;
  const whole = listingBehind(call, source.stdin, depth + 1);
  const isChosen = whole?.selection === "all" && CHOOSERS.has(source.program);
  const behind: Listing | undefined = isChosen ? { ...whole, selection: "some" } : whole;
  if (behind === undefined || source.program !== "grep") return behind;
  const pattern = source.argv
    .slice(1)
    .map(describe)
    .find(word => !word.startsWith("-"));
  const isInverted = source.argv.slice(1).some(word => /^-[a-z]*v|^--invert/.test(describe(word)));
  if (isInverted || pattern === undefined) return behind;
  return isRegenerablePattern(pattern.replace(/^\\?\.|\$$/g, "*.").replace(/\\/g, ""))
    ? { ...behind, selection: "regenerable" }
    : behind;
}

function readListing(source: Invocation): Listing | undefined {
  const { argv, program } = source;
  if (program === "find") {
    const search = readFind(argv, false);
    return { starts: search.starts, selection: search.listed, from: source, names: search.names };
  }
  if (program === "fd" || program === "fdfind") {
    const search = readFd({ argv });
    return { starts: search.starts, selection: search.listed, from: source, names: search.names };
  }
  if (program === "git") {
    const words = argv.map(describe);
    if (!words.includes("ls-files")) return undefined;
    const isIgnored = words.some(word => /^(-[a-z]*i[a-z]*|--ignored)$/.test(word));
    return {
      starts: [text(".")],
      selection: isIgnored ? "regenerable" : "some",
      from: source,
      names: [],
    };
  }
  if (program === "ls") {
    const operands = argv.slice(1).filter(word => !describe(word).startsWith("-"));
    const isNarrow =
      operands.length > 0 &&
      operands.every(word => hasGlob(word) && isRegenerablePattern(lastPart(describe(word))));
    const starts = operands.length === 0 ? [text(".")] : operands;
    const isWhole = !operands.some(word => hasGlob(word) || knownText(word) === undefined);
    const selection = isNarrow ? "regenerable" : isWhole ? "all" : "some";
    return { starts, selection, from: source, names: [] };
  }
  return undefined;
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The list that an xargs or parallel in front of this call turns into its arguments. */
export function listedArguments(call: Call): Listing | "unknown" | undefined {
  const feeder = startersOf(call).find(
    starter => starter.program === "xargs" || starter.program === "parallel",
  );
  if (feeder === undefined) return undefined;
  if (feeder.stdin === undefined) return "unknown";
  return listingBehind(call, feeder.stdin) ?? "unknown";
}

/** Started by a search for every result: the search itself was judged with its filter. */
export function isStartedBySearch(call: Call): boolean {
  return startersOf(call).some(
    starter => starter.program === "find" || starter.program === "fd" || starter.program === "fdfind",
  );
}

/** The word stands for a result of the search that started the call. */
export function isSearchResult(call: Call, word: Value): boolean {
  return knownText(word) === undefined && isStartedBySearch(call);
}
