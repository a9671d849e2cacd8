import { readPlaceholder } from "../values/template.ts";
import {
  asText,
  asWord,
  copy,
  nested,
  type Scan,
  startScan,
  takeEscape,
  takeLiteralBackslashes,
  takePlaceholder,
} from "./scan.ts";

/** `'…'`: a value is put in by leaving the quotes for one word. */
export function scanSingle(scan: Scan): void {
  copy(scan, 1);
  while (scan.position < scan.source.length) {
    const character = scan.source[scan.position];
    if (character === "'") {
      copy(scan, 1);
      return;
    }
    if (character === "\\") takeLiteralBackslashes(scan, asText);
    else if (!takePlaceholder(scan, "single", expansion => `'"${expansion}"'`)) copy(scan, 1);
  }
}

/** `$'…'`, where backslashes escape. */
function scanAnsi(scan: Scan): void {
  copy(scan, 2);
  while (scan.position < scan.source.length) {
    const character = scan.source[scan.position];
    if (character === "'") {
      copy(scan, 1);
      return;
    }
    if (character === "\\") takeEscape(scan);
    else if (!takePlaceholder(scan, "single", expansion => `'"${expansion}"$'`)) copy(scan, 1);
  }
}

export function scanDouble(scan: Scan): void {
  nested(scan, () => {
    copy(scan, 1);
    while (scan.position < scan.source.length) {
      const character = scan.source[scan.position];
      if (character === '"') {
        copy(scan, 1);
        return;
      }
      scanQuotedCharacter(scan, "double");
    }
  });
}

/** One element of text in which only backslash, dollar and backtick are special. */
export function scanQuotedCharacter(scan: Scan, quoting: "double" | "heredoc"): void {
  const character = scan.source[scan.position];
  if (character === "\\") takeEscape(scan);
  else if (character === "$") scanDollar(scan, true);
  else if (character === "`") scanBackticks(scan, quoting === "double");
  else if (!takePlaceholder(scan, quoting, asText)) copy(scan, 1);
}

/** `$…` in every form; `isQuoted` inside double quotes and here-documents, where `$'` and `$"` mean nothing. */
export function scanDollar(scan: Scan, isQuoted: boolean): void {
  const next = scan.source[scan.position + 1] ?? "";
  if (readPlaceholder(scan.source, scan.position + 1) !== undefined) {
    // A dollar before a value is a dollar; left bare it would join with what the placeholder becomes.
    scan.out.push("\\$");
    scan.position++;
  } else if (next === "(") {
    const end =
      scan.source[scan.position + 2] === "(" ? arithmeticEnd(scan.source, scan.position + 3) : undefined;
    if (end !== undefined) {
      scanArithmetic(scan, 3, end);
      return;
    }
    copy(scan, 2);
    scan.script.scanCommands(scan, ")");
  } else if (next === "{") scanBrace(scan, isQuoted);
  else if (next === "'" && !isQuoted) scanAnsi(scan);
  else copy(scan, /[#$!?*@0-9-]/.test(next) ? 2 : 1);
}

/** From behind `((` to its `))`; undefined when the brackets turn out to be nested subshells. */
export function arithmeticEnd(source: string, start: number): number | undefined {
  let depth = 0;
  for (let index = start; index < source.length; index++) {
    const character = source[index];
    if (character === "\\") index++;
    else if (character === "'" || character === '"') {
      const close = source.indexOf(character, index + 1);
      if (close < 0) return undefined;
      index = close;
    } else if (character === "(") depth++;
    else if (character === ")" && depth-- === 0) return source[index + 1] === ")" ? index : undefined;
  }
  return undefined;
}

/** `((…))` and `$((…))`: values are numbers there, and no quoting can make other text safe. */
export function scanArithmetic(scan: Scan, openLength: number, end: number): void {
  nested(scan, () => {
    copy(scan, openLength);
    while (scan.position < end) {
      const character = scan.source[scan.position];
      if (character === "\\") takeEscape(scan);
      else if (character === "$") scanDollar(scan, true);
      else if (character === "`") scanBackticks(scan, false);
      else if (!takePlaceholder(scan, "arithmetic", asText)) copy(scan, 1);
    }
    copy(scan, 2);
  });
}

const PARAMETER = /[!#]?(?:[A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*#?$!-])?/y;

/** `${…}`. In patterns and replacements a value must be quoted even inside double quotes, to be taken literally. */
function scanBrace(scan: Scan, isQuoted: boolean): void {
  nested(scan, () => {
    copy(scan, 2);
    PARAMETER.lastIndex = scan.position;
    copy(scan, PARAMETER.exec(scan.source)?.[0].length ?? 0);
    if (scan.source[scan.position] === "[") scanSubscript(scan, isQuoted);
    const operator = scan.source.slice(scan.position, scan.position + 2);
    const isPattern = /^[#%/^,]/.test(operator);
    const isSubstring = /^:[^-=?+]/.test(operator);
    while (scan.position < scan.source.length) {
      const character = scan.source[scan.position];
      if (character === "}") {
        copy(scan, 1);
        return;
      }
      if (character === "\\") takeEscape(scan);
      else if (character === "'" && (isPattern || !isQuoted)) scanSingle(scan);
      else if (character === '"') scanDouble(scan);
      else if (character === "$") scanDollar(scan, isQuoted);
      else if (character === "`") scanBackticks(scan, isQuoted);
      else if (isSubstring && takePlaceholder(scan, "arithmetic", asText)) continue;
      else if (!takePlaceholder(scan, "brace", isPattern || !isQuoted ? asWord : asText)) copy(scan, 1);
    }
  });
}

function scanSubscript(scan: Scan, isQuoted: boolean): void {
  copy(scan, 1);
  while (scan.position < scan.source.length) {
    const character = scan.source[scan.position];
    if (character === "]") {
      copy(scan, 1);
      return;
    }
    if (character === "\\") takeEscape(scan);
    else if (character === "'" && !isQuoted) scanSingle(scan);
    else if (character === '"') scanDouble(scan);
    else if (character === "$") scanDollar(scan, isQuoted);
    else if (!takePlaceholder(scan, "arithmetic", asText)) copy(scan, 1);
  }
}

/**
 * Backticks: the shell removes one level of backslashes and reads the rest as a script of its own. So do we, and
 * put the level back afterwards.
 */
export function scanBackticks(scan: Scan, isInDouble: boolean): void {
  nested(scan, () => {
    let end = scan.position + 1;
    while (end < scan.source.length && scan.source[end] !== "`") end += scan.source[end] === "\\" ? 2 : 1;
    const raw = scan.source.slice(scan.position + 1, end);
    const inner = startScan(scan.script, raw.replace(isInDouble ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1"));
    scan.script.scanCommands(inner, undefined);
    scan.out.push("`", inner.out.join("").replace(/[$`\\]/g, "\\$&"), scan.source.slice(end, end + 1));
    scan.position = Math.min(end + 1, scan.source.length);
  });
}
