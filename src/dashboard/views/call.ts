import { shownPath } from "../../history/index.ts";
import { count } from "../../text/index.ts";
import type { Call, Moment } from "../timeline/calls.ts";
import { type ChangeSummary, canUndo } from "../timeline/changes.ts";
import { block, html, line, type Markup, NOTHING } from "./markup.ts";
import type { Site } from "./site.ts";
import {
  duration,
  hostLink,
  originLink,
  pill,
  projectLink,
  ruleLinks,
  sentence,
  sessionLink,
  time,
} from "./words.ts";

const MAX_CHIPS = 6;

interface ItemOptions {
  /** names host, project and session too: the list is not of one session */
  readonly isAlone?: boolean;
}

/** One thing of the timeline. */
export function itemView(site: Site, item: Call | Moment, { isAlone = false }: ItemOptions = {}): Markup {
  return item.kind === "call" ? callView(site, item, isAlone) : momentView(site, item, isAlone);
}

function callView(site: Site, call: Call, isAlone: boolean): Markup {
  const { change, outcome } = call;
  const mark = change?.undoneBy === undefined ? outcome : "undone";
  return html`<article class="call ${mark}" id="${call.key}" data-key="${call.key}" tabindex="-1" data-facets="${facetsOf(call)}">
<div class="when">${time(call.atMs, site)}</div>
<div class="what">
<h3><a class="tool" href="${site.to("calls", { tool: call.tool })}">${line(call.tool, 60)}</a> ${subjectOf(site, call)}</h3>
${wholeSubject(call)}
<p class="told">${pill(outcome)} ${ruleLinks(site, call.rules)} ${call.told === "" ? NOTHING : html`<span class="why">${sentence(call.told, site)}</span>`}${isAlone ? whereView(site, call) : NOTHING}</p>
${hintView(site, call)}
${change === undefined ? NOTHING : changeView(site, change)}
</div>
<div class="took">${timings(call)}</div>
</article>`;
}

const HINT_MS = 24 * 60 * 60_000;

/** What nobody waits for any more needs no permission. */
function hintView({ nowMs }: Site, { hint, atMs }: Call): Markup {
  return hint === "" || nowMs - atMs > HINT_MS ? NOTHING : html`<p class="hint">${line(hint)}</p>`;
}

function whereView(site: Site, item: Call | Moment): Markup {
  const { host, project, origin } = item;
  const whose = origin === undefined ? NOTHING : html`${originLink(site, origin)}: `;
  return html`<span class="where">${whose}${hostLink(site, host)} in ${projectLink(site, project)}, session ${sessionLink(site, item)}</span>`;
}

function facetsOf(item: Call | Moment): string {
  const { host, project, rules, outcome, session } = item;
  const tool = item.kind === "call" ? item.tool : item.event;
  const facets = Object.entries({ host, project, outcome, tool, session });
  return [...facets.map(([name, value]) => `${name}=${value}`), ...rules.map(rule => `rule=${rule}`)].join(
    "\n",
  );
}

const SUBJECT_LENGTH = 160;

/** Files by where they lie in the project. */
function shownSubject({ home }: Site, { subject, project, tool }: Call): string {
  const isPath = tool !== "Bash" && subject.startsWith("/") && !subject.includes("\n");
  return isPath ? shownPath(subject, project, home) : subject;
}

function subjectOf(site: Site, call: Call): Markup {
  const { subject, change } = call;
  const text = subject === "" ? filesOf(site, change) : shownSubject(site, call);
  if (text === "")
    return html`<span class="unknown">command not ${site.team === undefined ? "recorded" : "shipped"}</span>`;
  return html`<code>${line(text.trim().replace(/\s+/g, " "), SUBJECT_LENGTH)}</code>`;
}

/** A command of several lines, or a long one, as it was sent. */
function wholeSubject({ subject }: Call): Markup {
  const isShort = !subject.trim().includes("\n") && subject.length <= SUBJECT_LENGTH;
  if (isShort) return NOTHING;
  return html`<details class="whole"><summary>The whole command</summary><pre tabindex="0">${block(subject)}</pre></details>`;
}

function filesOf({ home }: Site, change: ChangeSummary | undefined): string {
  if (change === undefined) return "";
  const names = change.files.slice(0, 2).map(({ path }) => shownPath(path, change.project, home));
  const more = change.fileCount - names.length;
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function timings({ durationMs, hookMs, isFailed }: Call): Markup {
  return html`${durationMs === undefined ? NOTHING : html`<span title="how long the call took">${duration(durationMs)}</span>`}
${hookMs === undefined ? NOTHING : html`<span class="soft" title="how long the hooks before it took">hook ${duration(hookMs)}</span>`}
${isFailed ? html`<span class="bad">failed</span>` : NOTHING}`;
}

/** What it changed, its diff on demand, and the way back. */
function changeView(site: Site, change: ChangeSummary): Markup {
  const { id, project, fileCount, files, git } = change;
  const chips = files
    .slice(0, MAX_CHIPS)
    .map(
      ({ path, what }) =>
        html`<li class="${what}"><a href="${site.to("search", { q: path })}">${line(shownPath(path, project, site.home), 80)}</a> <span>${what}</span></li>`,
    );
  const more = fileCount - chips.length;
  return html`<div class="change" data-change="${id}">
<ul class="files">${chips}${more > 0 ? html`<li>and ${more} more</li>` : NOTHING}${git.slice(0, 3).map(text => html`<li class="git">git ${line(text, 80)}</li>`)}</ul>
<div class="actions">${stateOf(site, change)}${undoButton(site, change)}</div>
${site.isReport ? html`<p class="soft">Its diff: <code class="command">amplihack history show ${id}</code></p>` : diffSlot(site, change)}
</div>`;
}

function diffSlot(site: Site, { id, fileCount, git }: ChangeSummary): Markup {
  const what = fileCount > 0 ? count(fileCount, "file") : count(git.length, "git change");
  return html`<details class="diff" data-diff="${id}" id="diff-${id}"><summary>Diff of ${what}</summary>
<div class="slot"><p><a href="${site.to("change", { id })}">Change ${id}</a></p></div></details>`;
}

function stateOf(site: Site, change: ChangeSummary): Markup {
  const { id, undoneBy, isPartlyUndone, isOpen, isComplete } = change;
  const notes = [
    ...(undoneBy === undefined ? [] : [html`<span class="pill undone">undone</span>`]),
    ...(isPartlyUndone ? [html`<span class="pill undone">partly undone</span>`] : []),
    ...(isOpen
      ? [html`<span class="pill noted" title="its end was never seen; it may still run">open</span>`]
      : []),
    ...(isComplete
      ? []
      : [html`<span class="pill noted" title="not everything was kept before it began">incomplete</span>`]),
  ];
  return html`<a class="id mono" href="${site.to("change", { id })}" title="this change">${id}</a>${notes}`;
}

/** A button that only the script can use: it sends the token, which no other site has. */
export function undoButton(site: Site, change: Pick<ChangeSummary, "id" | "kind" | "undoneBy">): Markup {
  if (site.whyReadOnly !== undefined) return NOTHING;
  if (canUndo(change))
    return html`<button type="button" class="undo" data-undo="${change.id}">Undo …</button>`;
  const undo = change.kind === "undo" ? change.id : change.undoneBy;
  if (undo === undefined || (change.kind === "undo" && change.undoneBy !== undefined)) return NOTHING;
  return html`<button type="button" class="undo" data-redo="${undo}">Redo …</button>`;
}

const EVENT_WORDS: Readonly<Record<string, string>> = {
  SessionStart: "Session started",
  SessionEnd: "Session ended",
  UserPromptSubmit: "Prompt",
  Stop: "Agent stopped",
  SubagentStop: "Agent below stopped",
  PreCompact: "Conversation compacted",
  PostToolUse: "After a call",
  PostToolUseFailure: "After a failed call",
  PermissionRequest: "Permission asked for",
  Notification: "Notification",
};

/** Something that is no call: one quiet line, unless something came of it. */
function momentView(site: Site, moment: Moment, isAlone: boolean): Markup {
  const { event, outcome, told, rules } = moment;
  const name = outcome === "held" ? "Agent wanted to stop" : (EVENT_WORDS[event] ?? event);
  return html`<article class="moment ${outcome}" id="${moment.key}" data-key="${moment.key}" tabindex="-1" data-facets="${facetsOf(moment)}">
<div class="when">${time(moment.atMs, site)}</div>
<div class="what"><h3>${line(name, 60)}</h3>${outcome === "silent" ? NOTHING : html`<p class="told">${pill(outcome)} ${outcome === "held" ? NOTHING : ruleLinks(site, rules)} <span class="why">${sentence(told, site)}</span>${isAlone ? whereView(site, moment) : NOTHING}</p>`}</div>
<div class="took"><span class="soft">hook ${duration(moment.hookMs)}</span></div>
</article>`;
}
