import type { MemoryEntry } from "../memories.ts";
import { chosenFilters } from "./filters.ts";
import { scopeFields } from "./layout.ts";
import { block, html, line, type Markup, NOTHING } from "./markup.ts";
import type { Site } from "./site.ts";
import { command, empty, link, time } from "./words.ts";

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
<button type="submit">Search</button></form></search>`;
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

export function memoryRow(site: Site, memory: MemoryEntry): Markup {
  const { id, agent, key, text, category, updated, project } = memory;
  const forget =
    site.whyReadOnly === undefined
      ? html`<button type="button" class="undo" data-forget="${id}" data-agent="${agent}" data-name="${line(key, 120)}">Forget …</button>`
      : NOTHING;
  return html`<article class="memory" data-key="m-${id}" tabindex="-1"><div class="heading"><h3>${line(key, 200)}</h3>${forget}</div>
<p class="soft">${link(site.to("memory", { agent }), agent)} · ${category}${project === "" ? "" : html` · ${link(site.to("calls", { project }), project)}`} · ${time(Date.parse(updated), site)}</p>
<p class="text">${block(text)}</p></article>`;
}
