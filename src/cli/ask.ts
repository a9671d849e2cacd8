import { readSync } from "node:fs";
import { escapeControls } from "../text/index.ts";
import type { Terminal } from "./terminal.ts";

const MAX_ANSWER_LENGTH = 64;

/**
 * Asks a person, on the terminal; anything but y or yes is no. Where yes is recommended, Enter alone is yes, and what is
 * neither yes nor no is asked once more, for a word: it never becomes a yes. Only where `terminal.isInteractive`.
 */
export function askYesOrNo(terminal: Terminal, question: string, isRecommended = false): boolean {
  if (!isRecommended) return isYes(askLine(terminal, `${question} [y/N] `));
  const answer = askLine(terminal, `${question} [Y/n] `).trim();
  if (/^(?:y|yes|n|no)?$/i.test(answer)) return answer === "" || isYes(answer);
  return isYes(askLine(terminal, `'${escapeControls(answer)}' is neither yes nor no. [y/N] `));
}

function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim());
}

/** One of the choices: the first for an empty answer. Another answer is told to be none of them, and asked for again. */
export function askChoice<C extends string>(
  terminal: Terminal,
  question: string,
  choices: readonly [C, ...C[]],
): C {
  const ask = (words: string): string =>
    askLine(terminal, `${words} (${choices.join(", ")}) [${choices[0]}] `).trim();
  let answer = ask(question);
  for (;;) {
    if (answer === "") return choices[0];
    const found = choices.find(choice => choice === answer.toLowerCase());
    if (found !== undefined) return found;
    answer = ask(`'${escapeControls(answer)}' is not one of these. Which one?`);
  }
}

/** What a person types; empty at the end of input. Only where `terminal.isInteractive`. */
export function askLine(terminal: Terminal, question: string): string {
  terminal.warn(question);
  return readLine();
}

/** One byte at a time, so that what was typed ahead stays for the next reader. */
function readLine(): string {
  const byte = new Uint8Array(1);
  let line = "";
  while (line.length < MAX_ANSWER_LENGTH) {
    let count: number;
    try {
      count = readSync(0, byte);
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "EAGAIN") continue;
      throw error;
    }
    const character = String.fromCharCode(byte[0] ?? 0);
    if (count === 0 || character === "\n") break;
    line += character;
  }
  return line;
}
