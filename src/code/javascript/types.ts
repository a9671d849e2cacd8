import type { Reader } from "../syntax/reader.ts";
import { closerOf, peek } from "../syntax/reader.ts";

const TYPE_ENDS = new Set([",", ")", "]", "}", "=", ";", "=>", "{", "&&", "||", "?", ":", "."]);

/** Step over a type: it says nothing about what runs. Brackets are jumped. */
export function skipType(reader: Reader): void {
  const first = reader.at;
  while (peek(reader).kind !== "end" && reader.effort.left > 0) {
    const token = peek(reader);
    if (token.startsLine && reader.at > first) return;
    const isBracket = token.kind === "mark" && ["(", "[", "{", "<"].includes(token.text);
    if (isBracket && (token.text !== "{" || reader.at === first)) {
      reader.at = token.text === "<" ? reader.at + 1 : closerOf(reader, reader.at) + 1;
      continue;
    }
    if (token.kind === "mark" && TYPE_ENDS.has(token.text)) return;
    reader.at += 1;
  }
}
