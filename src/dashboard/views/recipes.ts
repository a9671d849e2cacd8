import { shownPlace } from "../../history/index.ts";
import type { RecordedStep, Step } from "../../recipes/index.ts";
import { isInside, quoteWord, relative } from "../../system/index.ts";
import { count } from "../../text/index.ts";
import type { RunDetail, ShownRun } from "../sources.ts";
import { chosenFilters, filterForm } from "./filters.ts";
import type { Site, TeamSite } from "./layout.ts";
import { block, html, line, type Markup, NOTHING } from "./layout.ts";
import { command, duration, empty, time } from "./words.ts";

const MAX_STRIP = 24;

/** Runs of recipes, newest first. */
export function recipesView(site: Site, runs: readonly ShownRun[]): Markup {
  if (site.team !== undefined) return queuedRunsView(site, site.team, runs);
  if (runs.length === 0)
    return html`<h1>Recipes</h1>${empty(
      "No recipe has run yet.",
      html`A recipe drives agents and programs through steps. ${command("amplihack recipe list")} shows those that are there, and ${command("amplihack recipe run hello")} starts one.`,
    )}`;
  return html`<h1>Recipes</h1>${rows(site, runs)}`;
}

export function recipesProblem(problem: string): Markup {
  return html`<h1>Recipes</h1>${empty("Runs of recipes cannot be shown.", problem)}`;
}

/** Runs that were submitted to a database know a person and a machine, and nothing else that a team is narrowed by. */
function queuedRunsView(site: Site, team: TeamSite, runs: readonly ShownRun[]): Markup {
  const { scope } = team;
  const { person, machine } = scope;
  const nothing =
    person === undefined && machine === undefined
      ? empty(
          "Nothing was submitted yet.",
          html`${command("amplihack recipe submit RECIPE --url")} puts a run on a queue, and ${command("amplihack recipe worker --url")} takes it.`,
        )
      : empty(
          "Nothing fits.",
          "Whoever submitted is known by the account and the machine, not by the login.",
        );
  const which =
    team.login === undefined
      ? "Runs that were submitted to this database, of all its teams."
      : "Runs that were submitted to queues of this team.";
  return html`<h1>Recipes</h1><p class="soft">${which} The person is the login of the database; the machine is what it said of itself.</p>
${filterForm(site, "recipes", scope, submitterChoices(runs, team), { hasText: false })}${chosenFilters(site, "recipes", { person, machine })}
${runs.length === 0 ? nothing : rows(site, runs)}`;
}

/** Those of the runs that are shown, which need not be among the team's. */
function submitterChoices(runs: readonly ShownRun[], { choices }: TeamSite) {
  const submitters = runs.map(({ submittedBy }) => submittedBy ?? "").filter(by => by.includes("@"));
  const options = (values: readonly string[]) => [...new Set(values)].map(value => [value, value] as const);
  const people = submitters.map(by => by.slice(0, by.lastIndexOf("@")));
  const machines = submitters.map(by => by.slice(by.lastIndexOf("@") + 1));
  return [
    { name: "person", label: "Person", options: options([...people, ...choices.person]) },
    { name: "machine", label: "Machine", options: options([...machines, ...choices.machine]) },
  ] as const;
}

function rows(site: Site, runs: readonly ShownRun[]): Markup {
  return html`<h2 class="unseen">Newest first</h2><div class="rows">${runs.map(run => runRow(site, run))}</div>`;
}

function runRow(site: Site, run: ShownRun): Markup {
  const steps = run.state === "queued" ? run.stepCount : run.steps.length;
  return html`<article class="row" data-key="run-${run.runId}" tabindex="-1">
<div class="when">${time(run.startedMs, site)}</div>
<div class="what"><h3><a href="${site.to("recipe", { id: run.runId })}" data-main>${line(run.recipe || run.runId, 80)}</a></h3>
<p class="soft">${statusPill(run.state)} ${count(steps, "step")}${took(run.durationMs)}${queueWords(run)} · <span class="mono">${line(run.runId, 12)}</span></p></div>
<div class="steps-strip" aria-hidden="true">${run.steps.slice(0, MAX_STRIP).map(step => html`<i class="step is-${statusClass(step.status)}"></i>`)}</div></article>`;
}

/** What only a run in a database has. */
function queueWords({ queue, worker, submittedBy, attempts = 0 }: ShownRun): readonly Markup[] {
  const facts = [
    ["queue", queue],
    ["by", submittedBy],
    ["worker", worker],
    ["attempt", attempts > 1 ? String(attempts) : undefined],
  ] as const;
  return facts.flatMap(([name, value]) => (value ? [html` · ${name} ${line(value, 60)}`] : []));
}

const CLASSES: Readonly<Record<string, string>> = {
  completed: "good",
  done: "good",
  failed: "bad",
  killed: "bad",
  "given-up": "bad",
  degraded: "warn",
  partial: "warn",
  interrupted: "warn",
  cancelled: "warn",
  skipped: "skipped",
  running: "running",
};

/** One of our own class names, whatever the log says. */
function statusClass(status: string): string {
  return CLASSES[status.toLowerCase()] ?? "unknown";
}

function statusPill(status: string): Markup {
  return html`<span class="pill step-${statusClass(status)}">${line(status.toLowerCase(), 30)}</span>`;
}

function took(durationMs: number | null): string {
  return durationMs === null ? "" : ` · ${duration(durationMs)}`;
}

/** One run: its steps as they hang together, what they printed, and how to go on. */
export function recipeView(site: Site, run: ShownRun, detail: RunDetail): Markup {
  const { recipe, runId, workingDir, file } = run;
  const place = workingDir === null ? "" : `cd ${typed(workingDir, site.home)} && `;
  const source =
    file === null || file === undefined ? quoteWord(recipe) : typed(fromHere(file, workingDir), site.home);
  const resume = `${place}amplihack recipe run ${source} --resume ${quoteWord(runId)}`;
  return html`<nav class="crumbs" aria-label="Where you are"><a href="${site.to("recipes")}">Recipes</a> / <span class="mono">${line(runId, 60)}</span></nav>
<div class="heading"><h1>${line(recipe || runId, 80)}</h1></div>
<p class="soft">${statusPill(run.state)} ${time(run.startedMs, site)}${took(run.durationMs)}${run.signal === null ? "" : ` · ${line(run.signal, 30)}`}${workingDir === null ? "" : ` · ${line(shownPlace(workingDir, site.home))}`}${queueWords(run)}</p>
${run.error ? html`<p class="notice">${line(run.error, 300)}</p>` : NOTHING}
${run.queue === undefined ? NOTHING : printedCard(run)}
${run.canResume ? html`<section class="card" aria-labelledby="resume"><h2 id="resume">To go on where it stopped</h2><p>${command(line(resume))}</p></section>` : NOTHING}
<section class="card" aria-labelledby="steps"><h2 id="steps">Steps</h2>${graph(run, detail)}</section>`;
}

/** A path as people type it: a shell reads `~` only where it is not quoted. */
function typed(path: string, home: string): string {
  if (path === home) return "~";
  return isInside(home, path)
    ? `~${quoteWord(path.slice(home.length)).replace(/^'\//, "/'")}`
    : quoteWord(path);
}

/** From the folder that the command goes to; a name alone would be looked for among recipes. */
function fromHere(file: string, folder: string | null): string {
  return folder !== null && isInside(folder, file) ? `./${relative(folder, file)}` : file;
}

/** What a run in a database has printed is not read for a page: it can be long. */
function printedCard({ runId }: ShownRun): Markup {
  return html`<section class="card" aria-labelledby="printed"><h2 id="printed">What its steps printed</h2>
<p>${command(line(`amplihack recipe logs ${quoteWord(runId)} --url`))}</p><p class="soft">With the database in <code>AMPLIHACK_DATABASE_URL</code>, or behind <code>--url</code>.</p></section>`;
}

/** From the recipe where it can still be read; else the steps that the log tells of, one after the other. */
function graph({ steps, canResume, queue }: ShownRun, { blocks, outputs }: RunDetail): Markup {
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
    canResume || outputs.size > 0 || queue !== undefined
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
  return html`<li class="is-${statusClass(status)}"><span class="node"></span><div><h3>${line(id, 200)}</h3>
<p class="soft">${statusPill(status)} ${step === undefined ? NOTHING : line(step.type, 30)}${status === "skipped" ? "" : took(recorded?.durationMs ?? null)}${exit === null ? "" : ` · exit ${exit}`}${step?.condition === undefined ? NOTHING : html` · only if <code>${line(step.condition, 120)}</code>`}</p>
${work === undefined ? NOTHING : html`<details class="whole"><summary>${step?.type === "agent" ? "Prompt" : "Command"}</summary><pre tabindex="0">${block(work)}</pre></details>`}
${output === undefined || output === "" ? NOTHING : html`<details class="whole" open><summary>Output</summary><pre tabindex="0">${block(output)}</pre></details>`}
${inside.length === 0 ? NOTHING : html`<ol>${inside.map(one => stepView(one.path.slice(id.length + 1), undefined, one, [], undefined))}</ol>`}</div></li>`;
}
