/**
 * The command line's frame: grammar, help, errors, prompts, progress, colours. It knows no command by name.
 */
export { askChoice, askLine, askYesOrNo } from "./ask.ts";
export { changeDocument, renderDiff } from "./changes.ts";
export {
  COMPLETED_NOW,
  type CommandInvocation,
  type CompletedNow,
  defineCommand,
  defineFamily,
  FORMAT_OPTION,
  FORMATS,
  type LeafCommand,
  type OptionSpecs,
  type OptionValues,
  option,
  type PositionalSpec,
} from "./command.ts";
export { readCommandTable } from "./command-table.ts";
export { bashScript, fishScript, powershellScript, zshScript } from "./completions.ts";
export { CommandError, fileFix, tellProblems, usageError } from "./errors.ts";
export { fitLines, renderTable, type Width, wrapText } from "./layout.ts";
export { commandInstead, ownProgram } from "./own-program.ts";
export { page } from "./pager-and-editor.ts";
export { ProgressLine } from "./progress.ts";
export type { Style, Terminal } from "./terminal.ts";
export const loadAsk = () => import("./ask.ts");
export const loadChanges = () => import("./changes.ts");
export const loadEditor = () => import("./pager-and-editor.ts");
export const loadPager = () => import("./pager-and-editor.ts");
export const loadProgress = () => import("./progress.ts");
export const loadReadHosts = () => import("./read-hosts.ts");
