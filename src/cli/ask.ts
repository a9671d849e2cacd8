import { readSync, writeSync } from "node:fs";

const LONGEST_ANSWER = 64;

/** Asks a person one question, on stderr, so that stdout holds results only. Only where somebody can answer. */
export function ask(question: string): string {
  writeSync(2, question);
  return readLine().trim();
}

/** No, unless the answer is yes. */
export function confirm(question: string): boolean {
  return /^y(es)?$/i.test(ask(`${question} [y/N] `));
}

/** One of the choices; the first for an empty answer, and asked again for any other. */
export function choose<C extends string>(question: string, choices: readonly [C, ...C[]]): C {
  for (;;) {
    const answer = ask(`${question} (${choices.join(", ")}) [${choices[0]}] `).toLowerCase();
    if (answer === "") return choices[0];
    const found = choices.find(choice => choice === answer);
    if (found !== undefined) return found;
  }
}

/** One byte at a time, so that what was typed ahead stays for whoever reads next. */
function readLine(): string {
  const byte = new Uint8Array(1);
  let line = "";
  while (line.length < LONGEST_ANSWER) {
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
