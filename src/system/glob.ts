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

interface GlobGroup {
  readonly kind: "group";
  readonly operator: string;
  readonly choices: readonly (readonly GlobToken[])[];
}

/** First and last code point. */
type CharacterRange = readonly [number, number];

function readGlob(source: string, dialect: GlobDialect): readonly GlobToken[] {
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

/**
 * A compiled pattern. Matching follows all readings at once and visits each instruction at most once per position
 * of the text, so that its work is bounded by pattern × text (× text again where a group is negated).
 */
export interface Glob {
  readonly tokens: readonly GlobToken[];
  /** The texts between the stars, of a pattern that has no other wildcard. Without a star it is one text. */
  readonly literals: readonly string[] | undefined;
  readonly program: readonly Instruction[];
}

/** A token goes on to the next instruction; `jump` goes on to each of its targets. */
type Instruction =
  | Exclude<GlobToken, { readonly kind: "group" }>
  | { readonly kind: "jump"; readonly targets: readonly number[] }
  | { readonly kind: "not"; readonly program: readonly Instruction[] };

/** Counts steps; `take` is false once they are used up, and nothing matches from then on. */
interface StepBudget {
  take(steps: number): boolean;
}

/** The same patterns are asked for again and again: the package's own tables, and the few of one command. */
const compiled: Record<GlobDialect, Map<string, Glob>> = {
  star: new Map(),
  text: new Map(),
  path: new Map(),
  fnmatch: new Map(),
  shell: new Map(),
};
const MAX_COMPILED = 1000;

export function compileGlob(source: string, dialect: GlobDialect): Glob {
  const known = compiled[dialect];
  let glob = known.get(source);
  if (glob === undefined) {
    glob = createGlob(readGlob(source, dialect));
    if (known.size >= MAX_COMPILED) known.clear();
    known.set(source, glob);
  }
  return glob;
}

/** Does the plain pattern (`*`, `?`, `[…]`) match the whole name? A leading dot is an ordinary character. */
export function globMatches(pattern: string, name: string): boolean {
  // Most patterns differ in their first or last letter, and need not be compiled to see it.
  const first = pattern.charAt(0);
  const last = pattern.charAt(pattern.length - 1);
  if (!"*?[\\".includes(first) && first !== name.charAt(0)) return false;
  if (!"*?]".includes(last) && last !== name.charAt(name.length - 1)) return false;
  return matchesGlob(compileGlob(pattern, "fnmatch"), name);
}

export function createGlob(tokens: readonly GlobToken[]): Glob {
  const program: Instruction[] = [];
  const literals = listLiterals(tokens);
  emit(tokens, program);
  return { tokens, literals, program };
}

function listLiterals(tokens: readonly GlobToken[]): readonly string[] | undefined {
  const literals = [""];
  for (const token of tokens) {
    if (token.kind === "text") literals.push(`${literals.pop() ?? ""}${token.text}`);
    else if (token.kind === "many" && token.inName !== true) literals.push("");
    else return undefined;
  }
  return literals;
}

function emit(tokens: readonly GlobToken[], program: Instruction[]): void {
  for (const token of tokens) {
    if (token.kind !== "group") program.push(token);
    else if (token.operator === "!") {
      const inner: Instruction[] = [];
      emit([{ ...token, operator: "@" }], inner);
      program.push({ kind: "not", program: inner });
    } else emitGroup(token, program);
  }
}

/** A jump to each choice, and behind each choice a jump to the end of the group or back to its start. */
function emitGroup({ operator, choices }: GlobGroup, program: Instruction[]): void {
  const entries: number[] = [];
  const exits: number[] = [];
  const start: Instruction = { kind: "jump", targets: entries };
  const exit: Instruction = { kind: "jump", targets: exits };
  if (operator === "*" || operator === "+") exits.push(program.length);
  program.push(start);
  for (const choice of choices) {
    entries.push(program.length);
    emit(choice, program);
    program.push(exit);
  }
  exits.push(program.length);
  if (operator === "?" || operator === "*") entries.push(program.length);
}

/** Does the pattern match the whole text? */
export function matchesGlob(glob: Glob, text: string): boolean {
  if (glob.literals !== undefined) return matchesLiterals(glob.literals, text);
  return matchEnds(glob, text, 0).has(text.length);
}

/** Most patterns have no wildcard but `*`. The first place where a text occurs is always good enough. */
function matchesLiterals(literals: readonly string[], text: string): boolean {
  const first = literals[0] ?? "";
  const lastIndex = literals.length - 1;
  if (lastIndex === 0) return text === first;
  const last = literals[lastIndex] ?? "";
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let from = first.length;
  for (let index = 1; index < lastIndex; index += 1) {
    const literal = literals[index] ?? "";
    const found = text.indexOf(literal, from);
    if (found < 0 || found + literal.length > end) return false;
    from = found + literal.length;
  }
  return true;
}

/** Every end of a match that begins at `start`. */
export function matchEnds(glob: Glob, text: string, start: number, budget?: StepBudget): ReadonlySet<number> {
  const ends = run(glob.program, start, { text, budget, excluded: new Map() });
  return budget?.take(0) === false ? new Set() : ends;
}

interface Match {
  readonly text: string;
  readonly budget: StepBudget | undefined;
  /** what the choices of a negated group match, by start: groups in groups would multiply the work */
  readonly excluded: Map<Instruction, Map<number, ReadonlySet<number>>>;
}

function run(program: readonly Instruction[], start: number, match: Match): ReadonlySet<number> {
  const { text, budget } = match;
  const ends = new Set<number>();
  const stride = text.length + 1;
  const seen = new Set<number>();
  const waiting: number[] = [];
  const visit = (instruction: number, position: number) => {
    const state = instruction * stride + position;
    if (seen.has(state)) return;
    seen.add(state);
    waiting.push(state);
  };
  visit(0, start);
  for (let state = waiting.pop(); state !== undefined; state = waiting.pop()) {
    if (budget?.take(1) === false) return ends;
    const position = state % stride;
    const at = (state - position) / stride;
    const instruction = program[at];
    switch (instruction?.kind) {
      case undefined:
        ends.add(position);
        break;
      case "text":
        if (text.startsWith(instruction.text, position)) visit(at + 1, position + instruction.text.length);
        break;
      case "one":
      case "set": {
        const character = text.codePointAt(position);
        if (character !== undefined && accepts(instruction, character))
          visit(at + 1, position + (character > 0xffff ? 2 : 1));
        break;
      }
      case "many":
        visit(at + 1, position);
        if (position < text.length && !(instruction.inName === true && text[position] === "/"))
          visit(at, position + 1);
        break;
      case "directories": {
        visit(at + 1, position);
        const slash = text.indexOf("/", position);
        if (slash >= 0) visit(at, slash + 1);
        break;
      }
      case "below":
        if (position === text.length || text[position] === "/") visit(at + 1, text.length);
        break;
      case "jump":
        for (const target of instruction.targets) visit(target, position);
        break;
      case "not": {
        const known = match.excluded.get(instruction) ?? new Map<number, ReadonlySet<number>>();
        const excluded = known.get(position) ?? run(instruction.program, position, match);
        match.excluded.set(instruction, known.set(position, excluded));
        for (let end = position; end <= text.length; end += 1) if (!excluded.has(end)) visit(at + 1, end);
      }
    }
  }
  return ends;
}

function accepts(token: Exclude<GlobToken, GlobGroup>, character: number): boolean {
  if (token.kind === "one") return token.inName !== true || character !== SLASH;
  if (token.kind !== "set") return false;
  return token.ranges.some(([low, high]) => low <= character && character <= high) !== token.isNegated;
}

const SLASH = 0x2f;
