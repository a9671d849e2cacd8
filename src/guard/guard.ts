import { readShapes, unreadShell } from "../hosts/index.ts";
import { type Diagnostic, stringAt } from "../protocol/index.ts";
import { clip, escapeControls } from "../text/index.ts";
import { inDirectory, survey } from "../workspace/index.ts";
import { isEmptyFootprint } from "./footprint.ts";
import { judgeOrFail, judgeText, judgeWords } from "./judge.ts";
import { ALLOWED, type GuardContext, type Judgement } from "./judgement.ts";
import { footprintOfHarmless, isPowerShell, type JudgedTool } from "./prefilter.ts";
import { judgeShapes, plainFileCall } from "./tool-calls.ts";

/** The hook program loads it with the analysis, because both are wanted for the same calls. */
export { factsOfCall } from "../hosts/index.ts";
export { judgeText } from "./judge.ts";

const MAX_SHOWN = 5;
const MAX_SHOWN_CHARS = 60;

/** Judges a command of a shell. Never throws. */
export function judgeCommand(command: string, context: GuardContext): Judgement {
  const surveyOnce = once(() => survey(context));
  const footprint = footprintOfHarmless(command, context, surveyOnce);
  if (footprint === undefined) return judgeText(command, context, surveyOnce);
  // What is plainly harmless is read whole only for whoever asks what is not known of it.
  const whole = once(() => judgeText(command, context, surveyOnce));
  const known = {
    gaps: () => whole().gaps(),
    hasGaps: () => whole().hasGaps(),
    goesOn: () => whole().goesOn(),
  };
  return { ...ALLOWED, ...known, ...(isEmptyFootprint(footprint) ? {} : { footprint: () => footprint }) };
}

function once<Answer>(ask: () => Answer): () => Answer {
  let answer: { readonly found: Answer } | undefined;
  return () => {
    answer ??= { found: ask() };
    return answer.found;
  };
}

/** Judges a program with words that were already expanded: shims call this. */
export function judgeArgv(argv: readonly string[], context: GuardContext): Judgement {
  return argv.length === 0 ? ALLOWED : judgeWords(argv, context);
}

/** Judges any tool call by the shape of its arguments; what the tool is called only helps to read them. */
export function judgeTool({ tool, facts }: JudgedTool, given: GuardContext): Judgement {
  const context = inDirectory(given, facts.directory);
  const isOther = isPowerShell(tool);
  if (tool.canonicalName === "Bash" || isOther) {
    // Hosts that have a PowerShell tool of their own name its text as they name that of the shell.
    const command = facts.command ?? stringAt(tool.input, "command") ?? "";
    if (command !== "") return judgeCommand(command, isOther ? { ...context, isPowerShell: true } : context);
  }
  const shaped = plainFileCall(tool, facts.paths) ?? readShapes(tool.canonicalName, tool.input);
  const source = facts.command ?? facts.paths.join(" ");
  return judgeOrFail(source, inDirectory(context, facts.directory ?? shaped.directory), workspace =>
    judgeShapes(tool, shaped, facts.paths, workspace),
  );
}

/** A tool that looks like a shell and whose arguments are no command was not judged: the agent's author must know. */
export function sayUnread({ name, canonicalName, input }: JudgedTool["tool"]): readonly Diagnostic[] {
  const members = unreadShell(name, canonicalName, input);
  if (members.length === 0) return [];
  const shown = members.slice(0, MAX_SHOWN).map(member => clip(escapeControls(member), MAX_SHOWN_CHARS));
  const detail = `${clip(escapeControls(name), MAX_SHOWN_CHARS)} looks like a shell, and none of its arguments (${shown.join(", ")}) can be read as a command, so it was not judged; call the one that is run "command"`;
  return [{ code: "tool-unread", severity: "warning", detail }];
}
