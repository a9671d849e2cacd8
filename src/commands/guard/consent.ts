import { askLine, CommandError, type Terminal } from "../../cli/index.ts";
import { readMachineKey, whyNoHuman } from "../../hooks/index.ts";
import { type System, sha256Hex } from "../../system/index.ts";
import { escapeHidden } from "../../text/index.ts";

const CONSONANTS = "bdfgjklmnprstvwz";
const VOWELS = "aeio";
const SYLLABLES = 8;

/** Refuses where an agent runs this command: only a person at a terminal of their own takes protection away. */
export function requirePerson(system: System, stateHome: string): void {
  const obstacle = whyNoHuman(system, stateHome);
  if (obstacle !== undefined) throw new CommandError(obstacle, { kind: "not-a-person" });
}

/**
 * Shows what is to be permitted, whole and with everything written out that cannot be seen, and has the person type a
 * phrase. It is new each time and comes from the machine's key, so that nothing that was read before says what it is.
 * True when the person typed `always` in front of it, where that is offered.
 */
export function confirmByPhrase(
  system: System,
  terminal: Terminal,
  stateHome: string,
  {
    shown,
    always,
    question,
  }: {
    readonly shown: readonly string[];
    /** what `always` in front of the phrase means; undefined where it is not offered */
    readonly always?: string | undefined;
    readonly question: string;
  },
): boolean {
  terminal.warn(
    `\n${shown
      .flatMap(text => text.split("\n"))
      .map(line => `  ${escapeHidden(line)}\n`)
      .join("")}\n`,
  );
  const phrase = makePhrase(system, stateHome, shown.join("\n"));
  if (always !== undefined) terminal.warn(`Type "always" in front of the phrase ${escapeHidden(always)}.\n`);
  const typed = askLine(terminal, `Type "${phrase}" ${question}: `);
  const words = typed.trim().toLowerCase().split(/\s+/).join(" ");
  if (always !== undefined && words === `always ${phrase}`) return true;
  if (words !== phrase) throw new CommandError("not permitted", { kind: "declined" });
  return false;
}

function makePhrase(system: System, stateHome: string, subject: string): string {
  const key = readMachineKey(system, stateHome);
  const digest = sha256Hex(system.text.encode(`${key}\n${system.random.hex(32)}\n${subject}\n${key}`));
  const syllables = Array.from({ length: SYLLABLES }, (_, index) => {
    const number = Number.parseInt(digest.slice(index * 2, index * 2 + 2), 16);
    return `${CONSONANTS[number >> 4]}${VOWELS[number % 4]}`;
  });
  return syllables.join("").match(/.{4}/g)?.join(" ") ?? "";
}
