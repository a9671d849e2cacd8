import { byId, fill, make } from "./elements.js";

/** A window on a long list: the newest entries until the reader asks for older ones. */
export function windowOn({ table, ask, row, rows, columns, ifEmpty, filter, onFailure }) {
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
    refresh().catch(onFailure);
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
