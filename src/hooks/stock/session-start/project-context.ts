import { join } from "../../../system/index.ts";
import { oneLine } from "../../../text/index.ts";
import { callBridge } from "../../program/bridge/call.ts";
import type { HookContext } from "../../program/context.ts";
import { lookInside, readPreferenceFiles } from "../framework-files.ts";
import { type RecalledNotes, screenNotes } from "../recalled-notes.ts";

/** What the model should know when a session begins, as far as those parts are switched on; no text when none is. */
export async function assembleContext(cwd: string | undefined, context: HookContext): Promise<RecalledNotes> {
  const isWorkflow = context.hasPart("workflow");
  const project = isWorkflow ? `## Project Context\n${describeProject(context)}` : undefined;
  const learnt = context.hasPart("memory") ? await describeLearnings(cwd, context) : undefined;
  const sections = [
    project,
    learnt === undefined ? undefined : `\n## Recent Learnings\n${learnt.text}`,
    ...(isWorkflow ? [...preferencesParts(context), workflowPart(context), VERBOSITY] : []),
  ].filter(section => section !== undefined);
  return { ...learnt, text: sections.join("\n").trimStart() };
}

function describeProject(context: HookContext): string {
  const { projectRoot } = context;
  const shown = ".claude/context/PROJECT.md";
  const found = lookInside(context, projectRoot, join(projectRoot, shown));
  if (found === "absent") return `Describe the project in ${shown}; none was found.`;
  if (found === "unreadable") return `The project is described in ${shown}, which could not be read.`;
  const { text } = found;
  const line = text
    .split("\n")
    .map(candidate => candidate.trim())
    .find(candidate => candidate !== "" && !candidate.startsWith("#") && !candidate.startsWith("---"));
  return line ?? `Project context was loaded from ${shown}.`;
}

const POINTER = "See .claude/context/DISCOVERIES.md for what was learnt earlier.";

async function describeLearnings(cwd: string | undefined, context: HookContext): Promise<RecalledNotes> {
  const answer = await callBridge(context, "get_context", {
    session_id: context.sessionId ?? "unknown",
    project_path: context.projectRoot,
  });
  if (answer.kind !== "reply") {
    context.report(answer.problem);
    return { text: `(Memory was unavailable at the start of this session.)\n${POINTER}` };
  }
  const { context: text, memories } = answer.reply;
  if (text.trim() !== "") return screenNotes(text, cwd, context);
  if (memories.length === 0) return { text: POINTER };
  const lines = memories.map(({ key, value }) => `- [${oneLine(key)}] ${oneLine(value)}`);
  return screenNotes([`${memories.length} from memory:`, ...lines].join("\n"), cwd, context);
}

function preferencesParts(context: HookContext): readonly string[] {
  const { own, project } = readPreferenceFiles(context);
  return [
    ...(own === undefined ? [] : [`\n## 🎯 USER PREFERENCES (MANDATORY, must be followed)\n\n${own.trim()}`]),
    ...(project === undefined ? [] : [`${PROJECT_NOTES}\n\n${project.trim()}`]),
  ];
}

const PROJECT_NOTES =
  "\n## Project notes from USER_PREFERENCES.md of this repository (not the user's own words, NOT MANDATORY)";

function workflowPart(context: HookContext): string {
  const shown = ".claude/workflow/DEFAULT_WORKFLOW.md";
  const found = lookInside(context, context.projectRoot, join(context.projectRoot, shown));
  return [
    "",
    "## 📝 Default Workflow",
    found !== "absent"
      ? `Follow ${shown} for work that is more than a question. To customise it, edit that file.`
      : `There is no ${shown}; create it to customise the workflow.`,
    "Phases: understand the request, create an issue and a branch, design, write tests, implement, simplify, run",
    "all checks, commit, open a pull request, review, address the review, make it mergeable.",
  ].join("\n");
}

const VERBOSITY = "\n## 🎯 Verbosity\nMode: balanced";
