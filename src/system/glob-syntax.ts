/**
 * `star`: `*` is anything; every other character is itself. `text`: also `?`, one character. `path`: as in ignore
 * files, `*` and `?` stop at a slash, `**` does not, a pattern without a slash holds at any depth, and a directory
 * stands for everything below it. `fnmatch`: `*`, `?`, sets and backslashes. `shell`: `fnmatch` and the extended
 * groups `@(a|b)`, `?(…)`, `*(…)`, `+(…)`, `!(…)`.
 */
export type GlobDialect = "star" | "text" | "path" | "fnmatch" | "shell";

export type GlobToken =
  | { readonly kind: "text"; readonly text: string }
  /** one character, or any number of them; `inName`: but no slash */
  | { readonly kind: "one" | "many"; readonly inName?: boolean }
  /** nothing, or everything up to and including a slash */
  | { readonly kind: "directories" }
  /** the end, or a slash and everything behind it */
  | { readonly kind: "below" }
  | { readonly kind: "set"; readonly isNegated: boolean; readonly ranges: readonly CharacterRange[] }
  | GlobGroup;

export interface GlobGroup {
  readonly kind: "group";
  readonly operator: string;
  readonly choices: readonly (readonly GlobToken[])[];
}

/** First and last code point. */
type CharacterRange = readonly [number, number];

export function readGlob(source: string, dialect: GlobDialect): readonly GlobToken[] {
  switch (dialect) {
    case "star":
      return readWildcards(source, /(\*)/, { "*": { kind: "many" } });
    case "text":
      return readWildcards(source, /([*?])/, { "*": { kind: "many" }, "?": { kind: "one" } });
    case "path":
      return readPathGlob(source);
    case "fnmatch":
    case "shell":
      return readShellGlob(source, dialect === "shell");
  }
}

function readWildcards(
  source: string,
  separator: RegExp,
  wildcards: Readonly<Record<string, GlobToken>>,
): readonly GlobToken[] {
  return source
    .split(separator)
    .map((part, index) => (index % 2 === 0 ? { kind: "text" as const, text: part } : wildcards[part]))
    .filter(token => token !== undefined && (token.kind !== "text" || token.text !== "")) as GlobToken[];
}

function readPathGlob(source: string): readonly GlobToken[] {
  const body = source.endsWith("/") ? source.slice(0, -1) : source;
  const tokens = readWildcards(body, /(\*\*\/|\*\*|\*|\?)/, {
    "**/": { kind: "directories" },
    "**": { kind: "many" },
    "*": { kind: "many", inName: true },
    "?": { kind: "one", inName: true },
  });
  const anyDepth: readonly GlobToken[] = body.includes("/") ? [] : [{ kind: "directories" }];
  return [...anyDepth, ...tokens, { kind: "below" }];
}

/** A group whose parenthesis is still open; the first is the pattern itself. */
interface OpenGroup {
  readonly operator: string;
  readonly choices: GlobToken[][];
  /** plain parentheses open in it: they are text, but must be closed before it is */
  plain: number;
  /** how many levels of groups are inside */
  depth: number;
}

/** A group with more levels counts as `*`: compiling descends once per level. */
const MAX_GROUP_DEPTH = 64;

function readShellGlob(source: string, hasGroups: boolean): readonly GlobToken[] {
  const root: OpenGroup = { operator: "", choices: [[]], plain: 0, depth: 0 };
  const open = [root];
  const unclosedSets = new Set<number>();
  for (let index = 0; index < source.length; index += 1) {
    const character = source[index] ?? "";
    const group = open.at(-1) ?? root;
    const tokens = group.choices.at(-1) ?? [];
    const set = character === "[" ? readSet(source, index, unclosedSets) : undefined;
    if (set !== undefined) {
      tokens.push(set.token);
      index = set.end;
    } else if (character === "\\" && index + 1 < source.length) {
      index += 1;
      addText(tokens, source[index] ?? "");
    } else if (hasGroups && "?*+@!".includes(character) && source[index + 1] === "(") {
      open.push({ operator: character, choices: [[]], plain: 0, depth: 0 });
      index += 1;
    } else if (character === "*") {
      if (tokens.at(-1)?.kind !== "many") tokens.push({ kind: "many" });
    } else if (character === "?") tokens.push({ kind: "one" });
    else if (group === root) addText(tokens, character);
    else if (group.plain === 0 && character === "|") group.choices.push([]);
    else if (group.plain === 0 && character === ")") closeGroup(open);
    else {
      if (character === "(") group.plain += 1;
      else if (character === ")") group.plain -= 1;
      addText(tokens, character);
    }
  }
  return open.flatMap(writtenOut);
}

function addText(tokens: GlobToken[], text: string): void {
  const last = tokens.at(-1);
  if (last?.kind === "text") tokens[tokens.length - 1] = { kind: "text", text: last.text + text };
  else tokens.push({ kind: "text", text });
}

function closeGroup(open: OpenGroup[]): void {
  const group = open.pop();
  const outer = open.at(-1);
  if (group === undefined || outer === undefined) return;
  const { operator, choices, depth } = group;
  outer.depth = Math.max(outer.depth, depth + 1);
  outer.choices
    .at(-1)
    ?.push(depth < MAX_GROUP_DEPTH ? { kind: "group", operator, choices } : { kind: "many" });
}

/** A group that is never closed is the characters it was written with. */
function writtenOut({ operator, choices }: OpenGroup): GlobToken[] {
  return choices.flatMap((choice, index): GlobToken[] => {
    const separator = index > 0 ? "|" : operator === "" ? "" : `${operator}(`;
    return separator === "" ? choice : [{ kind: "text", text: separator }, ...choice];
  });
}

const RANGES: Readonly<Record<string, string>> = {
  alpha: "azAZ",
  digit: "09",
  alnum: "azAZ09",
  upper: "AZ",
  lower: "az",
  space: "  \t\r",
  blank: "  \t\t",
  punct: "!/:@[`{~",
  print: " ~",
  graph: "!~",
  xdigit: "09afAF",
  word: "azAZ09__",
  cntrl: "\u0000\u001f\u007f\u007f",
};

/**
 * The set that begins at `open`; undefined when it is not closed. `unclosed` collects where such sets were read,
 * so that many of them in one pattern are not read to the end again and again.
 */
export function readSet(
  source: string,
  open: number,
  unclosed: Set<number> = new Set(),
): { readonly token: GlobToken; readonly end: number } | undefined {
  const isNegated = source[open + 1] === "!" || source[open + 1] === "^";
  const first = open + (isNegated ? 2 : 1);
  const ranges: CharacterRange[] = [];
  const visited: number[] = [];
  for (let index = first; index < source.length && !(index > first && unclosed.has(index)); ) {
    if (source[index] === "]" && index > first)
      return { token: { kind: "set", isNegated, ranges }, end: index };
    if (index > first) visited.push(index);
    const named = source.startsWith("[:", index) ? /^\w+:\]/.exec(source.slice(index + 2, index + 12)) : null;
    if (named !== null) {
      const pairs = RANGES[named[0].slice(0, -2)] ?? "";
      for (let at = 0; at < pairs.length; at += 2)
        ranges.push([pairs.charCodeAt(at), pairs.charCodeAt(at + 1)]);
      index += 2 + named[0].length;
      continue;
    }
    const low = readMember(source, index);
    const isRange = source[low.end] === "-" && source[low.end + 1] !== "]" && low.end + 1 < source.length;
    const high = isRange ? readMember(source, low.end + 1) : low;
    ranges.push([low.character, high.character]);
    index = high.end;
  }
  for (const index of visited) unclosed.add(index);
  return undefined;
}

function readMember(source: string, index: number): { readonly character: number; readonly end: number } {
  const at = source[index] === "\\" && index + 1 < source.length ? index + 1 : index;
  const character = source.codePointAt(at) ?? 0;
  return { character, end: at + (character > 0xffff ? 2 : 1) };
}
