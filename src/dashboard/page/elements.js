// Making elements. Nothing here turns data into markup: everything shown is set as text.

/** Decisions in words for people. */
export const DECISIONS = { deny: "refused", ask: "asked", allow: "allowed", none: "no opinion" };

export function byId(id) {
  return document.getElementById(id);
}

export function make(name, { text, className, ...attributes } = {}, ...children) {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (className) element.className = className;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function draw(name, attributes, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

export function cell(text, className) {
  return make("td", { text, className });
}

export function timeCell(ts) {
  return make("th", { scope: "row", className: "time" }, make("time", { datetime: ts, text: shownTime(ts) }));
}

export function shownTime(ts) {
  const time = new Date(ts);
  if (Number.isNaN(time.getTime())) return "";
  const two = number => String(number).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

export function shownMs(ms) {
  if (ms === null) return "";
  return ms >= 100 ? String(Math.round(ms)) : ms.toFixed(ms >= 10 ? 1 : 2);
}

/** One of our own class names, whatever the data says. */
export function classOf(decision) {
  return ["deny", "ask", "allow", "none", "failed", "success", "completed"].includes(decision)
    ? decision
    : "";
}

export function fill(tableId, rows, columns, ifEmpty) {
  const body = byId(tableId).tBodies[0];
  const empty = make("tr", {}, make("td", { className: "empty", colspan: columns, text: ifEmpty }));
  body.replaceChildren(...(rows.length === 0 ? [empty] : rows));
}
