// Tables `[parent."key"]` in a TOML text, edited as text so that every other byte stays. Only this one way of writing
// them is known here; whoever calls has to check by a parser that the result means what it should.

interface FoundTable {
  readonly key: string;
  /** of the quoted key in the header */
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly start: number;
  /** after the last line that belongs to it; comments before the next table do not */
  readonly end: number;
}

function findTables(text: string, parent: string): readonly FoundTable[] {
  const parts = parent.split(".").map(part => `\\s*${part}\\s*\\.`);
  const header = new RegExp(
    `^[ \\t]*\\[${parts.join("")}\\s*("(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\n]*')\\s*\\]`,
    "gm",
  );
  return [...text.matchAll(header)].flatMap(match => {
    const [whole, quoted = ""] = match;
    const key = readKey(quoted);
    if (key === undefined) return [];
    const keyEnd = match.index + whole.lastIndexOf(quoted) + quoted.length;
    return [
      { key, keyStart: keyEnd - quoted.length, keyEnd, start: match.index, end: endOfTable(text, keyEnd) },
    ];
  });
}

function readKey(quoted: string): string | undefined {
  if (quoted.startsWith("'")) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}

function endOfTable(text: string, from: number): number {
  let end = lineEnd(text, from);
  for (let at = end; at < text.length; ) {
    const next = lineEnd(text, at);
    const line = text.slice(at, next).trim();
    if (line.startsWith("[")) break;
    if (line !== "" && !line.startsWith("#")) end = next;
    at = next;
  }
  return end;
}

function lineEnd(text: string, from: number): number {
  const found = text.indexOf("\n", from);
  return found < 0 ? text.length : found + 1;
}

/** Takes tables away, each with the blank line before it. */
export function removeTables(text: string, parent: string, keys: ReadonlySet<string>): string {
  let edited = text;
  for (const { key, start, end } of findTables(text, parent).toReversed()) {
    if (keys.has(key)) edited = withoutTable(edited, start, end);
  }
  return edited;
}

function withoutTable(text: string, start: number, end: number): string {
  const blank = /(?:^|\n)(\r?\n)$/.exec(text.slice(0, start))?.[1]?.length ?? 0;
  return text.slice(0, start - blank) + text.slice(end);
}

/** Takes `[parent.key]` and the tables below it away, the first with the blank line before it. */
export function removeTableTree(text: string, parent: string, key: string): string {
  const name = `(?:"${key}"|'${key}'|${key})`;
  const header = new RegExp(`^[ \\t]*\\[\\s*${parent}\\s*\\.\\s*${name}\\s*[.\\]]`, "gm");
  let edited = text;
  for (const { index } of [...text.matchAll(header)].toReversed())
    edited = withoutTable(edited, index, endOfTable(edited, index));
  return edited;
}

export function renameTables(text: string, parent: string, names: ReadonlyMap<string, string>): string {
  let edited = text;
  for (const { key, keyStart, keyEnd } of findTables(text, parent).toReversed()) {
    const name = names.get(key);
    if (name !== undefined) edited = edited.slice(0, keyStart) + JSON.stringify(name) + edited.slice(keyEnd);
  }
  return edited;
}

/** JSON strings, and lists of them, are those of TOML, too. */
export function appendTable(
  text: string,
  parent: string,
  key: string,
  members: Readonly<Record<string, string | readonly string[]>>,
): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const lines = [
    ...(text === "" ? [] : [""]),
    `[${parent}.${JSON.stringify(key)}]`,
    ...Object.entries(members).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  ];
  const start = text === "" || text.endsWith("\n") ? text : text + eol;
  return start + lines.map(line => line + eol).join("");
}
