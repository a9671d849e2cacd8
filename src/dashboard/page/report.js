// A report holds all pages in one file. The part behind # says which one is shown, and what of it.

const FACETS = ["host", "project", "rule", "outcome", "tool", "session"];

function readAddress() {
  const [page = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  return { page, query: new URLSearchParams(query) };
}

function show() {
  const { page, query } = readAddress();
  const name = page === "search" ? "calls" : page;
  const sections = [...document.querySelectorAll("section.page")];
  const whole = query.get("id") === null ? name : `${name}?id=${encodeURIComponent(query.get("id"))}`;
  const wanted = sections.find(one => one.dataset.address === whole) ?? sections[0];
  for (const section of sections) section.hidden = section !== wanted;
  document.title = `${wanted.dataset.title} · amplihack`;
  for (const tab of document.querySelectorAll("a[data-tab]")) {
    const isHere = tab.dataset.tab === name || (name !== "" && `${name}s` === tab.dataset.tab);
    if (isHere) tab.setAttribute("aria-current", "page");
    else tab.removeAttribute("aria-current");
  }
  filter(wanted, query);
}

function filter(section, query) {
  const text = (query.get("q") ?? "").toLowerCase();
  const facets = FACETS.filter(name => query.get(name)).map(name => `${name}=${query.get(name)}`);
  for (const entry of section.querySelectorAll("[data-facets], .memory, .row")) {
    const own = (entry.dataset.facets ?? "").split("\n");
    const fits = facets.every(facet => entry.dataset.facets === undefined || own.includes(facet));
    const changes = query.get("changes");
    const fitsChanges = !changes || entry.querySelector("[data-change]") !== null;
    const isUndone = changes !== "undone" || entry.classList.contains("undone");
    entry.hidden = !(fits && fitsChanges && isUndone && entry.textContent.toLowerCase().includes(text));
  }
}

export function showReport() {
  window.addEventListener("hashchange", show);
  document.addEventListener("submit", event => {
    if (event.target.method === "dialog") return;
    event.preventDefault();
    const page = event.target.dataset.search === undefined ? readAddress().page : "search";
    const given = [...new FormData(event.target)].filter(([, value]) => value !== "");
    location.hash = `/${page}?${new URLSearchParams(given)}`;
  });
  document.addEventListener("change", event => {
    if (event.target instanceof HTMLSelectElement) event.target.form?.requestSubmit();
  });
  show();
}
