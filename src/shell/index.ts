/**
 * The shell language and nothing else: text becomes invocations with words, values, redirections and scopes. It knows
 * no program by name; what one does with its words is asked through `Programs`, which is declared here.
 */
export { analyse, analyseArgv } from "./analyse.ts";
export { printPaths, splitAssignment } from "./builtins.ts";
export {
  decodeBase32,
  decodeBase64,
  decodeEscapes,
  decodeHex,
  decodePercent,
  decodeUtf8,
  decodeUtf16LittleEndian,
  type EscapeStyle,
  quoteWord,
  rotate13,
} from "./decode.ts";
export {
  type CodeCall,
  type CodeContext,
  type CodeEffect,
  type CodeReader,
  type CodeReading,
  type CodeRun,
  type DeleteEffect,
  type EnvironmentEntry,
  type GitWords,
  homeAt,
  type Invocation,
  type Language,
  type Listing,
  type Mount,
  type OperationEffect,
  type OwnFiles,
  type Payload,
  type Place,
  type ProgramEffect,
  REMOTE_HOME,
  type Redirection,
  type Selection,
  type ShellContext,
  type ShellFacts,
  type Unexamined,
  type WriteKind,
} from "./facts.ts";
export { type Budget, createBudget, LIMITS } from "./limits.ts";
export {
  blankSeparated,
  type OptionGrammar,
  ParsedOptions,
  parseOptions,
  WordSet,
  wordSet,
  words,
} from "./options.ts";
export { createFileLookup, readContents, writeContents, writtenEntry } from "./state/files.ts";
export {
  appendOutput,
  type CodeSource,
  eitherOutput,
  type Followed,
  type Knowledge,
  leaveUnexamined,
  NO_OUTPUT,
  type Output,
  type ProgramCall,
  type Programs,
  scalar,
  takeNumber,
} from "./state/state.ts";
export { assign, environmentOf, environmentValueOf, programName } from "./state/variables.ts";
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
  baseName,
  components,
  concatenate,
  couldBe,
  describe,
  directoryName,
  dropKnown,
  hasGlob,
  hasUnknown,
  isAbsolute,
  isKnown,
  joinPath,
  knownPrefix,
  knownText,
  leaveProcess,
  mayBeAbsolute,
  normalisePath,
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
export {
  positionalsFrom,
  readOwnScript,
  runHiddenSubstitutions,
  runInNewShell,
  runScript,
  unknownOutput,
} from "./walk/code-runs.ts";
export { execute, runInner } from "./walk/execute.ts";
export { asQuotedWord } from "./walk/simple-command.ts";
export { joinValues } from "./words/resolve.ts";
