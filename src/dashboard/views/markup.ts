import { clip, escapeHidden } from "../../text/index.ts";

/** Text that is markup already. Everything else is escaped where it is put in. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Piece = Markup | string | number | undefined | readonly Piece[];

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Markup with values in it. Attributes must stand in quotation marks; a value can never leave its place. */
export function html(strings: TemplateStringsArray, ...values: readonly Piece[]): Markup {
  return new Markup(
    strings.map((text, index) => text + (index < values.length ? write(values[index]) : "")).join(""),
  );
}

export const NOTHING: Markup = new Markup("");

function write(piece: Piece): string {
  if (piece === undefined) return "";
  if (piece instanceof Markup) return piece.text;
  if (Array.isArray(piece)) return piece.map(write).join("");
  return escapeText(String(piece));
}

/** U+0000 has no place in a page. */
function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, character => ENTITIES[character] ?? "").replaceAll("\0", "\u{fffd}");
}

const LINE_LENGTH = 400;
const BLOCK_LENGTH = 4_000;

/** What somebody else wrote, on one line, with everything written out that would hide or reorder it. */
export function line(text: string, length: number = LINE_LENGTH): string {
  return escapeHidden(clip(text, length));
}

/** The same with its own lines. */
export function block(text: string, length: number = BLOCK_LENGTH): string {
  return clip(text, length)
    .split(/\r?\n/)
    .map(one => one.split("\t").map(escapeHidden).join("    "))
    .join("\n");
}
