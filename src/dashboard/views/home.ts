import { hostTitle } from "../../install/index.ts";
import { basename } from "../../system/index.ts";
import { count } from "../../text/index.ts";
import type { Counted, LatencySeries } from "../activity.ts";
import type { Stretch, Summary } from "../timeline/timeline.ts";
import { type CallFilter, chosenFilters, filterForm, placeChoices } from "./filters.ts";
import { html, line, type Markup, NOTHING, type Query, type Site } from "./layout.ts";
import { sessionRow } from "./sessions.ts";
import { clock, command, day, duration, empty, link, nothingShipped, number, startOfDays } from "./words.ts";

interface Size {
  readonly className: string;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  /** labels below, at most */
  readonly labels: number;
}

/** Drawn twice, so that letters keep their size: the style shows the one that fits. */
const SIZES: readonly Size[] = [
  { className: "wide", width: 1040, height: 220, left: 56, labels: 9 },
  { className: "narrow", width: 340, height: 200, left: 54, labels: 3 },
];

const KINDS = ["refused", "asked", "kept", "undone", "answered"] as const;
const LEGEND: Readonly<Partial<Record<(typeof KINDS)[number], string>>> = {
  kept: "kept first",
  answered: "answered for you",
};
const BOTTOM = 24;
const TOP = 10;
const MIN_PEAK = 4;

/** Refusals, questions, keeps and undos over time, one column a stretch. */
function activityChart(
  stretches: readonly Stretch[],
  { isByHour, hasUndone }: { readonly isByHour: boolean; readonly hasUndone: boolean },
): Markup {
  // Nothing is said of answers where none are given.
  const isAnswered = stretches.some(({ answered }) => answered > 0);
  const kinds = KINDS.filter(kind => (kind !== "undone" || hasUndone) && (kind !== "answered" || isAnswered));
  const total = (one: Stretch) => kinds.reduce((sum, kind) => sum + one[kind], 0);
  const highest = Math.max(MIN_PEAK, ...stretches.map(total));
  const step = niceStep(highest);
  const peak = Math.ceil(highest / step) * step;
  const label = ({ startMs }: Stretch) => (isByHour ? clock(startMs) : day(startMs).slice(5));
  const told = kinds.map(kind => `${stretches.reduce((sum, one) => sum + one[kind], 0)} ${kind}`).join(", ");
  const drawn = SIZES.map(({ className, width, height, left, labels }) => {
    const bottom = height - BOTTOM;
    const y = (value: number) => bottom - (value / peak) * (bottom - TOP);
    const each = (width - left) / stretches.length;
    const every = Math.ceil(stretches.length / labels);
    const lines = Array.from({ length: Math.round(peak / step) + 1 }, (_, index) => {
      const at = y(index * step);
      return html`<line class="grid" x1="${left}" x2="${width}" y1="${at}" y2="${at}"/><text x="${left - 8}" y="${at + 4}" text-anchor="end">${index * step}</text>`;
    });
    const columns = stretches.map((one, index) => {
      const x = left + index * each + each * 0.18;
      let below = 0;
      const parts = kinds
        .filter(kind => one[kind] > 0)
        .map(kind => {
          below += one[kind];
          return html`<rect class="fill-${kind}" x="${x.toFixed(1)}" y="${y(below).toFixed(1)}" width="${(each * 0.64).toFixed(1)}" height="${((one[kind] / peak) * (bottom - TOP)).toFixed(1)}" rx="1.5"><title>${label(one)}: ${one[kind]} ${kind}</title></rect>`;
        });
      const text =
        index % every === 0
          ? html`<text x="${(left + (index + 0.5) * each).toFixed(1)}" y="${height - 6}" text-anchor="middle">${label(one)}</text>`
          : "";
      return html`${parts}${text}`;
    });
    return html`<svg class="chart ${className}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Over time: ${told}">${lines}${columns}</svg>`;
  });
  const legend = kinds.map(kind => html`<li><i class="key-${kind}"></i>${LEGEND[kind] ?? kind}</li>`);
  return html`<figure>${drawn}<figcaption><ul class="legend">${legend}</ul></figcaption></figure>`;
}

/** 1, 2, 5, 10, 20 …: at most five lines. */
function niceStep(highest: number): number {
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  return Math.max(1, [1, 2, 5, 10].map(factor => factor * power).find(step => step >= rough) ?? 1);
}

const MAX_SERIES = 6;

/** How long hooks took, 95 of 100 calls, over time; logarithmic, since they differ by far. */
function latencyChart(all: readonly LatencySeries[]): Markup {
  const series = all.slice(0, MAX_SERIES);
  const points = series.flatMap(one => one.points);
  const starts = points.map(({ startMs }) => startMs);
  const [from, to] = [Math.min(...starts), Math.max(...starts)];
  const exponents = points.map(({ p95Us }) => Math.log10(Math.max(1, p95Us)));
  const low = Math.floor(Math.min(...exponents));
  const high = Math.max(low + 1, Math.ceil(Math.max(...exponents)));
  const told = series.map(({ hook, overall }) => `${hook} ${duration(overall.p95Us / 1_000)}`).join(", ");
  const isOneDay = day(from) === day(to);
  const label = (ms: number) => (isOneDay ? clock(ms) : `${day(ms).slice(5)} ${clock(ms)}`);
  const drawn = SIZES.map(({ className, width, height, left }) => {
    const bottom = height - BOTTOM;
    const right = width - 10;
    const x = (ms: number) =>
      to === from ? (left + right) / 2 : left + ((ms - from) / (to - from)) * (right - left);
    const y = (exponent: number) => bottom - ((exponent - low) / (high - low)) * (bottom - TOP);
    const lines = Array.from({ length: high - low + 1 }, (_, index) => {
      const at = y(low + index).toFixed(1);
      return html`<line class="grid" x1="${left}" x2="${width}" y1="${at}" y2="${at}"/><text x="${left - 8}" y="${Number(at) + 4}" text-anchor="end">${duration(10 ** (low + index) / 1_000)}</text>`;
    });
    const curves = series.map(({ points: own }, index) => {
      const places = own.map(
        ({ startMs, p95Us }) => [x(startMs), y(Math.log10(Math.max(1, p95Us)))] as const,
      );
      const path = places.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" ");
      return html`<g class="series-${index}"><polyline points="${path}"/>${places.map(([px, py]) => html`<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="2.5"/>`)}</g>`;
    });
    return html`<svg class="chart ${className}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Time that hooks took, 95 of 100 calls: ${line(told)}">${lines}
<text x="${left}" y="${height - 6}">${label(from)}</text><text x="${right}" y="${height - 6}" text-anchor="end">${label(to)}</text>${curves}</svg>`;
  });
  return html`<figure>${drawn}<figcaption class="soft">Time inside the hook, 95 of 100 calls are faster. Each line upwards is ten times as long.</figcaption></figure>`;
}

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
${latency.length === 0 ? NOTHING : latencyCard(latency, site.team?.listed)}`;
}

type Tile = readonly [name: string, value: number, className: string, query: Query];

/** `2 agents made 84 calls in 3 projects.` and what became of them. */
function sentence({ team }: Site, { figures, hosts, people, projects, sessionCount }: Summary): Markup {
  const { calls, changes, undone } = figures;
  const agents = hosts.map(({ name }) => hostTitle(name));
  const named =
    agents.length <= 3 ? agents.join(" and ").replace(/ and (?=.* and )/g, ", ") : `${agents.length} agents`;
  const made = html`${line(named, 120)} made <b>${number(calls)} ${calls === 1 ? "call" : "calls"}</b> in ${count(sessionCount, "session")} on ${count(projects.length, "project")}`;
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
  const { calls, changes, kept, asked, refused, undone, held, unchecked, answered } = figures;
  const all: readonly Tile[] = [
    ["Calls", calls, "", {}],
    ...ofMachine("Changes", changes, "changed", { changes: "all" }),
    ["Kept first", kept, "kept", { outcome: "kept" }],
    ...(answered > 0 ? [["Answered for you", answered, "answered", { outcome: "answered" }] as const] : []),
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

function latencyCard(latency: readonly LatencySeries[], listed: string | undefined): Markup {
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
  return html`<section class="card" aria-labelledby="latency"><h2 id="latency">How long hooks took</h2>${listed === undefined ? NOTHING : html`<p class="soft">${listed}</p>`}${latencyChart(latency)}
<div class="scroll" tabindex="0" role="region" aria-label="Slowest hooks"><table><thead><tr><th scope="col">Hook, slowest first</th><th scope="col" class="extra">Calls</th><th scope="col">Median</th><th scope="col">95 %</th><th scope="col">Longest</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}
