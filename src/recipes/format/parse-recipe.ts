import { Buffer } from "node:buffer";
import { FieldReader, type Report } from "./field-reader.ts";
import { isReservedName, parseStep, type StepReports } from "./parse-step.ts";
import { readYaml, yamlToJsonObject } from "./read-yaml.ts";
import {
  type HookName,
  MAX_DEPTH,
  MAX_RECIPE_BYTES,
  type Problem,
  type Recipe,
  type RecipeOutput,
  type Step,
} from "./recipe.ts";

/** A recipe file read by itself: parents named by `extends` are not looked at. */
export interface ParsedRecipe {
  /** undefined when there are errors */
  readonly recipe: Recipe | undefined;
  readonly errors: readonly Problem[];
  readonly warnings: readonly Problem[];
  /** places of fields, by `placeKey(step id, field)` */
  readonly places: ReadonlyMap<string, Problem>;
}

export interface ParseOptions {
  /** named in every problem */
  readonly file?: string;
}

const HOOK_NAMES: readonly HookName[] = ["pre_step", "post_step", "on_error"];

export function tooLargeMessage(bytes: number): string {
  return `Recipe file too large (${bytes} bytes). Maximum allowed: ${MAX_RECIPE_BYTES} bytes`;
}

export function placeKey(stepId: string, field: string): string {
  return `${stepId}\0${field}`;
}

/** Text to recipe. All errors are found, not only the first; none is thrown. */
export function parseRecipe(text: string, options: ParseOptions = {}): ParsedRecipe {
  const errors: Problem[] = [];
  const warnings: Problem[] = [];
  const places = new Map<string, Problem>();
  const file = options.file === undefined ? {} : { file: options.file };
  const done = (recipe: Recipe | undefined): ParsedRecipe => ({
    recipe: errors.length === 0 ? recipe : undefined,
    errors,
    warnings,
    places,
  });

  const bytes = Buffer.byteLength(text, "utf8");
  if (bytes > MAX_RECIPE_BYTES) {
    errors.push({ message: tooLargeMessage(bytes), ...file });
    return done(undefined);
  }
  const yaml = readYaml(text);
  errors.push(...yaml.errors.map(problem => ({ ...problem, ...file })));
  warnings.push(...yaml.warnings.map(problem => ({ ...problem, ...file })));
  if (yaml.errors.length > 0) return done(undefined);

  const into =
    (list: Problem[]): Report =>
    (message, offset) =>
      list.push({ message, ...file, ...yaml.locate(offset) });
  const reports: StepReports = {
    error: into(errors),
    warn: into(warnings),
    note: (stepId, field, offset) =>
      places.set(placeKey(stepId, field), { message: "", ...file, ...yaml.locate(offset) }),
  };
  if (yaml.root?.kind !== "map") {
    reports.error("Recipe YAML must be a mapping at the top level", yaml.root?.offset ?? 0);
    return done(undefined);
  }
  const read = new FieldReader(yaml.root.entries, "", reports.error);
  const recipe = readRecipe(read, reports);
  for (const [name, entry] of read.unknown()) {
    reports.warn(`Unrecognized top-level field '${name}' (possible typo)`, entry.keyOffset);
  }
  if (recipe.extends === undefined) errors.push(...dependencyProblems(recipe.steps, places));
  return done(recipe);
}

function readRecipe(read: FieldReader, reports: StepReports): Recipe {
  const { error } = reports;
  const name = read.label("name") ?? "";
  if (name.trim() === "") error("Recipe must have a 'name' field", read.offset("name"));
  const parent = read.string("extends");
  const recursion = new FieldReader(read.readEntries("recursion") ?? new Map(), "recursion.", error);
  const hooks = new FieldReader(read.readEntries("hooks") ?? new Map(), "hooks.", error);
  const [pre_step, post_step, on_error] = HOOK_NAMES.map(hook => hooks.string(hook));
  const recipe: Recipe = {
    name,
    description: read.label("description"),
    version: read.label("version"),
    author: read.label("author"),
    tags: read.labels("tags") ?? [],
    context: readContext(read, error),
    contextValidation: readRules(read, error),
    steps: readSteps(read, reports, parent !== undefined),
    recursion: {
      maxDepth: recursion.integer("max_depth"),
      maxTotalSteps: recursion.integer("max_total_steps"),
    },
    hooks: { pre_step, post_step, on_error },
    extends: parent,
    output: readOutput(read, error),
    defaultStepTimeout: read.seconds("default_step_timeout"),
  };
  if ((recipe.recursion.maxDepth ?? 0) > MAX_DEPTH) {
    reports.warn(
      `recursion.max_depth counts as ${MAX_DEPTH}, which is the most`,
      recursion.offset("max_depth"),
    );
  }
  for (const [group, members] of [["recursion", recursion] as const, ["hooks", hooks] as const]) {
    for (const [field, entry] of members.unknown()) {
      reports.warn(`Unrecognized top-level field '${group}.${field}' (possible typo)`, entry.keyOffset);
    }
  }
  return recipe;
}

function readContext(read: FieldReader, error: Report): Recipe["context"] {
  const entries = read.readEntries("context") ?? new Map();
  for (const [key, { keyOffset }] of entries) {
    if (isReservedName(key))
      error(`Context key '${key}' is reserved: AMPLIHACK_ names are the engine's`, keyOffset);
  }
  return yamlToJsonObject(entries);
}

function readRules(read: FieldReader, error: Report): Recipe["contextValidation"] {
  const entries = read.readEntries("context_validation") ?? new Map();
  const rules = new FieldReader(entries, "context_validation.", error);
  return Object.fromEntries([...entries.keys()].map(name => [name, rules.label(name) ?? ""]));
}

function readSteps(read: FieldReader, reports: StepReports, mayBeAbsent: boolean): readonly Step[] {
  const node = read.node("steps");
  if (node === undefined && mayBeAbsent) return [];
  if (node?.kind !== "list" || node.items.length === 0) {
    reports.error("Recipe must have a 'steps' field with at least one step", read.offset("steps"));
    return [];
  }
  const steps: Step[] = [];
  const seen = new Set<string>();
  for (const item of node.items) {
    const step = parseStep(item, reports);
    if (step === undefined) continue;
    if (seen.has(step.id)) reports.error(`Duplicate step id: '${step.id}'`, item.offset);
    seen.add(step.id);
    steps.push(step);
  }
  return steps;
}

function readOutput(read: FieldReader, error: Report): RecipeOutput | undefined {
  const node = read.node("output");
  if (node === undefined) return undefined;
  if (node.kind === "scalar") return { kind: "variable", name: node.spelling };
  if (node.kind === "list") {
    error("output must be the name of a variable or a mapping with a 'template'", node.offset);
    return undefined;
  }
  const members = new FieldReader(node.entries, "output.", error);
  const template = members.string("template");
  if (template === undefined) {
    error("output must be the name of a variable or a mapping with a 'template'", node.offset);
    return undefined;
  }
  return { kind: "template", template, format: members.label("format") };
}

/** `depends_on` never reorders; it is checked so that a renamed step is noticed. */
export function dependencyProblems(
  steps: readonly Step[],
  places: ReadonlyMap<string, Problem>,
): readonly Problem[] {
  const ids = new Set(steps.map(step => step.id));
  return steps.flatMap(step =>
    step.dependsOn
      .filter(id => !ids.has(id))
      .map(id => ({
        ...places.get(placeKey(step.id, "depends_on")),
        message: `Step '${step.id}': depends_on names an unknown step '${id}'`,
      })),
  );
}
