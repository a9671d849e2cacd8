import { findRule, RULE_IDS } from "../../guard/index.ts";
import type { MemoryEntry } from "../memories.ts";
import type { Session, Timeline } from "../timeline/timeline.ts";
import { itemView } from "./call.ts";
import { mentions } from "./filters.ts";
import { html, type Markup, NOTHING } from "./markup.ts";
import { memoryRow } from "./memory.ts";
import { sessionRow } from "./sessions.ts";
import type { Site } from "./site.ts";
import { empty, link, number } from "./words.ts";

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
): Markup {
  const text = sought.trim().toLowerCase();
  if (text === "")
    return html`<h1>Search</h1>${empty("What are you looking for?", "Type a part of a command, a path, a rule, a session or the id of a change.")}`;
  const sessions = timeline.sessions.filter(session => fits(session, text));
  const rules = RULE_IDS.filter(id => id.includes(text) || findRule(id).title.toLowerCase().includes(text));
  const calls = timeline.items.filter(item => mentions(item, text));
  const total = sessions.length + rules.length + calls.length + memories.length;
  return html`<h1>Search</h1><p class="soft" role="status">${total === 0 ? "Nothing" : number(total)} found for “${sought}”.</p>
${part("Rules", rules.length, MAX_RULES, html`<ul class="rules">${rules.slice(0, MAX_RULES).map(rule => html`<li>${link(site.to("calls", { rule }), rule, "rule")} ${findRule(rule).title}</li>`)}</ul>`)}
${part("Sessions", sessions.length, MAX_SESSIONS, html`<div class="rows">${sessions.slice(0, MAX_SESSIONS).map(session => sessionRow(site, session))}</div>`, link(site.to("sessions", { q: sought }), "All of them"))}
${part("Calls", calls.length, MAX_CALLS, html`<div class="items">${calls.slice(0, MAX_CALLS).map(call => itemView(site, call, { isAlone: true }))}</div>`, link(site.to("calls", { q: sought }), "All of them"))}
${part("Memories", memories.length, MAX_MEMORIES, html`<div class="items">${memories.slice(0, MAX_MEMORIES).map(memory => memoryRow(site, memory))}</div>`, link(site.to("memory", { q: sought }), "All of them"))}
${total === 0 ? empty("Nothing was found.", "Commands that nobody objected to and that changed nothing are not in the logs; the host's own record has them, on the page of its session.") : NOTHING}`;
}

function fits({ id, project, host }: Session, text: string): boolean {
  return [id, project, host].some(one => one.toLowerCase().includes(text));
}

function part(title: string, total: number, most: number, body: Markup, all: Markup = NOTHING): Markup {
  if (total === 0) return NOTHING;
  const id = `found-${title.toLowerCase()}`;
  return html`<section class="list" aria-labelledby="${id}"><div class="heading"><h2 id="${id}">${title} <span class="soft">${number(total)}</span></h2>${total > most ? all : NOTHING}</div>${body}</section>`;
}
