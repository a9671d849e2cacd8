import { hostTitle } from "../../install/index.ts";
import { basename } from "../../system/index.ts";
import { count } from "../../text/index.ts";
import type { Counted } from "../counts.ts";
import type { LatencySeries } from "../latency.ts";
import type { Summary } from "../timeline/summary.ts";
import { activityChart, latencyChart } from "./charts.ts";
import { type CallFilter, chosenFilters, filterForm, placeChoices } from "./filters.ts";
import { html, line, type Markup, NOTHING } from "./markup.ts";
import { sessionRow } from "./sessions.ts";
import type { Query, Site } from "./site.ts";
import { command, duration, empty, link, nothingShipped, number, startOfDays } from "./words.ts";

const RANGES: readonly { readonly days: number; readonly title: string }[] = [
  { days: 1, title: "Today" },
  { days: 7, title: "7 days" },
  { days: 30, title: "30 days" },
];
const MAX_NAMES = 6;
const MAX_SESSIONS = 6;
const HOUR_MS = 3_600_000;

/** Hours for one day, days for more; as far as now. */
export function stretchStarts(nowMs: number, days: number): readonly number[] {
  if (days > 1) return Array.from({ length: days }, (_, index) => startOfDays(nowMs, days - index));
  const start = startOfDays(nowMs, 1);
  return Array.from({ length: 24 }, (_, index) => start + index * HOUR_MS);
}

interface HomeFacts {
  readonly summary: Summary;
  readonly days: number;
  /** lines of the logs that could not be understood */
  readonly unreadable: number;
  /** anything was ever written */
  readonly hasAny: boolean;
  /** what the address asks for */
  readonly filter: CallFilter;
}

/** What agents did today, and over the last weeks. */
export function homeView(site: Site, { summary, days, unreadable, hasAny, filter }: HomeFacts): Markup {
  const title = RANGES.find(range => range.days === days)?.title ?? `${days} days`;
  const tabs = RANGES.map(range => {
    const href = site.to("", range.days === 1 ? {} : { days: range.days });
    return html`<a href="${href}"${range.days === days ? html` aria-current="true"` : NOTHING}>${range.title}</a>`;
  });
  const switcher = site.isReport
    ? NOTHING
    : html`<nav class="switch" aria-label="How far back">${tabs}</nav>`;
  const isQuiet = summary.figures.calls === 0 && summary.latency.length === 0;
  return html`<div class="heading"><h1>${days === 1 ? "Today" : `The last ${title}`}</h1>${switcher}</div>
${site.team === undefined ? NOTHING : html`${filterForm(site, "", filter, placeChoices(site, []), { hasText: false })}${chosenFilters(site, "", { ...filter, days: undefined })}`}
${unreadable === 0 ? NOTHING : html`<p class="notice">${count(unreadable, "line")} of the logs cannot be read and ${unreadable === 1 ? "is" : "are"} left out.</p>`}
${isQuiet ? quiet(site, days, hasAny) : busy(site, summary, days)}`;
}

function quiet(site: Site, days: number, hasAny: boolean): Markup {
  if (!hasAny && site.team !== undefined) return nothingShipped(site.team);
  if (!hasAny)
    return empty(
      "No agent has run with amplihack yet.",
      html`${command("amplihack install")} registers it with the agents on this machine. What they do then appears here while it happens.`,
      html`${command("amplihack demo")} plays what you would see.`,
    );
  return empty(
    days === 1 ? "No agent has worked today." : "No agent has worked in this time.",
    html`${link(site.to("sessions"), "Earlier sessions")} are kept, and ${link(site.to("", { days: 30 }), "the last 30 days")} may have more.`,
  );
}

function busy(site: Site, summary: Summary, days: number): Markup {
  const { stretches, latency, rules, projects, hosts, people, sessions } = summary;
  const within: Query = { days };
  return html`<p class="lead">${sentence(site, summary)}</p>
${tiles(site, summary, within)}
<section class="card" aria-labelledby="activity"><h2 id="activity">What was refused, asked${site.team === undefined ? ", kept and undone" : " and kept"}</h2>${activityChart(stretches, { isByHour: days === 1, hasUndone: site.team === undefined })}</section>
<div class="cards">
${bars("Rules", rules, name => link(site.to("calls", { ...within, rule: name }), name, "mono"), "No rule had anything to say.")}
${bars("Projects", projects, name => html`<a href="${site.to("calls", { ...within, project: name })}" title="${line(name)}">${line(basename(name) || name, 40)}</a>`, "No project.")}
${site.team === undefined ? NOTHING : bars("People", people, name => link(site.to("", { ...within, person: name }), name), "Nobody.")}
${bars("Hosts", hosts, name => link(site.to("calls", { ...within, host: name }), hostTitle(name)), "No host.")}
</div>
<section class="list" aria-labelledby="sessions-title"><div class="heading"><h2 id="sessions-title">Sessions</h2>${link(site.to("sessions"), "All sessions")}</div>
<div class="rows">${sessions.slice(0, MAX_SESSIONS).map(session => sessionRow(site, session))}</div></section>
${latency.length === 0 ? NOTHING : latencyCard(latency)}`;
}

type Tile = readonly [name: string, value: number, className: string, query: Query];

/** `2 agents made 84 calls in 3 projects.` and what became of them. */
function sentence({ team }: Site, { figures, hosts, people, projects, sessions }: Summary): Markup {
  const { calls, changes, undone } = figures;
  const agents = hosts.map(({ name }) => hostTitle(name));
  const named =
    agents.length <= 3 ? agents.join(" and ").replace(/ and (?=.* and )/g, ", ") : `${agents.length} agents`;
  const made = html`${line(named, 120)} made <b>${number(calls)} ${calls === 1 ? "call" : "calls"}</b> in ${count(sessions.length, "session")} on ${count(projects.length, "project")}`;
  if (team !== undefined)
    return html`${made}, for ${people.length === 1 ? "one person" : `${people.length} people`}.`;
  return html`${made}. ${
    changes === 0
      ? "None of them changed a file that amplihack keeps."
      : html`<b>${number(changes)}</b> changed files, ${undone === 0 ? "and every one of them can be undone" : html`<b>${number(undone)}</b> ${undone === 1 ? "was" : "were"} undone since`}.`
  }`;
}

/** Histories stay on their machines, so that a team sees nothing of changes. */
function tiles(site: Site, { figures }: Summary, within: Query): Markup {
  const ofMachine = (...tile: Tile) => (site.team === undefined ? [tile] : []);
  const { calls, changes, kept, asked, refused, undone, held, unchecked } = figures;
  const all: readonly Tile[] = [
    ["Calls", calls, "", {}],
    ...ofMachine("Changes", changes, "changed", { changes: "all" }),
    ["Kept first", kept, "kept", { outcome: "kept" }],
    ["Asked", asked, "asked", { outcome: "asked" }],
    ["Refused", refused, "refused", { outcome: "refused" }],
    ...ofMachine("Undone", undone, "undone", { changes: "undone" }),
    ...(held > 0 ? [["Stops held", held, "asked", { outcome: "held" }] as const] : []),
    ...(unchecked > 0
      ? [["Could not check", unchecked, "unchecked", { outcome: "unchecked" }] as const]
      : []),
  ];
  return html`<ul class="tiles">${all.map(
    ([name, value, className, query]) =>
      html`<li class="${className}${value === 0 ? " zero" : ""}"><a href="${site.to("calls", { ...within, ...query })}"><b>${number(value)}</b><span>${name}</span></a></li>`,
  )}</ul>`;
}

function bars(
  title: string,
  counted: readonly Counted[],
  name: (name: string) => Markup,
  ifEmpty: string,
): Markup {
  const highest = Math.max(1, ...counted.map(one => one.count));
  const rows = counted
    .slice(0, MAX_NAMES)
    .map(
      one =>
        html`<li>${name(one.name)}<svg class="bar" aria-hidden="true" height="6" width="100%"><rect class="track" width="100%" height="6" rx="3"/><rect class="value" width="${((one.count / highest) * 100).toFixed(1)}%" height="6" rx="3"/></svg><b>${number(one.count)}</b></li>`,
    );
  const id = `top-${title.toLowerCase()}`;
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${rows.length === 0 ? html`<p class="soft">${ifEmpty}</p>` : html`<ol class="bars">${rows}</ol>`}</section>`;
}

function latencyCard(latency: readonly LatencySeries[]): Markup {
  const order = [...latency.keys()].sort(
    (one, other) => (latency[other]?.overall.p95Us ?? 0) - (latency[one]?.overall.p95Us ?? 0),
  );
  const rows = order.map(index => {
    const one = latency[index];
    if (one === undefined) return NOTHING;
    const { hook, overall } = one;
    const figures = [overall.medianUs, overall.p95Us, overall.maximumUs];
    return html`<tr><th scope="row"><i class="key series-${index}"></i>${line(hook.replaceAll("_", " "), 60)}</th><td class="extra">${number(overall.count)}</td>${figures.map(us => html`<td>${duration(us / 1_000)}</td>`)}</tr>`;
  });
  return html`<section class="card" aria-labelledby="latency"><h2 id="latency">How long hooks took</h2>${latencyChart(latency)}
<div class="scroll" tabindex="0" role="region" aria-label="Slowest hooks"><table><thead><tr><th scope="col">Hook, slowest first</th><th scope="col" class="extra">Calls</th><th scope="col">Median</th><th scope="col">95 %</th><th scope="col">Longest</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}
