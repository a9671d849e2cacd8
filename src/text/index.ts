/**
 * Words for people and models: clip, count, escape, wrap, nearest name, redact. Pure functions of text; nothing here
 * knows a host, a rule or a file.
 */
export { clip, clipMiddle, escapeControls, escapeHidden, escapeLines } from "./escape.ts";
export { didYouMean, nearest } from "./nearest.ts";
export { count, numberedLines, sizeText } from "./quantity.ts";
export { liveTokenIn, REDACTED, redact, redactOpening } from "./redact.ts";
export {
  countCharacters,
  findStatement,
  firstCharacters,
  oneLine,
  saysWords,
  type WordPattern,
  withoutControls,
  wordPattern,
} from "./words.ts";
export { wrapWords } from "./wrap-words.ts";
