import type { Scope } from "../state/types.ts";
import { knownText, type Span, text, type Value } from "../value.ts";
import { runShellText } from "./shell-text.ts";

const PROMPTS = new Set(["PS0", "PS1", "PS2", "PS4"]);

/** Prompts expand substitutions when they are shown, and PROMPT_COMMAND is run before each of them. */
export function runPromptVariable(name: string, value: Value, scope: Scope, span: Span): void {
  if (name === "PROMPT_COMMAND") runShellText(value, scope, span);
  else if (PROMPTS.has(name)) {
    const known = knownText(value);
    if (known !== undefined && /\$\(|`/.test(known)) runShellText(asQuotedWord(known), scope, span);
  }
}

/** A command that only expands this text as inside double quotes. */
export function asQuotedWord(content: string): Value {
  return text(`: "${content.replaceAll('"', '\\"')}"`);
}
