import { type CommandInvocation, loadChanges, loadPager, type Terminal } from "../../cli/index.ts";
import type { GuardSettings } from "../../config/index.ts";
import { countFiles, formatAge, isFolder, type PathChange, shownPath } from "../../history/index.ts";
import { loadProcessTree } from "../../hooks/index.ts";
import type { Json } from "../../protocol/index.ts";
import { heldAsChange, type TriedChanges, type TryRecord } from "../../sandbox/index.ts";
import { isInside, type System } from "../../system/index.ts";
import { escapeControls, redact, sizeText } from "../../text/index.ts";

const MAX_SHOWN = 20;

export interface HeldChanges {
  readonly record: TryRecord;
  readonly changes: TriedChanges;
}

/** What the command would change, without the content of files. */
export function renderHeld(
  { record, changes }: HeldChanges,
  view: { readonly terminal: Pick<Terminal, "paint">; readonly home: string; readonly nowMs: number },
  isWhole = false,
): string {
  const files = shownFiles(changes.files);
  const shown = isWhole ? files : files.slice(0, MAX_SHOWN);
  const width = Math.min(60, Math.max(0, ...shown.map(file => displayPath(file, record, view.home).length)));
  const rows = shown.map(file =>
    `  ${file.what.padEnd(8)}  ${displayPath(file, record, view.home).padEnd(width)}  ${describeSizes(file)}`.trimEnd(),
  );
  const more = files.length - shown.length;
  const words = escapeControls(record.command.join(" "));
  return [
    view.terminal.paint(
      "bold",
      `try ${record.id}  ${countFiles(changes.files)}, ${formatAge(view.nowMs, record.timeMs)}`,
    ),
    `  ${words}`,
    ...(record.reason === undefined ? [] : [`  held: ${escapeControls(record.reason)}`]),
    "",
    ...rows,
    ...(more > 0 ? [`  and ${more} more: amplihack try show ${record.id}`] : []),
    ...changes.left.map(
      path => `  left out  ${shownPath(path, record.project, view.home)}: a socket or pipe`,
    ),
    "",
  ].join("\n");
}

/** What git stores for itself says nothing to a reader; its branches and lists do. */
const GIT_OBJECT = /\/\.git\/(?:objects|logs)\//;

/** A move is told once, and a folder only where nothing else tells of it. */
function shownFiles(files: readonly PathChange[]): readonly PathChange[] {
  const parents = new Set(files.map(({ path }) => path.slice(0, path.lastIndexOf("/"))));
  return files.filter(
    file =>
      file.to === undefined && !(isFolder(file) && parents.has(file.path)) && !GIT_OBJECT.test(file.path),
  );
}

function displayPath({ path, from }: PathChange, { project }: TryRecord, home: string): string {
  const name = shownPath(path, project, home);
  return from === undefined ? name : `${shownPath(from, project, home)} → ${name}`;
}

function describeSizes({ before, after, what }: PathChange): string {
  const sizes = [before, after].flatMap(state => (state.kind === "file" ? sizeText(state.size) : []));
  return what === "moved" ? "" : sizes.join(" → ");
}

/** With diffs, in the pager. Only `paths` and what is below them, where some are named. */
export async function pageHeld(
  { system, terminal }: Pick<CommandInvocation, "system" | "terminal">,
  held: HeldChanges,
  {
    home,
    guard,
    paths,
    isStat,
  }: {
    readonly home: string;
    readonly guard: GuardSettings;
    readonly paths: readonly string[];
    readonly isStat: boolean;
  },
): Promise<void> {
  const { record, changes } = held;
  const isNamed = ({ path }: PathChange) => paths.length === 0 || paths.some(place => isInside(place, path));
  const files = changes.files.filter(isNamed);
  const summary = renderHeld(
    { record, changes: { ...changes, files } },
    { terminal, home, nowMs: system.clock.nowMs() },
    true,
  );
  const { page } = await loadPager();
  if (isStat) return page(system, terminal, summary);
  const { renderDiff } = await loadChanges();
  const { agentAbove } = await loadProcessTree();
  const view = {
    terminal,
    text: system.text,
    home,
    isShown: system.stdio.isTerminal("stdout"),
    agentSettings: agentAbove(system) === undefined ? undefined : guard,
    readContent: changes.readContent,
  };
  const change = heldAsChange(record, changes);
  const parts: string[] = [];
  for (const file of shownFiles(files)) parts.push(await renderDiff(file, change, view));
  page(system, terminal, `${summary}\n${parts.join("")}`);
}

/** For a reader on another machine: no colours, and secrets are left out. */
export async function diffForOthers(
  system: System,
  { record, changes }: HeldChanges,
  home: string,
  agentSettings: GuardSettings,
): Promise<string> {
  const terminal = { paint: (_: unknown, text: string) => text };
  const summary = renderHeld({ record, changes }, { terminal, home, nowMs: record.timeMs }, true);
  const change = heldAsChange(record, changes);
  const view = {
    terminal,
    text: system.text,
    home,
    isShown: false,
    agentSettings,
    readContent: changes.readContent,
  };
  const { renderDiff } = await loadChanges();
  let diff = redact(summary);
  for (const file of shownFiles(changes.files)) {
    diff += redact(await renderDiff(file, change, view));
    if (diff.length > MAX_DIFF_CHARACTERS)
      return `${diff.slice(0, diff.lastIndexOf("\n", MAX_DIFF_CHARACTERS))}\nand more, which is not shown here. On the machine: amplihack try show ${record.id}\n`;
  }
  return diff;
}

const MAX_DIFF_CHARACTERS = 60_000;

/** As `--format json` prints it. */
export function heldDocument({ record, changes }: HeldChanges): { readonly [name: string]: Json } {
  return {
    id: record.id,
    time: new Date(record.timeMs).toISOString(),
    project: record.project,
    command: [...record.command],
    host: record.host,
    session: record.session ?? null,
    exit: record.exit ?? null,
    reason: record.reason ?? null,
    files: changes.files.map(({ path, what, from, before, after }) => ({
      path,
      what,
      from: from ?? null,
      sizeBefore: before.kind === "file" ? before.size : null,
      sizeAfter: after.kind === "file" ? after.size : null,
    })),
    leftOut: [...changes.left],
  };
}
