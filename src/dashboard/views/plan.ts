import {
  countPaths,
  type PathStep,
  shownPath,
  sortSteps,
  type UndoPlan,
  whatOf,
} from "../../history/index.ts";
import { count } from "../../text/index.ts";
import { html, line, type Markup, NOTHING } from "./markup.ts";
import type { Site } from "./site.ts";
import { time } from "./words.ts";

const MAX_SHOWN = 12;

/** What an undo or a redo would do, for a person who must decide. */
export function planView(site: Site, plan: UndoPlan): Markup {
  const { comesBack, changesBack, goesAway } = sortSteps(plan);
  const { kind, changes, git, gone, conflicts } = plan;
  const isUndo = kind === "undo";
  const named = changes
    .slice(0, MAX_SHOWN)
    .map(
      change =>
        html`<li>${time(change.timeMs, site)} <code>${line(whatOf(change, site.home), 140)}</code></li>`,
    );
  const isDoubtful = changes.some(
    ({ status, isComplete, notKept }) => status !== "done" || (!isComplete && notKept.length === 0),
  );
  return html`<p>${isUndo ? `This takes back ${count(changes.length, "call")}:` : "This reverses an undo:"}</p>
<ul class="plain">${named}${rest(changes.length)}</ul>
${conflictsView(site, plan)}
${part(site, plan, comesBack, "good", ["comes back", "come back"])}
${part(site, plan, changesBack, "good", [`gets its ${isUndo ? "earlier" : "later"} content back`, `get their ${isUndo ? "earlier" : "later"} content back`])}
${part(site, plan, goesAway, "warn", isUndo ? ["is removed, because it was not there before", "are removed, because they were not there before"] : ["is removed again", "are removed again"])}
${git.length === 0 ? NOTHING : html`<h3>Git</h3><ul>${git.flatMap(({ lines }) => lines).map(text => html`<li>${line(text)}</li>`)}</ul>`}
${gone.length === 0 ? NOTHING : html`<h3 class="bad">${count(gone.length, "path")} cannot come back</h3><ul>${gone.slice(0, MAX_SHOWN).map(({ path, why }) => html`<li>${line(path)}: ${line(why)}</li>`)}${rest(gone.length)}</ul>`}
${isDoubtful ? html`<p class="warn">It may have changed more than is known; what is not named here stays as it is.</p>` : NOTHING}
<p class="soft">${conflicts.length > 0 ? "Overwriting keeps what is there now, so it can be reversed." : "Nothing else is touched, and it can be reversed."}</p>`;
}

function conflictsView({ home }: Site, { conflicts, changes }: UndoPlan): Markup {
  if (conflicts.length === 0) return NOTHING;
  const project = changes[0]?.project ?? "/";
  return html`<div class="conflicts"><h3 class="bad">${count(conflicts.length, "conflict")}: changed since</h3>
<ul>${conflicts.slice(0, MAX_SHOWN).map(({ subject, why }) => html`<li><code>${line(subject.startsWith("/") ? shownPath(subject, project, home) : subject)}</code>: ${line(why)}</li>`)}${rest(conflicts.length)}</ul></div>`;
}

function part(
  site: Site,
  { changes }: UndoPlan,
  steps: readonly PathStep[],
  className: string,
  happens: readonly [one: string, several: string],
): Markup {
  if (steps.length === 0) return NOTHING;
  const project = changes[0]?.project ?? "/";
  return html`<h3 class="${className}">${countPaths(steps)} ${happens[steps.length === 1 ? 0 : 1]}</h3>
<ul class="paths">${steps.slice(0, MAX_SHOWN).map(({ path }) => html`<li><code>${line(shownPath(path, project, site.home))}</code></li>`)}${rest(steps.length)}</ul>`;
}

function rest(total: number): Markup {
  return total > MAX_SHOWN ? html`<li class="soft">and ${total - MAX_SHOWN} more</li>` : NOTHING;
}
