import type { Style, Terminal } from "../../cli/index.ts";
import { formatAge } from "../../history/index.ts";
import { cutToWidth, plain, type TaskView } from "../../recipes/index.ts";

const DEFAULT_COLUMNS = 120;
const SHOWN_FILES = 3;
const STYLES: Readonly<Record<string, Style>> = { running: "cyan", done: "green", partial: "yellow" };

/** One line for each task, and below it where it meets others. */
export function overview(
  views: readonly TaskView[],
  { paint, columns = DEFAULT_COLUMNS }: Pick<Terminal, "paint" | "columns">,
): string {
  const nowMs = Date.now();
  const width = Math.max(0, ...views.map(({ name }) => name.length));
  const states = Math.max(0, ...views.map(({ state }) => state.length));
  return views
    .map(view => {
      const { name, state, step, files, task, startedMs } = view;
      const count = files.length === 1 ? "1 file" : `${files.length} files`;
      const at = step === undefined ? "" : `at ${plain(step)}, `;
      const head = `${name.padEnd(width)}  ${state.padEnd(states)}  `;
      const rest = cutToWidth(
        `${formatAge(nowMs, startedMs)}, ${at}${count}: ${plain(task)}`,
        Math.max(20, columns - head.length),
      );
      const shown = `${name.padEnd(width)}  ${paint(STYLES[state] ?? "red", state.padEnd(states))}  ${rest}\n`;
      return (
        shown +
        meetings(view)
          .map(line => `  ${paint("yellow", "!")} ${line}\n`)
          .join("")
      );
    })
    .join("");
}

function meetings({ name, overlaps, crossings }: TaskView): readonly string[] {
  return [
    ...overlaps.map(({ task, files }) => `${task} changed ${some(files)} too`),
    ...crossings.map(({ path, by, into, session }) =>
      by === name
        ? `it wrote ${plain(path)}, ${into === undefined ? "in the repository itself" : `which is ${into}'s`}`
        : `${by ?? `session ${plain(session ?? "?")}`} wrote ${plain(path)} here`,
    ),
  ];
}

function some(files: readonly string[]): string {
  const more = files.length - SHOWN_FILES;
  return `${files.slice(0, SHOWN_FILES).map(plain).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
