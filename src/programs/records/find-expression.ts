import {
  describe,
  knownPrefix,
  knownText,
  type Selection,
  text,
  type Value,
  wordSet,
} from "../../shell/index.ts";
import type { KnownCall, Missing } from "../model/program.ts";
import { isDistinctiveName, isRegenerableName, isRegenerablePattern } from "./regenerable.ts";

const TESTS_WITH_VALUE = wordSet(`
  -name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type -xtype -mtime -mmin -atime -amin
  -ctime -cmin -newer -anewer -cnewer -size -user -group -uid -gid -perm -links -inum -samefile -fstype -maxdepth
  -mindepth -used -context -regextype -D
`);
const FREE_TESTS = wordSet("-type -xtype -maxdepth -mindepth -regextype -fstype -perm");
/** Actions that start a program for what is found. */
export const ACTIONS_WITH_COMMAND = wordSet("-exec -execdir -ok -okdir");

/** Tests and actions without a word behind them. */
const PLAIN = wordSet(`
  -H -L -P -O0 -O1 -O2 -O3 -a -and -o -or -not ! ( ) , -daystart -depth -d -follow -help --help -ignore_readdir_race -mount
  -noignore_readdir_race -noleaf -version --version -warn -nowarn -xdev -empty -executable -readable -writable -false -true
  -nouser -nogroup -delete -ls -print -print0 -prune -quit
`);
const WITH_WORD = wordSet("-fprint -fprint0 -fls -printf -newerXY");

/** Every word of the expression must be one that is known. What it starts is judged by itself. */
export function gapOfFind({ argv }: KnownCall): Missing | undefined {
  const shown = argv.slice(1).map(word => knownText(word));
  for (let index = 0, isExpression = false; index < shown.length; index += 1) {
    const word = shown[index];
    if (word === undefined) {
      if (isExpression) return { kind: "value", what: "find", why: "a word of its expression is not known" };
      const [first] = argv[index + 1]?.pieces ?? [];
      if (first?.kind !== "text" && first?.kind !== "glob")
        return { kind: "value", what: "find", why: "where it starts is not known" };
      continue;
    }
    if (!isExpression && !/^[-(!,)]/.test(word)) continue;
    isExpression ||= !/^-[HLPO]/.test(word);
    if (PLAIN.has(word)) continue;
    if (ACTIONS_WITH_COMMAND.has(word)) {
      while (
        index + 1 < shown.length &&
        shown[index] !== ";" &&
        !(shown[index] === "+" && shown[index - 1] === "{}")
      )
        index += 1;
    } else if (TESTS_WITH_VALUE.has(word) || WITH_WORD.has(word) || /^-newer[aBcm][aBcmt]$/.test(word))
      index += 1;
    else if (word === "-fprintf") index += 2;
    else return { kind: "option", what: `find ${word}`, why: "this word is not known" };
  }
  return undefined;
}

/** What `find` would delete, and where it starts. */
export interface Search {
  readonly starts: readonly Value[];
  /** undefined: it deletes nothing by itself */
  readonly selection: Selection | undefined;
  /** what it lists, for a program that deletes what it reads */
  readonly listed: Selection;
  /** what it hands to the program it starts; undefined when it starts none */
  readonly handed: Selection | undefined;
  /** the starting point itself is not among the results */
  readonly isBelowOnly: boolean;
  /** it deletes nothing but empty files and directories */
  readonly isEmptyBelow: boolean;
  /** names the results may have, as patterns; empty when any */
  readonly names: readonly string[];
  /** every alternative asks for one of the names */
  readonly isNamed: boolean;
}

export function readFind(argv: readonly Value[], removes: boolean): Search {
  const starts: Value[] = [];
  let index = 1;
  for (; index < argv.length; index += 1) {
    const word = argv[index];
    if (word === undefined) break;
    const known = knownPrefix(word);
    if (/^-(H|L|P|O.*)$/.test(known)) continue;
    if (known === "-D") index += 1;
    else if (/^[-(!,)]/.test(known) && known !== "") break;
    else starts.push(word);
  }
  const followsLinks = argv.slice(1, index).some(word => knownText(word) === "-L");
  const reader = new ExpressionReader(argv.slice(index), removes, followsLinks);
  const listed = reader.read();
  return {
    starts: starts.length === 0 ? [text(".")] : starts,
    selection: reader.deleted,
    handed: reader.handed,
    listed,
    isBelowOnly: reader.isBelowOnly,
    isEmptyBelow: reader.isEmptyBelow,
    names: reader.names,
    isNamed: reader.isNamed,
  };
}

/** Narrowness of an expression, from left to right: an action sees only the tests in front of it. */
class ExpressionReader {
  deleted: Selection | undefined;
  handed: Selection | undefined;
  isBelowOnly = false;
  private isPruneOnly = false;
  private isEmpty = false;
  readonly names: string[] = [];
  private position = 0;
  private readonly words: readonly string[];
  private readonly removes: boolean;
  private readonly followsLinks: boolean;

  constructor(argv: readonly Value[], removes: boolean, followsLinks: boolean) {
    this.words = argv.map(describe);
    this.followsLinks = followsLinks;
    this.removes = removes;
  }

  /** A single chain of tests: `-empty` stands before whatever deletes, and other tests only narrow it. */
  get isEmptyBelow(): boolean {
    return this.isEmpty && !this.words.some(word => /^(-o|-or|,|\(|\\\()$/.test(word));
  }

  /**
   * In each alternative a name is asked for before anything is done, and none of them is a list of what is left out: an
   * action does not see the tests behind it.
   */
  get isNamed(): boolean {
    let hasName = false;
    for (const [index, word] of [...this.words, "-o"].entries()) {
      const before = this.words[index - 1] ?? "";
      const isNegated = before === "!" || before === "-not";
      if (isNegated && /^\\?\($/.test(word)) return false;
      if (/^-i?name$/.test(word) && !isNegated) hasName = true;
      if (isAction(word) && !hasName) return false;
      if (word !== "-o" && word !== "-or" && word !== ",") continue;
      if (!hasName) return false;
      hasName = false;
    }
    return true;
  }

  read(): Selection {
    return this.alternatives("all");
  }

  private alternatives(outer: Selection): Selection {
    const choices = [this.chain(outer)];
    const prunes = [this.isPruneOnly];
    while (
      this.words[this.position] === "-o" ||
      this.words[this.position] === "-or" ||
      this.words[this.position] === ","
    ) {
      this.position += 1;
      choices.push(this.chain(outer));
      prunes.push(this.isPruneOnly);
    }
    this.isPruneOnly = false;
    return widest(choices.length === 1 ? choices : choices.filter((_, index) => prunes[index] !== true));
  }

  /** Tests joined by "and". Beside others, a branch that only prunes selects nothing. */
  private chain(outer: Selection): Selection {
    let selection = outer;
    let isNegated = false;
    let isPruneOnly = false;
    for (; this.position < this.words.length; this.position += 1) {
      const word = this.words[this.position] ?? "";
      if (word === "-o" || word === "-or" || word === "," || word === ")" || word === "\\)") break;
      if (word === "!" || word === "-not") {
        isNegated = !isNegated;
        continue;
      }
      if (word === "-a" || word === "-and") continue;
      selection = this.term(word, selection, isNegated);
      isPruneOnly = word === "-prune" && !isNegated ? true : isPruneOnly && !isAction(word);
      isNegated = false;
    }
    this.isPruneOnly = isPruneOnly;
    return selection;
  }

  private term(word: string, selection: Selection, isNegated: boolean): Selection {
    if (word === "(" || word === "\\(") {
      this.position += 1;
      const inner = this.alternatives("all");
      return isNegated ? narrower(selection, "some") : narrower(selection, inner);
    }
    if (word === "-empty" && !isNegated && this.deleted === undefined) this.isEmpty = true;
    if (word === "-delete") this.remember(selection);
    else if (ACTIONS_WITH_COMMAND.has(word)) {
      if (this.removes) this.remember(selection);
      this.handed = this.handed === undefined ? selection : widest([this.handed, selection]);
      this.skipCommand();
    } else if (word === "-quit" || word === "-false") return isNegated ? selection : "regenerable";
    else if (word === "-empty") return narrower(selection, isNegated ? "some" : "regenerable");
    else if (TESTS_WITH_VALUE.has(word)) {
      this.position += 1;
      return narrower(selection, this.test(word, this.words[this.position] ?? "", isNegated));
    } else if (word.startsWith("-fprint") || word === "-fls") this.position += word === "-fprintf" ? 2 : 1;
    return selection;
  }

  private test(name: string, value: string, isNegated: boolean): Selection {
    if (name === "-mindepth" && value !== "0") this.isBelowOnly = true;
    if (name === "-type" && !value.includes("d") && !isNegated) this.isBelowOnly = true;
    // Links that lead nowhere: nothing is lost with them.
    if (value === "l" && !isNegated && (name === "-xtype" || (name === "-type" && this.followsLinks))) {
      this.isBelowOnly = true;
      return "regenerable";
    }
    if (FREE_TESTS.has(name)) return "all";
    if (isNegated) return "some";
    if (name === "-name" || name === "-iname") {
      if (value === "*" || value === "*.*") return "all";
      this.names.push(value);
      this.isBelowOnly = true;
      return isRegenerablePattern(value) ? "regenerable" : "some";
    }
    if (/path|wholename|regex/.test(name)) {
      this.isBelowOnly = true;
      return pathIsRegenerable(value) ? "regenerable" : "some";
    }
    return "some";
  }

  private remember(selection: Selection): void {
    this.deleted = this.deleted === undefined ? selection : widest([this.deleted, selection]);
  }

  private skipCommand(): void {
    while (this.position + 1 < this.words.length) {
      this.position += 1;
      const word = this.words[this.position];
      if (word === ";" || word === "\\;" || (word === "+" && this.words[this.position - 1] === "{}")) return;
    }
  }
}

function isAction(word: string): boolean {
  return word === "-delete" || ACTIONS_WITH_COMMAND.has(word) || /^-f?(print|ls)/.test(word);
}

function pathIsRegenerable(pattern: string): boolean {
  const parts = pattern.split("/").filter(part => part !== "" && part !== "*" && part !== "**");
  return (
    parts.some(
      (part, index) =>
        isDistinctiveName(part) || (index > 0 && isRegenerableName(part)) || isRegenerablePattern(part),
    ) ||
    (parts.length === 2 && parts[0] === "." && isRegenerableName(parts[1] ?? ""))
  );
}

const WIDTH: readonly Selection[] = ["regenerable", "some", "all"];

function narrower(one: Selection, other: Selection): Selection {
  return WIDTH.indexOf(one) <= WIDTH.indexOf(other) ? one : other;
}

function widest(selections: readonly Selection[]): Selection {
  return selections.reduce(
    (one, other) => (WIDTH.indexOf(one) >= WIDTH.indexOf(other) ? one : other),
    "regenerable",
  );
}
