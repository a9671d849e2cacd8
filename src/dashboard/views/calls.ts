import { findRule } from "../../guard/index.ts";
import { countsOf } from "../counts.ts";
import { OUTCOME_WORDS, type Outcome } from "../timeline/outcome.ts";
import type { Timeline } from "../timeline/timeline.ts";
import { itemView } from "./call.ts";
import { type CallFilter, chosenFilters, filterForm, fitsFilter, pager, placeChoices } from "./filters.ts";
import { html, type Markup, NOTHING } from "./markup.ts";
import type { Site } from "./site.ts";
import { command, empty, nothingShipped } from "./words.ts";

const PAGE_SIZE = 50;

/** Calls of all sessions, newest first, as far as they fit. */
export function callsView(site: Site, timeline: Timeline, filter: CallFilter, from: number): Markup {
  const { calls, items } = timeline;
  const fitting = items.filter(call => fitsFilter(call, filter, site.nowMs));
  const shown = site.isReport ? fitting : fitting.slice(from, from + PAGE_SIZE);
  const form = filterForm(site, "calls", filter, [
    {
      name: "outcome",
      label: "Outcome",
      options: (Object.keys(OUTCOME_WORDS) as Outcome[]).map(outcome => [outcome, OUTCOME_WORDS[outcome]]),
    },
    ...placeChoices(site, calls),
    {
      name: "rule",
      label: "Rule",
      options: countsOf(items, item => item.rules).map(({ name }) => [name, name]),
    },
    ...(site.team === undefined ? [CHANGES] : []),
  ]);
  const size = site.isReport ? shown.length : PAGE_SIZE;
  return html`<h1>Calls</h1>${form}${chosenFilters(site, "calls", filter)}${aboutRule(filter.rule)}
${shown.length === 0 ? noCalls(site, timeline) : html`<h2 class="unseen">Newest first</h2><div class="items">${shown.map(call => itemView(site, call, { isAlone: true }))}</div>`}
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
  if (items.length > 0) return empty("No call fits.", "Drop a filter to see more.");
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
