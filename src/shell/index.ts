/**
 * The shell language and nothing else: text becomes invocations with words, values, redirections and scopes. It knows
 * no program by name; what one does with its words is asked through `Programs`, which is declared here.
 */
export { analyse, analyseArgv, analyseFile } from "./analyse.ts";
export { printPaths, splitAssignment } from "./builtins.ts";
export * from "./decode.ts";
export * from "./facts.ts";
export { type Budget, createBudget, LIMITS } from "./limits.ts";
export * from "./options.ts";
export { readContents, writeContents, writtenEntry } from "./state/files.ts";
export {
  appendOutput,
  type CodeSource,
  eitherOutput,
  type Followed,
  joinOutputs,
  type Knowledge,
  leaveUnexamined,
  NO_OUTPUT,
  type Output,
  type ProgramCall,
  type Programs,
  scalar,
  takeNumber,
} from "./state/state.ts";
export { assign, callEnvironment, findEnvironmentValue, programName } from "./state/variables.ts";
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
export * from "./value.ts";
export {
  filesMeant,
  inputText,
  positionalsFrom,
  readOwnScript,
  readScript,
  runInNewShell,
  runScript,
  runSubscript,
  unknownOutput,
} from "./walk/code-runs.ts";
export { execute, runInner } from "./walk/execute.ts";
export { runLoadedText } from "./walk/loaded-files.ts";
export { asQuotedWord } from "./walk/simple-command.ts";
export { joinValues } from "./words/fragments.ts";
