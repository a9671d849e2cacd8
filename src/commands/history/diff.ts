import type { Terminal } from "../../cli/terminal.ts";
import type { Change, PathChange, PathState } from "../../history/change.ts";
import { unifiedDiff } from "../../install/unified-diff.ts";
import { escapeControls } from "../../state/index.ts";
import type { System } from "../../system/system.ts";
import { octal } from "./document.ts";
import { shownPath, sizeText } from "./words.ts";

type FileState = Extract<PathState, { kind: "file" }>;

export interface DiffView {
  readonly terminal: Pick<Terminal, "paint">;
  readonly text: System["text"];
  readonly home: string;
  /** the text is shown to a person: colours, and nothing that the terminal would obey */
  readonly isShown: boolean;
  /** The bytes of a file; throws when they are gone. */
  readContent(state: FileState): Promise<Uint8Array>;
}

/** Longer files are named with their sizes. */
const MAX_DIFF_BYTES = 2_000_000;
const BINARY_PROBE_BYTES = 8_000;

/** What happened to one path: a unified diff of a text file, a sentence for everything else. */
export async function renderDiff(file: PathChange, change: Change, view: DiffView): Promise<string> {
  const name = shownPath(file.path, change.project, view.home);
  const lines = describeKinds(file, change, view);
  const { before, after } = file;
  if (before.kind !== "file" && after.kind !== "file") return lines.map(line => `${line}\n`).join("");
  const texts = await readTexts([before, after], view);
  if (typeof texts === "string") return `${[...lines, `${name}: ${texts}`].join("\n")}\n`;
  const diff = unifiedDiff(name, texts[0], texts[1]);
  return lines.map(line => `${line}\n`).join("") + (view.isShown ? shown(diff, view) : diff);
}

/** What a diff of texts cannot say. */
function describeKinds(
  { path, what, from, before, after }: PathChange,
  { project }: Change,
  { home, terminal }: DiffView,
): readonly string[] {
  const name = shownPath(path, project, home);
  const facts: string[] = [];
  if (from !== undefined) facts.push(`moved from ${shownPath(from, project, home)}`);
  else if (what === "time") facts.push("only its time changed");
  for (const [state, verb] of [
    [before, "removed"],
    [after, "made"],
  ] as const) {
    const other = state === before ? after : before;
    if (state.kind === "directory" && other.kind !== "directory") facts.push(`directory ${verb}`);
    if (state.kind === "link") facts.push(`link to ${escapeControls(state.target)} ${verb}`);
    if (state.kind === "other") facts.push("no file, directory or link: its content cannot be kept");
  }
  if ("mode" in before && "mode" in after && before.mode !== after.mode)
    facts.push(`permissions ${octal(before.mode)} → ${octal(after.mode)}`);
  return facts.map(fact => terminal.paint("bold", `${name}: ${fact}`));
}

/** Both texts, undefined where there is no file; a sentence where they cannot be compared as text. */
async function readTexts(
  states: readonly [PathState, PathState],
  view: DiffView,
): Promise<readonly [string | undefined, string | undefined] | string> {
  const files = states.map(state => (state.kind === "file" ? state : undefined));
  const sizes = files.map(state => (state === undefined ? "nothing" : sizeText(state.size))).join(" → ");
  const texts: (string | undefined)[] = [];
  for (const state of files) {
    if (state?.content.in === "nowhere") return `content not kept (${state.content.why}); ${sizes}`;
    if ((state?.size ?? 0) > MAX_DIFF_BYTES) return `too large to compare here; ${sizes}`;
  }
  for (const state of files) {
    const bytes = state === undefined ? undefined : await view.readContent(state);
    const decoded = bytes === undefined ? undefined : view.text.decode(bytes);
    const isBinary = bytes?.subarray(0, BINARY_PROBE_BYTES).includes(0) === true;
    if (isBinary || decoded?.replaced === true) return `binary file; ${sizes}`;
    texts.push(decoded?.text);
  }
  return [texts[0], texts[1]];
}

function shown(diff: string, { terminal }: DiffView): string {
  return diff
    .split("\n")
    .map((line, index) => paintLine(line.split("\t").map(escapeControls).join("\t"), index, terminal))
    .join("\n");
}

function paintLine(line: string, index: number, { paint }: Pick<Terminal, "paint">): string {
  if (index < 2) return paint("bold", line);
  if (line.startsWith("@@")) return paint("cyan", line);
  if (line.startsWith("-")) return paint("red", line);
  return line.startsWith("+") ? paint("green", line) : line;
}
