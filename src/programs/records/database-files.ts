import { describe, type ProgramEffect, text, type Value } from "../../shell/index.ts";

/**
 * Lines of sqlite3 that leave for a shell, and output that goes to one. Its commands may be shortened, as far as no other
 * begins so.
 */
export const SQLITE_SHELL =
  /^[ \t]*\.(?:she?l?l?|sys?t?e?m?|o(?:n?c?e?|u?t?p?u?t?)\s+(?:-\S+\s+)*\|)\s*(.*)$/gm;

const OUTPUT_LINE = /^[ \t]*\.(?:o(?:nc?e?|u?t?p?u?t?)|bac[kup]*|save?|clo?n?e?|log)\s+([^\n]*)$/gim;
const OPENING_LINE = /^[ \t]*\.open?\s+([^\n]*)$/gim;
const OUTPUT =
  /\b(?:vacuum(?:\s+\w+)?\s+into|writefile\s*\(|copy\b[^;]{0,300}?\bto|export\s+database)\s*(['"])([^'"]+)\1/gi;
const ATTACHED = /\battach\s+(?:database\s+)?(?:if\s+not\s+exists\s+)?(['"])([^'"]+)\1/gi;

/** The database itself where it is written as an address, and files that statements write or open. */
export function databaseFiles(
  file: Value | undefined,
  code: readonly Value[],
  isReadOnly: boolean,
): readonly ProgramEffect[] {
  const named = file === undefined ? "" : describe(file);
  const shown = code.map(describe).join("\n");
  const outputs = [
    ...[...shown.matchAll(OUTPUT_LINE)].map(([, rest = ""]) => lastWord(rest)),
    ...[...shown.matchAll(OUTPUT)].map(([, , name = ""]) => name),
  ];
  const opened = [
    ...(named.startsWith("file:") ? [named] : []),
    ...[...shown.matchAll(OPENING_LINE)].map(([, rest = ""]) => lastWord(rest)),
    ...[...shown.matchAll(ATTACHED)].map(([, , name = ""]) => name),
  ].filter(name => !isReadOnly && !isUnchanged(name));
  return [
    ...outputs
      .filter(isFile)
      .map((name): ProgramEffect => ({ kind: "write", path: fileOf(name), how: "replace" })),
    ...opened.filter(isFile).map((name): ProgramEffect => ({ kind: "alter", path: fileOf(name) })),
  ];
}

function isUnchanged(name: string): boolean {
  return /[?&](?:mode=ro|immutable=1)\b/.test(name);
}

/** `.backup main FILE` */
function lastWord(rest: string): string {
  const [, quoted, plain = ""] = /(?:(["'][^"']*["'])|(\S+))\s*$/.exec(rest) ?? [];
  return quoted === undefined ? plain : quoted.slice(1, -1);
}

function isFile(name: string): boolean {
  return name !== "" && !/^(?:\||:memory:|-|stdout$|stderr$|off$|on$)/.test(name);
}

/** `file:///x?mode=rw`, as SQLite reads it. */
function fileOf(name: string): Value {
  return text(
    name.startsWith("file:") ? name.replace(/^file:(?:\/\/[^/]*)?/, "").replace(/[?#].*$/, "") : name,
  );
}
