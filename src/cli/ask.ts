import { createInterface } from "node:readline/promises";

/** Asks a person one question; the question goes to stderr, so that stdout holds results only. */
export async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question)).trim();
  } finally {
    lines.close();
  }
}

/** No, unless the answer is yes. */
export async function confirm(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await ask(`${question} [y/N] `));
}

/** One of the choices; the first for an empty answer, and asked again for any other. */
export async function choose<C extends string>(question: string, choices: readonly [C, ...C[]]): Promise<C> {
  for (;;) {
    const answer = (await ask(`${question} (${choices.join(", ")}) [${choices[0]}] `)).toLowerCase();
    if (answer === "") return choices[0];
    const found = choices.find(choice => choice === answer);
    if (found !== undefined) return found;
  }
}
