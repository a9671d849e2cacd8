import { BUILT_IN } from "../config/settings.ts";
import { openContext } from "../history/context.ts";
import { figuresOf } from "../history/figures.ts";
import { listChanges } from "../history/select.ts";
import { errorText } from "../protocol/error-text.ts";
import type { HookInput } from "../protocol/index.ts";
import { count } from "../protocol/quantity.ts";
import { requireDirectories } from "../state/user-directories.ts";
import { quoteWord } from "../system/command-line.ts";
import type { HookContext } from "./context.ts";

/** Says at the end of a session what it changed and how to take that back. What cannot be found out is only logged. */
export function tellChanges(input: HookInput, context: HookContext): void {
  const session = input.sessionId;
  if (session === undefined) return;
  try {
    const { home, stateHome, projectRoot: project } = requireDirectories(context.system, input.cwd);
    // Settings say what is kept from now on; for what is there already they do not matter.
    const places = { home, stateHome, project, temps: [], regenerable: [] };
    const history = openContext(context.system, places, BUILT_IN.history);
    const { changes, files, undoable } = figuresOf(listChanges(history, { session }).changes);
    if (changes > 0) context.metric("history_changes", changes, { files, undoable });
    if (undoable === 0) return;
    const undone = undoable === changes ? "" : `, ${changes - undoable} undone already`;
    context.notify(
      `this session changed ${count(files, "file")} in ${count(changes, "call")}${undone}; ` +
        `"amplihack undo --session ${quoteWord(session)}" takes that back`,
    );
  } catch (error) {
    context.log("WARNING", `the changes of this session could not be counted: ${errorText(error)}`);
  }
}
