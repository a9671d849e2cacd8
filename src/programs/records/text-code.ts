import { knownText } from "../../shell/index.ts";
import type { KnownCall, Missing } from "../model/program.ts";

// Small programs for text that certainly do nothing but change text. What is not on these lists is code.

const ADDRESS = String.raw`(?:\d+(?:~\d+)?|\$|/(?:\\.|[^/\\\n])*/[IM]*)`;
const ADDRESSES = new RegExp(String.raw`^(?:${ADDRESS}(?:\s*,\s*(?:[+~]?\d+|${ADDRESS}))?\s*)?!?\s*`);
/** Commands that touch nothing but the lines. */
const LINE_COMMAND = /^(?:[dDgGhHnNpPx=zl]|[qQ]\d*)(?=\s*(?:[;}\n]|$))/;
const BRANCH = /^(?:[btT](?:[ \t]*\w+)?|:[ \t]*\w+)(?=\s*(?:[;}\n]|$))/;
/** Text to the end of the line. */
const INSERTION = /^[aic](?:\\\n|\\?[ \t]*)[^\n]*/;

/** `sed` with commands that only change lines, in a script that is known. */
export function gapOfSed({ options, operands }: KnownCall): Missing | undefined {
  const given = options.valuesOf("e");
  const scripts = given.length > 0 ? given : operands.slice(0, 1);
  const suffix = options.valueOf("i");
  if (suffix !== undefined && !/^[\w.~-]*$/.test(knownText(suffix) ?? "/"))
    return { kind: "option", what: "sed -i", why: "its copies may lie elsewhere" };
  for (const script of scripts) {
    const known = knownText(script);
    if (known === undefined) return { kind: "value", what: "sed", why: "its script is not known" };
    if (!changesLinesOnly(known))
      return { kind: "code", what: "sed", why: "its script may do more than change lines" };
  }
  return undefined;
}

function changesLinesOnly(script: string): boolean {
  let rest = script;
  while (rest !== "") {
    rest = rest.replace(/^[\s;}]+/, "");
    if (rest === "") return true;
    if (rest.startsWith("#")) {
      rest = rest.replace(/^[^\n]*/, "");
      continue;
    }
    rest = rest.replace(ADDRESSES, "");
    if (rest.startsWith("{")) {
      rest = rest.slice(1);
      continue;
    }
    const end = /^[sy]/.test(rest)
      ? endOfSubstitution(rest)
      : ([LINE_COMMAND, BRANCH, INSERTION].map(one => one.exec(rest)?.[0].length).find(length => length) ??
        0);
    if (end === 0) return false;
    rest = rest.slice(end);
  }
  return true;
}

/** The length of `s/a/b/flags` or `y/a/b/`; 0 where it cannot be told, or where a flag writes or runs something. */
function endOfSubstitution(text: string): number {
  const delimiter = text.charAt(1);
  if (!/[^\w\s\\]/.test(delimiter)) return 0;
  let parts = 0;
  let at = 2;
  let isInBrackets = false;
  for (; at < text.length && parts < 2; at += 1) {
    const character = text.charAt(at);
    if (character === "\\") at += 1;
    // Inside brackets programs differ in whether the delimiter ends the pattern.
    else if (character === "[" && parts === 0) isInBrackets = true;
    else if (character === "]") isInBrackets = false;
    else if (character === delimiter) {
      if (isInBrackets) return 0;
      parts += 1;
    }
  }
  if (parts < 2) return 0;
  const [flags = ""] = /^[0-9gpiIM]*/.exec(text.slice(at)) ?? [];
  return /^\s*(?:[;}\n]|$)/.test(text.slice(at + flags.length)) ? at + flags.length : 0;
}

/** `awk` whose program prints and counts: no other program, no file, no environment. */
export function gapOfAwk({ operands, options }: KnownCall): Missing | undefined {
  const program = operands[0] === undefined ? undefined : knownText(operands[0]);
  if (program === undefined) return { kind: "value", what: "awk", why: "its program is not known" };
  const assigned = [...operands.slice(1), ...options.valuesOf("v")].map(word => knownText(word) ?? "");
  if (assigned.some(word => /^(?:ENVIRON|ARGV|ARGC|FS)\b/.test(word)))
    return { kind: "option", what: "awk -v", why: "this variable decides what is read" };
  if (/\bENVIRON\b/.test(program))
    return { kind: "secret", what: "awk ENVIRON", why: "variables of the environment are shown" };
  const code = /\/(?=[^/\n"]*")[^/\n]*\//.test(program)
    ? program
    : program.replace(/"(?:\\.|[^"\\])*(?:"|$)/g, '""');
  const leaves =
    /\b(?:system|getline|close|fflush|ARGV|ARGC|PROCINFO)\b|@|(?:^|[^|])\|(?!\|)|\bprintf?\b(?:[^;}\n]{0,3000}>|[^;}\n]{3000})/;
  return leaves.test(code) || /\b(?:system|getline)\b/.test(program)
    ? { kind: "code", what: "awk", why: "its program may do more than print" }
    : undefined;
}
