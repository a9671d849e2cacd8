// The page's only script. It never makes markup out of data: everything shown is set as text.

const ROWS = 25;
const STOPPED = 12;
const SESSIONS = 12;
const REFRESH_MS = 500;
const ANNOUNCE_MS = 3000;
const DECISIONS = { deny: "refused", ask: "asked", allow: "allowed", none: "no opinion" };

const embedded = JSON.parse(byId("embedded").textContent);
const source = embedded === null ? liveSource() : reportSource(embedded);

function byId(id) {
  return document.getElementById(id);
}

/** Asks the server this page came from. */
function liveSource() {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const address = (name, query) => {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== "");
    return `/api/${name}?${new URLSearchParams([...given, ["token", token]])}`;
  };
  const ask = async (name, query = {}) => {
    const response = await fetch(address(name, query));
    const answer = await response.json();
    if (!response.ok) throw new Error(answer.error ?? `status ${response.status}`);
    return answer;
  };
  return {
    overview: () => ask("overview"),
    runs: query => ask("runs", query),
    judgements: query => ask("judgements", query),
    recipes: () => ask("recipes"),
    memories: text => ask("memory", { text }),
    follow(onNews, onState) {
      const stream = new EventSource(address("live", {}));
      stream.onopen = () => onState("Live");
      stream.onerror = () => onState("The server does not answer; is amplihack dashboard still running?");
      stream.onmessage = message => onNews(JSON.parse(message.data));
    },
  };
}

/** Answers from what the report holds, in the way the server does. */
function reportSource(data) {
  const page = (entries, { before, count, decision, host, text = "" }) => {
    const sought = text.toLowerCase();
    const matching = entries.filter(
      entry =>
        (!host || entry.host === host) &&
        (!decision || (decision === "failed" ? Boolean(entry.failure) : entry.decision === decision)) &&
        (sought === "" || Object.values(entry).some(value => String(value).toLowerCase().includes(sought))),
    );
    const older = before === undefined ? matching : matching.filter(entry => entry.number < before);
    return {
      entries: older.slice(0, count),
      matching: matching.length,
      newer: matching.length - older.length,
    };
  };
  return {
    overview: async () => data.overview,
    runs: async query => page(data.runs, query),
    judgements: async query => page(data.judgements, query),
    recipes: async () => data.recipes,
    async memories(text) {
      if (data.memories === null) throw new Error("this report was written without memories (see --memory)");
      const words = text.toLowerCase().split(/\s+/);
      return data.memories.filter(memory => {
        const all = `${memory.agent} ${memory.key} ${memory.text}`.toLowerCase();
        return words.every(word => all.includes(word));
      });
    },
    follow(_, onState) {
      onState(`Report of ${shownTime(data.written)}, amplihack ${data.version}`);
    },
  };
}

function make(name, { text, className, ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

function draw(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

function cell(text, className) {
  return make("td", { text, className });
}

function timeCell(ts) {
  return make("th", { scope: "row", className: "time" }, make("time", { datetime: ts, text: shownTime(ts) }));
}

function shownTime(ts) {
  const time = new Date(ts);
  if (Number.isNaN(time.getTime())) return "";
  const two = number => String(number).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

function shownMs(ms) {
  if (ms === null) return "";
  return ms >= 100 ? String(Math.round(ms)) : ms.toFixed(ms >= 10 ? 1 : 2);
}

/** One of our own class names, whatever the data says. */
function classOf(decision) {
  return ["deny", "ask", "allow", "none", "failed", "success", "completed"].includes(decision)
    ? decision
    : "";
}

function fill(tableId, rows, columns, ifEmpty) {
  const body = byId(tableId).tBodies[0];
  const empty = make("tr", {}, make("td", { className: "empty", colspan: columns, text: ifEmpty }));
  body.replaceChildren(...(rows.length === 0 ? [empty] : rows));
}

function runRow(run) {
  const hasFailed = run.failure !== "";
  const decision = hasFailed ? "could not check" : (DECISIONS[run.decision] ?? run.decision);
  const reason = hasFailed ? run.failure : [run.reason, run.rules.join(", ")].filter(Boolean).join(" · ");
  return make(
    "tr",
    {},
    timeCell(run.ts),
    cell(run.host, "short"),
    cell(run.event || run.hook, "short"),
    cell(decision, `short ${hasFailed ? "failed" : classOf(run.decision)}`),
    cell(reason, "wide"),
    cell(shownMs(run.ms), "number"),
    cell(run.session, "code"),
  );
}

function judgementRow(judgement) {
  return make(
    "tr",
    {},
    timeCell(judgement.ts),
    cell(judgement.host, "short"),
    cell(DECISIONS[judgement.decision] ?? judgement.decision, `short ${classOf(judgement.decision)}`),
    cell(judgement.subject, "code wide"),
    cell(judgement.reason, "wide"),
    cell(judgement.rules.join(", "), "code"),
  );
}

/** A window on a long list: the newest entries until the reader asks for older ones. */
function windowOn({ table, ask, row, rows, columns, ifEmpty, filter }) {
  const pager = byId(`${table}-pager`);
  const newest = make("button", { type: "button", text: "Newest" });
  const newer = make("button", { type: "button", text: "Newer" });
  const older = make("button", { type: "button", text: "Older" });
  const place = make("span", { role: "status" });
  pager.setAttribute("role", "group");
  pager.setAttribute("aria-label", "Pages");
  pager.append(newest, newer, older, place);
  let earlier = [];
  let before;
  let last;

  async function refresh() {
    const query = { before, count: rows, ...filter() };
    const page = await ask(query);
    last = page.entries.at(-1)?.number;
    fill(table, page.entries.map(row), columns, ifEmpty);
    const { matching, newer: skipped, entries } = page;
    place.textContent =
      entries.length === 0 ? "" : `${skipped + 1} to ${skipped + entries.length} of ${matching}`;
    byId(table).setAttribute("aria-rowcount", String(matching + 1));
    newest.disabled = before === undefined;
    newer.disabled = before === undefined;
    older.disabled = skipped + entries.length >= matching;
  }
  const go = to => {
    before = to;
    refresh().catch(tellFailure);
  };
  newest.addEventListener("click", () => {
    earlier = [];
    go(undefined);
  });
  newer.addEventListener("click", () => go(earlier.pop()));
  older.addEventListener("click", () => {
    earlier.push(before);
    go(last);
  });
  return {
    refresh,
    restart() {
      earlier = [];
      go(undefined);
    },
    isAtNewest: () => before === undefined,
  };
}

const filterForm = byId("run-filter");
const runs = windowOn({
  table: "runs",
  ask: query => source.runs(query),
  row: runRow,
  rows: ROWS,
  columns: 7,
  ifEmpty: "No hook has run, or none that fits.",
  filter: () => Object.fromEntries(new FormData(filterForm)),
});
const judgements = windowOn({
  table: "judgements",
  ask: query => source.judgements(query),
  row: judgementRow,
  rows: STOPPED,
  columns: 6,
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

/** Time to the right, duration upwards by powers of ten. */
function plot(series) {
  const width = 960;
  const height = 280;
  const edge = { left: 64, right: 200, top: 16, bottom: 32 };
  const points = series.flatMap(one => one.points);
  const starts = points.map(point => point.startMs);
  const [from, to] = [Math.min(...starts), Math.max(...starts)];
  const exponents = points.map(point => Math.log10(Math.max(1, point.p95Us)));
  const low = Math.floor(Math.min(...exponents));
  const high = Math.max(low + 1, Math.ceil(Math.max(...exponents)));
  const right = width - edge.right;
  const bottom = height - edge.bottom;
  const x = ms => (to === from ? right : edge.left + ((ms - from) / (to - from)) * (right - edge.left));
  const y = exponent => bottom - ((exponent - low) / (high - low)) * (bottom - edge.top);

  const busiest = series[0];
  const picture = draw("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `Latency over time of ${series.map(one => one.hook).join(", ")}; ${busiest.hook} is called most, 95 % of its calls within ${shownMs(busiest.overall.p95Us / 1000)} ms`,
  });
  for (let exponent = low; exponent <= high; exponent++) {
    picture.append(
      draw("line", { class: "grid", x1: edge.left, x2: right, y1: y(exponent), y2: y(exponent) }),
      draw(
        "text",
        { x: edge.left - 8, y: y(exponent) + 4, "text-anchor": "end" },
        `${10 ** exponent / 1000} ms`,
      ),
    );
  }
  picture.append(
    draw("text", { x: edge.left, y: height - 10 }, shownTime(from).slice(0, 16)),
    draw("text", { x: right, y: height - 10, "text-anchor": "end" }, shownTime(to).slice(0, 16)),
  );
  series.forEach((one, index) => {
    const places = one.points.map(point => [x(point.startMs), y(Math.log10(Math.max(1, point.p95Us)))]);
    const group = draw("g", { class: `series-${index}` });
    group.append(
      draw("polyline", { points: places.map(place => place.map(n => n.toFixed(1)).join(",")).join(" ") }),
    );
    for (const [cx, cy] of places) group.append(draw("circle", { cx, cy, r: 2.5 }));
    const row = edge.top + 14 + index * 20;
    group.append(
      draw("rect", { class: "legend", x: right + 20, y: row - 9, width: 10, height: 10 }),
      draw("text", { x: right + 36, y: row }, one.hook),
    );
    picture.append(group);
  });
  return picture;
}

function showRecipes(list) {
  const box = byId("recipe-runs");
  const open = new Set([...box.querySelectorAll("details[open]")].map(one => one.dataset.run));
  const shown = list.map(run => {
    const title = make(
      "summary",
      {},
      make("strong", { text: run.recipe || run.runId }),
      " ",
      make("span", {
        text: run.status,
        className: classOf(run.status === "failure" ? "failed" : run.status),
      }),
      make("span", {
        className: "soft",
        text: ` · ${shownTime(run.started)} · ${run.steps.length} steps${run.durationMs === null ? "" : ` · ${shownMs(run.durationMs)} ms`}`,
      }),
    );
    const head = make(
      "thead",
      {},
      make("tr", {}, ...["Step", "Kind", "Status"].map(text => make("th", { scope: "col", text }))),
    );
    head.rows[0].append(
      make("th", { scope: "col", text: "ms", className: "number" }),
      make("th", { scope: "col", text: "Exit", className: "number" }),
    );
    const rows = run.steps.map(step =>
      make(
        "tr",
        {},
        make("th", { scope: "row", text: step.path }),
        cell(step.type),
        cell(step.status, classOf(step.status)),
        cell(shownMs(step.durationMs), "number"),
        cell(step.exitCode === null ? "" : String(step.exitCode), "number"),
      ),
    );
    const details = make("details", {}, title, make("table", {}, head, make("tbody", {}, ...rows)));
    details.dataset.run = run.runId;
    details.open = open.has(run.runId);
    return details;
  });
  box.replaceChildren(
    ...(shown.length === 0 ? [make("p", { className: "soft", text: "No recipe has run." })] : shown),
  );
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
