// The page's only program; the build joins it with what it imports.

import { byId, cell, DECISIONS, fill, make, shownMs, shownTime } from "./elements.js";
import { plot } from "./plot.js";
import { showRecipes } from "./recipe-runs.js";
import { judgementRow, runRow } from "./rows.js";
import { liveSource, reportSource } from "./sources.js";
import { windowOn } from "./window-on.js";

const ROWS = 25;
const STOPPED = 12;
const SESSIONS = 12;
const REFRESH_MS = 500;
const ANNOUNCE_MS = 3000;

const embedded = JSON.parse(byId("embedded").textContent);
const source = embedded === null ? liveSource() : reportSource(embedded);

const filterForm = byId("run-filter");
const runs = windowOn({
  table: "runs",
  ask: query => source.runs(query),
  row: runRow,
  rows: ROWS,
  columns: 7,
  onFailure: tellFailure,
  ifEmpty: "No hook has run, or none that fits.",
  filter: () => Object.fromEntries(new FormData(filterForm)),
});
const judgements = windowOn({
  table: "judgements",
  ask: query => source.judgements(query),
  row: judgementRow,
  rows: STOPPED,
  columns: 6,
  onFailure: tellFailure,
  ifEmpty: "Nothing was stopped.",
  filter: () => ({}),
});

function showTotals(overview) {
  const tiles = [
    ["Hook calls", overview.calls],
    ["Refused", overview.denied, overview.denied > 0 ? "deny" : ""],
    ["Asked", overview.asked, overview.asked > 0 ? "ask" : ""],
    ["Could not check", overview.failures, overview.failures > 0 ? "failed" : ""],
    ["Sessions", overview.sessions.length],
    ["Changes", overview.history.changes],
    ["Files changed", overview.history.files],
    ["Can be undone", overview.history.undoable],
  ];
  if (overview.unreadable > 0) tiles.push(["Unreadable lines", overview.unreadable, "ask"]);
  byId("totals").replaceChildren(
    ...tiles.map(([name, number, className]) =>
      make(
        "div",
        {},
        make("dt", { text: name }),
        make("dd", { text: number.toLocaleString("en"), className }),
      ),
    ),
  );
}

function showHosts(hosts) {
  const select = filterForm.elements.namedItem("host");
  const known = new Set([...select.options].map(option => option.value));
  for (const { name } of hosts) {
    if (!known.has(name)) select.append(make("option", { value: name, text: name }));
  }
}

function showSessions(sessions) {
  const rows = sessions
    .slice(0, SESSIONS)
    .map(one =>
      make(
        "tr",
        {},
        make("th", { scope: "row", className: "code", text: one.session }),
        cell(one.host, "short"),
        cell(one.project, "code wide"),
        cell(shownTime(one.first), "time"),
        cell(shownTime(one.last), "time"),
        cell(String(one.calls), "number"),
        cell(String(one.stopped), `number ${one.stopped > 0 ? "deny" : ""}`),
        cell(String(one.failures), `number ${one.failures > 0 ? "failed" : ""}`),
      ),
    );
  fill("session-table", rows, 8, "No session yet.");
}

function showLatency(series) {
  const rows = series.map(({ hook, overall }) =>
    make(
      "tr",
      {},
      make("th", { scope: "row", text: hook }),
      cell(overall.count.toLocaleString("en"), "number"),
      ...[overall.medianUs, overall.p95Us, overall.maximumUs].map(us => cell(shownMs(us / 1000), "number")),
    ),
  );
  fill("latency-table", rows, 5, "No hook has run yet.");
  const drawn = series.filter(({ points }) => points.length > 0).slice(0, 6);
  if (drawn.length > 0) byId("plot").replaceChildren(plot(drawn));
}

async function searchMemories() {
  const state = byId("memory-state");
  const text = String(new FormData(byId("memory-search")).get("text") ?? "");
  try {
    const found = await source.memories(text);
    state.textContent = `${found.length === 0 ? "Nothing was" : found.length} found${text.trim() === "" ? ", newest first" : ""}.`;
    byId("memories").replaceChildren(
      ...found.map(memory =>
        make(
          "li",
          {},
          make("strong", { text: memory.key }),
          make("span", {
            className: "soft",
            text: ` · ${memory.agent} · ${memory.category} · ${shownTime(memory.updated)}`,
          }),
          make("p", { text: memory.text }),
        ),
      ),
    );
  } catch (error) {
    state.textContent = `Memories cannot be shown: ${error.message}`;
    byId("memories").replaceChildren();
  }
}

function tellFailure(error) {
  byId("state").textContent = `Something could not be shown: ${error.message}`;
}

async function refreshAll() {
  const [overview, recipes] = await Promise.all([
    source.overview(),
    source.recipes(),
    runs.isAtNewest() ? runs.refresh() : undefined,
    judgements.isAtNewest() ? judgements.refresh() : undefined,
  ]);
  showTotals(overview);
  showHosts(overview.hosts);
  showSessions(overview.sessions);
  showLatency(overview.latency);
  showRecipes(recipes);
}

/** Runs `work` soon, at most once per interval, and again when it was asked for meanwhile. */
function throttled(work, intervalMs) {
  let isWaiting = false;
  let isWanted = false;
  return function request() {
    isWanted = true;
    if (isWaiting) return;
    isWaiting = true;
    isWanted = false;
    work()
      .catch(tellFailure)
      .finally(() =>
        setTimeout(() => {
          isWaiting = false;
          if (isWanted) request();
        }, intervalMs),
      );
  };
}

let unannounced = [];
const announce = throttled(async () => {
  const [first, ...others] = unannounced;
  unannounced = [];
  if (first === undefined) return;
  const more = others.length === 0 ? "" : `, and ${others.length} more`;
  byId("announcer").textContent =
    `${DECISIONS[first.decision] ?? first.decision} in ${first.host}: ${first.reason}${more}`;
}, ANNOUNCE_MS);

const refreshSoon = throttled(refreshAll, REFRESH_MS);
filterForm.addEventListener("input", () => runs.restart());
filterForm.addEventListener("submit", event => event.preventDefault());
byId("memory-search").addEventListener("submit", event => {
  event.preventDefault();
  searchMemories();
});

refreshSoon();
searchMemories();
source.follow(
  news => {
    unannounced.push(...news.stopped);
    if (news.stopped.length > 0) announce();
    refreshSoon();
  },
  text => {
    byId("state").textContent = text;
  },
);
