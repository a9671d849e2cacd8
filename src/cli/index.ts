/**
 * The command line's frame: grammar, help, errors, prompts, progress, colours. It knows no command by name.
 */
export { askChoice, askLine, askYesOrNo } from "./ask.ts";
export { renderDiff } from "./changes/diff.ts";
export { changeDocument } from "./changes/document.ts";
export {
  COMPLETED_NOW,
  type CompletedNow,
  defineCommand,
  defineFamily,
  type Invocation,
  type LeafCommand,
  type PositionalSpec,
} from "./command.ts";
export { readCommandTable } from "./command-table.ts";
export { CommandError, fileFix, usageError } from "./errors.ts";
export { tellProblems } from "./install-problem.ts";
export { FORMAT_OPTION, FORMATS, type OptionSpecs, type OptionValues, option } from "./option.ts";
export { commandInstead, ownProgram } from "./own-program.ts";
export { page } from "./pager.ts";
export { ProgressLine } from "./progress.ts";
export { renderTable } from "./table.ts";
export type { Style, Terminal } from "./terminal.ts";
export { fitLines, type Width, wrapText } from "./wrap.ts";
export const loadAsk = () => import("./ask.ts");
export const loadBash = () => import("./completions/bash.ts");
export const loadDiff = () => import("./changes/diff.ts");
export const loadDocument = () => import("./changes/document.ts");
export const loadEditor = () => import("./editor.ts");
export const loadFish = () => import("./completions/fish.ts");
export const loadPager = () => import("./pager.ts");
export const loadPowershell = () => import("./completions/powershell.ts");
export const loadProgress = () => import("./progress.ts");
export const loadReadHosts = () => import("./read-hosts.ts");
export const loadZsh = () => import("./completions/zsh.ts");
