import stringWidth from "string-width";
import type { Terminal } from "../../cli/index.ts";
import { type Change, changeMark, countFiles, describeChange, formatAge } from "../../history/index.ts";
import { cutToWidth } from "../../recipes/index.ts";
import { basename } from "../../system/index.ts";
import { escapeControls } from "../../text/index.ts";

/** What a list is made for. */
export interface TableView {
  readonly terminal: Pick<Terminal, "paint">;
  readonly columns: number | undefined;
  readonly nowMs: number;
  readonly home: string;
  /** says which project each belongs to */
  readonly showsProject: boolean;
}

/** Where the output goes to a file or a program. */
const DEFAULT_COLUMNS = 120;
const MIN_WHAT = 20;
const GAP = "  ";

/** One line for each change: age, id, what was done, how many files, what else to know. */
export function renderTable(changes: readonly Change[], view: TableView): string {
  const { terminal, nowMs, home, showsProject } = view;
  const rows = changes.map(change => ({
    age: formatAge(nowMs, change.timeMs),
    id: change.id,
    project: showsProject ? `${escapeControls(basename(change.project))}: ` : "",
    what: describeChange(change, home),
    files: describeSize(change),
    mark: changeMark(change),
  }));
  const widest = (cell: "age" | "id" | "files" | "mark") => Math.max(0, ...rows.map(row => row[cell].length));
  const [age, id, files, mark] = [widest("age"), widest("id"), widest("files"), widest("mark")];
  const others = age + id + files + (mark === 0 ? 0 : GAP.length + mark) + 3 * GAP.length;
  const width = Math.max(MIN_WHAT, (view.columns ?? DEFAULT_COLUMNS) - others - 1);
  const lines = rows.map(row => {
    const what = padded(cutToWidth(row.project + row.what, width + 1), width);
    const isOver = row.mark === "undone" || row.mark === "redone";
    const cells = [
      terminal.paint("dim", row.age.padStart(age)),
      terminal.paint("cyan", row.id.padEnd(id)),
      isOver ? terminal.paint("dim", what) : what,
      terminal.paint("dim", row.files.padStart(files)),
      ...(row.mark === "" ? [] : [terminal.paint(isOver ? "dim" : "yellow", row.mark)]),
    ];
    return cells.join(GAP).trimEnd();
  });
  return lines.map(line => `${line}\n`).join("");
}

/** A change of git's own state may touch no file. What an open one did is not known before it ends. */
function describeSize({ files, git, status }: Change): string {
  if (status !== "done") return "";
  return files.length === 0 && git.length > 0 ? "git" : countFiles(files);
}

function padded(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}
