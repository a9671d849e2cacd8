import { type Call, type LearntNote, type NoteFinder, quote } from "./note.ts";
import { refusalIn } from "./refusals.ts";
import { type CommandWords, isSameAttempt, readCommand } from "./similar-commands.ts";

interface Failure {
  readonly command: CommandWords;
  readonly error: string;
  callsAgo: number;
}

const EDITING = new Set(["Edit", "Write", "NotebookEdit"]);
/** What comes later answers something else. */
const MAX_CALLS_BETWEEN = 12;
const MAX_OPEN = 20;

/**
 * A command that failed, with its error, and the command that then worked. When files were changed in between, it was
 * the change that helped, and that is in the repository.
 */
export function findFixes(): NoteFinder {
  let open: Failure[] = [];
  const found = new Map<string, LearntNote>();
  return {
    see(step) {
      if (step.kind !== "call") return;
      for (const failure of open) failure.callsAgo++;
      if (EDITING.has(step.tool)) open = [];
      open = open.filter(failure => failure.callsAgo <= MAX_CALLS_BETWEEN);
      const command = step.command === undefined ? undefined : readCommand(step.command);
      if (command === undefined || refusalIn(step) !== undefined) return;
      const others = open.filter(failure => failure.command.text !== command.text);
      if (step.hasFailed) {
        open = [...others, { command, error: errorIn(step), callsAgo: 0 }].slice(-MAX_OPEN);
        return;
      }
      const solved = others.filter(failure => isSameAttempt(failure.command, command));
      open = others.filter(failure => !solved.includes(failure));
      const [first] = solved;
      if (first !== undefined) found.set(first.command.text, toNote(first, command));
    },
    notes: () => [...found.values()],
  };
}

function toNote({ command, error }: Failure, working: CommandWords): LearntNote {
  const failed = error === "" ? "failed" : `failed with: ${quote(error)}.`;
  return {
    category: "learning",
    text: `\`${quote(command.text)}\` ${failed} \`${quote(working.text)}\` worked.`,
  };
}

const TELLING =
  /error|fail|not found|no such|denied|cannot|can't|unable|unknown|invalid|missing|required|refused|undefined|exception|unsupported/i;
const EXIT_LINE = /^(?:error: )?(?:command failed|(?:process )?exit(?:ed with)?(?: code| status)?:? ?\d+)/i;

/** The first line that says what is wrong, else the last one. */
function errorIn({ output }: Call): string {
  const lines = output
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "" && !EXIT_LINE.test(line));
  return (lines.find(line => TELLING.test(line)) ?? lines.at(-1) ?? "").replace(/[.:;\s]+$/, "");
}
