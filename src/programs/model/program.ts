import type { OperationRule } from "../../config/index.ts";
import {
  type Language,
  type Listing,
  type OptionGrammar,
  type Output,
  type ParsedOptions,
  type ProgramCall,
  type ProgramEffect,
  type Value,
  type WriteKind,
  words,
} from "../../shell/index.ts";

/** A started program with its words parsed by the grammar of its record: once, for everything that asks. */
export interface ParsedCall extends ProgramCall {
  /** The name it was started by, as the record spells it. */
  readonly program: string;
  readonly options: ParsedOptions;
  readonly operands: readonly Value[];
}

/** Facts about a program that rules and other records ask for instead of its name. */
export const TRAITS = [
  /** its operands are no files that it shows, searches or hands on */
  "readsNothing",
  /** fails so seldom that what follows `&&` may be taken to run */
  "seldomFails",
  /** prints its own words */
  "prints",
  /** reads a line into a variable */
  "readsLine",
  /** takes the variables of a file into the shell */
  "sources",
  /** prints what is at an address */
  "fetches",
  /** connects its input and output to the network */
  "socket",
  /** its words may be other machines, with nothing in front that says so */
  "namesHosts",
  /** its code reads from sockets by itself, so that what it fetches comes from there */
  "readsSockets",
  /** what it prints is not what went in, and what went in cannot be read */
  "decodes",
  /** prints what was packed or encrypted */
  "unpacks",
  /** hands on names that come in, all or some of them */
  "passesOn",
  "selects",
  /** makes what it is given vanish */
  "removes",
  /** what its words name is used, set up, left out or looked at from outside, and not shown */
  "usesFiles",
  /** what runs there is ended as a whole every day, or has rules of its own */
  "endsDaily",
  /** sets up in a cluster what lies at an address */
  "appliesManifests",
  /** works with devices that this machine simulates */
  "simulates",
  /** makes words for another program of what it reads */
  "makesWords",
  /** what it drops and sets is judged by rules of its own, not by its verbs */
  "ruledApart",
  "shell",
  "powershell",
  /** starts the package that its first word names, or that one of its words may name */
  "runsPackage",
  "mayRunPackage",
  "installsPackages",
  /** named in a command that could not be read, it is reason enough to ask */
  "dangerous",
  /** text for a database among its words is read by its record, or is no more than text to it */
  "keepsTexts",
  /** its first word names a task of the project */
  "runsTasks",
  /** its words name targets or scripts of the project */
  "runsTargets",
  /** a pattern in the place of the name is judged as it, if it could be it */
  "guessed",
] as const;

export type Trait = (typeof TRAITS)[number];

/**
 * What one program, or a family that shares a grammar, does with its words. Data first; a function only where a grammar
 * cannot say it. Everything about a program's options stands here and nowhere else.
 */
export interface Program {
  /** Every spelling, with blanks between. `gfind`, `find.exe` and `python3.12` are found by a rule. */
  readonly names: string;
  /** Spellings that cannot be listed: `ld-linux-x86-64.so.2`. */
  readonly pattern?: RegExp;
  readonly is?: readonly Trait[];
  /** The same program may be installed with a `g` in front, as GNU's tools are beside those of BSD. */
  readonly isGnu?: boolean;
  /** It changes more than its effects tell. */
  readonly changesMore?: boolean;
  readonly options?: OptionGrammar;
  /** Brings words into the form that the grammar reads: `tar xzf`, `head -5`. */
  rewrite?(argv: readonly Value[]): readonly Value[];
  /** How it reads its operands; by default every operand is a file whose content it shows or hands on. */
  readonly reads?: {
    /** The first operand is a pattern or a program, unless one of these options gave it. */
    readonly text?: string;
    /** Options that name files to read. */
    readonly files?: string;
    /** It searches whole directories for the text, or shows all of it: always, or with one of these options. */
    readonly recursive?: string;
    /** Options that decide which files of a directory are shown, and by which lines. */
    readonly tree?: {
      /** the text does not narrow what is shown: lines that do not match, or patterns from a file */
      readonly all: string;
      readonly only: string;
      readonly without: string;
      /** without one of these, hidden files and those that git ignores stay out */
      readonly hidden?: string;
      readonly ignored?: string;
    };
    /** With one of these it shows no content. */
    readonly unless?: string;
    /** It goes through the links that it finds in a directory: always, or with one of these options. */
    readonly followsLinks?: string;
    /** With one of these it does not. */
    readonly keepsLinks?: string;
  };
  /** Instead of reading its operands. */
  readonly effects?: readonly EffectRow[] | ((call: ParsedCall) => readonly ProgramEffect[]);
  /** Effects that depend on what it started. */
  effectsAfter?(call: ParsedCall): readonly ProgramEffect[];
  /** The names of files that it prints. */
  lists?(call: ParsedCall): Listing | undefined;
  /** The files whose names it prints, and nothing else, where every word but filters of a search is known. */
  prints?(call: WordsOfCall): Printed | undefined;
  /** Options with which it hands on some of the lines that come in, none changed. */
  readonly chooses?: string;
  /** What it leaves of a list that it passes on. */
  narrows?(listing: Listing, call: ParsedCall): Listing;
  /** Runs what it runs, records what it writes, and gives what it prints; undefined when that is not known. */
  run?(call: ParsedCall): Output | undefined;
  /** The words of the tool whose operations count instead: `php artisan migrate:fresh`, `yarn prisma migrate reset`. */
  tool?(call: ParsedCall): readonly Value[] | undefined;
  /** Its own subcommands: another word is a program of others, as `git town` is `git-town`. */
  isSubcommand?(word: string): boolean;
  /** Options whose value a shell runs. */
  readonly shellOptions?: { readonly names: string; readonly prefix?: RegExp };
  /** The language of the programs that it runs. */
  readonly language?: Language;
  /** Words and lines of its input that leave for a shell; the first group is the text. */
  readonly shellLines?: RegExp;
  /** Words and lines of its input that name a file which it reads; one of the groups is the name. */
  readonly fileLines?: RegExp;
  /** Options by one letter that name a file which it only uses, to log in or to set something up. */
  readonly uses?: string;
  /** Variables that name a program which it starts. */
  readonly shellVariables?: string;
  /** Variables that add options to its own, or say what it reads first: they may come with the environment of the person. */
  readonly setBy?: string;
  /** Files in the home of the person that it reads first and that may change what its words mean. */
  readonly setByFiles?: string;
  readonly operations?: readonly OperationRow[];
  /**
   * First words, `*` for any, with which it certainly only shows something, or only runs a build or check;
   * `names` where not every name of the record is meant.
   */
  readonly harmless?: { readonly reads?: string; readonly runs?: string; readonly names?: string };
  /**
   * Files of the project that it runs or loads by itself, by patterns of their names with blanks between: `*` for whatever
   * code lies there, `hooks` for hooks of git. What starts tasks, packages, builds or checks, and what has no record, runs any.
   */
  readonly runsFiles?: string;
  /** First words (`builds:submit` for two) with which the folder where it is started goes along to somewhere else. */
  readonly takes?: string;
  /** First words, `*` for any, with which it changes no file. */
  readonly shows?: string;
  /** It works on another machine; with one of these among its first words it changes files here as well. */
  readonly bringsHere?: string;
  /**
   * Every effect of every option in the grammar is stated. Without it something may be missing: a record that forgets
   * to say so costs a question.
   */
  readonly complete?: true | Completeness;
  /** First words, `*` for any, with which it works with another machine, a service or other processes. */
  readonly reaches?: string;
  /** Command lines before it that choose where it works: the last word is the place. */
  readonly chosenBy?: RegExp;
}

/** Names of files below these folders that match one of the patterns, if there are any; those that git tracks. */
export interface Printed {
  readonly starts: readonly Value[];
  readonly names?: readonly string[];
  readonly isTracked?: boolean;
  /** folders too, and those where it starts */
  readonly hasFolders?: boolean;
}

/** What a call says, whoever started it. */
export type WordsOfCall = Pick<ParsedCall, "program" | "argv" | "options" | "operands">;

/** For which forms a record is complete. */
export interface Completeness {
  /** the names that are meant, where not all are */
  readonly names?: string;
  /** options of the grammar whose effects are not all stated */
  readonly except?: string;
  /** instead: the only options whose effects are stated, where a program has many more */
  readonly only?: string;
  /** options whose value only chooses among what is read anyway: a pattern behind their `=` may find anything */
  readonly filters?: string;
  /** programs that it starts by itself, found as it is found */
  readonly starts?: string;
  /** operands that mean something by their place: a pattern there may become several words */
  readonly fixed?: "first" | "last" | "all";
  /** what else is not known of these words */
  gap?(call: KnownCall): Missing | undefined;
}

/** A call as far as completeness depends on it. */
export type KnownCall = WordsOfCall &
  Pick<ParsedCall, "stdin"> & {
    /** another program reads what it says, and may end it by not doing so */
    readonly isPiped: boolean;
  };

/** Something that a record does not say. */
export interface Missing {
  readonly kind: "program" | "option" | "value" | "code" | "reach" | "secret" | "environment";
  readonly what: string;
  readonly why: string;
}

type Mark = Trait | "gnu" | "changesMore";
/** Names of traits with a blank between; anything else is a type error. */
type Marks<Text extends string> = Text extends "" | Mark
  ? Text
  : Text extends `${Mark} ${infer Rest}`
    ? Rest extends Marks<Rest>
      ? Text
      : never
    : never;

/** A record: its names, what it is, and all else that is known. */
export function program<const Text extends string>(
  names: string,
  marks: Text & Marks<Text>,
  rest: Omit<Program, "names" | "is" | "isGnu" | "changesMore"> = {},
): Program {
  const all = words(marks);
  const is = all.filter((mark): mark is Trait => mark !== "gnu" && mark !== "changesMore");
  return {
    names,
    ...(all.includes("gnu") ? { isGnu: true } : {}),
    ...(all.includes("changesMore") ? { changesMore: true } : {}),
    ...(is.length === 0 ? {} : { is }),
    ...rest,
  };
}

/** Programs of which no more is known than these operations. */
export function commands(operations: readonly OperationRow[]): Program {
  return { names: [...new Set(operations.flatMap(row => words(namesOfRow(row))))].join(" "), operations };
}

/** The records with those of the rows that name one of their programs. */
export function withOperations(
  records: readonly Program[],
  rows: readonly OperationRow[],
): readonly Program[] {
  return records.map(record => {
    const names = words(record.names);
    const operations = rows.filter(row => words(namesOfRow(row)).some(name => names.includes(name)));
    return operations.length === 0 ? record : { ...record, operations };
  });
}

/** The names in front of a row. */
export function namesOfRow(row: OperationRow): string {
  return /^[^|:]+(?=: )/.exec(row)?.[0] ?? "";
}

/**
 * Which words an effect is about: all operands, the first, those behind it, the last, or the values of the options
 * named here with blanks between.
 */
export type Where = string;

/** One effect of a program as data. Exactly one of the verbs is given. */
export interface EffectRow {
  readonly delete?: Where;
  readonly read?: Where;
  readonly write?: Where;
  /** Default `replace`. */
  readonly how?: WriteKind;
  /** Options of which one must be there. */
  readonly when?: string;
  /** Options that make it not happen. */
  readonly unless?: string;
  /** Options that make it reach everything below; `always` where it needs none. */
  readonly recursive?: string;
  readonly isShredded?: boolean;
  readonly isEmptyOnly?: boolean;
  /** It deletes what links to directories lead to, without one of these options. */
  readonly followsLinksUnless?: string;
  /** The path is a directory that is filled. */
  readonly isInto?: boolean;
  /** Copies the content: for rules that tell showing from copying. */
  readonly isCopy?: boolean;
  /** It does the same with the path that has this behind it. */
  readonly andEnding?: string;
  /** The path when none is named. */
  readonly otherwise?: string;
}

/**
 * An operation as a row: rule, operands in order (`-` for none), what it would do, then cells as `operations.ts` reads
 * them. In front, with a colon, the names that it holds for where that is not every name of the record.
 */
export type OperationRow =
  | `${OperationRule} ${string} | ${string}`
  | `${string}: ${OperationRule} ${string} | ${string}`;

/** A field of work and its programs. */
export interface Field {
  /** A function: everything here is read when it is first needed. */
  readonly programs: () => readonly Program[];
  /** What its programs change is all in their effects, save those with `changesMore`. */
  readonly tellsChanges?: true;
  /** Its programs work with other machines, services or other processes, save those that say otherwise. */
  readonly reaches?: true;
}

/**
 * A form of a command that destroys, reveals or publishes something. `command` is program and operands in order:
 * `docker volume rm|prune`, `aws * delete-*`; `…` before a word lets any operands stand between. `needs` names options
 * of which one must be there (a `+` starts another such group), `unless` such that make it harmless.
 */
export interface Operation {
  readonly command: string;
  readonly rule: OperationRule;
  readonly what: string;
  readonly needs?: string;
  readonly unless?: string;
  /** only when an operand is unknown or comes from a list: `rm -f $(docker ps -aq)` */
  readonly ofUnknown?: boolean;
  /** only when its question is answered by what is fed to it: `yes yes | terraform apply` */
  readonly isAnswered?: boolean;
  /** a last operand like this makes it harmless, or a kind and names behind it: `pod web-*` */
  readonly freeOn?: string;
  /** with RAILS_ENV=test and the like nothing of worth is touched */
  readonly isFreeInTests?: boolean;
  readonly safer?: string;
  /** Cases that tests run: a command line that is this operation, and one that is none; `safer` is one as well. */
  readonly stops?: string;
  readonly passes?: string;
  /** instead of the rule's own */
  readonly verdict?: "ask" | "deny";
}
