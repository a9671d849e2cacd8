import { type JsonObject, listAt, memberAt, numberAt, stringAt } from "../../protocol/index.ts";
import { count } from "../../text/index.ts";
import type { Paint } from "../progress/live-progress.ts";
import { formatSeconds } from "../progress/plain-progress.ts";
import { plain, plainLines } from "../progress/plain-text.ts";

/** How a run ended, for people who saw every step go by: one line, and what the recipe says. */
export function endingView(document: JsonObject, paint: Paint): string {
  const name = plain(stringAt(document, "recipe_name") ?? "");
  const isSuccess = memberAt(document, "success") === true;
  const isFlawed = memberAt(document, "status") === "PARTIAL";
  const duration = numberAt(document, "duration");
  const failed = stringAt(memberAt(document, "failure_context"), "step_id");
  const how = isSuccess ? "done" : failed === undefined ? "failed" : `failed at step ${plain(failed)}`;
  const mark = isSuccess ? (isFlawed ? paint("yellow", "◐") : paint("green", "✓")) : paint("red", "✗");
  const took = duration === undefined ? "" : ` in ${formatSeconds(duration)}`;
  const output = stringAt(document, "output");
  return [
    "",
    `${mark} ${name}: ${how}${took}${paint("dim", ` (${stepWords(document)})`)}`,
    ...(output === undefined ? [] : ["", ...plainLines(output.trimEnd())]),
    "",
  ].join("\n");
}

function stepWords(document: JsonObject): string {
  const statuses = listAt(document, "step_results").map(step => stringAt(step, "status"));
  const number = (status: string): number => statuses.filter(each => each === status).length;
  const others = [
    [number("failed"), "failed"],
    [number("degraded"), "degraded"],
    [number("skipped"), "skipped"],
  ] as const;
  return [
    count(statuses.length, "step"),
    ...others.filter(([amount]) => amount > 0).map(([amount, word]) => `${amount} ${word}`),
  ].join(", ");
}
