import type { Unexamined } from "../../shell/index.ts";
import type { RuleTable } from "../rule.ts";
import type { RuleContext, RuleFamily } from "../rule-context.ts";

const TEXT_RULES = {
  "text.deceptive": {
    title: "hides what it says",
    verdict: "ask",
    when: "The command has bidirectional controls, invisible characters or terminal escapes outside quoted text.",
    lost: "It would run text that looks different from what it is: {target}.",
    person: "Do not judge it by what you see on the screen.",
    model: "Write it without invisible characters.",
    safer: "printf '%q\\n' \"$COMMAND\"",
  },
} satisfies RuleTable;

function inspectText(context: RuleContext): void {
  const found = findDeceptive(context.source);
  if (found !== undefined) context.report("text.deceptive", undefined, found);
}

const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|\udb40[\udc00-\udc7f]/;
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0080-\u009f]/;
const JOINER = "\u200d";

/** The first deceptive character outside quotes and heredocs, as people can name it; undefined for plain text. */
function findDeceptive(command: string): string | undefined {
  if (!INVISIBLE.test(command) && !CONTROL.test(command)) return undefined;
  let quote = "";
  for (let index = 0; index < command.length; index += 1) {
    const character = command[index] as string;
    if (CONTROL.test(character) && character !== "\r")
      return `control character ${formatCodePoint(character)}`;
    if (quote !== "") {
      if (character === "\\" && quote === '"') index += 1;
      else if (character === quote) quote = "";
      continue;
    }
    if (character === "\\") index += 1;
    else if (character === "'" || character === '"') quote = character;
    else if (character === "<" && command.startsWith("<<", index)) {
      const end = endOfHeredoc(command, index);
      if (end !== undefined) index = end;
    } else if (isInvisibleAt(command, index)) return `invisible character ${formatCodePoint(character)}`;
  }
  return undefined;
}

function isInvisibleAt(command: string, index: number): boolean {
  const character = command[index] as string;
  // A joiner between pictures makes one picture of them.
  if (character === JOINER) return !isPicture(command.charCodeAt(index - 1));
  return (
    INVISIBLE.test(command.slice(index, index + 2)) && (INVISIBLE.test(character) || character === "\udb40")
  );
}

function isPicture(code: number): boolean {
  return (code >= 0x2190 && code <= 0x2bff) || (code >= 0xd83c && code <= 0xdfff) || code === 0xfe0f;
}

/** Index of the last character of a heredoc's body, which is data. */
function endOfHeredoc(command: string, start: number): number | undefined {
  const opening = /^<<-?\s*(['"\\]?)([A-Za-z_][A-Za-z0-9_]*)\1/.exec(command.slice(start, start + 80));
  if (opening === null) return undefined;
  const body = command.indexOf("\n", start);
  if (body < 0) return undefined;
  const close = new RegExp(`\\n\\t*${opening[2]}(?=\\n|$)`).exec(command.slice(body));
  return close === null ? command.length : body + close.index + close[0].length - 1;
}

function formatCodePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}

const UNEXAMINED_RULES = {
  "guard.unexamined": {
    title: "could not be examined",
    verdict: "ask",
    atLevel: { strict: "deny" },
    when: "A part of the command could not be read: it is too large or too deep, its syntax is not known, or the guard failed. Beyond a limit it always asks; otherwise when that part names programs that can do harm.",
    lost: "A part of it could not be examined ({what}) and names {target}; it is not known what it would do.",
    person: "Read the command before you allow it.",
    model: "Split it into small plain commands.",
    safer: "bash -n script.sh",
  },
} satisfies RuleTable;

/** Code is left behind these limits, whatever it names; a word with too many forms is only a word. */
const LIMITS_OF_CODE: ReadonlySet<Unexamined["reason"]> = new Set([
  "input-size",
  "nesting",
  "words",
  "steps",
]);

/** Code that was not examined is never silently allowed; what names nothing dangerous is only noted. */
function inspectUnexamined(context: RuleContext): void {
  const isStrict = context.workspace.settings.level === "strict";
  for (const { reason, message, criticalWords } of context.facts.unexamined) {
    const isNamed = criticalWords.length > 0;
    if (!isStrict && !isNamed && !LIMITS_OF_CODE.has(reason)) continue;
    const target = criticalWords.slice(0, 5).join(", ") || "nothing that is known";
    context.report("guard.unexamined", undefined, target, { what: message });
  }
}

export const TEXT = {
  name: "text",
  rules: TEXT_RULES,
  checks: [{ inspectWhole: inspectText }],
} satisfies RuleFamily;
export const UNEXAMINED = {
  name: "unexamined",
  rules: UNEXAMINED_RULES,
  checks: [{ inspectWhole: inspectUnexamined }],
} satisfies RuleFamily;
