import { isJsonObject, type Json, type JsonObject } from "../../protocol/index.ts";
import { listAt, memberAt, numberAt, stringAt } from "../../protocol/members.ts";
import { formatSeconds, plain, STATUS_MARKS } from "../progress/plain-progress.ts";
import { clipCharacters } from "../steps/snippet.ts";
import { valueText } from "../values/value.ts";

const MAX_OUTPUT_CHARACTERS = 200;
const MARKS: Readonly<Record<string, string>> = STATUS_MARKS;

/** The result of a run for people. The document may be an external runner's, so nothing in it is taken for granted. */
export function resultTable(document: JsonObject): string {
  const text = (name: string): string => valueText(memberAt(document, name));
  const steps = listAt(document, "step_results");
  const output = stringAt(document, "output");
  const error = text("error");
  return [
    `Recipe: ${plain(text("recipe_name"))}`,
    `Run ID: ${plain(text("run_id"))}`,
    `Status: ${statusWords(document)}`,
    ...(error === "" ? [] : [`Error: ${error}`]),
    "",
    ...(steps.length > 0
      ? ["Steps:", ...steps.flatMap(step => stepLines(step, 0))]
      : ["No steps executed (0 steps)"]),
    ...(output === undefined ? [] : ["", output]),
    "",
  ].join("\n");
}

function statusWords(document: JsonObject): string {
  if (memberAt(document, "success") !== true) return "✗ Failed";
  return memberAt(document, "status") === "PARTIAL" ? "◐ Partial" : "✓ Success";
}

function stepLines(step: Json, depth: number): readonly string[] {
  if (!isJsonObject(step)) return [];
  const text = (name: string): string => valueText(memberAt(step, name));
  const status = text("status");
  const duration = numberAt(step, "duration");
  const name = text("step_name");
  const margin = "  ".repeat(depth + 1);
  const elapsed = duration !== undefined ? ` [elapsed: ${formatSeconds(duration)}]` : "";
  const field = (label: string, content: string): readonly string[] =>
    content === "" ? [] : [`${margin}  ${label}: ${content.split("\n").map(plain).join(`\n${margin}    `)}`];
  const title = `${plain(text("step_id"))}${name === "" ? "" : ` (${plain(name)})`}`;
  return [
    `${margin}${MARKS[status] ?? "·"} ${title}: ${status}${elapsed}`,
    ...field("Output", clipCharacters(text("output"), MAX_OUTPUT_CHARACTERS, "... (truncated)")),
    ...field("Error", text("error")),
    ...listAt(memberAt(step, "sub_result"), "step_results").flatMap(child => stepLines(child, depth + 1)),
  ];
}
