import { describe, type Invocation, knownText, wordAt } from "../../shell/index.ts";
import { findProgram, harmlessUse, startsWithOneOf, tellsChanges } from "./registry.ts";

const HELP = /^(--help|--version|-V|-version)$/;
const SYSTEM_PROGRAM = /^\/(usr\/(local\/)?|opt\/homebrew\/)?s?bin\//;

/**
 * Everything that this program may change is in its effects, or it changes nothing. What it starts is another
 * invocation and counts by itself.
 */
export function tellsAllChanges({ program, argv, isOpenEnded }: Invocation): boolean {
  const name = knownText(wordAt(argv, 0));
  // A file of that name in the project is another program.
  if (program === undefined || (name?.includes("/") === true && !SYSTEM_PROGRAM.test(name))) return false;
  const given = argv.slice(1).map(describe);
  const [first = ""] = given;
  const record = findProgram(program);
  // Words that follow from a list may name what it changes.
  if (record !== undefined && tellsChanges(record) && (!isOpenEnded || record.effects === undefined))
    return true;
  if (given.length === 1 && HELP.test(first)) return true;
  const { shows = "", bringsHere } = record ?? {};
  if (startsWithOneOf(shows, first)) return true;
  if (bringsHere !== undefined) return !given.slice(0, 3).some(word => startsWithOneOf(bringsHere, word));
  return harmlessUse(program, given) === "reads";
}
