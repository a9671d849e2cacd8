import { errorText } from "../protocol/index.ts";
import { localTimestamp } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { version } from "../version.ts";
import type { DataFiles } from "./entries.ts";
import { homePage, renderPages } from "./pages.ts";
import { localSources, type Sources } from "./sources.ts";
import type { Timeline } from "./timeline/timeline.ts";
import { NOTHING_RECORDED } from "./timeline/timeline.ts";
import { callsView } from "./views/calls.ts";
import { html, type Markup, reportSite, type Site } from "./views/layout.ts";
import { recipesView, recipeView } from "./views/recipes.ts";
import { memoryView } from "./views/search.ts";
import { sessionsView, sessionView } from "./views/sessions.ts";
import { command, empty } from "./views/words.ts";

const MAX_CALLS = 1_000;
const MAX_SESSIONS = 60;
/** of all sessions together */
const MAX_ITEMS = 3_000;
const MAX_MEMORIES = 500;
const DAYS = 30;

/** The pages with everything in them: one file that needs neither server nor network, and does nothing. */
export async function renderReport(
  system: System,
  files: DataFiles,
  { hasMemories }: { readonly hasMemories: boolean },
): Promise<string> {
  const sources = localSources(system, files);
  await sources.activity.catchUp();
  const site = reportSite({ nowMs: system.clock.nowMs(), home: files.home });
  const timeline = newest(sources.timelines.read());
  const home = await homePage(sources, site, new URLSearchParams({ days: String(DAYS) }));
  const runs = await sources.recipes.list();
  const written = localTimestamp(site.nowMs).slice(0, 16).replace("T", " ");
  const about = html`<p class="soft">Report of ${written}, amplihack ${version}.</p>`;
  return renderPages(site, [
    { ...home, address: "", body: html`${home.body}${about}` },
    page("sessions", "Sessions", sessionsView(site, timeline, {}, 0)),
    ...timeline.sessions.map(session =>
      page(
        `session?id=${encodeURIComponent(session.id)}`,
        "Session",
        sessionView(site, session, NOTHING_RECORDED, 0),
      ),
    ),
    page("calls", "Calls", callsView(site, timeline, {}, 0)),
    page("recipes", "Recipes", recipesView(site, runs)),
    ...runs.map(run =>
      page(
        `recipe?id=${encodeURIComponent(run.runId)}`,
        "Recipe run",
        recipeView(site, run, sources.recipes.detail(run)),
      ),
    ),
    page("memory", "Memory", hasMemories ? await memories(sources, site) : withoutMemories()),
  ]).html;
}

function page(address: string, title: string, body: Markup) {
  return { name: "", title, body, address } as const;
}

function newest({ sessions, items, ...rest }: Timeline): Timeline {
  let count = 0;
  const shown = sessions.slice(0, MAX_SESSIONS).filter(({ turns }) => {
    count += turns.reduce((sum, turn) => sum + turn.items.length, 0);
    return count <= MAX_ITEMS;
  });
  return { ...rest, sessions: shown, items: items.slice(0, MAX_CALLS) };
}

async function memories(sources: Sources, site: Site): Promise<Markup> {
  const shown = { sought: "", agent: undefined };
  try {
    const found = await sources.findMemories("", { limit: MAX_MEMORIES });
    return memoryView(site, { ...shown, memories: found, problem: undefined });
  } catch (error) {
    return memoryView(site, { ...shown, memories: [], problem: errorText(error) });
  }
}

function withoutMemories(): Markup {
  return html`<h1>Memory</h1>${empty("This report was written without memories.", html`${command("amplihack report --html FILE --memory")} puts them in.`)}`;
}
