import { findRule } from "../../guard/index.ts";
import {
  type Change,
  changeMark,
  countPaths,
  describeChange,
  describeKinds,
  type History,
  isFolder,
  type PathChange,
  type PathStep,
  readFileTexts,
  shownPath,
  shownPlace,
  sortSteps,
  type UndoPlan,
} from "../../history/index.ts";
import { unifiedDiff } from "../../install/index.ts";
import type { System } from "../../system/index.ts";
import { count } from "../../text/index.ts";
import {
  type Call,
  type ChangeSummary,
  canUndo,
  type Moment,
  OUTCOME_WORDS,
  type Outcome,
  summarise,
} from "../timeline/calls.ts";
import { type Timeline, uniqueSessionId } from "../timeline/timeline.ts";
import { type CallFilter, chosenFilters, filterForm, fitsFilter, pager, placeChoices } from "./filters.ts";
import { block, html, line, type Markup, NOTHING, type Site } from "./layout.ts";
import {
  command,
  duration,
  empty,
  hostLink,
  nothingShipped,
  originLink,
  pill,
  projectLink,
  ruleLinks,
  sentence,
  sessionLink,
  time,
} from "./words.ts";

const MAX_CHIPS = 6;

/** One thing of the timeline. */
export function itemView(site: Site, item: Call | Moment): Markup {
  return item.kind === "call" ? callView(site, item) : momentView(site, item);
}

/** Things of several sessions: whose they are is told once for all that follow each other. */
export function itemsView(site: Site, items: readonly (Call | Moment)[]): Markup {
  return html`<div class="items">${items.map((item, index) => {
    const before = items[index - 1];
    const isSame = before !== undefined && uniqueSessionId(before) === uniqueSessionId(item);
    const shown = item.kind === "call" ? site.complete(item) : item;
    return html`${isSame ? NOTHING : whereView(site, item)}${itemView(site, shown)}`;
  })}</div>`;
}

function callView(site: Site, call: Call): Markup {
  const { change, outcome } = call;
  const mark = change?.undoneBy === undefined ? outcome : "undone";
  return html`<article class="call ${mark}" id="${call.key}" data-key="${call.key}" tabindex="-1" data-facets="${renderFacets(call)}">
<div class="when">${time(call.atMs, site)}</div>
<div class="what">
<h3><a class="tool" href="${site.to("calls", { tool: call.tool })}">${line(call.tool, 60)}</a> ${renderSubject(site, call)}</h3>
${wholeSubject(call)}
${outcome === "silent" ? NOTHING : html`<p class="told">${pill(outcome)} ${ruleLinks(site, call.rules)} ${whyView(site, call)}</p>`}
${hintView(site, call)}
${change === undefined ? NOTHING : changeSummaryView(site, change)}
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
  return html`<p class="where">${whose}${hostLink(site, host)} in ${projectLink(site, project)}, session ${sessionLink(site, item)}</p>`;
}

function renderFacets(item: Call | Moment): string {
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

function renderSubject(site: Site, call: Call): Markup {
  const { subject, change } = call;
  const text = subject === "" ? describeFiles(site, change) : shownSubject(site, call);
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

function describeFiles({ home }: Site, change: ChangeSummary | undefined): string {
  if (change === undefined) return "";
  const names = change.files.slice(0, 2).map(({ path }) => shownPath(path, change.project, home));
  const more = change.fileCount - names.length;
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function timings({ durationMs, hookMs, isFailed }: Call): Markup {
  const hooks = hookMs === undefined ? "" : `; the hooks before it ${duration(hookMs)}`;
  return html`${durationMs === undefined ? NOTHING : html`<span title="how long the call took${hooks}">${duration(durationMs)}</span>`}
${isFailed ? html`<span class="bad">failed</span>` : NOTHING}`;
}

/** What it changed, its diff on demand, and the way back. */
function changeSummaryView(site: Site, change: ChangeSummary): Markup {
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
<div class="actions">${renderState(site, change)}${undoButton(site, change)}</div>
${site.isReport ? html`<p class="soft">Its diff: <code class="command">amplihack history show ${id}</code></p>` : diffSlot(site, change)}
</div>`;
}

function diffSlot(site: Site, { id, fileCount, git }: ChangeSummary): Markup {
  const what = fileCount > 0 ? count(fileCount, "file") : count(git.length, "git change");
  return html`<details class="diff" data-diff="${id}" id="diff-${id}"><summary>Diff of ${what}</summary>
<div class="slot"><p><a href="${site.to("change", { id })}">Change ${id}</a></p></div></details>`;
}

function renderState(site: Site, change: ChangeSummary): Markup {
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
function undoButton(site: Site, change: Pick<ChangeSummary, "id" | "kind" | "undoneBy">): Markup {
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

/** A rule of somebody's own has no title here but its id, which stands beside it already. */
function whyView(site: Site, { told, rules }: Pick<Call, "told" | "rules">): Markup {
  return told === "" || told === rules.join("; ")
    ? NOTHING
    : html`<span class="why">${sentence(told, site)}</span>`;
}

/** Something that is no call: one quiet line, unless something came of it. */
function momentView(site: Site, moment: Moment): Markup {
  const { event, outcome, told, rules } = moment;
  const name = outcome === "held" ? "Agent wanted to stop" : (EVENT_WORDS[event] ?? event);
  return html`<article class="moment ${outcome}" id="${moment.key}" data-key="${moment.key}" tabindex="-1" data-facets="${renderFacets(moment)}">
<div class="when">${time(moment.atMs, site)}</div>
<div class="what"><h3>${line(name, 60)}</h3>${outcome === "silent" ? NOTHING : html`<p class="told">${pill(outcome)} ${outcome === "held" ? NOTHING : ruleLinks(site, rules)} ${whyView(site, { told, rules })}</p>`}</div>
</article>`;
}

const PAGE_SIZE = 50;

/** Calls of all sessions, newest first, as far as they fit. */
export function callsView(site: Site, timeline: Timeline, filter: CallFilter, from: number): Markup {
  const { items, names } = timeline;
  const fitting = items.filter(call => fitsFilter(call, filter, site.nowMs));
  const shown = site.isReport ? fitting : fitting.slice(from, from + PAGE_SIZE);
  const form = filterForm(site, "calls", filter, [
    {
      name: "outcome",
      label: "Outcome",
      options: (Object.keys(OUTCOME_WORDS) as Outcome[]).map(outcome => [outcome, OUTCOME_WORDS[outcome]]),
    },
    ...placeChoices(site, names),
    {
      name: "rule",
      label: "Rule",
      options: names.rule.map(name => [name, name]),
    },
    ...(site.team === undefined ? [CHANGES] : []),
  ]);
  const size = site.isReport ? shown.length : PAGE_SIZE;
  return html`<h1>Calls</h1>${form}${chosenFilters(site, "calls", filter)}${aboutRule(filter.rule)}
${shown.length === 0 ? noCalls(site, timeline) : html`<h2 class="unseen">Newest first</h2>${itemsView(site, shown)}`}
${pager(site, "calls", { ...filter }, { from, shown: shown.length, total: fitting.length, size })}`;
}

const CHANGES = {
  name: "changes",
  label: "Changes",
  options: [
    ["all", "that changed something"],
    ["standing", "that can be undone"],
    ["undone", "that were undone"],
  ],
} as const;

function noCalls({ team }: Site, { items }: Timeline): Markup {
  if (items.length > 0) return empty("No matching calls.", "Drop a filter to see more.");
  return team !== undefined
    ? nothingShipped(team)
    : empty(
        "No agent has used a tool yet.",
        html`${command("amplihack doctor")} tells which agents are registered, and ${command("amplihack demo")} shows what you would see.`,
      );
}

function aboutRule(rule: string | undefined): Markup {
  const known = rule === undefined ? undefined : findRule(rule);
  if (known === undefined) return NOTHING;
  return html`<section class="about" aria-label="About this rule"><h2>${known.title}</h2><p>${known.when}</p>
<p class="soft">More: ${command(`amplihack guard why ${known.id}`)}</p></section>`;
}

/** One change on a page of its own. */
export function changeView(site: Site, change: Change, diff: Markup): Markup {
  const { id, kind, host, session, project, tool, rules, durationMs, command, undoneBy, of } = change;
  const summary = summarise(change);
  const mark = changeMark(change);
  const isCall = kind === "call";
  const facts: readonly (readonly [string, Markup | string])[] = [
    ["When", time(change.timeMs, site)],
    ["Who", isCall ? hostLink(site, host) : "a person"],
    ...(session === undefined
      ? []
      : [["Session", html`${sessionLink(site, { session })}, turn ${change.turn}`] as const]),
    [
      "Project",
      html`${projectLink(site, project)} <span class="soft">${line(shownPlace(project, site.home))}</span>`,
    ],
    ...(durationMs === undefined ? [] : [["Took", duration(durationMs)] as const]),
    ...(rules.length === 0 ? [] : [["Rules", html`${ruleLinks(site, rules)}`] as const]),
    ...(mark === ""
      ? []
      : [["State", undoneBy === undefined ? mark : html`${mark} by ${changeLink(site, undoneBy)}`] as const]),
    ...(of.length === 0
      ? []
      : [["Takes back", html`${of.slice(0, 20).map(one => html`${changeLink(site, one)} `)}`] as const]),
    ...(summary.git.length === 0
      ? []
      : [["Git", html`${summary.git.map(text => html`${line(text)}<br>`)}`] as const]),
  ];
  const title = isCall ? line(tool, 60) : kind === "undo" ? "Undo" : "Redo";
  return html`<nav class="crumbs" aria-label="Where you are"><a href="${site.to("calls", { changes: "all" })}">Changes</a> / <span class="mono">${id}</span></nav>
<div class="heading"><h1>${title} <span class="mono soft">${id}</span></h1>${undoButton(site, summary)}</div>
${command === "" ? NOTHING : html`<pre class="subject" tabindex="0">${block(command)}</pre>`}
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${change.notKept.length === 0 ? NOTHING : html`<p class="bad">Not kept:</p><ul>${change.notKept.map(({ path, why }) => html`<li>${line(shownPath(path, project, site.home))}: ${line(why)}</li>`)}</ul>`}
<h2>What it changed</h2>${diff}`;
}

function changeLink(site: Site, id: string): Markup {
  return html`<a class="mono" href="${site.to("change", { id })}">${id}</a>`;
}

const MAX_FILES = 40;
const MAX_LINES = 400;
const LINE_LENGTH = 400;

/** What a change did to the content of files. */
export async function diffView(
  site: Site,
  system: System,
  history: Pick<History, "readContent">,
  change: Change,
  showCommand = `amplihack history show ${change.id}`,
): Promise<Markup> {
  // A move is told once, where the file went.
  const files = change.files.filter(
    ({ to }) => to === undefined || change.files.every(({ path }) => path !== to),
  );
  const shown: Markup[] = [];
  for (const file of files.slice(0, MAX_FILES)) {
    const touched = { change, file };
    shown.push(fileView(site, touched, await readTexts(site, system, history, touched), showCommand));
  }
  const more = files.length - shown.length;
  return html`<div class="diffs">${shown}${more > 0 ? html`<p class="soft">and ${more} more files: <code class="command">${showCommand}</code></p>` : NOTHING}</div>`;
}

/** Several changes as one: of each file what it was before the first of them, and what it is after the last. */
export async function combinedView(
  site: Site,
  system: System,
  history: History,
  changes: readonly Change[],
): Promise<Markup> {
  const inOrder = changes.toSorted((one, other) => one.timeMs - other.timeMs);
  const ends = new Map<string, { readonly first: TouchedFile; readonly last: TouchedFile }>();
  for (const change of inOrder)
    for (const file of change.files.filter(one => !isFolder(one))) {
      const touched = { change, file };
      ends.set(file.path, { first: ends.get(file.path)?.first ?? touched, last: touched });
    }
  const shown: Markup[] = [];
  const same: string[] = [];
  for (const { first, last } of [...ends.values()].slice(0, MAX_FILES)) {
    const before = await readTexts(site, system, history, first);
    const after = first === last ? before : await readTexts(site, system, history, last);
    const isText = Array.isArray(before) && Array.isArray(after);
    const texts = isText ? ([before[0], after[1]] as const) : Array.isArray(before) ? after : before;
    if (isText && before[0] === after[1]) {
      same.push(shownPath(last.file.path, last.change.project, site.home));
      continue;
    }
    shown.push(fileView(site, last, texts, `amplihack history show ${last.change.id}`));
  }
  const more = ends.size - Math.min(ends.size, MAX_FILES);
  if (shown.length === 0)
    return html`<p class="soft">Nothing of it is left: the files are as they were before.</p>`;
  const unchanged =
    same.length === 0
      ? NOTHING
      : html`<p class="soft">The same as before in the end: ${line(same.join(", "), 300)}</p>`;
  return html`<div class="diffs">${shown}${unchanged}${more > 0 ? html`<p class="soft">and ${more} more files</p>` : NOTHING}</div>`;
}

interface TouchedFile {
  readonly change: Change;
  readonly file: PathChange;
}

function readTexts(
  { home, agentSettings }: Site,
  system: System,
  { readContent }: Pick<History, "readContent">,
  { file, change }: TouchedFile,
): ReturnType<typeof readFileTexts> {
  return readFileTexts(file, change, { text: system.text, readContent, home, agentSettings });
}

function fileView(
  { home }: Site,
  { change, file }: TouchedFile,
  texts: Awaited<ReturnType<typeof readFileTexts>>,
  showCommand: string,
): Markup {
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
${rest > 0 ? html`<p class="soft">and ${rest} more lines: <code class="command">${showCommand}</code></p>` : NOTHING}</section>`;
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

/** A diff of several files as text, every line of it. */
export function diffText(diff: string): Markup {
  return html`<pre class="lines" tabindex="0" aria-label="Diff">${diff.replace(/\n$/, "").split("\n").map(diffLine)}</pre>`;
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

const MAX_SHOWN = 12;

/** What an undo or a redo would do, for a person who must decide. */
export function planView(site: Site, plan: UndoPlan): Markup {
  const { comesBack, changesBack, goesAway } = sortSteps(plan);
  const { kind, changes, git, gone, conflicts } = plan;
  const isUndo = kind === "undo";
  const named = changes
    .slice(0, MAX_SHOWN)
    .map(
      change =>
        html`<li>${time(change.timeMs, site)} <code>${line(describeChange(change, site.home), 140)}</code></li>`,
    );
  const isDoubtful = changes.some(
    ({ status, isComplete, notKept }) => status !== "done" || (!isComplete && notKept.length === 0),
  );
  return html`<p>${isUndo ? `This takes back ${count(changes.length, "call")}:` : "This reverses an undo:"}</p>
<ul class="plain">${named}${rest(changes.length)}</ul>
${conflictsView(site, plan)}
${part(site, plan, comesBack, "good", ["comes back", "come back"])}
${part(site, plan, changesBack, "good", [`gets its ${isUndo ? "earlier" : "later"} content back`, `get their ${isUndo ? "earlier" : "later"} content back`])}
${part(site, plan, goesAway, "warn", isUndo ? ["is removed, because it was not there before", "are removed, because they were not there before"] : ["is removed again", "are removed again"])}
${git.length === 0 ? NOTHING : html`<h3>Git</h3><ul>${git.flatMap(({ lines }) => lines).map(text => html`<li>${line(text)}</li>`)}</ul>`}
${gone.length === 0 ? NOTHING : html`<h3 class="bad">${count(gone.length, "path")} cannot come back</h3><ul>${gone.slice(0, MAX_SHOWN).map(({ path, why }) => html`<li>${line(path)}: ${line(why)}</li>`)}${rest(gone.length)}</ul>`}
${isDoubtful ? html`<p class="warn">It may have changed more than is known; what is not named here stays as it is.</p>` : NOTHING}
<p class="soft">${conflicts.length > 0 ? "Overwriting keeps what is there now, so it can be reversed." : "Nothing else is touched, and it can be reversed."}</p>`;
}

function conflictsView({ home }: Site, { conflicts, changes }: UndoPlan): Markup {
  if (conflicts.length === 0) return NOTHING;
  const project = changes[0]?.project ?? "/";
  return html`<div class="conflicts"><h3 class="bad">${count(conflicts.length, "conflict")}: changed since</h3>
<ul>${conflicts.slice(0, MAX_SHOWN).map(({ subject, why }) => html`<li><code>${line(subject.startsWith("/") ? shownPath(subject, project, home) : subject)}</code>: ${line(why)}</li>`)}${rest(conflicts.length)}</ul></div>`;
}

function part(
  site: Site,
  { changes }: UndoPlan,
  steps: readonly PathStep[],
  className: string,
  happens: readonly [one: string, several: string],
): Markup {
  if (steps.length === 0) return NOTHING;
  const project = changes[0]?.project ?? "/";
  return html`<h3 class="${className}">${countPaths(steps)} ${happens[steps.length === 1 ? 0 : 1]}</h3>
<ul class="paths">${steps.slice(0, MAX_SHOWN).map(({ path }) => html`<li><code>${line(shownPath(path, project, site.home))}</code></li>`)}${rest(steps.length)}</ul>`;
}

function rest(total: number): Markup {
  return total > MAX_SHOWN ? html`<li class="soft">and ${total - MAX_SHOWN} more</li>` : NOTHING;
}
