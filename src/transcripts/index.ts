export {
  type Entry,
  entryText,
  isUserMessage,
  type MessagePart,
  type ToolResultPart,
  type ToolUsePart,
} from "./entry.ts";
export { messageHeading, RULE, readExport, timeLine } from "./export-form.ts";
export { countLines, LINE_OPTIONS, type LineOptions, readLines } from "./lines.ts";
export { toolNaming } from "./naming.ts";
export type { Naming } from "./parts.ts";
export { type ReadCount, readMessages, readTranscript } from "./read.ts";
