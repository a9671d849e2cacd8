/**
 * Words for people and models: clip, count, escape, wrap, nearest name, redact. Pure functions of text; nothing here
 * knows a host, a rule or a file.
 */
export {
  clip,
  clipMiddle,
  clipStart,
  clipWithin,
  escapeControls,
  escapeHidden,
  escapeLines,
  truncate,
} from "./escape.ts";
export { liveTokenIn, loginIn, REDACTED, redact, redactOpening, shownSecretIn } from "./redact.ts";
export {
  count,
  countCharacters,
  didYouMean,
  findStatement,
  firstCharacters,
  nearest,
  numberedLines,
  oneLine,
  saysWords,
  shortCount,
  sizeText,
  type WordPattern,
  withoutControls,
  wordPattern,
  wrapWords,
} from "./words.ts";
