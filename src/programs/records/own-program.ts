import {
  baseName,
  describe,
  type Invocation,
  knownPrefix,
  knownText,
  type Value,
  wordAt,
} from "../../shell/index.ts";
import { findProgram, hasTrait } from "../model/registry.ts";
import { isOwnCommand, mayWriteFile, type OwnCall, readOwnCall } from "./own-commands.ts";
import { isOwnName } from "./own-wrapper.ts";

/** A call of this program, and how it was written. */
export interface FoundCall extends OwnCall {
  /** some of its words are not known, or more of them may follow */
  readonly isOpen: boolean;
}

/**
 * The call of this program that an invocation is: by its name, by a path, by an interpreter or a package runner.
 * `isOwnFile` says of a path whether this program is behind it.
 */
export function findOwnCall(
  invocation: Pick<Invocation, "argv" | "program" | "isOpenEnded">,
  isOwnFile: (word: string) => boolean,
): FoundCall | undefined {
  const { argv, program, isOpenEnded } = invocation;
  const callFrom = (start: number): FoundCall => ({
    ...readOwnCall(argv.slice(start)),
    isOpen: isOpenEnded || argv.some(word => knownText(word) === undefined),
  });
  const first = describe(wordAt(argv, 0));
  // `$(command -v amplihack) uninstall`
  const isNamed = program === undefined ? /\bamplihack\b/.test(first) : isOwnName(first);
  if (isNamed || (isUnlisted(program) && isOwnFile(first))) return callFrom(1);
  if (program !== undefined && !mayStart(program)) return undefined;
  const shown = argv.map(describe);
  const at = shown.findIndex((word, index) => index > 0 && (isOwnName(word) || isScript(word, isOwnFile)));
  if (at < 0) return undefined;
  // Words of a package manager or of an unknown program may name the package for another purpose.
  const isStartedAsScript =
    findProgram(program ?? "")?.language === "javascript" && !hasTrait(program, "mayRunPackage");
  return isStartedAsScript || isOwnCommand(firstWord(shown.slice(at + 1))) ? callFrom(at + 1) : undefined;
}

const HOOK_NAME_LENGTH = "amplihack-hooks".length;
const HOOK_PROGRAM = /^amplihack-hooks(\.(c?js|mjs|ts|cmd|ps1|exe))?$/i;
/** They judge a call and note nothing that counts as a person's word. */
const JUDGING = ["pre-tool-use", "permission-request"];

function isHookProgram(word: string): boolean {
  return word.length >= HOOK_NAME_LENGTH && HOOK_PROGRAM.test(baseName(word));
}

/** The event that an invocation tells the hook program of, in the place of a host: that a call ran, or what a person wrote. */
export function readHookEvent({ argv, program }: Pick<Invocation, "argv" | "program">): string | undefined {
  const at = argv.findIndex(word => isHookProgram(describe(word)));
  if (at < 0 || (at > 0 && program !== undefined && !mayStart(program))) return undefined;
  const event = firstWord(argv.slice(at + 1).map(describe));
  return event === undefined || JUDGING.includes(event) ? undefined : event;
}

/** Code that loads the command line of this package: its words may be given there. */
const LOADS_OWN =
  /\b(?:require|import)\b[^;\n]{0,40}\bamplihack(?:\/dist\/bin\/amplihack)?(?:\.[cm]?[jt]s)['"`]/;

export function loadsOwnProgram(code: string): boolean {
  return code.includes("amplihack") && LOADS_OWN.test(code);
}

/** The files that a call of this program writes because its options name them, and the change whose files it shows. */
export function filesOfOwn(
  invocation: Invocation,
  isOwnFile: (word: string) => boolean,
): Pick<OwnCall, "writes" | "shows"> | undefined {
  return invocation.argv.some(mayNameFiles) ? findOwnCall(invocation, isOwnFile) : undefined;
}

function mayNameFiles(word: Value): boolean {
  const known = knownPrefix(word);
  return known === "show" || mayWriteFile(known);
}

function firstWord(words: readonly string[]): string | undefined {
  return words.find(word => !word.startsWith("-"));
}

function isScript(word: string, isOwnFile: (word: string) => boolean): boolean {
  return word.includes("/") && !word.startsWith("-") && isOwnFile(word);
}

/** A program that nobody listed may start what its words name, as interpreters, shells and package runners do. */
function mayStart(program: string): boolean {
  const record = findProgram(program);
  return (
    record === undefined ||
    program === "deno" ||
    record.language === "javascript" ||
    record.is?.some(trait => trait === "shell" || trait === "runsPackage" || trait === "mayRunPackage") ===
      true
  );
}

function isUnlisted(program: string | undefined): boolean {
  return program !== undefined && findProgram(program) === undefined;
}

/** Taking the program itself away: `npm uninstall -g amplihack`. */
export function removesOwnPackage(invocation: Invocation): boolean {
  if (!hasTrait(invocation.program, "installsPackages")) return false;
  const words = invocation.argv.slice(1).map(describe);
  return (
    words.some(word => /^(uninstall|un|unlink|remove|rm|r)$/.test(word)) &&
    words.some(word => /^amplihack(@.*)?$/.test(word))
  );
}
