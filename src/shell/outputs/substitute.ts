/** Text longer than this is not searched: expressions from the command must not cost more than they tell. */
const SUBJECT = 4096;

/**
 * Compiles sed scripts made of `s` and `y` commands only. The result is undefined for anything else, and for
 * expressions that could backtrack: groups and more than three repetitions are not tried.
 */
export function compileSubstitutions(
  script: string,
  isExtended: boolean,
): ((content: string) => string | undefined) | undefined {
  const changes: ((line: string) => string)[] = [];
  let rest = script.trim();
  while (rest !== "") {
    const command = readCommand(rest, isExtended);
    if (command === undefined) return undefined;
    changes.push(command.change);
    rest = command.rest.replace(/^[\s;]+/, "");
  }
  return content => {
    if (content.length > SUBJECT) return undefined;
    return content
      .split("\n")
      .map(line => changes.reduce((text, change) => change(text), line))
      .join("\n");
  };
}

interface SedCommand {
  readonly change: (line: string) => string;
  readonly rest: string;
}

function readCommand(script: string, isExtended: boolean): SedCommand | undefined {
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
      : substitution(first.content, second.content, flags, isExtended);
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

function substitution(
  pattern: string,
  replacement: string,
  flags: string,
  isExtended: boolean,
): ((line: string) => string) | undefined {
  const expression = toRegExp(pattern, isExtended);
  if (expression === undefined || /\\[^&\\/n]/.test(replacement) || /[0-9]/.test(flags)) return undefined;
  const regexp = new RegExp(expression, `${flags.includes("g") ? "g" : ""}${/i/i.test(flags) ? "i" : ""}`);
  return line =>
    line.replace(regexp, match =>
      replacement.replace(/\\([&\\/n])|&/g, (whole, escaped?: string) =>
        whole === "&" ? match : escaped === "n" ? "\n" : (escaped ?? ""),
      ),
    );
}

/** Literals, `.`, sets, anchors and up to three repetitions of single characters. */
function toRegExp(pattern: string, isExtended: boolean): string | undefined {
  let result = "";
  let repetitions = 0;
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index] ?? "";
    if (character === "[") {
      const close = pattern.indexOf("]", index + (pattern[index + 1] === "^" ? 3 : 2));
      const set = pattern.slice(index, close + 1);
      if (close < 0 || set.includes("[:")) return undefined;
      result += set.replaceAll("\\", "\\\\");
      index = close;
    } else if (character === "*" || (isExtended && (character === "+" || character === "?"))) {
      repetitions += 1;
      result += character;
    } else if (character === "\\") {
      index += 1;
      const next = pattern[index] ?? "";
      if (!/[.*[\]^$\\/+?(){}|-]/.test(next)) return undefined;
      if (!isExtended && /[+?(){}|]/.test(next)) return undefined;
      result += `\\${next}`;
    } else if (isExtended && /[(){}|]/.test(character)) return undefined;
    else if (
      character === "." ||
      (character === "^" && index === 0) ||
      (character === "$" && index === pattern.length - 1)
    )
      result += character;
    else result += character.replace(/[.*+?^${}()|[\]\\/]/, "\\$&");
  }
  return repetitions > 3 || pattern === "" ? undefined : result;
}
