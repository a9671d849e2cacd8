import {
  type Change,
  describeKinds,
  type History,
  type PathChange,
  readFileTexts,
  shownPath,
} from "../../history/index.ts";
import { unifiedDiff } from "../../install/index.ts";
import type { System } from "../../system/index.ts";
import { html, line, type Markup, NOTHING } from "./markup.ts";
import type { Site } from "./site.ts";

const MAX_FILES = 40;
const MAX_LINES = 400;
const LINE_LENGTH = 400;

/** What a change did to the content of files. */
export async function diffView(
  site: Site,
  system: System,
  history: History,
  change: Change,
): Promise<Markup> {
  // A move is told once, where the file went.
  const files = change.files.filter(
    ({ to }) => to === undefined || change.files.every(({ path }) => path !== to),
  );
  const shown: Markup[] = [];
  for (const file of files.slice(0, MAX_FILES))
    shown.push(await fileDiff(site, system, history, change, file));
  const more = files.length - shown.length;
  return html`<div class="diffs">${shown}${more > 0 ? html`<p class="soft">and ${more} more files: <code class="command">amplihack history show ${change.id}</code></p>` : NOTHING}</div>`;
}

async function fileDiff(
  { home }: Site,
  system: System,
  { readContent }: History,
  change: Change,
  file: PathChange,
): Promise<Markup> {
  const texts = await readFileTexts(file, change, { text: system.text, readContent });
  const facts = describeKinds(file, change.project, home);
  const lines = texts === undefined || typeof texts === "string" ? [] : diffLines(file.path, texts);
  const added = lines.filter(one => one.startsWith("+")).length;
  const removed = lines.filter(one => one.startsWith("-")).length;
  const figures =
    lines.length === 0
      ? NOTHING
      : html`<span class="plus">+${added}</span> <span class="minus">−${removed}</span>`;
  const said = [...facts, ...(typeof texts === "string" ? [texts] : [])];
  const rest = lines.length - MAX_LINES;
  return html`<section class="file"><h4><span class="what ${file.what}">${file.what}</span> <code>${line(shownPath(file.path, change.project, home), 200)}</code> ${figures}</h4>
${said.map(text => html`<p class="soft">${line(text)}</p>`)}
${lines.length === 0 ? NOTHING : html`<pre class="lines" tabindex="0" aria-label="Diff of ${line(file.path, 200)}">${lines.slice(0, MAX_LINES).map(diffLine)}</pre>`}
${rest > 0 ? html`<p class="soft">and ${rest} more lines: <code class="command">amplihack history show ${change.id}</code></p>` : NOTHING}</section>`;
}

/** Without the names of the files, which stand above. */
function diffLines(
  path: string,
  [before, after]: readonly [string | undefined, string | undefined],
): readonly string[] {
  const lines = unifiedDiff(path, before, after).split("\n");
  const start = lines.findIndex(one => one.startsWith("@@"));
  return start < 0
    ? []
    : lines.slice(start).filter((one, index, all) => one !== "" || index < all.length - 1);
}

function diffLine(text: string): Markup {
  const kind = text.startsWith("@@")
    ? "hunk"
    : text.startsWith("+")
      ? "plus"
      : text.startsWith("-")
        ? "minus"
        : "same";
  return html`<span class="${kind}">${line(text.replaceAll("\t", "    "), LINE_LENGTH)}
</span>`;
}
