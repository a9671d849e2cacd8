import type { Change, History, PathChange, PathState } from "../../history/index.ts";
import { unifiedDiff } from "../../install/unified-diff.ts";
import { sizeText } from "../../protocol/quantity.ts";
import { escapeControls } from "../../state/index.ts";
import { isInside, relative } from "../../system/paths.ts";
import type { System } from "../../system/system.ts";
import type { Terminal } from "../terminal.ts";
import { octal } from "./document.ts";
import { shownPath } from "./words.ts";

export interface DiffView {
  readonly terminal: Pick<Terminal, "paint">;
  readonly text: System["text"];
  readonly home: string;
  /** the text is shown to a person: colours, and nothing that the terminal would obey */
  readonly isShown: boolean;
  readonly readContent: History["readContent"];
}

/** Longer files are named with their sizes. */
const MAX_DIFF_BYTES = 2_000_000;
const BINARY_PROBE_BYTES = 8_000;

/** What happened to one path: a unified diff of a text file, a sentence for everything else. */
export async function renderDiff(file: PathChange, change: Change, view: DiffView): Promise<string> {
  const name = shownPath(file.path, change.project, view.home);
  const lines = describeKinds(file, change, view);
  const before = sideBefore(file, change);
  const { path, after } = file;
  if (before.state.kind !== "file" && after.kind !== "file") return lines.map(line => `${line}\n`).join("");
  const texts = await readTexts([before, { path, state: after }], view);
  if (typeof texts === "string") return `${[...lines, `${name}: ${texts}`].join("\n")}\n`;
  // Names with control characters are quoted in the way of git, which can read them back.
  const inDiff = isInside(change.project, path) ? relative(change.project, path) : path;
  const diff = unifiedDiff(inDiff, texts[0], texts[1]);
  return lines.map(line => `${line}\n`).join("") + (view.isShown ? shown(diff, view) : diff);
}

interface Side {
  readonly path: string;
  readonly state: PathState;
}

/** A file that was moved is compared with what it was where it came from. */
function sideBefore({ path, from, before }: PathChange, { files }: Change): Side {
  const source = from === undefined ? undefined : files.find(file => file.path === from);
  return source === undefined ? { path, state: before } : { path: source.path, state: source.before };
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
  sides: readonly [Side, Side],
  view: DiffView,
): Promise<readonly [string | undefined, string | undefined] | string> {
  const sizes = sides
    .map(({ state }) => (state.kind === "file" ? sizeText(state.size) : "nothing"))
    .join(" → ");
  const files = sides.flatMap(({ state }) => (state.kind === "file" ? [state] : []));
  const unknown = files.map(({ content }) => content).find(content => content.in === "nowhere");
  if (unknown !== undefined) return `content not kept (${unknown.why}); ${sizes}`;
  if (files.some(({ size }) => size > MAX_DIFF_BYTES)) return `too large to compare here; ${sizes}`;
  const texts: (string | undefined)[] = [];
  for (const { state, path } of sides) {
    if (state.kind !== "file") {
      texts.push(undefined);
      continue;
    }
    const bytes = await view.readContent(path, state, MAX_DIFF_BYTES);
    if (bytes === undefined) return `its content is not there any more; ${sizes}`;
    const decoded = view.text.decode(bytes);
    if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0) || decoded.replaced) return `binary file; ${sizes}`;
    texts.push(decoded.text);
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
