import { count } from "../../protocol/quantity.ts";
import { quoteWord } from "../../system/command-line.ts";
import type { RecipeRun } from "../recipe-runs.ts";
import { html, line, type Markup, NOTHING } from "./markup.ts";
import type { Site } from "./site.ts";
import { command, duration, empty, time } from "./words.ts";

/** Runs of recipes, newest first. */
export function recipesView(site: Site, runs: readonly RecipeRun[]): Markup {
  if (runs.length === 0)
    return html`<h1>Recipes</h1>${empty(
      "No recipe has run yet.",
      html`A recipe drives agents and programs through steps. ${command("amplihack recipe list")} shows those that are there, and ${command("amplihack recipe run hello")} starts one.`,
    )}`;
  return html`<h1>Recipes</h1><h2 class="unseen">Newest first</h2><div class="rows">${runs.map(run => runRow(site, run))}</div>`;
}

function runRow(site: Site, run: RecipeRun): Markup {
  return html`<article class="row" data-key="run-${run.runId}" tabindex="-1">
<div class="when">${run.started === "" ? NOTHING : time(Date.parse(run.started), site)}</div>
<div class="what"><h3><a href="${site.to("recipe", { id: run.runId })}" data-main>${line(run.recipe || run.runId, 80)}</a></h3>
<p class="soft">${statusPill(run.status)} ${count(run.steps.length, "step")}${run.durationMs === null ? "" : ` · ${duration(run.durationMs)}`} · <span class="mono">${line(run.runId, 12)}</span></p></div>
<div class="steps-strip" aria-hidden="true">${run.steps.slice(0, 24).map(step => html`<i class="step ${classOf(step.status)}"></i>`)}</div></article>`;
}

const CLASSES: Readonly<Record<string, string>> = {
  completed: "good",
  success: "good",
  done: "good",
  failed: "bad",
  failure: "bad",
  killed: "bad",
  degraded: "warn",
  partial: "warn",
  interrupted: "warn",
  skipped: "skipped",
  running: "running",
};

/** One of our own class names, whatever the log says. */
function classOf(status: string): string {
  return CLASSES[status.toLowerCase()] ?? "unknown";
}

function statusPill(status: string): Markup {
  return html`<span class="pill step-${classOf(status)}">${line(status.toLowerCase(), 30)}</span>`;
}

/** One run: its steps as they hang together, and how to go on. */
export function recipeView(site: Site, run: RecipeRun): Markup {
  const resume = `amplihack recipe run ${quoteWord(run.recipe || "NAME")} --resume ${quoteWord(run.runId)}`;
  return html`<nav class="crumbs" aria-label="Where you are"><a href="${site.to("recipes")}">Recipes</a> / <span class="mono">${line(run.runId, 60)}</span></nav>
<div class="heading"><h1>${line(run.recipe || run.runId, 80)}</h1></div>
<p class="soft">${statusPill(run.status)} ${run.started === "" ? NOTHING : time(Date.parse(run.started), site)}${run.durationMs === null ? "" : ` · ${duration(run.durationMs)}`}</p>
<section class="card"><h2>To go on</h2><p>${command(line(resume))}</p></section>
<section class="card"><h2>Steps</h2><ol class="graph">${run.steps.map(step => html`<li class="${classOf(step.status)}"><span class="node"></span><div><h3>${line(step.path, 200)}</h3><p class="soft">${statusPill(step.status)} ${line(step.type, 30)}${step.durationMs === null ? "" : ` · ${duration(step.durationMs)}`}${step.exitCode === null ? "" : ` · exit ${step.exitCode}`}</p></div></li>`)}</ol></section>`;
}
