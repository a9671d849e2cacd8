import type { Budget } from "../../shell/index.ts";
import { createGlob, type Glob, type GlobToken, matchEnds, readSet } from "../../system/index.ts";

/** Text longer than this is not searched: expressions from the command must not cost more than they tell. */
const SUBJECT = 4096;

/** Compiles sed scripts made of `s` and `y` commands only; undefined for anything else. */
export function compileSubstitutions(
  script: string,
  isExtended: boolean,
  budget: Budget,
): ((content: string) => string | undefined) | undefined {
  const changes: ((line: string) => string)[] = [];
  let rest = script.trim();
  while (rest !== "") {
    const command = readCommand(rest, isExtended, budget);
    if (command === undefined) return undefined;
    changes.push(command.change);
    rest = command.rest.replace(/^[\s;]+/, "");
  }
  return content => {
    if (content.length > SUBJECT) return undefined;
    const lines = content.split("\n");
    // What follows the last line end is no line.
    const last = lines.at(-1) === "" ? lines.length - 1 : lines.length;
    return lines
      .map((line, number) => (number === last ? line : changes.reduce((text, change) => change(text), line)))
      .join("\n");
  };
}

interface SedCommand {
  readonly change: (line: string) => string;
  readonly rest: string;
}

function readCommand(script: string, isExtended: boolean, budget: Budget): SedCommand | undefined {
  const name = script[0];
  const delimiter = script[1] ?? "";
  if ((name !== "s" && name !== "y") || /[\s\w\\]/.test(delimiter) || delimiter === "") return undefined;
  const first = readUntil(script, 2, delimiter);
  const second = first === undefined ? undefined : readUntil(script, first.end + 1, delimiter);
  if (first === undefined || second === undefined) return undefined;
  const tail = script.slice(second.end + 1);
  const flags = /^[gip0-9I]*/.exec(tail)?.[0] ?? "";
  const rest = tail.slice(flags.length);
  if (!/^\s*(?:[;\n]|$)/.test(rest)) return undefined;
  const change =
    name === "y"
      ? characterMap(first.content, second.content)
      : substitution(first.content, second.content, flags, isExtended, budget);
  return change === undefined ? undefined : { change, rest };
}

function readUntil(
  script: string,
  start: number,
  delimiter: string,
): { readonly content: string; readonly end: number } | undefined {
  let content = "";
  for (let index = start; index < script.length; index += 1) {
    const character = script[index] ?? "";
    if (character === delimiter) return { content, end: index };
    if (character === "\\" && script[index + 1] === delimiter) {
      content += delimiter;
      index += 1;
    } else if (character === "\\") {
      content += character + (script[index + 1] ?? "");
      index += 1;
    } else content += character;
  }
  return undefined;
}

function characterMap(from: string, to: string): ((line: string) => string) | undefined {
  const source = Array.from(from);
  const target = Array.from(to);
  if (source.length !== target.length || from.includes("\\")) return undefined;
  return line => Array.from(line, character => target[source.indexOf(character)] ?? character).join("");
}

interface Expression {
  readonly pattern: Glob;
  readonly isAtStart: boolean;
  readonly isAtEnd: boolean;
}

function substitution(
  source: string,
  replacement: string,
  flags: string,
  isExtended: boolean,
  budget: Budget,
): ((line: string) => string) | undefined {
  const ignoresCase = /i/i.test(flags);
  const expression = compileExpression(ignoresCase ? source.toLowerCase() : source, isExtended);
  if (expression === undefined || /\\[^&\\/n]/.test(replacement) || /[0-9p]/.test(flags)) return undefined;
  const fill = (match: string) =>
    replacement.replace(/\\([&\\/n])|&/g, (whole, escaped?: string) =>
      whole === "&" ? match : escaped === "n" ? "\n" : (escaped ?? ""),
    );
  return line => {
    const subject = ignoresCase ? line.toLowerCase() : line;
    let result = "";
    let index = 0;
    let lastEnd = -1;
    while (index <= line.length) {
      const end = longestMatch(expression, subject, index, budget);
      // An empty match right behind another match is none.
      if (end === undefined || (end === index && index === lastEnd)) {
        result += line[index] ?? "";
        index += 1;
        continue;
      }
      result += fill(line.slice(index, end));
      if (!flags.includes("g")) return result + line.slice(end);
      if (end === index) result += line[index] ?? "";
      lastEnd = end;
      index = Math.max(end, index + 1);
    }
    return result;
  };
}

/** The leftmost longest match is the one POSIX asks for; all states are followed at once. */
function longestMatch(
  expression: Expression,
  subject: string,
  start: number,
  budget: Budget,
): number | undefined {
  if (expression.isAtStart && start > 0) return undefined;
  let longest: number | undefined;
  for (const end of matchEnds(expression.pattern, subject, start, budget)) {
    if (expression.isAtEnd && end !== subject.length) continue;
    if (longest === undefined || end > longest) longest = end;
  }
  return longest;
}

/** Literals, `.`, sets, anchors and repetitions of single characters; undefined for anything else. */
function compileExpression(source: string, isExtended: boolean): Expression | undefined {
  const isAtStart = source.startsWith("^");
  const isAtEnd = source.endsWith("$") && !source.endsWith("\\$");
  const body = source.slice(isAtStart ? 1 : 0, isAtEnd ? -1 : undefined);
  const tokens: GlobToken[] = [];
  for (let index = 0; index < body.length; index += 1) {
    const character = body[index] ?? "";
    if (character === "[") {
      // Inside brackets a backslash is itself here, and only `^` negates: where shell patterns differ, the result is unknown.
      const set = body[index + 1] === "!" ? undefined : readSet(body, index);
      if (set === undefined || body.slice(index, set.end).includes("\\")) return undefined;
      tokens.push(set.token);
      index = set.end;
    } else if (character === "*" || (isExtended && (character === "+" || character === "?"))) {
      const last = tokens.pop();
      if (last === undefined || last.kind === "group") return undefined;
      tokens.push({ kind: "group", operator: character, choices: [[last]] });
    } else if (character === "\\") {
      index += 1;
      const next = body[index] ?? "";
      if (!/[.*[\]^$\\/+?(){}|-]/.test(next) || (!isExtended && /[+?(){}|]/.test(next))) return undefined;
      tokens.push({ kind: "text", text: next });
    } else if (isExtended && /[(){}|]/.test(character)) return undefined;
    else tokens.push(character === "." ? { kind: "one" } : { kind: "text", text: character });
  }
  return source === "" ? undefined : { pattern: createGlob(tokens), isAtStart, isAtEnd };
}
