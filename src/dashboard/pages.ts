import { createHash } from "node:crypto";
import { errorText } from "../protocol/index.ts";
import { searchDeep } from "./search.ts";
import type { MemoryEntry, MemoryQuery, Sources } from "./sources.ts";
import { teamStarts } from "./team-figures.ts";
import { measureLatency, summarise } from "./timeline/timeline.ts";
import { callsView, changeView, combinedView, diffView } from "./views/calls.ts";
import { readFilter } from "./views/filters.ts";
import { heldView } from "./views/held.ts";
import { homeView, hooksView, type Range, readRange } from "./views/home.ts";
import { BRAND, footer, header, html, line, Markup, NOTHING, type Page, type Site } from "./views/layout.ts";
import { recipesProblem, recipesView, recipeView } from "./views/recipes.ts";
import { memoryView, searchView } from "./views/search.ts";
import { sessionsView, sessionView } from "./views/sessions.ts";
import { usageView } from "./views/usage.ts";
import { empty, link } from "./views/words.ts";

interface PageFiles {
  readonly style: string;
  readonly script: string;
}

export interface Rendered {
  readonly html: string;
  readonly policy: string;
}

/** A page as one document. Script and style run by their hash, so nothing that the logs may hold can ever run. */
export function renderPage(site: Site, page: Page): Rendered {
  return renderDocument(
    site,
    page,
    html`<main id="main" tabindex="-1" data-page="${page.name}">${notices(site)}${page.body}</main>`,
  );
}

/** A person wonders where the buttons are. */
function notices({ whyReadOnly, team }: Site): Markup {
  const problem = team === undefined ? whyReadOnly : team.problem;
  return html`${team === undefined ? NOTHING : html`<p class="source">${line(team.about)}</p>`}${problem === undefined ? NOTHING : html`<p class="notice">${line(problem)}</p>`}`;
}

/** All pages as one document that needs no server: its script shows one at a time. */
export function renderPages(site: Site, pages: readonly (Page & { readonly address: string })[]): Rendered {
  const parts = pages.map(
    ({ address, title, body }) =>
      html`<section class="page" data-address="${address}" data-title="${title}">${body}</section>`,
  );
  return renderDocument(
    site,
    { name: "", title: "report" },
    html`<main id="main" tabindex="-1">${parts}</main>`,
  );
}

function renderDocument(site: Site, page: Omit<Page, "body">, main: Markup): Rendered {
  const { style, script } = JSON.parse(__AMPLIHACK_PAGE__) as PageFiles;
  const policy = [
    "default-src 'none'",
    `script-src '${contentHash(script)}'`,
    `style-src '${contentHash(style)}'`,
    ...(site.isReport ? ["form-action 'none'"] : ["connect-src 'self'", "form-action 'self'"]),
    "base-uri 'none'",
  ].join("; ");
  const document = html`<!doctype html>
<html lang="en" data-kind="${site.isReport ? "report" : site.team?.login === undefined ? "live" : "server"}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${page.title} · amplihack</title>
<style>${new Markup(style)}</style>
</head>
<body>
${header(site, page)}
${main}
${footer(site)}
<script type="module">${new Markup(script)}</script>
</body>
</html>
`;
  return { html: document.text, policy: `${policy}; frame-ancestors 'none'` };
}

/** A page for somebody who is not known yet: no tabs. */
export function renderBare(title: string, body: Markup): Rendered {
  const { style, script } = JSON.parse(__AMPLIHACK_PAGE__) as PageFiles;
  const policy = `default-src 'none'; script-src '${contentHash(script)}'; style-src '${contentHash(style)}'; connect-src 'self'; form-action 'self'; base-uri 'none'`;
  const document = html`<!doctype html>
<html lang="en" data-kind="server">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title} · amplihack</title>
<style>${new Markup(style)}</style>
</head>
<body>
<main id="main" class="alone"><p class="brand">${BRAND}</p><h1>${title}</h1>${body}</main>
<script type="module">${new Markup(script)}</script>
</body>
</html>
`;
  return { html: document.text, policy: `${policy}; frame-ancestors 'none'` };
}

function contentHash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

type MakePage = (sources: Sources, site: Site, query: URLSearchParams) => Page | Promise<Page>;

/** By the path of their address. */
export const PAGES: Readonly<Record<string, MakePage>> = {
  "/": homePage,
  "/sessions": ({ timelines }, site, query) => ({
    name: "sessions",
    title: "Sessions",
    body: sessionsView(site, timelines.read(), readFilter(query), wholeNumber(query, "from")),
  }),
  "/session": sessionPage,
  "/calls": ({ timelines }, site, query) => ({
    name: "calls",
    title: "Calls",
    body: callsView(site, timelines.read(), readFilter(query), wholeNumber(query, "from")),
  }),
  "/change": changePage,
  "/search": searchPage,
  "/recipes": recipesPage,
  "/recipe": recipePage,
  "/memory": memoryPage,
  "/usage": usagePage,
  "/hooks": hooksPage,
};

const MAX_TEXT = 200;

/** Nobody has worked yet in the morning: without a wish the page tells of yesterday then. */
export async function homePage(sources: Sources, site: Site, query: URLSearchParams): Promise<Page> {
  const { activity, timelines, usage, figures } = sources;
  const timeline = timelines.read();
  const asked = readRange(site.nowMs, query.get("days") ?? undefined);
  const today = asked ?? parseRange(site, "1");
  const [newest] = timeline.items;
  const [latest] = timeline.sessions;
  const isMorning = asked === undefined && newest !== undefined && newest.atMs < (today.edges[0] ?? 0);
  const yesterday = parseRange(site, "yesterday");
  const ofMachine = isMorning && newest.atMs >= (yesterday.edges[0] ?? 0) ? yesterday : today;
  // A database keeps sums by hours and days of UTC.
  const starts = teamStarts(site.nowMs, Number(today.value) || 1);
  const range =
    figures === undefined ? ofMachine : { ...today, edges: [...starts, Number.POSITIVE_INFINITY] };
  const counted = await figures?.since(starts);
  const home = homeView(site, {
    summary: { ...summarise(timeline, range.edges), ...counted },
    range,
    unreadable: counted?.unreadable ?? activity.unreadable,
    isReading: !activity.isRead,
    hasAny: timeline.sessions.length > 0,
    filter: readFilter(query),
    budgets:
      (range === today && (await sources.foretellBudgets?.(latest?.name ?? "", latest?.project ?? ""))) || [],
    cost: await usage?.costBetween(range.edges[0] ?? 0, range.edges.at(-1) ?? site.nowMs),
  });
  const held = await heldView(site, sources.system, sources.held);
  return { name: "", title: range.title, body: html`${held}${home}` };
}

function parseRange({ nowMs }: Site, value: string): Range {
  return readRange(nowMs, value) as Range;
}

export function hooksPage({ activity }: Sources, site: Site, query: URLSearchParams): Page {
  const range = parseRange(site, query.get("days") ?? "1");
  const latency = measureLatency(activity.runs, range.edges[0] ?? 0);
  return { name: "hooks", title: "Hooks", body: hooksView(site, latency, range) };
}

const USAGE_DAYS = 30;
const MAX_USAGE_DAYS = 3_660;

async function usagePage({ usage, timelines }: Sources, site: Site, query: URLSearchParams): Promise<Page> {
  const groupings = usage?.groupings ?? [];
  const by = groupings.find(group => group === query.get("by")) ?? "day";
  const days = Math.min(wholeNumber(query, "days") || USAGE_DAYS, MAX_USAGE_DAYS);
  const groups = await usage?.groups(by, site.nowMs - days * 24 * 60 * 60_000);
  const { source = "" } = usage ?? {};
  const sessions = by === "session" ? timelines.read().byId : undefined;
  const problems = usage?.problems() ?? [];
  const body = usageView(site, { groups, groupings, source, by, days, problems, sessions });
  return { name: "usage", title: "Usage", body };
}

async function sessionPage(
  { records, timelines }: Sources,
  site: Site,
  query: URLSearchParams,
): Promise<Page> {
  const id = query.get("id") ?? "";
  const session = timelines.read().byId.get(id);
  if (session !== undefined) await records.prepare(session);
  const body =
    session === undefined
      ? missing("session", link(site.to("sessions"), "All sessions"))
      : sessionView(site, session, records.of(session), wholeNumber(query, "older"));
  const title = session === undefined ? undefined : site.titleOf(session);
  return { name: "session", title: title ?? (id === "" ? "Session" : `Session ${id.slice(0, 12)}`), body };
}

async function changePage(sources: Sources, site: Site, query: URLSearchParams): Promise<Page> {
  const { system, changes } = sources;
  const { history } = changes;
  const change = history?.readChange(query.get("id") ?? "");
  if (history === undefined || change === undefined)
    return {
      name: "change",
      title: "Change",
      body: missing("change", link(site.to("calls", { changes: "all" }), "All changes")),
    };
  const diff = await diffView(site, system, history, change);
  return { name: "change", title: `Change ${change.id}`, body: changeView(site, change, diff) };
}

/** The diff alone, for the place in the timeline where somebody asked for it. */
export async function renderDiffPage(
  { system, changes: { history } }: Sources,
  site: Site,
  /** of one change, or of several with spaces between them, which become one diff */
  ids: string,
): Promise<Markup | undefined> {
  const changes = ids
    .split(" ")
    .slice(0, MAX_COMBINED)
    .flatMap(id => history?.readChange(id) ?? []);
  const [first] = changes;
  if (history === undefined || first === undefined) return undefined;
  return changes.length === 1
    ? diffView(site, system, history, first)
    : combinedView(site, system, history, changes);
}

const MAX_COMBINED = 200;

async function searchPage(sources: Sources, site: Site, query: URLSearchParams): Promise<Page> {
  const sought = queryText(query, "q");
  const memories = sought.trim() === "" ? [] : (await tryToFind(sources, sought)).memories;
  return {
    name: "search",
    title: "Search",
    body: searchView(
      site,
      sources.timelines.read(),
      sought,
      memories,
      await searchDeep(sources, site, sought),
    ),
    sought,
  };
}

async function memoryPage(sources: Sources, site: Site, query: URLSearchParams): Promise<Page> {
  const sought = queryText(query, "q");
  const agent = query.get("agent") ?? undefined;
  const found = await tryToFind(sources, sought, { agent });
  return { name: "memory", title: "Memory", body: memoryView(site, { ...found, sought, agent }) };
}

/** Memories that cannot be read are told, and take nothing else away. */
async function tryToFind(
  sources: Sources,
  sought: string,
  query: MemoryQuery = {},
): Promise<{ readonly memories: readonly MemoryEntry[]; readonly problem: string | undefined }> {
  try {
    return { memories: await sources.findMemories(sought, query), problem: undefined };
  } catch (error) {
    return { memories: [], problem: errorText(error) };
  }
}

/** Runs that cannot be read are told, and take nothing else away. */
async function recipesPage({ recipes }: Sources, site: Site): Promise<Page> {
  const body = await recipes.list().then(
    runs => recipesView(site, runs),
    (error: unknown) => recipesProblem(errorText(error)),
  );
  return { name: "recipes", title: "Recipes", body };
}

async function recipePage({ recipes }: Sources, site: Site, query: URLSearchParams): Promise<Page> {
  const run = await recipes.find(query.get("id") ?? "");
  const body =
    run === undefined
      ? missing("run of a recipe", link(site.to("recipes"), "All runs"))
      : recipeView(site, run, recipes.detail(run));
  return { name: "recipe", title: run === undefined ? "Recipe run" : `Run of ${line(run.recipe, 60)}`, body };
}

function missing(what: string, all: Markup): Markup {
  const advice = html`It may have been removed since. ${all} are still there.`;
  return html`<h1>Not found</h1>${empty(`There is no such ${what}.`, advice)}`;
}

function queryText(query: URLSearchParams, name: string): string {
  return (query.get(name) ?? "").slice(0, MAX_TEXT);
}

function wholeNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
