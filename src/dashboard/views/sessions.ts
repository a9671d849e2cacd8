import { shownPlace } from "../../history/index.ts";
import { count } from "../../text/index.ts";
import type { Call, Moment } from "../timeline/calls.ts";
import type { Recorded } from "../timeline/timeline.ts";
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
  const form = filterForm(site, "sessions", filter, placeChoices(site, timeline.sessions));
  return html`<h1>Sessions</h1>
${site.isReport ? NOTHING : form}${chosenFilters(site, "sessions", filter)}
${shown.length === 0 ? noSessions(site, timeline) : html`<h2 class="unseen">Newest first</h2><div class="rows">${shown.map(session => sessionRow(site, session))}</div>`}
${pager(site, "sessions", { ...filter }, { from, shown: shown.length, total: fitting.length, size: PAGE_SIZE })}`;
}

function noSessions({ team }: Site, { sessions }: Timeline): Markup {
  if (sessions.length > 0) return empty("No session fits.", "Drop a filter to see more.");
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
<div class="what"><h3><a href="${site.to("session", { id })}" data-main${title === undefined ? html` class="mono"` : NOTHING}>${line(title ?? nameOf(session), 120)}</a></h3>
<p class="soft">${whose(site, session)}${hostLink(site, session.host)} in ${projectLink(site, session.project)} · ${clock(firstMs)} to ${clock(lastMs)}, ${duration(lastMs - firstMs)}${turnCount(session)}${title === undefined ? NOTHING : html` · <span class="mono">${line(nameOf(session), 12)}</span>`}</p></div>
<div class="tallies">${tallies(figures)}</div>
</article>`;
}

function nameOf({ name }: Session): string {
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

/** One session: its turns, newest first. */
export function sessionView(site: Site, session: Session, recorded: Recorded, older: number): Markup {
  const undoable = undoableChanges(session.turns.flatMap(({ items }) => items));
  const turns = cutTurns(session.turns, older);
  const total = session.turns.reduce((sum, { items }) => sum + items.length, 0);
  const shown = turns.reduce((sum, { items }) => sum + items.length, 0);
  return html`<nav class="crumbs" aria-label="Where you are"><a href="${site.to("sessions")}">Sessions</a> / <span class="mono">${line(nameOf(session), 80)}</span></nav>
<div class="heading"><h1>${hostLink(site, session.host)} in ${projectLink(site, session.project)}</h1>${undoAll(site, undoable, "Undo the whole session …")}</div>
<p class="soft">${whose(site, session)}${line(shownPlace(session.project, site.home))} · ${time(session.firstMs, site)} to ${time(session.lastMs, site)} · ${duration(session.lastMs - session.firstMs)}</p>
<p class="tallies">${tallies(session.figures)}</p>
${recorded.problem === undefined ? NOTHING : html`<p class="soft">${recorded.problem}</p>`}
${turns.map(turn => turnView(site, turn, recorded))}
${!site.isReport && shown + older < total ? link(site.to("session", { id: session.id, older: older + MAX_ITEMS }), `Older: ${number(total - shown - older)} more`, "more") : NOTHING}`;
}

/** Of a long session only a window. */
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

function turnView(site: Site, { number: turn, items }: Turn, recorded: Recorded): Markup {
  const prompt = items.find(
    (item): item is Moment => item.kind === "moment" && item.event === "UserPromptSubmit",
  );
  const calls = items.filter(item => item.kind === "call");
  const undoable = undoableChanges(items);
  const first = items.at(-1);
  const title = turn === 0 ? "Before the first prompt" : `Turn ${turn}`;
  const said = prompt === undefined ? undefined : recorded.promptAt(prompt.atMs);
  // The quotation tells of the prompt already.
  const isTold = (item: Call | Moment) => said !== undefined && item === prompt && item.outcome === "silent";
  const shown = items.filter(item => !isTold(item));
  return html`<section class="turn" aria-labelledby="turn-${turn}">
<div class="heading"><h2 id="turn-${turn}">${title}</h2><p class="soft">${first === undefined ? NOTHING : time((prompt ?? first).atMs, site)} · ${count(calls.length, "call")}${undoable.length > 0 ? ` · ${count(undoable.length, "change")} to undo` : ""}</p>
${undoable.length > 1 ? undoAll(site, undoable, "Undo this turn …") : NOTHING}</div>
${said === undefined ? NOTHING : html`<blockquote class="prompt">${block(said, 600)}</blockquote>`}
<div class="items">${shown.map(item => itemView(site, item.kind === "call" ? recorded.complete(item) : item))}</div>
</section>`;
}

function undoAll(site: Site, ids: readonly string[], text: string): Markup {
  if (site.whyReadOnly !== undefined || ids.length === 0) return NOTHING;
  return html`<button type="button" class="undo" data-undo="${ids.join(" ")}">${text}</button>`;
}
