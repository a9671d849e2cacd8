import { type Change, markOf, shownPath, shownPlace } from "../../history/index.ts";
import { summarise } from "../timeline/changes.ts";
import { undoButton } from "./call.ts";
import { block, html, line, type Markup, NOTHING } from "./markup.ts";
import type { Site } from "./site.ts";
import { duration, hostLink, projectLink, ruleLinks, sessionLink, time } from "./words.ts";

/** One change on a page of its own. */
export function changeView(site: Site, change: Change, diff: Markup): Markup {
  const { id, kind, host, session, project, tool, rules, durationMs, command, undoneBy, of } = change;
  const summary = summarise(change);
  const mark = markOf(change);
  const isCall = kind === "call";
  const facts: readonly (readonly [string, Markup | string])[] = [
    ["When", time(change.timeMs, site)],
    ["Who", isCall ? hostLink(site, host) : "a person"],
    ...(session === undefined
      ? []
      : [["Session", html`${sessionLink(site, { session })}, turn ${change.turn}`] as const]),
    [
      "Project",
      html`${projectLink(site, project)} <span class="soft">${line(shownPlace(project, site.home))}</span>`,
    ],
    ...(durationMs === undefined ? [] : [["Took", duration(durationMs)] as const]),
    ...(rules.length === 0 ? [] : [["Rules", html`${ruleLinks(site, rules)}`] as const]),
    ...(mark === ""
      ? []
      : [["State", undoneBy === undefined ? mark : html`${mark} by ${changeLink(site, undoneBy)}`] as const]),
    ...(of.length === 0
      ? []
      : [["Takes back", html`${of.slice(0, 20).map(one => html`${changeLink(site, one)} `)}`] as const]),
    ...(summary.git.length === 0
      ? []
      : [["Git", html`${summary.git.map(text => html`${line(text)}<br>`)}`] as const]),
  ];
  const title = isCall ? line(tool, 60) : kind === "undo" ? "Undo" : "Redo";
  return html`<nav class="crumbs" aria-label="Where you are"><a href="${site.to("calls", { changes: "all" })}">Changes</a> / <span class="mono">${id}</span></nav>
<div class="heading"><h1>${title} <span class="mono soft">${id}</span></h1>${undoButton(site, summary)}</div>
${command === "" ? NOTHING : html`<pre class="subject" tabindex="0">${block(command)}</pre>`}
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${change.notKept.length === 0 ? NOTHING : html`<p class="bad">Not kept:</p><ul>${change.notKept.map(({ path, why }) => html`<li>${line(shownPath(path, project, site.home))}: ${line(why)}</li>`)}</ul>`}
<h2>What it changed</h2>${diff}`;
}

function changeLink(site: Site, id: string): Markup {
  return html`<a class="mono" href="${site.to("change", { id })}">${id}</a>`;
}
