import { isJsonObject, type Json, type JsonObject, ownValue } from "../../protocol/index.ts";
import { formatSeconds, plain } from "../progress/step-lines.ts";
import { firstCharacters } from "../steps/snippet.ts";
import { textOf } from "../values/value.ts";

const OUTPUT_CHARACTERS = 200;
const MARKS: Readonly<Record<string, string>> = { completed: "✓", failed: "✗", skipped: "⊘", degraded: "⚠" };

/** The result of a run for people. The document may be an external runner's, so nothing in it is taken for granted. */
export function resultTable(document: JsonObject): string {
  const text = (name: string): string => textOf(ownValue(document, name));
  const steps = ownValue(document, "step_results");
  const output = ownValue(document, "output");
  const error = text("error");
  return [
    `Recipe: ${plain(text("recipe_name"))}`,
    `Run ID: ${plain(text("run_id"))}`,
    `Status: ${statusWords(document)}`,
    ...(error === "" ? [] : [`Error: ${error}`]),
    "",
    ...(Array.isArray(steps) && steps.length > 0
      ? ["Steps:", ...steps.flatMap(step => stepLines(step, 0))]
      : ["No steps executed (0 steps)"]),
    ...(typeof output === "string" ? ["", output] : []),
    "",
  ].join("\n");
}

function statusWords(document: JsonObject): string {
  if (ownValue(document, "success") !== true) return "✗ Failed";
  return ownValue(document, "status") === "PARTIAL" ? "◐ Partial" : "✓ Success";
}

function stepLines(step: Json, depth: number): readonly string[] {
  if (!isJsonObject(step)) return [];
  const text = (name: string): string => textOf(ownValue(step, name));
  const status = text("status");
  const duration = ownValue(step, "duration");
  const name = text("step_name");
  const margin = "  ".repeat(depth + 1);
  const elapsed = typeof duration === "number" ? ` [elapsed: ${formatSeconds(duration)}]` : "";
  const nested = ownValue(step, "sub_result");
  const inner = isJsonObject(nested) ? ownValue(nested, "step_results") : undefined;
  const field = (label: string, content: string): readonly string[] =>
    content === "" ? [] : [`${margin}  ${label}: ${content.split("\n").map(plain).join(`\n${margin}    `)}`];
  const title = `${plain(text("step_id"))}${name === "" ? "" : ` (${plain(name)})`}`;
  return [
    `${margin}${MARKS[status] ?? "·"} ${title}: ${status}${elapsed}`,
    ...field("Output", firstCharacters(text("output"), OUTPUT_CHARACTERS, "... (truncated)")),
    ...field("Error", text("error")),
    ...(Array.isArray(inner) ? inner.flatMap(child => stepLines(child, depth + 1)) : []),
  ];
}
