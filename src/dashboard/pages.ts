import { errorText } from "../protocol/index.ts";
import type { MemoryEntry, MemoryQuery } from "./memories.ts";
import type { Sources } from "./sources.ts";
import { summariseSince } from "./timeline/summary.ts";
import { readRecorded } from "./timeline/transcript.ts";
import { callsView } from "./views/calls.ts";
import { changeView } from "./views/change.ts";
import { diffView } from "./views/diff.ts";
import { readFilter } from "./views/filters.ts";
import { homeView, stretchStarts } from "./views/home.ts";
import type { Page } from "./views/layout.ts";
import { html, line, type Markup } from "./views/markup.ts";
import { memoryView } from "./views/memory.ts";
import { recipesProblem, recipesView, recipeView } from "./views/recipes.ts";
import { searchView } from "./views/search.ts";
import { sessionsView, sessionView } from "./views/sessions.ts";
import type { Site } from "./views/site.ts";
import { empty, link } from "./views/words.ts";

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
};

const MAX_DAYS = 90;
const MAX_TEXT = 200;

export function homePage({ activity, timelines }: Sources, site: Site, query: URLSearchParams): Page {
  const days = Math.min(MAX_DAYS, Math.max(1, wholeNumber(query, "days")));
  const starts = stretchStarts(site.nowMs, days);
  const timeline = timelines.read();
  const summary = summariseSince(timeline, activity.runs.newestFirst(), { starts });
  const hasAny = timeline.sessions.length > 0;
  const filter = readFilter(query);
  const body = homeView(site, { summary, days, unreadable: activity.tally.unreadable, hasAny, filter });
  return { name: "", title: days === 1 ? "Today" : `Last ${days} days`, body };
}

function sessionPage({ system, timelines }: Sources, site: Site, query: URLSearchParams): Page {
  const id = query.get("id") ?? "";
  const session = timelines.read().byId.get(id);
  const body =
    session === undefined
      ? missing("session", link(site.to("sessions"), "All sessions"))
      : sessionView(site, session, readRecorded(system, session), wholeNumber(query, "older"));
  return { name: "session", title: id === "" ? "Session" : `Session ${id.slice(0, 12)}`, body };
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
export async function diffOf(
  { system, changes: { history } }: Sources,
  site: Site,
  id: string,
): Promise<Markup | undefined> {
  const change = history?.readChange(id);
  return history === undefined || change === undefined ? undefined : diffView(site, system, history, change);
}

async function searchPage(sources: Sources, site: Site, query: URLSearchParams): Promise<Page> {
  const sought = textOf(query, "q");
  const memories = sought.trim() === "" ? [] : (await tryToFind(sources, sought)).memories;
  return {
    name: "search",
    title: "Search",
    body: searchView(site, sources.timelines.read(), sought, memories),
    sought,
  };
}

async function memoryPage(sources: Sources, site: Site, query: URLSearchParams): Promise<Page> {
  const sought = textOf(query, "q");
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
  return empty(`There is no such ${what}.`, html`It may have been removed since. ${all} are still there.`);
}

function textOf(query: URLSearchParams, name: string): string {
  return (query.get(name) ?? "").slice(0, MAX_TEXT);
}

function wholeNumber(query: URLSearchParams, name: string): number {
  const text = query.get(name) ?? "";
  return /^\d{1,9}$/.test(text) ? Number(text) : 0;
}
