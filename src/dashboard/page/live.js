import { address, fetchDocument } from "./server.js";

const REFRESH_MS = 700;
const ANNOUNCE_MS = 3000;
const WORDS = { deny: "refused", ask: "asked" };

function byId(id) {
  return document.getElementById(id);
}

function showState(text, className) {
  byId("state").className = className;
  byId("state").querySelector(".text").textContent = text;
}

/** Fetches this page again and puts the new content in, with what the reader had open and where they were. */
export async function refresh() {
  const main = byId("main");
  const isWriting = main.contains(document.activeElement) && document.activeElement.matches("input, select");
  if (isWriting || document.querySelector("dialog[open]")) return;
  const fresh = (await fetchDocument(location.href)).getElementById("main");
  if (fresh === null) return;
  const key = document.activeElement?.closest?.("[data-key]")?.dataset.key;
  for (const details of main.querySelectorAll("details[open]")) keepOpen(details, fresh);
  main.replaceChildren(...fresh.childNodes);
  if (key !== undefined)
    main.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
}

function keepOpen(details, fresh) {
  const article = details.closest("[data-key]");
  const there = article && fresh.querySelector(`[data-key="${CSS.escape(article.dataset.key)}"]`);
  const twin =
    details.id === ""
      ? there?.querySelector(`details.${CSS.escape(details.classList[0] ?? "none")}`)
      : fresh.querySelector(`#${CSS.escape(details.id)}`);
  if (!twin) return;
  // A diff of the same changes that was fetched stays; it cannot have changed.
  if (details.dataset.loaded === undefined || details.dataset.diff !== twin.dataset.diff) twin.open = true;
  else twin.replaceWith(details);
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
      .catch(error => showState(`Cannot refresh: ${error.message}`, "off"))
      .finally(() =>
        setTimeout(() => {
          isWaiting = false;
          if (isWanted) request();
        }, intervalMs),
      );
  };
}

/** Older parts of a list stand still; everything else follows the logs. */
function isStill() {
  const query = new URLSearchParams(location.search);
  return query.has("from") || query.has("older") || byId("main").dataset.page === "change";
}

export function followLogs() {
  const refreshSoon = throttled(refresh, REFRESH_MS);
  let unannounced = [];
  const announce = throttled(async () => {
    const [first, ...others] = unannounced;
    unannounced = [];
    if (first === undefined) return;
    const more = others.length === 0 ? "" : `, and ${others.length} more`;
    byId("announcer").textContent =
      `${WORDS[first.decision] ?? first.decision} in ${first.host}: ${first.reason}${more}`;
  }, ANNOUNCE_MS);
  let seen;
  const stream = new EventSource(address("/api/live"));
  stream.onopen = () => showState("Live", "on");
  stream.onerror = () => showState("Disconnected", "off");
  stream.onmessage = message => {
    const news = JSON.parse(message.data);
    const version = `${news.runs} ${news.judgements} ${news.recipes ?? 0}`;
    unannounced.push(...news.stopped);
    if (news.stopped.length > 0) announce();
    // What the first message tells of is on the page, unless the logs were still being read.
    if (seen !== version && !isStill()) refreshSoon();
    seen = version;
  };
}

/** A choice in a filter is sent at once; text when it is entered. */
export function sendChoices() {
  document.addEventListener("change", event => {
    if (event.target instanceof HTMLSelectElement) event.target.form?.requestSubmit();
  });
  // Fields that are empty need not stand in the address.
  document.addEventListener("submit", event => {
    if (event.target.method !== "get") return;
    for (const field of event.target.elements) if (field.value === "") field.disabled = true;
  });
}
