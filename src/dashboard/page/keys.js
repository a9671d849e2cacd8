const PAGES = ["1", "2", "3", "4", "5", "6", "7"];

/** Entries that j and k go through; hidden ones are left out. */
function entries() {
  return [...document.querySelectorAll("#main [data-key]")].filter(one => one.checkVisibility());
}

function current() {
  return document.activeElement?.closest?.("[data-key]") ?? undefined;
}

function move(step) {
  const all = entries();
  const at = all.indexOf(current());
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step];
  if (next === undefined) return;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

/** A call opens its diff; everything else leads on. */
function openCurrent(entry) {
  const details = entry.querySelector("details.diff, details.whole");
  if (details === null) (entry.querySelector("a[data-main]") ?? entry.querySelector("a.id"))?.click();
  else details.open = !details.open;
}

function openDiff(entry) {
  const details = entry.querySelector("details.diff");
  if (details !== null) details.open = !details.open;
}

const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  d: () => openDiff(current() ?? document.getElementById("main")),
  u: () => current()?.querySelector("button.undo")?.click(),
  "/": () => document.getElementById("q")?.select(),
  "?": () => document.getElementById("keys")?.showModal(),
};

export function listenForKeys() {
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const { target, key } = event;
    if (key === "Escape" && target.matches("input")) target.blur();
    if (target.matches("input, select, textarea") || document.querySelector("dialog[open]")) return;
    const entry = current();
    if (key === "Enter" && entry === target) openCurrent(entry);
    else if (PAGES.includes(key)) document.querySelectorAll("a[data-tab]")[Number(key) - 1]?.click();
    else if (Object.hasOwn(ACTIONS, key)) ACTIONS[key]();
    else return;
    event.preventDefault();
  });
  document.addEventListener("click", event => {
    const opener = event.target.closest?.("[data-open]");
    if (opener) document.getElementById(opener.dataset.open)?.showModal();
  });
}
