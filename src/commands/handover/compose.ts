import { runGit } from "../../history/index.ts";
import { loadLearnt, loadReflection } from "../../memory/index.ts";
import { isJsonObject, type Json, listAt, stringAt } from "../../protocol/index.ts";
import { isInside, type System } from "../../system/index.ts";
import { clip, clipMiddle, oneLine, redact } from "../../text/index.ts";
import {
  findPastSessions,
  type PastSession,
  readLines,
  readTranscript,
  toolNaming,
} from "../../transcripts/index.ts";

const MAX_LOOKED = 200;
const MAX_HEAD_LINES = 40;
const CWD = /"cwd"\s*:\s*("(?:[^"\\]|\\.)*")/;

/** The newest record of a session in this project, or the newest whose path has these words in it. */
export function findSession(
  system: System,
  home: string,
  projectRoot: string,
  name: string | undefined,
): PastSession | undefined {
  const sessions = findPastSessions(system, home);
  if (name !== undefined) return sessions.find(({ path }) => path.includes(name));
  return sessions.slice(0, MAX_LOOKED).find(({ path }) => {
    const directory = findDirectory(system, path);
    return directory !== undefined && isInside(projectRoot, directory);
  });
}

/** Where a session worked, as the first lines of its record say. */
function findDirectory(system: System, path: string): string | undefined {
  let count = 0;
  for (const { text } of readLines(system, path)) {
    const [, quoted] = CWD.exec(text ?? "") ?? [];
    if (quoted !== undefined) return JSON.parse(quoted) as string;
    if (++count >= MAX_HEAD_LINES) return undefined;
  }
  return undefined;
}

const MAX_TASK = 4_000;
const MAX_MESSAGE = 800;
const MAX_LAST = 3_000;
const KEPT_MESSAGES = 6;
const KEPT_DECISIONS = 8;
const MAX_DIFF = 12_000;
/** With its options it stays on the command line of every host. */
const MAX_PROMPT = 30_000;
const GIT_MS = 30_000;

/** The first prompt for the next agent: a record of the work. Only the person's own words in it are instructions. */
export async function composeHandover(
  system: System,
  session: PastSession,
  project: string,
): Promise<string> {
  const { SessionNotes } = await loadLearnt();
  const { readSteps } = await loadReflection();
  const notes = new SessionNotes(KEPT_DECISIONS);
  const said: string[] = [];
  let last = "";
  let open: readonly string[] = [];
  for (const step of readSteps(readTranscript(system, session.path, toolNaming(session.host)))) {
    notes.see(step);
    if (step.kind === "user-message") said.push(step.text);
    else if (step.kind === "agent-message") last = step.text;
    else open = openPoints(step.input) ?? open;
  }
  const [task = "", ...later] = said;
  const learnt = notes.notes();
  const list = (items: readonly string[]) =>
    items.map(item => `- ${clip(oneLine(item), MAX_MESSAGE)}`).join("\n");
  const sections: readonly (readonly [title: string, text: string])[] = [
    ["Task", clip(task.trim(), MAX_TASK)],
    ["What the user said since", list(later.slice(-KEPT_MESSAGES))],
    ["Decisions", list(learnt.filter(({ category }) => category === "decision").map(({ text }) => text))],
    [
      "Learnt on the way",
      list(learnt.filter(({ category }) => category !== "decision").map(({ text }) => text)),
    ],
    ["Open points", list(open)],
    ["Where it stopped", clip(last.trim(), MAX_LAST)],
    ["Changes in the working tree", await changesIn(system, project)],
  ];
  const when = new Date(session.modifiedMs).toISOString().slice(0, 16).replace("T", " ");
  const body = sections
    .filter(([, text]) => text !== "")
    .map(([title, text]) => `## ${title}\n\n${redact(text)}`);
  const opening = `You take over work in ${project} that another agent (${session.title}) began; its last entry is of ${when} UTC. What follows is a record of it. Check it against the files before you rely on it, then go on with the open points.`;
  return clipMiddle([opening, ...body].join("\n\n"), MAX_PROMPT);
}

/** What a list of tasks still has open; undefined when this call made none. */
function openPoints(input: Json): readonly string[] | undefined {
  for (const name of ["todos", "plan", "tasks"]) {
    const items = listAt(input, name);
    if (!items.some(isJsonObject)) continue;
    return items.flatMap(item => {
      const text = stringAt(item, "content", "step", "title", "description");
      const isDone = /^(?:completed|done|cancelled)$/i.test(stringAt(item, "status") ?? "");
      return text === undefined || isDone ? [] : [text];
    });
  }
  return undefined;
}

async function changesIn(system: System, cwd: string): Promise<string> {
  const git = (...args: readonly string[]) => runGit(system, args, { cwd, timeoutMs: GIT_MS });
  const [branch, status, diff] = [
    await git("rev-parse", "--abbrev-ref", "HEAD"),
    await git("status", "--short"),
    await git("diff", "--no-color", "HEAD"),
  ];
  if (!status.isOk) return "";
  if (status.text.trim() === "") return `None; the branch is ${branch.text.trim()}.`;
  const parts = [
    `Branch ${branch.text.trim()}`,
    status.text.trimEnd(),
    diff.isOk ? clipMiddle(diff.text, MAX_DIFF) : "",
  ];
  return parts.filter(part => part !== "").join("\n\n");
}
