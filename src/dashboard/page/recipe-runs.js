import { byId, cell, classOf, make, shownMs, shownTime } from "./elements.js";

export function showRecipes(list) {
  const box = byId("recipe-runs");
  const open = new Set([...box.querySelectorAll("details[open]")].map(one => one.dataset.run));
  const shown = list.map(run => {
    const title = make(
      "summary",
      {},
      make("strong", { text: run.recipe || run.runId }),
      " ",
      make("span", {
        text: run.status,
        className: classOf(run.status === "failure" ? "failed" : run.status),
      }),
      make("span", {
        className: "soft",
        text: ` · ${shownTime(run.started)} · ${run.steps.length} steps${run.durationMs === null ? "" : ` · ${shownMs(run.durationMs)} ms`}`,
      }),
    );
    const head = make(
      "thead",
      {},
      make("tr", {}, ...["Step", "Kind", "Status"].map(text => make("th", { scope: "col", text }))),
    );
    head.rows[0].append(
      make("th", { scope: "col", text: "ms", className: "number" }),
      make("th", { scope: "col", text: "Exit", className: "number" }),
    );
    const rows = run.steps.map(step =>
      make(
        "tr",
        {},
        make("th", { scope: "row", text: step.path }),
        cell(step.type),
        cell(step.status, classOf(step.status)),
        cell(shownMs(step.durationMs), "number"),
        cell(step.exitCode === null ? "" : String(step.exitCode), "number"),
      ),
    );
    const details = make("details", {}, title, make("table", {}, head, make("tbody", {}, ...rows)));
    details.dataset.run = run.runId;
    details.open = open.has(run.runId);
    return details;
  });
  box.replaceChildren(
    ...(shown.length === 0 ? [make("p", { className: "soft", text: "No recipe has run." })] : shown),
  );
}
