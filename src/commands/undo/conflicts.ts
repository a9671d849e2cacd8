import { escapeControls } from "../../state/index.ts";
import { countWith, shownPath } from "../history/words.ts";
import { MAX_SHOWN_FILES, type Preview, type PreviewView, paint } from "./preview.ts";

/** What is in the way, and what to do about it. */
export function renderConflicts(preview: Preview, view: PreviewView, retry: string): string {
  const { verb, conflicts } = preview;
  const title = `Nothing was changed: ${countWith(conflicts.length, "path", ["was", "were"])} changed again since.`;
  const names = conflicts.map(({ path, why, by }) => {
    const shown = shownPath(path, view.project, view.home);
    return `  ${shown}: ${escapeControls(why)}${by === undefined ? "" : `, by ${by}`}\n`;
  });
  const limit = view.isWhole ? names.length : MAX_SHOWN_FILES;
  const more = names.length > limit ? [`  and ${names.length - limit} more\n`] : [];
  const later = [...new Set(conflicts.flatMap(({ by }) => by ?? []))];
  const first = preview.changes[0]?.id ?? "";
  const ways = [
    ...(later.length > 0 && verb === "undo"
      ? [
          [
            `amplihack undo ${[...later, ...preview.changes.map(({ id }) => id)].slice(0, 6).join(" ")}`,
            "takes the later changes back too",
          ],
        ]
      : []),
    [`amplihack history show ${first}`, "shows what was changed"],
    [`${retry} -- PATH`, "does it for the files you name"],
    [
      `${retry} --force`,
      `does it all the same; what is there now is kept, and amplihack ${verb === "undo" ? "redo" : "undo"} brings it back`,
    ],
  ];
  const lines = ways.map(([command, does]) => `  ${paint(view, "cyan", command ?? "")}\n      ${does}\n`);
  return `${paint(view, "bold", title)}\n${names.slice(0, limit).join("")}${more.join("")}\nYou can:\n${lines.join("")}`;
}
