import { count, escapeControls } from "../../text/index.ts";
import type { HookContext } from "../program/hook-context.ts";
import { askGit } from "../program/programs.ts";

/** What git has not been given yet. A file that is both staged and changed again stands in both lists. */
export interface UncommittedWork {
  readonly staged: readonly string[];
  readonly unstaged: readonly string[];
}

const SHOWN = 5;
/** What the hooks themselves write, this run included, does not count as work. */
const EXCEPT_OWN_FILES = ["--", ":(top)", ":(top,exclude,glob)**/.claude/runtime/**"];

/** Reads `git status --porcelain`: two columns of marks, a blank, a name. The first column may be blank. */
export function parseStatus(text: string): UncommittedWork {
  const staged: string[] = [];
  const unstaged: string[] = [];
  for (const line of text.split("\n")) {
    if (line.length < 4) continue;
    const name = line.slice(3);
    if (line[0] !== " " && line[0] !== "?") staged.push(name);
    if (line[1] !== " ") unstaged.push(name);
  }
  return { staged, unstaged };
}

/** Warns at the end of a session of work that is not committed. What cannot be found out is only logged. */
export async function warnOfUncommittedWork(context: HookContext, directory: string): Promise<void> {
  const limit = (ms: number) => ({ cwd: directory, timeoutMs: Math.min(ms, context.remainingMs()) });
  const inside = await askGit(context.system, ["rev-parse", "--is-inside-work-tree"], limit(2_000));
  if (!inside.ok || inside.text.trim() !== "true") {
    context.log("INFO", `no git work tree: ${inside.ok ? "bare" : inside.failed}`);
    return;
  }
  const status = await askGit(context.system, ["status", "--porcelain", ...EXCEPT_OWN_FILES], limit(5_000));
  if (!status.ok) {
    context.log("WARNING", `git status: ${status.failed}`);
    return;
  }
  const work = parseStatus(status.text);
  const changes = work.staged.length + work.unstaged.length;
  context.log("INFO", `uncommitted changes: ${changes}`);
  if (changes === 0) {
    context.metric("clean_exits", 1);
    return;
  }
  context.metric("uncommitted_work_warnings", 1);
  context.notify(renderWarning(work, directory));
}

function renderWarning({ staged, unstaged }: UncommittedWork, directory: string): string {
  return [
    `uncommitted work: ${count(staged.length + unstaged.length, "change")} in ${directory}`,
    ...list("staged", staged),
    ...list("not staged", unstaged),
    'review them with "git diff", keep them with "git commit -a" or "git stash"; the files stay as they are',
  ].join("\n");
}

function list(title: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length - SHOWN;
  return [
    `${title} (${names.length}):`,
    ...names.slice(0, SHOWN).map(name => `  ${escapeControls(name)}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
