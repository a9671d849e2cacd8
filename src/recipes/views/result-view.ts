import {
  isJsonObject,
  type Json,
  type JsonObject,
  listAt,
  memberAt,
  numberAt,
  stringAt,
} from "../../protocol/index.ts";
import { formatSeconds, STATUS_MARKS } from "../progress/plain-progress.ts";
import { plain, plainLines } from "../progress/plain-text.ts";
import { clipCharacters } from "../steps/snippet.ts";
import { valueText } from "../values/value.ts";
import { previewLines } from "./preview-view.ts";

const MAX_OUTPUT_CHARACTERS = 200;
const MARKS: Readonly<Record<string, string>> = STATUS_MARKS;

/** The result of a run for people. The document may be an external runner's, so nothing in it is taken for granted. */
export function resultTable(document: JsonObject, isTerminal: boolean): string {
  const text = (name: string): string => valueText(memberAt(document, name));
  const steps = listAt(document, "step_results");
  const output = stringAt(document, "output");
  const error = text("error");
  return [
    `Recipe: ${plain(text("recipe_name"))}`,
    `Run ID: ${plain(text("run_id"))}`,
    `Status: ${statusWords(document, isTerminal)}`,
    ...(error === "" ? [] : [`Error: ${plainLines(error).join("\n")}`]),
    "",
    ...(steps.length > 0
      ? ["Steps:", ...steps.flatMap(step => stepLines(step, isTerminal, 0))]
      : ["No steps executed (0 steps)"]),
    ...(output === undefined ? [] : ["", output]),
    "",
  ].join("\n");
}

function statusWords(document: JsonObject, isTerminal: boolean): string {
  if (memberAt(document, "success") !== true) return "✗ Failed";
  if (isTerminal && memberAt(document, "dry_run") === true)
    return "✓ Success (dry run: nothing was executed)";
  return memberAt(document, "status") === "PARTIAL" ? "◐ Partial" : "✓ Success";
}

function stepLines(step: Json, isTerminal: boolean, depth: number): readonly string[] {
  if (!isJsonObject(step)) return [];
  const text = (name: string): string => valueText(memberAt(step, name));
  const status = text("status");
  const duration = numberAt(step, "duration");
  const name = text("step_name");
  const margin = "  ".repeat(depth + 1);
  const field = (label: string, content: string): readonly string[] =>
    content === "" ? [] : [`${margin}  ${label}: ${plainLines(content).join(`\n${margin}    `)}`];
  const title = `${plain(text("step_id"))}${name === "" ? "" : ` (${plain(name)})`}`;
  const preview = memberAt(step, "would_run");
  const previewed = isJsonObject(preview) ? previewLines(preview).map(line => `${margin}    ${line}`) : [];
  // On a terminal what a dry run would do is enough; programs read the line that every step has.
  if (isTerminal && isJsonObject(preview)) return [`${margin}· ${title}`, ...previewed];
  const elapsed = duration !== undefined ? ` [elapsed: ${formatSeconds(duration)}]` : "";
  return [
    `${margin}${MARKS[status] ?? "·"} ${title}: ${plain(status)}${elapsed}`,
    ...field("Output", clipCharacters(text("output"), MAX_OUTPUT_CHARACTERS, "... (truncated)")),
    // That a step was left out is no error; the member holds why.
    ...field(status === "skipped" ? "Why" : "Error", text("error")),
    ...previewed,
    ...listAt(memberAt(step, "sub_result"), "step_results").flatMap(child =>
      stepLines(child, isTerminal, depth + 1),
    ),
  ];
}
