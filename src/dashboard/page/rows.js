import { cell, classOf, DECISIONS, make, shownMs, timeCell } from "./elements.js";

export function runRow(run) {
  const hasFailed = run.failure !== "";
  const decision = hasFailed ? "could not check" : (DECISIONS[run.decision] ?? run.decision);
  const reason = hasFailed ? run.failure : [run.reason, run.rules.join(", ")].filter(Boolean).join(" · ");
  return make(
    "tr",
    {},
    timeCell(run.ts),
    cell(run.host, "short"),
    cell(run.event || run.hook, "short"),
    cell(decision, `short ${hasFailed ? "failed" : classOf(run.decision)}`),
    cell(reason, "wide"),
    cell(shownMs(run.ms), "number"),
    cell(run.session, "code"),
  );
}

export function judgementRow(judgement) {
  return make(
    "tr",
    {},
    timeCell(judgement.ts),
    cell(judgement.host, "short"),
    cell(DECISIONS[judgement.decision] ?? judgement.decision, `short ${classOf(judgement.decision)}`),
    cell(judgement.subject, "code wide"),
    cell(judgement.reason, "wide"),
    cell(judgement.rules.join(", "), "code"),
  );
}
