import { hostTitle } from "../../install/index.ts";
import { basename } from "../../system/index.ts";
import { count } from "../../text/index.ts";
import type { Counted, LatencySeries } from "../activity.ts";
import type { Stretch, Summary } from "../timeline/timeline.ts";
import { itemsView } from "./calls.ts";
import { type CallFilter, chosenFilters, filterForm, placeChoices } from "./filters.ts";
import { html, line, type Markup, NOTHING, type PageName, type Query, type Site } from "./layout.ts";
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

/** How far back a page looks; the value stands in the address. */
const RANGES = [
  { value: "1", title: "Today", words: "today" },
  { value: "yesterday", title: "Yesterday", words: "yesterday" },
  { value: "7", title: "7 days", words: "in the last 7 days" },
  { value: "30", title: "30 days", words: "in the last 30 days" },
] as const;
const MAX_NAMES = 6;
const MAX_SESSIONS = 12;
const MAX_WRONG = 6;
const HOUR_MS = 3_600_000;
const MAX_DAYS = 90;

export interface Range {
  readonly value: string;
  readonly title: string;
  readonly words: string;
  readonly isByHour: boolean;
  /** hours of one day, or days; the last ends the range */
  readonly edges: readonly number[];
}

/** What an address asks for; undefined where it asks for nothing. */
export function readRange(nowMs: number, given: string | undefined): Range | undefined {
  if (given === undefined) return undefined;
  const known = RANGES.find(({ value }) => value === given);
  const days = given === "yesterday" ? 2 : Math.min(MAX_DAYS, Math.max(1, Math.floor(Number(given)) || 1));
  const start = startOfDays(nowMs, days);
  const isByHour = days === 1 || given === "yesterday";
  const hours = Array.from({ length: 24 }, (_, index) => start + index * HOUR_MS);
  const starts = isByHour
    ? hours.filter(ms => given !== "yesterday" || ms < startOfDays(nowMs, 1))
    : Array.from({ length: days }, (_, index) => startOfDays(nowMs, days - index));
  const end = given === "yesterday" ? startOfDays(nowMs, 1) : Number.POSITIVE_INFINITY;
  const words = `in the last ${days} days`;
  return {
    ...(known ?? { value: String(days), title: `${days} days`, words }),
    isByHour,
    edges: [...starts, end],
  };
}

interface HomeFacts {
  readonly summary: Summary;
  readonly range: Range;
  /** lines of the logs that could not be understood */
  readonly unreadable: number;
  /** older records are still being read */
  readonly isReading: boolean;
  /** anything was ever written */
  readonly hasAny: boolean;
  /** what the address asks for */
  readonly filter: CallFilter;
  /** how far each budget is used, and when it will be */
  readonly budgets: readonly string[];
  /** what models cost; undefined where that is not known */
  readonly cost: string | undefined;
}

/** What a person wants to know at breakfast: what was done, what went wrong, what it cost, what waits. */
export function homeView(site: Site, facts: HomeFacts): Markup {
  const { summary, range, unreadable, isReading, hasAny, filter } = facts;
  const switcher = site.isReport ? NOTHING : rangeSwitch(site, "", range.value);
  return html`<div class="heading"><h1>${range.isByHour ? range.title : `The last ${range.title}`}</h1>${switcher}</div>
${site.team === undefined ? NOTHING : html`${filterForm(site, "", filter, placeChoices(site, { host: [], project: [] }), { hasText: false })}${chosenFilters(site, "", { ...filter, days: undefined })}`}
${isReading ? html`<p class="soft" role="status">Older records are still being read.</p>` : NOTHING}
${unreadable === 0 ? NOTHING : html`<p class="notice">${count(unreadable, "line")} of the logs cannot be read and ${unreadable === 1 ? "is" : "are"} left out.</p>`}
${summary.items.length === 0 ? quiet(site, range, hasAny) : busy(site, facts)}`;
}

function rangeSwitch(site: Site, page: PageName, value: string): Markup {
  const tabs = RANGES.filter(range => site.team === undefined || range.value !== "yesterday").map(
    range =>
      html`<a href="${site.to(page, { days: range.value })}"${range.value === value ? html` aria-current="true"` : NOTHING}>${range.title}</a>`,
  );
  return html`<nav class="switch" aria-label="How far back">${tabs}</nav>`;
}

function quiet(site: Site, { isByHour, words }: Range, hasAny: boolean): Markup {
  if (!hasAny && site.team !== undefined) return nothingShipped(site.team);
  if (!hasAny)
    return empty(
      "No agent has run with amplihack yet.",
      html`${command("amplihack install")} registers it with the agents on this machine. What they do then appears here while it happens.`,
      html`${command("amplihack demo")} plays what you would see.`,
    );
  return empty(
    isByHour ? `No agent has worked ${words}.` : "No agent has worked in this time.",
    html`${link(site.to("sessions"), "Earlier sessions")} are kept, and ${link(site.to("", { days: 30 }), "the last 30 days")} may have more.`,
  );
}

/** An empty chart tells nothing that "nothing went wrong" does not say. */
function activity({ team }: Site, stretches: readonly Stretch[], { isByHour }: Range): Markup {
  const isQuiet = stretches.every(
    ({ refused, asked, kept, undone }) => refused + asked + kept + undone === 0,
  );
  if (isQuiet) return NOTHING;
  return html`<section class="card" aria-labelledby="activity"><h2 id="activity">What was refused, asked${team === undefined ? ", kept and undone" : " and kept"}</h2>${activityChart(stretches, { isByHour, hasUndone: team === undefined })}</section>`;
}

function busy(site: Site, { summary, range, cost, budgets }: HomeFacts): Markup {
  const { stretches, rules, projects, hosts, people, sessions } = summary;
  const within: Query = { days: range.value };
  return html`<p class="lead">${sentence(site, summary, cost)}</p>
<p class="tallies">${tallyLinks(site, summary, within)}</p>
${budgets.map(budget => html`<p class="soft">${budget} As of the last call.</p>`)}
${waiting(site, summary)}
${wentWrong(site, summary, within)}
<section class="list" aria-labelledby="sessions-title"><div class="heading"><h2 id="sessions-title">What they did</h2>${link(site.to("sessions"), "All sessions")}</div>
<div class="rows">${sessions.slice(0, MAX_SESSIONS).map(session => sessionRow(site, session))}</div></section>
${activity(site, stretches, range)}
<div class="cards">
${bars("Rules", rules, name => link(site.to("calls", { ...within, rule: name }), name, "mono"), "No rule applied.")}
${bars("Projects", projects, name => html`<a href="${site.to("calls", { ...within, project: name })}" title="${line(name)}">${line(basename(name) || name, 40)}</a>`, "No project.")}
${site.team === undefined ? NOTHING : bars("People", people, name => link(site.to("", { ...within, person: name }), name), "Nobody.")}
${bars("Hosts", hosts, name => link(site.to("calls", { ...within, host: name }), hostTitle(name)), "No host.")}
</div>`;
}

/** An agent that was asked about a call and did nothing since. One whose stop was held was told to go on by itself. */
const WAITING_MS = 12 * HOUR_MS;

function waiting(site: Site, { sessions }: Summary): Markup {
  if (site.team !== undefined || site.isReport) return NOTHING;
  const waits = sessions.flatMap(session => {
    const [last] = session.turns[0]?.items ?? [];
    return last?.outcome === "asked" && site.nowMs - last.atMs < WAITING_MS ? [last] : [];
  });
  if (waits.length === 0) return NOTHING;
  return html`<section class="list" aria-labelledby="waiting"><h2 id="waiting">What waits for you</h2>${itemsView(site, waits)}</section>`;
}

/** What was refused, what could not be checked, and what was not kept whole. */
function wentWrong(site: Site, { items }: Summary, within: Query): Markup {
  const wrong = items.filter(
    item =>
      item.outcome === "refused" ||
      item.outcome === "unchecked" ||
      (item.kind === "call" && item.change?.isComplete === false),
  );
  if (wrong.length === 0)
    return html`<p class="soft fine">Nothing went wrong: nothing was refused, every call was checked, and what was changed is kept.</p>`;
  const rest = wrong.length - MAX_WRONG;
  return html`<section class="list" aria-labelledby="wrong"><div class="heading"><h2 id="wrong">What went wrong</h2>${rest > 0 ? link(site.to("calls", { ...within, outcome: "refused" }), `${number(rest)} more`) : NOTHING}</div>${itemsView(site, wrong.slice(0, MAX_WRONG))}</section>`;
}

/** `2 agents made 84 calls in 3 projects.` and what became of them. */
function sentence(
  { team }: Site,
  { figures, files, hosts, people, projects, sessionCount }: Summary,
  cost: string | undefined,
): Markup {
  const { calls, undone } = figures;
  const agents = hosts.map(({ name }) => hostTitle(name));
  const named =
    agents.length <= 3 ? agents.join(" and ").replace(/ and (?=.* and )/g, ", ") : `${agents.length} agents`;
  const made = html`${line(named, 120)} made <b>${number(calls)} ${calls === 1 ? "call" : "calls"}</b> in ${count(sessionCount, "session")} on ${count(projects.length, "project")}`;
  const spent = cost === undefined ? NOTHING : html` It cost <b>${cost}</b>.`;
  if (team !== undefined)
    return html`${made}, for ${people.length === 1 ? "one person" : `${people.length} people`}.${spent}`;
  const changed =
    files === 0
      ? "No file was changed."
      : html`<b>${number(files)}</b> ${files === 1 ? "file was" : "files were"} changed${undone === 0 ? NOTHING : html`, and you took <b>${number(undone)}</b> ${undone === 1 ? "change" : "changes"} back`}.`;
  return html`${made}. ${changed}${spent}`;
}

type Tally = readonly [value: number, one: string, several: string, className: string, query: Query];

/** Histories stay on their machines, so that a team sees nothing of changes. */
function tallyLinks(site: Site, { figures }: Summary, within: Query): Markup {
  const { calls, changes, kept, asked, refused, undone, held, unchecked, answered } = figures;
  const isHere = site.team === undefined;
  const all: readonly Tally[] = [
    [calls, "call", "calls", "", {}],
    [isHere ? changes : 0, "change", "changes", "changed", { changes: "all" }],
    [kept, "kept first", "kept first", "kept", { outcome: "kept" }],
    [answered, "answered for you", "answered for you", "answered", { outcome: "answered" }],
    [asked, "asked", "asked", "asked", { outcome: "asked" }],
    [refused, "refused", "refused", "refused", { outcome: "refused" }],
    [isHere ? undone : 0, "undone", "undone", "undone", { changes: "undone" }],
    [held, "stop held", "stops held", "asked", { outcome: "held" }],
    [unchecked, "not checked", "not checked", "unchecked", { outcome: "unchecked" }],
  ];
  return html`${all
    .filter(([value]) => value > 0)
    .map(
      ([value, one, several, className, query]) =>
        html`<a class="tally ${className}" href="${site.to("calls", { ...within, ...query })}"><b>${number(value)}</b> ${value === 1 ? one : several}</a>`,
    )}`;
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
  return html`<section class="card" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${rows.length === 0 ? html`<p class="soft">${ifEmpty}</p>` : html`<ol class="bars">${rows}</ol>${counted.length > MAX_NAMES ? html`<p class="soft">and ${number(counted.length - MAX_NAMES)} more</p>` : NOTHING}`}</section>`;
}

/** How long hooks took: for those who maintain them. */
export function hooksView(site: Site, latency: readonly LatencySeries[], range: Range): Markup {
  const head = html`<div class="heading"><h1>Hooks</h1>${site.isReport ? NOTHING : rangeSwitch(site, "hooks", range.value)}</div>
<p class="soft">How long the hooks themselves took, for those who maintain them.</p>`;
  return latency.length === 0
    ? html`${head}${empty(`No hook was called ${range.words}.`, html`${command("amplihack doctor")} tells whether they would be.`)}`
    : html`${head}${latencyCard(latency, site.team?.listed)}`;
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
    return html`<tr><th scope="row"><i class="key series-${index}"></i>${line(hook.replaceAll("_", " "), 60)}</th><td class="extra">${number(overall.count)}</td>${figures.map((us, at) => html`<td${at === 2 ? html` class="extra"` : NOTHING}>${duration(us / 1_000)}</td>`)}</tr>`;
  });
  return html`<section class="card" aria-labelledby="latency"><h2 id="latency">How long hooks took</h2>${listed === undefined ? NOTHING : html`<p class="soft">${listed}</p>`}${latencyChart(latency)}
<div class="scroll" tabindex="0" role="region" aria-label="Slowest hooks"><table><thead><tr><th scope="col">Hook, slowest first</th><th scope="col" class="extra">Calls</th><th scope="col">Median</th><th scope="col">95 %</th><th scope="col" class="extra">Longest</th></tr></thead><tbody>${rows}</tbody></table></div></section>`;
}
