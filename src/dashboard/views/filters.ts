import { shownPlace } from "../../history/index.ts";
import { hostTitle } from "../../install/index.ts";
import type { Origin } from "../entries.ts";
import type { Call, Moment } from "../timeline/calls.ts";
import { OUTCOME_WORDS } from "../timeline/calls.ts";
import type { PageName, Query, Site } from "./layout.ts";
import { html, line, type Markup, NOTHING } from "./layout.ts";
import { number, startOfDays } from "./words.ts";

/** Of a team: whose machines. */
export interface OriginFilter {
  readonly team?: string | undefined;
  readonly person?: string | undefined;
  readonly machine?: string | undefined;
}

/** What a reader wants to see of the calls; it stands in the address. */
export interface CallFilter extends OriginFilter {
  readonly outcome?: string | undefined;
  readonly host?: string | undefined;
  readonly project?: string | undefined;
  readonly rule?: string | undefined;
  readonly tool?: string | undefined;
  readonly q?: string | undefined;
  /** only what is undoable, or undone */
  readonly changes?: string | undefined;
  /** today and the days before it, as many in all */
  readonly days?: string | undefined;
}

const ORIGIN_NAMES = ["team", "person", "machine"] as const;
const FILTER_NAMES = [
  ...ORIGIN_NAMES,
  "outcome",
  "host",
  "project",
  "rule",
  "tool",
  "q",
  "changes",
  "days",
] as const;

export function readFilter(query: URLSearchParams): CallFilter {
  return Object.fromEntries(
    FILTER_NAMES.flatMap(name => {
      const value = query.get(name)?.slice(0, MAX_VALUE);
      return value ? [[name, value]] : [];
    }),
  );
}

const MAX_VALUE = 1_000;

export function fitsFilter(item: Call | Moment, filter: CallFilter, nowMs: number): boolean {
  const { outcome, host, project, rule, tool, q, changes, days } = filter;
  const change = item.kind === "call" ? item.change : undefined;
  if (outcome !== undefined && item.outcome !== outcome) return false;
  if (!fitsOrigin(item.origin, filter)) return false;
  if (host !== undefined && item.host !== host) return false;
  if (project !== undefined && item.project !== project) return false;
  if (rule !== undefined && !item.rules.includes(rule)) return false;
  if (tool !== undefined && itemName(item) !== tool) return false;
  if (changes !== undefined && change === undefined) return false;
  if (changes === "standing" && change?.undoneBy !== undefined) return false;
  if (changes === "undone" && change?.undoneBy === undefined) return false;
  if (days !== undefined && !isWithin(item.atMs, days, nowMs)) return false;
  return q === undefined || mentions(item, q.toLowerCase());
}

function isWithin(atMs: number, days: string, nowMs: number): boolean {
  if (days !== "yesterday") return atMs >= startOfDays(nowMs, Number(days));
  return atMs >= startOfDays(nowMs, 2) && atMs < startOfDays(nowMs, 1);
}

export function fitsOrigin(origin: Origin | undefined, filter: OriginFilter): boolean {
  return ORIGIN_NAMES.every(name => filter[name] === undefined || filter[name] === origin?.[name]);
}

function itemName(item: Call | Moment): string {
  return item.kind === "call" ? item.tool : item.event;
}

/** Somewhere in what is known of it, a file it changed included. */
export function mentions(item: Call | Moment, text: string): boolean {
  const { told, session, project, host, rules, origin } = item;
  const has = (one: string) => one.toLowerCase().includes(text);
  const names = [told, itemName(item), session, project, host, ...rules, ...Object.values(origin ?? {})];
  if (names.some(has)) return true;
  if (item.kind === "moment") return has(OUTCOME_WORDS[item.outcome]);
  const { subject, change } = item;
  if (has(subject)) return true;
  return change !== undefined && (change.id.startsWith(text) || change.files.some(({ path }) => has(path)));
}

interface Choice {
  readonly name: keyof CallFilter;
  readonly label: string;
  readonly options: readonly (readonly [value: string, text: string])[];
}

/** Hosts and projects of these entries; of a team also whose they are, from all that there is. */
export function placeChoices(
  site: Site,
  names: Readonly<Record<"host" | "project", readonly string[]>>,
): readonly Choice[] {
  const { host, project, ...origins } = site.team?.choices ?? { host: names.host, project: names.project };
  const whose = Object.entries(origins) as [keyof OriginFilter, readonly string[]][];
  return [
    ...whose.flatMap(([name, values]) =>
      // A choice of one is none.
      values.length < 2
        ? []
        : [{ name, label: LABELS[name], options: values.map(one => [one, one] as const) }],
    ),
    { name: "host", label: "Host", options: host.map(name => [name, hostTitle(name)]) },
    { name: "project", label: "Project", options: project.map(name => [name, shownPlace(name, site.home)]) },
  ];
}

const LABELS: Readonly<Record<keyof OriginFilter, string>> = {
  team: "Team",
  person: "Person",
  machine: "Machine",
};

/** A form whose fields are the address; the script sends it when something is chosen. */
export function filterForm(
  site: Site,
  page: PageName,
  filter: CallFilter,
  choices: readonly Choice[],
  { hasText = true }: { readonly hasText?: boolean } = {},
): Markup {
  const fields = choices.map(({ name, label, options }) => {
    const chosen = filter[name];
    const known = chosen === undefined || options.some(([value]) => value === chosen);
    const all = [["", "all"] as const, ...(known ? [] : [[chosen, chosen] as const]), ...options];
    return html`<label>${label} <select name="${name}">${all.map(
      ([value, text]) =>
        html`<option value="${value}"${value === (chosen ?? "") ? html` selected` : NOTHING}>${line(text, 60)}</option>`,
    )}</select></label>`;
  });
  const named = choices.map(({ name }) => name);
  const hidden = FILTER_NAMES.filter(name => name !== "q" && !named.includes(name)).flatMap(name =>
    filter[name] === undefined ? [] : [html`<input type="hidden" name="${name}" value="${filter[name]}">`],
  );
  return html`<search aria-label="Filter"><form class="filter" action="/${page}" method="get" data-filter>
${fields}${hasText ? html`<label>Text <input name="q" type="search" maxlength="200" autocomplete="off" value="${filter.q ?? ""}"></label>` : NOTHING}
${hidden}${site.token === undefined ? NOTHING : html`<input type="hidden" name="token" value="${site.token}">`}
<noscript><button type="submit">Filter</button></noscript></form></search>`;
}

/** What is chosen, each with a way to drop it. */
export function chosenFilters(site: Site, page: PageName, filter: CallFilter): Markup {
  const given = FILTER_NAMES.filter(name => filter[name] !== undefined);
  if (given.length === 0) return NOTHING;
  return html`<ul class="chosen">${given.map(name => {
    const rest: Query = { ...filter, [name]: undefined };
    const value = filter[name] ?? "";
    const shown = shownValue(name, value);
    return html`<li><span>${name === "q" ? "text" : name}: <b>${line(shown, 80)}</b></span> <a href="${site.to(page, rest)}" aria-label="Drop this filter: ${name}">×</a></li>`;
  })}</ul>`;
}

function shownValue(name: keyof CallFilter, value: string): string {
  if (name === "outcome") return OUTCOME_WORDS[value as keyof typeof OUTCOME_WORDS] ?? value;
  if (name === "days") return value === "1" ? "today" : value === "yesterday" ? value : `last ${value}`;
  return value;
}

/** Which part of a long list is shown, and the way to the rest. */
export function pager(
  site: Site,
  page: PageName,
  query: Query,
  window: { readonly from: number; readonly shown: number; readonly total: number; readonly size: number },
): Markup {
  const { from, shown, total, size } = window;
  const listed = site.team?.listed === undefined ? NOTHING : html`<p class="soft">${site.team.listed}</p>`;
  if (total <= size && from === 0)
    return html`<p class="pager soft">${number(total)} ${total === 1 ? "entry" : "entries"}</p>${listed}`;
  const at = (start: number, text: string, isOn: boolean) =>
    isOn
      ? html`<a href="${site.to(page, { ...query, from: start === 0 ? undefined : start })}">${text}</a>`
      : NOTHING;
  return html`<nav class="pager" aria-label="Parts of the list">${at(0, "Newest", from > 0)}${at(Math.max(0, from - size), "Newer", from > 0)}
<span role="status">${number(from + 1)} to ${number(from + shown)} of ${number(total)}</span>${at(from + size, "Older", from + shown < total)}</nav>${listed}`;
}
