import { closerOf, type Parser, peek } from "../../syntax/reader.ts";

const TYPE_ENDS = new Set([",", ")", "]", "}", "=", ";", "=>", "{", "&&", "||", "?", ":", "."]);

/** Step over a type: it says nothing about what runs. Brackets are jumped. */
export function skipType(parser: Parser): void {
  const first = parser.at;
  while (peek(parser).kind !== "end" && parser.budget.left > 0) {
    const token = peek(parser);
    if (token.startsLine && parser.at > first) return;
    const isBracket = token.kind === "mark" && ["(", "[", "{", "<"].includes(token.text);
    if (isBracket && (token.text !== "{" || parser.at === first)) {
      parser.at = token.text === "<" ? parser.at + 1 : closerOf(parser, parser.at) + 1;
      continue;
    }
    if (token.kind === "mark" && TYPE_ENDS.has(token.text)) return;
    parser.at += 1;
  }
}
