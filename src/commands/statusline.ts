import { defineCommand } from "../cli/index.ts";
import type { SessionFigures } from "./statusline/figures.ts";

/** Hosts send a few kilobytes. */
const MAX_PAYLOAD_BYTES = 1024 * 1024;
const MAX_COLUMNS = 80;

export const command = defineCommand({
  name: "statusline",
  summary: "print one line about this session, for the status line of an agent host",
  group: "Look",
  details: `
Reads the JSON that the host sends to a status line on standard input and prints one line of at most ${MAX_COLUMNS} columns:
whether the guard is on, how many changes of this session are kept for undo, how often a person was asked and how often
a call was refused, how many memories wait for the team's database, then tokens and cost if the host sends them. It
prints a line and ends with 0 whatever it reads, because hosts leave the line out otherwise.`,
  options: {},
  ignoresHome: true,
  forAgents: "passes",
  examples: {
    "amplihack statusline < payload.json":
      "prints: amplihack: guard on · 12 kept · 2 asked · 1 refused · $1.23",
    "amplihack statusline": "typed by a person: whether the guard is on in this directory",
  },
  async run({ system, terminal }) {
    const { readFigures, readPayload } = await import("./statusline/figures.ts");
    // At a terminal nothing would ever end the input.
    const read = system.stdio.isTerminal("stdin") ? undefined : system.stdio.readInput(MAX_PAYLOAD_BYTES);
    const text = read?.kind === "bytes" ? system.text.decode(read.bytes).text : "";
    const width = Math.min(MAX_COLUMNS, terminal.columns ?? readColumns(system.env.get("COLUMNS")));
    terminal.print(`${renderLine(readFigures(system, readPayload(text)), width)}\n`);
    return 0;
  },
});

function readColumns(value: string | undefined): number {
  return /^[1-9]\d{0,3}$/.test(value ?? "") ? Number(value) : MAX_COLUMNS;
}

/** What matters least stands last and is left out first. */
function renderLine(figures: SessionFigures, width: number): string {
  const { guard, kept, audit, unsent = 0, tokens, cost } = figures;
  const [first = "", ...others] = [
    `amplihack: ${guard}`,
    ...(kept === undefined ? [] : [typeof kept === "number" ? `${kept} kept` : kept]),
    ...(audit === undefined ? [] : audit.isKnown ? counts(audit) : ["audit log unreadable"]),
    ...(unsent === 0 ? [] : [`${unsent} wait for the team`]),
    ...(tokens === undefined ? [] : [`${short(tokens)} tokens`]),
    ...(cost === undefined ? [] : [`$${cost.toFixed(2)}`]),
  ];
  let line = first.slice(0, width);
  for (const part of others) {
    const longer = `${line} · ${part}`;
    if (longer.length > width) break;
    line = longer;
  }
  return line;
}

/** A plus sign: older parts of the log were not read. */
function counts({ asked, refused, isPartial }: NonNullable<SessionFigures["audit"]>): readonly string[] {
  const more = isPartial ? "+" : "";
  return [`${asked}${more} asked`, `${refused}${more} refused`];
}

/** `950`, `45k`, `1.2M` */
function short(count: number): string {
  if (count < 1_000) return String(Math.round(count));
  return count < 999_500 ? `${Math.round(count / 1_000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
