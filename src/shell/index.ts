/**
 * The shell language and nothing else: text becomes invocations with words, values, redirections and scopes. It knows
 * no program by name; what one does with its words is asked through `Programs`, which is declared here.
 */
export { analyse, analyseArgv } from "./analyse.ts";
export { type Budget, createBudget } from "./budget.ts";
export { splitAssignment } from "./builtins/declarations.ts";
export { printPaths } from "./builtins/wrappers.ts";
export type { CodeCall, CodeContext, CodeReader, CodeReading, Language } from "./code-calls.ts";
export {
  decodeBase32,
  decodeBase64,
  decodeHex,
  decodePercent,
  decodeUtf8,
  decodeUtf16LittleEndian,
  rotate13,
} from "./decode.ts";
export type {
  DeleteEffect,
  GitWords,
  Listing,
  OperationEffect,
  Payload,
  ProgramEffect,
  Selection,
  WriteKind,
} from "./effects.ts";
export type {
  CodeEffect,
  CodeRun,
  EnvironmentEntry,
  Invocation,
  OwnFiles,
  Redirection,
  ShellContext,
  ShellFacts,
  Unexamined,
} from "./facts.ts";
export { createFileLookup } from "./file-lookup.ts";
export { LIMITS } from "./limits.ts";
export {
  blankSeparated,
  type OptionGrammar,
  ParsedOptions,
  parseOptions,
  WordSet,
  wordSet,
  words,
} from "./options.ts";
export {
  baseName,
  components,
  directoryName,
  isAbsolute,
  joinPath,
  leaveProcess,
  mayBeAbsolute,
  normalisePath,
} from "./paths.ts";
export { homeAt, type Mount, type Place, REMOTE_HOME } from "./place.ts";
export { environmentOf, environmentValueOf, programName } from "./state/call.ts";
export { readContents, writeContents, writtenEntry } from "./state/file-contents.ts";
export { appendOutput, eitherOutput, NO_OUTPUT } from "./state/output.ts";
export { leaveUnexamined, takeNumber } from "./state/session.ts";
export { scalar } from "./state/state.ts";
export type { CodeSource, Followed, Knowledge, Output, ProgramCall, Programs } from "./state/types.ts";
export { assign } from "./state/variables.ts";
export { forEachNode, parseShell } from "./syntax/parse.ts";
export { repairShell } from "./syntax/repair.ts";
export type {
  Command,
  HereDoc,
  ParameterExpansionPart,
  SyntaxNode,
  Word,
  WordPart,
} from "./syntax/syntax.ts";
export {
  concatenate,
  describe,
  dropKnown,
  hasGlob,
  hasUnknown,
  isKnown,
  knownPrefix,
  knownText,
  type Origin,
  type Piece,
  type Span,
  text,
  uniteOrigins,
  unknown,
  type Value,
  withOrigins,
  wordAt,
} from "./value.ts";
export { asQuotedWord } from "./walk/assignments.ts";
export { positionalsFrom, runInNewShell, unknownOutput } from "./walk/code-runs.ts";
export { execute } from "./walk/execute.ts";
export { runInner } from "./walk/inner.ts";
export { readOwnScript } from "./walk/script-files.ts";
export { runScript } from "./walk/scripts.ts";
export { runHiddenSubstitutions } from "./walk/test-expressions.ts";
export { couldBe } from "./words/could-be.ts";
export { decodeEscapes, type EscapeStyle, quoteWord } from "./words/escapes.ts";
export { joinValues } from "./words/fragments.ts";
