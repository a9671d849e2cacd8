import type { GuardSettings } from "../config/index.ts";
import type { System } from "../system/index.ts";
import { escapeControls, sizeText } from "../text/index.ts";
import { secretAt } from "../workspace/index.ts";
import type { Change, PathChange, PathState } from "./change.ts";
import type { History } from "./interface.ts";
import { shownPath } from "./words.ts";

/** Whoever shows contents says who reads them, so that no way to show them is without the filter. */
export interface Onlooker {
  readonly home: string;
  /** an agent reads, under these settings: what files of secrets hold is not for it, here as in the file itself */
  readonly agentSettings: GuardSettings | undefined;
}

export interface ContentReader extends Onlooker {
  readonly text: System["text"];
  readonly readContent: History["readContent"];
}

/** Both texts of a file, undefined where there was none. */
export type FileTexts = readonly [before: string | undefined, after: string | undefined];

/** Longer files are named with their sizes. */
const MAX_DIFF_BYTES = 2_000_000;
const BINARY_PROBE_BYTES = 8_000;

/** What a path was and is as text; a sentence where it cannot be compared as text; undefined for what is no file. */
export async function readFileTexts(
  file: PathChange,
  change: Change,
  reader: ContentReader,
): Promise<FileTexts | string | undefined> {
  const before = sideBefore(file, change);
  const { path, after } = file;
  if (before.state.kind !== "file" && after.kind !== "file") return undefined;
  if (mayHoldSecrets(file, change, reader)) return HIDDEN;
  return readTexts([before, { path, state: after }], reader);
}

const HIDDEN =
  "it may hold secrets, which an agent is not shown; a person sees it in a terminal of their own";

function mayHoldSecrets(
  file: PathChange,
  { project }: Change,
  { agentSettings: settings, home }: Onlooker,
): boolean {
  if (settings === undefined) return false;
  return pathNames(file).some(path => secretAt({ home, project, settings }, path) !== undefined);
}

/** Where the file is, was, and went. */
export function pathNames({ path, from, to }: PathChange): readonly string[] {
  return [path, from, to].filter(name => name !== undefined);
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

/** What a diff of texts cannot say of a path. */
export function describeKinds(
  { what, from, before, after }: PathChange,
  project: string,
  home: string,
): readonly string[] {
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
  return facts;
}

/** Both texts, undefined where there is no file; a sentence where they cannot be compared as text. */
async function readTexts(sides: readonly [Side, Side], reader: ContentReader): Promise<FileTexts | string> {
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
    const bytes = await reader.readContent(path, state, MAX_DIFF_BYTES);
    if (bytes === undefined) return `its content is not there any more; ${sizes}`;
    const decoded = reader.text.decode(bytes);
    if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0) || decoded.replaced) return `binary file; ${sizes}`;
    texts.push(decoded.text);
  }
  return [texts[0], texts[1]];
}

export function octal(mode: number): string {
  return mode.toString(8).padStart(4, "0");
}
