import type { Terminal } from "../../cli/index.ts";
import type { ChainReport } from "../../state/index.ts";
import { count } from "../../text/index.ts";
import { type ShippedFacts, shippedText } from "./shipped.ts";

/** The result of a check of one log for a person. */
export function chainText(
  { files, lines, chained, head, broken, notes, unknown }: ChainReport,
  shipped: ShippedFacts | undefined,
  path: string,
  terminal: Terminal,
): string {
  const told = [
    ...(shipped === undefined ? [] : [`  shipped: ${shippedText(shipped)}`]),
    ...notes.map(note => `  note: ${note}`),
  ];
  const text = (...parts: readonly string[]): string => `${parts.join("\n")}\n`;
  if (broken !== undefined) {
    const where = broken.line === 0 ? broken.file : `${broken.file}, line ${broken.line}`;
    return text(`${terminal.paint("red", "✗")} ${broken.kind}: ${where}: ${broken.message}`, ...told);
  }
  const notKnown = unknown.map(what => `  not known: ${what}`);
  if (files.length === 0) return text(`There is no audit log yet (${path}).`, ...told);
  if (lines === 0) return text(`• The audit log is empty (${path}).`, ...told, ...notKnown);
  const amount = `${count(lines, "line")} in ${count(files.length, "file")}`;
  if (chained === 0) return text(`• ${amount}, none with a hash: of an older version`, ...told);
  return text(
    `${terminal.paint("green", "✓")} ${amount}: all as they were written`,
    ...(head === undefined ? [] : [`  head: ${head.seq}:${head.hash}`]),
    ...told,
    ...notKnown,
  );
}
