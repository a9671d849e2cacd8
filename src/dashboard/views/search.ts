import { findRule, RULE_IDS } from "../../guard/index.ts";
import { shownPath } from "../../history/index.ts";
import type { DeepHits, DiffHit, SaidHit } from "../search.ts";
import type { MemoryEntry } from "../sources.ts";
import type { Session, Timeline } from "../timeline/timeline.ts";
import { itemsView } from "./calls.ts";
import { chosenFilters, mentions } from "./filters.ts";
import { block, html, line, type Markup, NOTHING, type Site, scopeFields } from "./layout.ts";
import { sessionRow } from "./sessions.ts";
import { command, empty, link, number, time } from "./words.ts";

interface MemoryFacts {
  readonly memories: readonly MemoryEntry[];
  readonly sought: string;
  readonly agent: string | undefined;
  /** why they cannot be shown */
  readonly problem: string | undefined;
}

/** What agents remember: the newest, or what fits. */
export function memoryView(site: Site, { memories, sought, agent, problem }: MemoryFacts): Markup {
  const form = html`<search aria-label="Search memories"><form class="filter" action="/memory" method="get" data-filter>
<label>Words <input name="q" type="search" maxlength="200" autocomplete="off" value="${sought}"></label>
${agent === undefined ? NOTHING : html`<input type="hidden" name="agent" value="${agent}">`}
${scopeFields(site)}
${site.token === undefined ? NOTHING : html`<input type="hidden" name="token" value="${site.token}">`}
<noscript><button type="submit">Search</button></noscript></form></search>`;
  const chosen =
    agent === undefined
      ? NOTHING
      : html`<ul class="chosen"><li><span>agent: <b>${line(agent, 80)}</b></span> <a href="${site.to("memory", { q: sought })}" aria-label="Drop this filter: agent">×</a></li></ul>`;
  return html`<h1>Memory</h1><p class="soft">What ${site.team === undefined ? "agents on this machine remember" : "the agents of this team remember"} between sessions${sought === "" ? ", newest first" : ""}.</p>
${form}${chosen}${chosenFilters(site, "memory", { team: site.team?.scope.team, project: site.team?.scope.project })}
${problem === undefined ? (memories.length === 0 ? nothing(site, sought, agent) : html`<h2 class="unseen">What is remembered</h2><div class="items">${memories.map(memory => memoryRow(site, memory))}</div>`) : empty("Memories cannot be shown.", problem)}`;
}

function nothing({ team }: Site, sought: string, agent: string | undefined): Markup {
  if (sought !== "" || agent !== undefined || team?.scope.project !== undefined)
    return empty("Nothing was found.", "Try fewer or other words.");
  if (team !== undefined)
    return empty("Nothing is remembered yet.", html`Members share with ${command("amplihack memory sync")}.`);
  return empty(
    "Nothing is remembered yet.",
    html`Agents remember by themselves when a session ends. You can add something: ${command('amplihack memory store --agent me style "Two spaces, no tabs."')}`,
  );
}

function memoryRow(site: Site, memory: MemoryEntry): Markup {
  const { id, agent, key, text, category, updated, project } = memory;
  const forget =
    site.whyReadOnly === undefined
      ? html`<button type="button" class="undo" data-forget="${id}" data-agent="${agent}" data-name="${line(key, 120)}">Forget …</button>`
      : NOTHING;
  return html`<article class="memory" data-key="m-${id}" tabindex="-1"><div class="heading"><h3>${line(key, 200)}</h3>${forget}</div>
<p class="soft">${link(site.to("memory", { agent }), agent)} · ${category}${project === "" ? "" : html` · ${link(site.to("calls", { project }), project)}`} · ${time(Date.parse(updated), site)}</p>
<p class="text">${block(text)}</p></article>`;
}

const MAX_CALLS = 30;
const MAX_SESSIONS = 10;
const MAX_RULES = 8;
const MAX_MEMORIES = 5;

/** One search over everything: calls with their commands, files and changes, sessions, rules, memories. */
export function searchView(
  site: Site,
  timeline: Timeline,
  sought: string,
  memories: readonly MemoryEntry[],
  deep: DeepHits,
): Markup {
  const text = sought.trim().toLowerCase();
  if (text === "")
    return html`<h1>Search</h1>${empty("What are you looking for?", "Type a part of a prompt, a command, a path, a line of a diff, a rule, a session or the id of a change.")}`;
  const { said, diffs, left } = deep;
  const sessions = timeline.sessions.filter(
    session => fits(session, text) || site.titleOf(session)?.toLowerCase().includes(text) === true,
  );
  const rules = RULE_IDS.filter(id => id.includes(text) || findRule(id).title.toLowerCase().includes(text));
  const calls = timeline.items.filter(item => mentions(item, text));
  const total = sessions.length + rules.length + calls.length + said.length + diffs.length + memories.length;
  return html`<h1>Search</h1><p class="soft" role="status">${total === 0 ? "Nothing" : number(total)} found for “${sought}”.</p>
${part("Rules", rules.length, MAX_RULES, html`<ul class="rules">${rules.slice(0, MAX_RULES).map(rule => html`<li>${link(site.to("calls", { rule }), rule, "rule")} ${findRule(rule).title}</li>`)}</ul>`)}
${part("Sessions", sessions.length, MAX_SESSIONS, html`<div class="rows">${sessions.slice(0, MAX_SESSIONS).map(session => sessionRow(site, session))}</div>`, link(site.to("sessions", { q: sought }), "All of them"))}
${part("Calls", calls.length, MAX_CALLS, itemsView(site, calls.slice(0, MAX_CALLS)), link(site.to("calls", { q: sought }), "All of them"))}
${part("Conversations", said.length, said.length, html`<div class="items">${said.map(hit => saidRow(site, hit))}</div>`)}
${part("Diffs", diffs.length, diffs.length, html`<div class="items">${diffs.map(hit => diffRow(site, hit))}</div>`)}
${part("Memories", memories.length, MAX_MEMORIES, html`<div class="items">${memories.slice(0, MAX_MEMORIES).map(memory => memoryRow(site, memory))}</div>`, link(site.to("memory", { q: sought }), "All of them"))}
${total === 0 ? empty("Nothing was found.", "Try fewer or other words.") : NOTHING}
${left.length === 0 ? NOTHING : html`<p class="soft">Not searched: ${left.join(", ")}.</p>`}`;
}

function saidRow(site: Site, { session, who, excerpt }: SaidHit): Markup {
  return html`<article class="row" data-key="said-${session.id}" tabindex="-1"><div class="when">${time(session.lastMs, site)}</div>
<div class="what"><h3><a href="${site.to("session", { id: session.id })}" data-main>${line(site.titleOf(session) ?? session.name, 120)}</a></h3><p class="soft">${who}: ${line(excerpt)}</p></div></article>`;
}

function diffRow(site: Site, { change, path, line: found }: DiffHit): Markup {
  return html`<article class="row" data-key="diff-${change.id}" tabindex="-1"><div class="when">${time(change.timeMs, site)}</div>
<div class="what"><h3><a class="mono" href="${site.to("change", { id: change.id })}" data-main>${line(shownPath(path, change.project, site.home), 120)}</a></h3><p class="soft"><code>${line(found)}</code></p></div></article>`;
}

function fits({ id, project, host }: Session, text: string): boolean {
  return [id, project, host].some(one => one.toLowerCase().includes(text));
}

function part(title: string, total: number, most: number, body: Markup, all: Markup = NOTHING): Markup {
  if (total === 0) return NOTHING;
  const id = `found-${title.toLowerCase()}`;
  return html`<section class="list" aria-labelledby="${id}"><div class="heading"><h2 id="${id}">${title} <span class="soft">${number(total)}</span></h2>${total > most ? all : NOTHING}</div>${body}</section>`;
}
