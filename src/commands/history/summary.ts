import type { Terminal } from "../../cli/index.ts";
import {
  type Change,
  changeMark,
  countFiles,
  describeChange,
  formatAge,
  gitLines,
  type PathChange,
  type PathState,
  shownPath,
  shownPlace,
} from "../../history/index.ts";
import { hostTitle } from "../../install/index.ts";
import { localTimestamp } from "../../state/index.ts";
import { count, escapeControls, sizeText } from "../../text/index.ts";

interface SummaryView {
  readonly terminal: Pick<Terminal, "paint">;
  readonly nowMs: number;
  readonly home: string;
}

/** What one change was and did, without the content of files. */
export function renderSummary(change: Change, { terminal, nowMs, home }: SummaryView): string {
  const { project, session, files } = change;
  const mark = changeMark(change);
  const by = [
    hostTitle(change.host),
    ...(session === undefined ? [] : [`session ${escapeControls(session)}`]),
  ];
  if (change.turn > 0) by.push(`turn ${change.turn}`);
  const facts = [
    ["what", describeChange(change, home)],
    [
      "when",
      `${formatAge(nowMs, change.timeMs)} (${localTimestamp(change.timeMs).slice(0, 19).replace("T", " ")})`,
    ],
    ["who", by.join(", ")],
    ["where", shownPlace(project, home)],
    ["guard", change.verdict + (change.rules.length === 0 ? "" : ` (${change.rules.join(", ")})`)],
    ...(change.exit === undefined ? [] : [["ended", escapeControls(change.exit)]]),
    ...(mark === "" ? [] : [["state", describeMark(change)]]),
  ];
  const lines = [
    `${terminal.paint("bold", `change ${change.id}`)}  ${countFiles(files)}`,
    ...facts.filter(([, text]) => text !== "").map(([name = "", text]) => `  ${name.padEnd(6)} ${text}`),
    "",
    ...renderFiles(files, change, home),
    ...gitLines(change).map(line => `  git       ${line}`),
    ...change.notKept.map(({ path, why }) =>
      terminal.paint("yellow", `  not kept  ${shownPath(path, project, home)}: ${escapeControls(why)}`),
    ),
  ];
  return lines.map(line => `${line}\n`).join("");
}

function describeMark(change: Change): string {
  const { undoneBy, undonePaths, status } = change;
  if (undoneBy !== undefined) return `${changeMark(change)} by ${undoneBy}`;
  if (undonePaths.length > 0) return `partly undone: ${count(undonePaths.length, "path")}`;
  if (status === "running") return "running: processes that it left behind go on, and may change more";
  if (status === "open")
    return changeMark(change) === "asked" ? "asked: it has not run yet" : "open: its end was not seen";
  return "incomplete: not everything was kept before it began";
}

function renderFiles(files: readonly PathChange[], { project }: Change, home: string): readonly string[] {
  const rows = files.map(({ path, what, from, before, after }) => ({
    what,
    name: shownPath(path, project, home),
    sizes:
      from === undefined
        ? [describeState(before), describeState(after)].filter(text => text !== "").join(" → ")
        : `from ${shownPath(from, project, home)}`,
  }));
  const width = Math.min(50, Math.max(0, ...rows.map(({ name }) => name.length)));
  return rows.map(({ what, name, sizes }) =>
    `  ${what.padEnd(8)}  ${name.padEnd(width)}  ${sizes}`.trimEnd(),
  );
}

function describeState(state: PathState): string {
  switch (state.kind) {
    case "absent":
      return "";
    case "file":
      return sizeText(state.size);
    case "link":
      return `link to ${escapeControls(state.target)}`;
    case "directory":
      return "folder";
    case "other":
      return "special file";
  }
}
