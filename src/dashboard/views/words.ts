import { shownPlace } from "../../history/index.ts";
import { hostTitle } from "../../install/index.ts";
import { localTimestamp } from "../../state/index.ts";
import { basename } from "../../system/index.ts";
import type { Origin } from "../entries.ts";
import { OUTCOME_MEANINGS, OUTCOME_WORDS, type Outcome } from "../timeline/calls.ts";
import { uniqueSessionId } from "../timeline/timeline.ts";
import type { Site, TeamSite } from "./layout.ts";
import { html, line, type Markup, NOTHING } from "./layout.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

export function number(value: number): string {
  return value.toLocaleString("en");
}

/** `840 µs`, `4.2 ms`, `1.8 s`, `3 min 20 s` */
export function duration(ms: number): string {
  if (ms < 1) return `${Math.round(ms * 1_000)} µs`;
  if (ms < SECOND_MS) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 1 : 0)} s`;
  const seconds = Math.round((ms % MINUTE_MS) / SECOND_MS);
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min${seconds > 0 ? ` ${seconds} s` : ""}`;
  return `${Math.floor(ms / HOUR_MS)} h ${Math.floor((ms % HOUR_MS) / MINUTE_MS)} min`;
}

/** `2026-11-16`, in local time. */
export function day(ms: number): string {
  return localTimestamp(ms).slice(0, 10);
}

/** When the first of so many days began, of which today is the last. */
export function startOfDays(nowMs: number, days: number): number {
  const start = new Date(nowMs);
  start.setHours(0, 0, 0, 0);
  start.setDate(start.getDate() - (Number.isFinite(days) ? Math.max(0, Math.floor(days) - 1) : 0));
  return start.getTime();
}

export function clock(ms: number): string {
  return localTimestamp(ms).slice(11, 16);
}

/** The hour for today, the day as well for what is older. */
export function time(ms: number, { nowMs }: Pick<Site, "nowMs">): Markup {
  const isToday = day(ms) === day(nowMs);
  const whole = localTimestamp(ms).slice(0, 19).replace("T", " ");
  const shown = isToday ? whole.slice(11) : whole.slice(0, 16);
  return html`<time datetime="${new Date(ms).toISOString()}" title="${whole}">${shown}</time>`;
}

export function pill(outcome: Outcome): Markup {
  return html`<span class="pill ${outcome}" title="${OUTCOME_MEANINGS[outcome]}">${OUTCOME_WORDS[outcome]}</span>`;
}

/** A name that leads to everything that has it. */
export function link(href: string, text: string, className = ""): Markup {
  return html`<a href="${href}" class="${className}">${line(text, 120)}</a>`;
}

export function hostLink(site: Site, host: string): Markup {
  return link(site.to("calls", { host }), hostTitle(host));
}

export function ruleLinks(site: Site, rules: readonly string[]): readonly Markup[] {
  return rules.map(rule => link(site.to("calls", { rule }), rule, "rule"));
}

export function projectLink(site: Site, project: string): Markup {
  const name = basename(project) || project;
  return html`<a href="${site.to("calls", { project })}" title="${shownPlace(project, site.home)}">${line(name, 60)}</a>`;
}

export function sessionLink(site: Site, of: { readonly session: string; readonly origin?: Origin }): Markup {
  const shown = of.session === "" ? "no session" : of.session;
  return html`<a href="${site.to("session", { id: uniqueSessionId(of) })}" class="mono" title="${line(shown)}">${line(shown, 12)}</a>`;
}

/** `ann on laptop`, of a team; nothing for this machine. */
export function originLink(site: Site, origin: Origin | undefined): Markup {
  if (origin === undefined) return NOTHING;
  const { person, machine } = origin;
  return html`<span class="origin">${link(site.to("calls", { person }), person)} on ${link(site.to("calls", { machine }), machine)}</span>`;
}

/** A sentence with the home directory as people write it. */
export function sentence(text: string, { home }: Pick<Site, "home">): string {
  return line(home.length > 1 ? text.replaceAll(`${home}/`, "~/") : text);
}

/** What to do where there is nothing to see. */
export function empty(title: string, ...advice: readonly (Markup | string)[]): Markup {
  return html`<div class="empty"><p><strong>${title}</strong></p>${advice.map(text => html`<p>${text}</p>`)}</div>`;
}

/** Of a team whose members ship nothing, or nothing that fits. */
export function nothingShipped({ scope }: TeamSite): Markup {
  return Object.keys(scope).length > 0
    ? empty("Nothing fits.", "Drop a filter to see more.")
    : empty(
        "Nothing was shipped here yet.",
        html`Members send what their agents did with ${command("amplihack ship --to postgres=URL")}.`,
      );
}

export function command(text: string): Markup {
  return html`<code class="command">${text}</code>`;
}
