import { parseDocument, stringify } from "yaml";
import {
  isJsonObject,
  type Json,
  type JsonObject,
  listAt,
  memberAt,
  numberAt,
  stringAt,
} from "../protocol/index.ts";
import { count, wrapWords } from "../text/index.ts";
import type { ListedRecipe } from "./find/load-recipe.ts";
import { DEFAULT_VERSION, type Problem, type Recipe, type Step, splitBlocks } from "./format/recipe.ts";
import { formatSeconds, type Paint, plain, plainLines, STATUS_MARKS } from "./progress.ts";
import { clipCharacters } from "./steps/snippet.ts";
import { valueText } from "./values/value.ts";

export type DocumentFormat = "json" | "yaml";

const YAML_STYLE = { lineWidth: 0, aliasDuplicateObjects: false };

/** One document in the form a program asked for. */
export function documentText(document: unknown, format: DocumentFormat): string {
  if (format === "json") return jsonText(document);
  return stringify(JSON.parse(JSON.stringify(document)), YAML_STYLE);
}

/** JSON that another program printed, as YAML; integers keep all their digits. */
export function jsonTextAsYaml(text: string): string {
  return stringify(parseDocument(text, { intAsBigInt: true }).toJS(), YAML_STYLE);
}

export function jsonText(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

const LINE_WIDTH = 160;

/** Where a problem stands, with the line of the file and a caret under the place; empty when it is not known. */
export function problemExcerpt(problem: Problem, sources: ReadonlyMap<string, string>): readonly string[] {
  const { file, line, column } = problem;
  if (file === undefined) return [];
  if (line === undefined || column === undefined) return [file];
  const text = sources
    .get(file)
    ?.replace(/^\uFEFF/, "")
    .split(/\r?\n/)[line - 1];
  const place = `${file}:${line}:${column}`;
  if (text === undefined) return [place];
  const number = String(line);
  const start = Math.max(0, column - LINE_WIDTH / 2);
  const shown = text.slice(start, start + LINE_WIDTH);
  const before = text.slice(start, column - 1).replace(/[^\t]/g, " ");
  return [place, `  ${number} │ ${shown}`, `  ${" ".repeat(number.length)} │ ${before}^`];
}

export function problemLines(
  problem: Problem,
  sources: ReadonlyMap<string, string>,
  bullet: string,
  indent: string,
): readonly string[] {
  const [first = "", ...rest] = problem.message.split("\n");
  return [
    `${bullet}${first}`,
    ...rest.map(line => indent + line),
    ...problemExcerpt(problem, sources).map(line => indent + line),
  ];
}

export function recipeListTable(
  recipes: readonly ListedRecipe[],
  isVerbose: boolean,
  columns: number | undefined,
): string {
  if (recipes.length === 0) return "No recipes found (0 recipes)\n";
  const blocks = recipes.map(recipe =>
    [
      `• ${plain(recipe.name)}`,
      ...(recipe.description === "" ? [] : described(recipe.description, columns)),
      ...(isVerbose
        ? [
            `  Version: ${plain(recipe.version)}`,
            `  Author: ${plain(recipe.author)}`,
            `  Steps: ${recipe.step_count}`,
          ]
        : []),
      ...(recipe.shadows === undefined
        ? []
        : [`  ! ${recipe.path} takes the place of the recipe that comes with amplihack`]),
      ...(recipe.tags.length === 0 ? [] : [`  Tags: ${plain(recipe.tags.join(", "))}`]),
    ].join("\n"),
  );
  return `Available Recipes (${recipes.length}):\n\n${blocks.join("\n\n")}\n`;
}

export function recipeListDocument(recipes: readonly ListedRecipe[], isVerbose: boolean): Json {
  return recipes.map(({ name, description, shadows, ...rest }) => ({
    name,
    description,
    ...(isVerbose ? rest : {}),
    ...(shadows === undefined ? {} : { path: rest.path, shadows }),
  }));
}

/** On one line, or on as many as the terminal needs. */
function described(text: string, columns: number | undefined): readonly string[] {
  const lines = columns === undefined ? [oneLine(text)] : wrapWords(oneLine(text), columns - 2);
  return lines.map(line => `  ${plain(line)}`);
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, " ");
}

const PREVIEW_CHARACTERS = 100;

/** A recipe for people. */
export function recipeTable(
  recipe: Recipe,
  path: string,
  parts: { readonly hasSteps: boolean; readonly hasContext: boolean },
): string {
  const context = Object.entries(recipe.context);
  return [
    `Recipe: ${recipe.name}`,
    ...(recipe.description === undefined ? [] : [`Description: ${recipe.description.trim()}`]),
    `Version: ${recipe.version ?? DEFAULT_VERSION}`,
    ...(recipe.author === undefined ? [] : [`Author: ${recipe.author}`]),
    ...(recipe.tags.length === 0 ? [] : [`Tags: ${recipe.tags.join(", ")}`]),
    ...(recipe.extends === undefined ? [] : [`Extends: ${recipe.extends}`]),
    `File: ${path}`,
    ...(parts.hasContext && context.length > 0
      ? ["", "Context:", ...context.map(([key, value]) => `  ${key}: ${preview(valueText(value))}`)]
      : []),
    ...(parts.hasSteps ? ["", `Steps (${recipe.steps.length}):`, ...recipe.steps.flatMap(stepLines)] : []),
    "",
  ].join("\n");
}

function stepLines(step: Step, index: number): readonly string[] {
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["Agent", step.agent],
    ["Recipe", step.recipe],
    ["Command", step.command],
    ["Prompt", step.prompt],
    ["Condition", step.condition],
    ["Output", step.output],
    ["Parallel group", step.parallelGroup],
    ["Tags", step.whenTags.length === 0 ? undefined : step.whenTags.join(", ")],
    ["Timeout", step.timeoutSeconds === undefined ? undefined : `${step.timeoutSeconds}s`],
  ];
  return [
    `  ${index + 1}. ${step.id} (${step.type})${step.name === undefined ? "" : `: ${step.name}`}`,
    ...fields.flatMap(([name, text]) => (text === undefined ? [] : [`     ${name}: ${preview(text)}`])),
  ];
}

function preview(text: string): string {
  const line = text.trim().replace(/\s*\n\s*/g, " ⏎ ");
  return clipCharacters(line, PREVIEW_CHARACTERS, "...");
}

/** The steps of a recipe as a small drawing: order, groups, conditions, and which variable each step fills. */
export function recipeGraph(recipe: Recipe): string {
  const width = Math.max(...recipe.steps.map(step => [...step.id].length)) + (hasGroup(recipe) ? 3 : 0);
  const blocks = splitBlocks(recipe.steps);
  const lines = blocks.flatMap((block, index) => drawBlock(block, index === blocks.length - 1, width));
  return [recipe.name, "│", ...lines, ""].join("\n");
}

function drawBlock(block: readonly Step[], isLast: boolean, width: number): readonly string[] {
  const [first] = block;
  if (block.length === 1 && first !== undefined) return drawStep(first, isLast ? "└─" : "├─", "│", width);
  const margin = isLast ? "   " : "│  ";
  const members = block.flatMap((step, index) => {
    const branch = index === block.length - 1 ? "└─" : "├─";
    return drawStep(step, margin + branch, `${margin}│`, width - 3);
  });
  return [`${isLast ? "╘═" : "╞═"} together: ${first?.parallelGroup ?? ""}`, ...members];
}

/** `trunk` is what stands above the branch. */
function drawStep(step: Step, branch: string, trunk: string, width: number): readonly string[] {
  const pad = " ".repeat(Math.max(0, width - [...step.id].length));
  const facts = [
    describeWork(step),
    ...(step.output === undefined ? [] : [`→ ${step.output}`]),
    ...(step.isNonFatal ? ["may fail"] : []),
    ...(step.whenTags.length === 0 ? [] : [`tags ${step.whenTags.join(", ")}`]),
  ];
  return [
    ...(step.condition === undefined ? [] : [`${trunk} ◇ if ${oneLine(step.condition)}`]),
    `${branch} ${step.id}${pad}  ${facts.join("  ")}`,
  ];
}

function describeWork(step: Step): string {
  if (step.type === "recipe") return `recipe ${step.recipe ?? ""}`;
  return step.type === "agent" && step.agent !== undefined ? `agent ${step.agent}` : step.type;
}

function hasGroup({ steps }: Recipe): boolean {
  return splitBlocks(steps).some(block => block.length > 1);
}

const MAX_LINES = 12;

/** What a step of a dry run would do: the command as it would be typed, the question, or the recipe. */
export function previewLines(preview: JsonObject): readonly string[] {
  const text = (name: string): string | undefined => stringAt(preview, name);
  const labelled = (label: string, name: string): readonly string[] => {
    const value = text(name);
    return value === undefined ? [] : [`${label} ${plain(value.trim().replace(/\s*\n\s*/g, " "))}`];
  };
  return [
    ...labelled("if", "condition"),
    ...labelled("in", "working_dir"),
    ...block("$ ", text("command")),
    ...labelled("recipe", "recipe"),
    ...labelled("agent", "agent"),
    ...block("? ", text("prompt")),
    ...labelled("→", "output"),
  ];
}

/** All lines of a text under its sign, down to a number that can be read. */
function block(sign: string, text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const lines = plainLines(text.trimEnd());
  const shown = lines.slice(0, lines.length > MAX_LINES ? MAX_LINES - 1 : MAX_LINES);
  const margin = " ".repeat(sign.length);
  return [
    ...shown.map((line, index) => (index === 0 ? sign : margin) + line),
    ...(shown.length < lines.length ? [`${margin}… ${lines.length - shown.length} more lines`] : []),
  ];
}

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
      ? ["Steps:", ...steps.flatMap(step => resultLines(step, isTerminal, 0))]
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

function resultLines(step: Json, isTerminal: boolean, depth: number): readonly string[] {
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
      resultLines(child, isTerminal, depth + 1),
    ),
  ];
}

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
