import { compileGlob, matchEnds } from "../../system/index.ts";
import type { Value } from "../value.ts";

/**
 * Could this value be exactly `subject`? Patterns match within one path component and no leading dot; an
 * unknown may be anything its shape permits.
 */
export function couldBe(value: Value, subject: string): boolean {
  let positions = new Set([0]);
  for (const piece of value.pieces) {
    const next = new Set<number>();
    for (const position of positions) {
      if (piece.kind === "text") {
        if (subject.startsWith(piece.text, position)) next.add(position + piece.text.length);
        continue;
      }
      if (piece.kind === "glob") {
        for (const end of globEnds(piece.pattern, subject, position)) next.add(end);
        continue;
      }
      const limit = piece.shape === "token" ? endOfToken(subject, position) : subject.length;
      for (let end = position + (piece.shape === "any" ? 0 : 1); end <= limit; end += 1) next.add(end);
    }
    positions = next;
    if (positions.size === 0) return false;
  }
  return positions.has(subject.length);
}

function endOfToken(subject: string, position: number): number {
  if (subject[position] === "-" || subject[position] === ".") return position;
  const match = /[/\s]/.exec(subject.slice(position));
  return match === null ? subject.length : position + match.index;
}

function globEnds(pattern: string, subject: string, position: number): readonly number[] {
  const slash = pattern.startsWith("**") ? -1 : subject.indexOf("/", position);
  const component = slash < 0 ? subject : subject.slice(0, slash);
  const isAtStart = position === 0 || subject[position - 1] === "/";
  const ends = [...matchEnds(compileGlob(pattern, "shell"), component, position)];
  return isAtStart && subject[position] === "." ? ends.filter(end => end === position) : ends;
}
