import { shownPlace } from "../../history/index.ts";
import { hostTitle } from "../../install/index.ts";
import { basename } from "../../system/index.ts";
import { count } from "../../text/index.ts";
import type { Call, Moment } from "../timeline/calls.ts";
import type { Recorded, Said } from "../timeline/records.ts";
import {
  type Session,
  type SessionFigures,
  type Timeline,
  type Turn,
  undoableChanges,
} from "../timeline/timeline.ts";
import { itemView } from "./calls.ts";
import { type CallFilter, chosenFilters, filterForm, fitsOrigin, pager, placeChoices } from "./filters.ts";
import type { Site } from "./layout.ts";
import { block, html, line, type Markup, NOTHING } from "./layout.ts";
import {
  clock,
  command,
  day,
  duration,
  empty,
  hostLink,
  link,
  nothingShipped,
  number,
  originLink,
  projectLink,
  time,
} from "./words.ts";

const PAGE_SIZE = 50;
/** Calls shown of one session at once; the address leads to older ones. */
const MAX_ITEMS = 300;

/** All sessions, newest first. */
export function sessionsView(site: Site, timeline: Timeline, filter: CallFilter, from: number): Markup {
  const { host, project, q } = filter;
  const text = q?.toLowerCase();
  const fitting = timeline.sessions.filter(
    session =>
      fitsOrigin(session.origin, filter) &&
      (host === undefined || session.host === host) &&
      (project === undefined || session.project === project) &&
      (text === undefined ||
        [session.id, session.project, session.host].some(one => one.toLowerCase().includes(text))),
  );
  const shown = fitting.slice(from, from + PAGE_SIZE);
  const form = filterForm(site, "sessions", filter, placeChoices(site, timeline.names));
  return html`<h1>Sessions</h1>
${site.isReport ? NOTHING : form}${chosenFilters(site, "sessions", filter)}
${shown.length === 0 ? noSessions(site, timeline) : html`<h2 class="unseen">Newest first</h2><div class="rows">${shown.map(session => sessionRow(site, session))}</div>`}
${pager(site, "sessions", { ...filter }, { from, shown: shown.length, total: fitting.length, size: PAGE_SIZE })}`;
}

function noSessions({ team }: Site, { sessions }: Timeline): Markup {
  if (sessions.length > 0) return empty("No matching sessions.", "Drop a filter to see more.");
  return team !== undefined
    ? nothingShipped(team)
    : empty(
        "No agent has run with amplihack yet.",
        html`Register it with your agents by ${command("amplihack install")}, and start one: its session appears here while it runs.`,
      );
}

/** A session in a list. */
export function sessionRow(site: Site, session: Session): Markup {
  const { id, firstMs, lastMs, figures } = session;
  const title = site.titleOf(session);
  return html`<article class="row" data-key="s-${id}" tabindex="-1">
<div class="when">${time(lastMs, site)}</div>
<div class="what"><h3><a href="${site.to("session", { id })}" data-main${title === undefined ? html` class="mono"` : NOTHING}>${line(title ?? sessionName(session), 120)}</a></h3>
<p class="soft">${whose(site, session)}${hostLink(site, session.host)} in ${projectLink(site, session.project)} · ${span(firstMs, lastMs)}${turnCount(session)}${usageWords(site, session)}${title === undefined ? NOTHING : html` <span class="mono id">${line(sessionName(session), 12)}</span>`}</p></div>
<div class="tallies">${tallies(figures)}</div>
</article>`;
}

/** `09:44 to 10:02, 17 min 40 s`; within a minute, when it was and how long it took. */
function span(firstMs: number, lastMs: number): string {
  const began = `${day(firstMs) === day(lastMs) ? "" : `${day(firstMs).slice(5)} `}${clock(firstMs)}`;
  const ended = lastMs - firstMs < 60_000 ? "" : ` to ${clock(lastMs)}`;
  return `${began}${ended}, ${duration(lastMs - firstMs)}`;
}

function sessionName({ name }: Session): string {
  return name === "" ? "Calls without a session" : name;
}

/** Prompts of other machines may not have been shipped: without one the number of turns is not known. */
function turnCount({ turns, origin }: Session): string {
  const known = turns.filter(({ number: of }) => of > 0).length;
  return known === 0 && origin !== undefined ? "" : ` · ${count(known, "turn")}`;
}

function whose(site: Site, { origin }: Session): Markup {
  return origin === undefined ? NOTHING : html`${originLink(site, origin)} · `;
}

function tallies({
  calls,
  refused,
  asked,
  kept,
  answered,
  held,
  changes,
  undone,
  unchecked,
}: SessionFigures): Markup {
  const shown: readonly (readonly [number, string, string])[] = [
    [calls, calls === 1 ? "call" : "calls", ""],
    [refused, "refused", "refused"],
    [asked, "asked", "asked"],
    [kept, "kept first", "kept"],
    [answered, "answered for you", "answered"],
    [held, held === 1 ? "stop held" : "stops held", "asked"],
    [changes, changes === 1 ? "change" : "changes", "changed"],
    [undone, "undone", "undone"],
    [unchecked, "not checked", "unchecked"],
  ];
  return html`${shown
    .filter(([amount, , className]) => amount > 0 || className === "")
    .map(
      ([amount, name, className]) =>
        html`<span class="tally ${className}"><b>${number(amount)}</b> ${name}</span>`,
    )}`;
}

/** One session as a story, in the order in which it happened. */
export function sessionView(site: Site, session: Session, recorded: Recorded, older: number): Markup {
  const undoable = undoableChanges(session.turns.flatMap(({ items }) => items));
  const turns = cutTurns(session.turns, older);
  const total = session.turns.reduce((sum, { items }) => sum + items.length, 0);
  const shown = turns.reduce((sum, { items }) => sum + items.length, 0);
  const earlier = total - shown - older;
  const title = site.isReport ? undefined : (site.titleOf(session) ?? recorded.prompts[0]?.text);
  return html`<nav class="crumbs" aria-label="Where you are"><a href="${site.to("sessions")}">Sessions</a> / <span class="mono">${line(sessionName(session), 80)}</span></nav>
<section data-key="session" tabindex="-1" aria-label="The whole session"><div class="heading"><h1>${title === undefined ? html`${hostTitle(session.host)} in ${line(basename(session.project) || session.project, 60)}` : line(title, 140)}</h1>${undoAll(site, undoable, "Undo the whole session …")}</div>
<p class="soft">${whose(site, session)}${hostLink(site, session.host)} in ${projectLink(site, session.project)} <span class="mono">${line(shownPlace(session.project, site.home))}</span> · ${time(session.firstMs, site)}, ${duration(session.lastMs - session.firstMs)}${usageWords(site, session)}</p>
<p class="tallies">${tallies(session.figures)}</p>
${combinedDiff(site, session.calls, "session", "All that this session changed")}</section>
${recorded.problem === undefined ? NOTHING : html`<p class="soft">${recorded.problem}</p>`}
${!site.isReport && earlier > 0 ? link(site.to("session", { id: session.id, older: older + MAX_ITEMS }), `Earlier: ${number(earlier)} more`, "more") : NOTHING}
${turns.toReversed().map((turn, index, all) => turnView(site, turn, recorded, turnStartMs(all[index + 1])))}
${older > 0 ? link(site.to("session", { id: session.id, older: Math.max(0, older - MAX_ITEMS) || undefined }), "Later", "more") : NOTHING}`;
}

function usageWords(site: Site, session: Session): string {
  const used = site.usageOf(session);
  return used === undefined ? "" : ` · ${used}`;
}

/** Of a long session only a window: the newest, or what is that much older. */
function cutTurns(turns: readonly Turn[], older: number): readonly Turn[] {
  let skipped = older;
  let room = MAX_ITEMS;
  return turns.flatMap(turn => {
    const rest = turn.items.slice(skipped);
    skipped = Math.max(0, skipped - turn.items.length);
    const items = rest.slice(0, room);
    room -= items.length;
    return items.length === 0 ? [] : [{ ...turn, items }];
  });
}

function turnStartMs(turn: Turn | undefined): number {
  return turn?.items.at(-1)?.atMs ?? Number.POSITIVE_INFINITY;
}

/** Host and hook look at their clocks at different times. */
const MAX_APART_MS = 60_000;

function nearestPrompt(prompts: readonly Said[], ms: number): string | undefined {
  const near = prompts.filter(({ atMs }) => Math.abs(atMs - ms) <= MAX_APART_MS);
  return near.sort((one, other) => Math.abs(one.atMs - ms) - Math.abs(other.atMs - ms))[0]?.text;
}

/** The prompt, what the agent said last, its calls in a line, what was stopped or kept, and the way back. */
function turnView(site: Site, { number: turn, items }: Turn, recorded: Recorded, endMs: number): Markup {
  const told = items.toReversed().map(item => (item.kind === "call" ? recorded.complete(item) : item));
  const prompt = told.find(item => item.kind === "moment" && item.event === "UserPromptSubmit");
  const calls = told.filter(item => item.kind === "call");
  const undoable = undoableChanges(items);
  const first = prompt ?? told[0];
  const said = prompt === undefined ? undefined : nearestPrompt(recorded.prompts, prompt.atMs);
  const answer = recorded.answers.findLast(({ atMs }) => atMs >= (first?.atMs ?? 0) && atMs < endMs);
  const striking = told.filter(isStriking);
  const others = told.filter(
    item => !isStriking(item) && (item.kind === "call" || item.outcome !== "silent"),
  );
  if (turn === 0 && striking.length + others.length === 0) return NOTHING;
  const took = (told.at(-1)?.atMs ?? 0) - (first?.atMs ?? 0);
  return html`<section class="turn" aria-labelledby="turn-${turn}" data-key="turn-${turn}" tabindex="-1">
<div class="heading"><h2 id="turn-${turn}">${turn === 0 ? "Before the first prompt" : `Turn ${turn}`}</h2><p class="soft">${first === undefined ? NOTHING : time(first.atMs, site)}${took >= 1_000 ? ` · ${duration(took)}` : ""}</p>
${undoAll(site, undoable, "Undo this turn …")}</div>
${said === undefined ? NOTHING : html`<blockquote class="prompt">${block(said, 600)}</blockquote>`}
${answer === undefined ? NOTHING : html`<p class="answer">${line(answer.text, 300)}</p>`}
${calls.length === 0 ? NOTHING : html`<p class="folded">${foldedCalls(calls)}</p>`}
${striking.length === 0 ? NOTHING : html`<div class="items">${striking.map(item => itemView(site, item))}</div>`}
${combinedDiff(site, calls, `turn-${turn}`, "What this turn changed")}
${others.length === 0 ? NOTHING : html`<details class="calls" id="calls-${turn}"${site.isReport ? html` open` : NOTHING}><summary>${striking.length === 0 ? count(others.length, "step") : `${count(others.length, "other step")}`}</summary><div class="items">${others.map(item => itemView(site, item))}</div></details>`}
</section>`;
}

/** What a reader of the story must not miss: refused, asked, kept, answered, held, not checked. */
function isStriking(item: Call | Moment): boolean {
  return item.outcome !== "silent" && item.outcome !== "context" && item.outcome !== "allowed";
}

const KINDS: readonly (readonly [RegExp, one: string, several: string])[] = [
  [/^(Read|NotebookRead|LS)$/, "read", "reads"],
  [/^(Edit|MultiEdit|Write|NotebookEdit)$/, "edit", "edits"],
  [/^(Grep|Glob)$/, "search", "searches"],
  [/^(WebFetch|WebSearch)$/, "fetch", "fetches"],
  [/^(Agent|Task)$/, "agent", "agents"],
  [/^Bash$/, "command", "commands"],
];
const MAX_COMMANDS = 4;

/** `12 reads, 3 edits, 4 commands, npm test ✗ → ✓` */
function foldedCalls(calls: readonly Call[]): Markup {
  const kinds = new Map<string, { readonly words: readonly [string, string]; amount: number }>();
  const runs = new Map<string, boolean[]>();
  for (const { tool, subject, isFailed, outcome } of calls) {
    const [, one, several] = KINDS.find(([pattern]) => pattern.test(tool)) ?? [undefined, tool, tool];
    const kind = kinds.get(one) ?? { words: [one, several], amount: 0 };
    kind.amount++;
    kinds.set(one, kind);
    if (tool !== "Bash" || subject === "" || outcome === "refused") continue;
    runs.set(subject, [...(runs.get(subject) ?? []), !isFailed]);
  }
  const amounts = [...kinds.values()].map(
    ({ words, amount }) => html`${number(amount)} ${line(words[amount === 1 ? 0 : 1], 60)}`,
  );
  const told = [...runs].filter(([, ends]) => ends.includes(false)).slice(0, MAX_COMMANDS);
  const ends = told.map(
    ([subject, all]) =>
      html`<code>${line(subject.replace(/\s+/g, " "), 60)}</code> ${all.map((isGood, index) => html`${index > 0 ? " → " : ""}${isGood ? html`<b class="good" title="it worked">✓</b>` : html`<b class="bad" title="it failed">✗</b>`}`)}`,
  );
  return html`${[...amounts, ...ends].flatMap((part, index) => (index === 0 ? [part] : [", ", part]))}`;
}

const MAX_COMBINED = 200;

/** One diff of several changes; of a single one the row has it. */
function combinedDiff(site: Site, calls: readonly Call[], name: string, title: string): Markup {
  const changes = calls.flatMap(({ change }) => (change === undefined ? [] : [change]));
  const newest = changes.sort((one, other) => other.timeMs - one.timeMs).slice(0, MAX_COMBINED);
  const files = new Set(newest.flatMap(({ paths }) => paths)).size;
  if (files === 0 || site.isReport) return NOTHING;
  const ids = newest.map(({ id }) => id).join(" ");
  return html`<details class="diff combined" id="diff-${name}" data-diff="${ids}"><summary>${title}: ${count(files, "file")}${changes.length > newest.length ? html` (the last ${newest.length} changes)` : NOTHING}</summary>
<div class="slot"><p class="soft">${newest.slice(0, 20).map(({ id }) => html`<a class="mono" href="${site.to("change", { id })}">${id}</a> `)}</p></div></details>`;
}

function undoAll(site: Site, ids: readonly string[], text: string): Markup {
  if (site.whyReadOnly !== undefined || ids.length === 0) return NOTHING;
  return html`<button type="button" class="undo" data-undo="${ids.join(" ")}">${text}</button>`;
}
