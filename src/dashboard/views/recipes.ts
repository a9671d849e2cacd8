import { shownPlace } from "../../history/words.ts";
import { count } from "../../protocol/quantity.ts";
import type { Step } from "../../recipes/format/recipe.ts";
import type { RecordedRun, RecordedStep } from "../../recipes/logs/run-records.ts";
import { quoteWord } from "../../system/command-line.ts";
import type { RunDetail } from "../recipe-runs.ts";
import { block, html, line, type Markup, NOTHING } from "./markup.ts";
import type { Site } from "./site.ts";
import { command, duration, empty, time } from "./words.ts";

const MAX_STRIP = 24;

/** Runs of recipes, newest first. */
export function recipesView(site: Site, runs: readonly RecordedRun[]): Markup {
  if (runs.length === 0)
    return html`<h1>Recipes</h1>${empty(
      "No recipe has run yet.",
      html`A recipe drives agents and programs through steps. ${command("amplihack recipe list")} shows those that are there, and ${command("amplihack recipe run hello")} starts one.`,
    )}`;
  return html`<h1>Recipes</h1><h2 class="unseen">Newest first</h2><div class="rows">${runs.map(run => runRow(site, run))}</div>`;
}

function runRow(site: Site, run: RecordedRun): Markup {
  return html`<article class="row" data-key="run-${run.runId}" tabindex="-1">
<div class="when">${time(run.startedMs, site)}</div>
<div class="what"><h3><a href="${site.to("recipe", { id: run.runId })}" data-main>${line(run.recipe || run.runId, 80)}</a></h3>
<p class="soft">${statusPill(run.state)} ${count(run.steps.length, "step")}${took(run.durationMs)} · <span class="mono">${line(run.runId, 12)}</span></p></div>
<div class="steps-strip" aria-hidden="true">${run.steps.slice(0, MAX_STRIP).map(step => html`<i class="step is-${classOf(step.status)}"></i>`)}</div></article>`;
}

const CLASSES: Readonly<Record<string, string>> = {
  completed: "good",
  done: "good",
  failed: "bad",
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

function took(durationMs: number | null): string {
  return durationMs === null ? "" : ` · ${duration(durationMs)}`;
}

/** One run: its steps as they hang together, what they printed, and how to go on. */
export function recipeView(site: Site, run: RecordedRun, detail: RunDetail): Markup {
  const { recipe, runId, workingDir, file } = run;
  const place = workingDir === null ? "" : `cd ${quoteWord(workingDir)} && `;
  const resume = `${place}amplihack recipe run ${quoteWord(file ?? recipe)} --resume ${quoteWord(runId)}`;
  return html`<nav class="crumbs" aria-label="Where you are"><a href="${site.to("recipes")}">Recipes</a> / <span class="mono">${line(runId, 60)}</span></nav>
<div class="heading"><h1>${line(recipe || runId, 80)}</h1></div>
<p class="soft">${statusPill(run.state)} ${time(run.startedMs, site)}${took(run.durationMs)}${run.signal === null ? "" : ` · ${line(run.signal, 30)}`}${workingDir === null ? "" : ` · ${line(shownPlace(workingDir, site.home))}`}</p>
${run.canResume ? html`<section class="card" aria-labelledby="resume"><h2 id="resume">To go on where it stopped</h2><p>${command(line(resume))}</p></section>` : NOTHING}
<section class="card" aria-labelledby="steps"><h2 id="steps">Steps</h2>${graph(run, detail)}</section>`;
}

/** From the recipe where it can still be read; else the steps that the log tells of, one after the other. */
function graph({ steps, canResume }: RecordedRun, { blocks, outputs }: RunDetail): Markup {
  const known = new Map(steps.map(step => [step.path, step]));
  const inside = (id: string) => steps.filter(({ path }) => path.startsWith(`${id}/`));
  const view = (id: string, step: Step | undefined) =>
    stepView(
      id,
      step,
      known.get(id),
      inside(id),
      step?.output === undefined ? undefined : outputs.get(step.output),
    );
  const top = steps.filter(({ path }) => !path.includes("/"));
  const items =
    blocks === undefined
      ? top.map(({ path }) => view(path, undefined))
      : blocks.map(members => {
          const [first] = members;
          if (members.length === 1 && first !== undefined) return view(first.id, first);
          return html`<li class="group"><span class="node"></span><div class="together"><p class="soft">Together: ${line(first?.parallelGroup ?? "", 60)}</p><ol>${members.map(step => view(step.id, step))}</ol></div></li>`;
        });
  const note =
    canResume || outputs.size > 0
      ? NOTHING
      : html`<p class="soft">What steps print is kept only while a run can go on.</p>`;
  return html`<ol class="graph">${items}</ol>${note}`;
}

function stepView(
  id: string,
  step: Step | undefined,
  recorded: RecordedStep | undefined,
  inside: readonly RecordedStep[],
  output: string | undefined,
): Markup {
  const status = recorded?.status ?? "not reached";
  const work = step?.command ?? step?.prompt ?? step?.recipe;
  const exit = recorded?.exitCode ?? null;
  return html`<li class="is-${classOf(status)}"><span class="node"></span><div><h3>${line(id, 200)}</h3>
<p class="soft">${statusPill(status)} ${step === undefined ? NOTHING : line(step.type, 30)}${status === "skipped" ? "" : took(recorded?.durationMs ?? null)}${exit === null ? "" : ` · exit ${exit}`}${step?.condition === undefined ? NOTHING : html` · only if <code>${line(step.condition, 120)}</code>`}</p>
${work === undefined ? NOTHING : html`<details class="whole"><summary>${step?.type === "agent" ? "Prompt" : "Command"}</summary><pre tabindex="0">${block(work)}</pre></details>`}
${output === undefined || output === "" ? NOTHING : html`<details class="whole" open><summary>Output</summary><pre tabindex="0">${block(output)}</pre></details>`}
${inside.length === 0 ? NOTHING : html`<ol>${inside.map(one => stepView(one.path.slice(id.length + 1), undefined, one, [], undefined))}</ol>`}</div></li>`;
}
