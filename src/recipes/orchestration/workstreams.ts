import { isJsonObject, type Json, listAt, ownValue, stringAt } from "../../protocol/index.ts";
import { Problem } from "../../state/index.ts";
import { findObject } from "./agent-answers.ts";

/** One part of a task that is worked on beside the others, on a branch of its own. */
export interface Workstream {
  readonly issue: string;
  readonly branch: string;
  readonly task: string;
  readonly description: string;
  readonly recipe: string;
  readonly maxRuntimeSeconds: number | undefined;
  /** `interrupt-preserve` ends the run when its time is up, `continue-preserve` lets it go on */
  readonly timeoutPolicy: "interrupt-preserve" | "continue-preserve";
}

const DEFAULT_RECIPE = "default-workflow";
const MAX_SLUG_LENGTH = 30;

/** How many workstreams a decomposition has; an answer without any is one piece of work. */
export function countWorkstreams(decomposition: string): number {
  return Math.max(1, listAt(findObject(decomposition), "workstreams").length);
}

/** The entries of a workstreams file for a decomposition: `{workstreams: [{name, description, recipe}]}`. */
export function workstreamEntries(decomposition: string): readonly Json[] {
  return listAt(findObject(decomposition), "workstreams").map((part, index) => {
    const number = index + 1;
    const name = stringAt(part, "name") ?? `workstream-${number}`;
    return {
      issue: "TBD",
      branch: `feat/orch-${number}-${slugOf(name) || `ws-${number}`}`,
      description: name,
      task: stringAt(part, "description") ?? name,
      recipe: stringAt(part, "recipe") ?? DEFAULT_RECIPE,
    };
  });
}

function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, "-")
    .slice(0, MAX_SLUG_LENGTH)
    .replace(/^-+|-+$/g, "");
}

/** Reads a workstreams file; every mistake in it is told at once. */
export function readWorkstreams(value: Json | undefined, path: string): readonly Workstream[] {
  const fail = (causes: readonly string[]): Problem =>
    new Problem(`${path} is no list of workstreams`, {
      kind: "invalid",
      causes,
      fix: "write a JSON list of objects with issue, branch and task",
    });
  if (!Array.isArray(value)) throw fail(["the file must hold a JSON list"]);
  const problems: string[] = [];
  const read = value.map((entry, index) =>
    readWorkstream(entry, problem => problems.push(`entry ${index + 1}: ${problem}`)),
  );
  const branches = read.map(({ branch }) => branch);
  const twice = branches.find((branch, index) => branch !== "" && branches.indexOf(branch) !== index);
  if (twice !== undefined) problems.push(`two entries have the branch '${twice}'`);
  if (problems.length > 0) throw fail(problems);
  return read;
}

function readWorkstream(entry: Json, report: (problem: string) => void): Workstream {
  const text = (name: string, initial?: string): string => {
    const given = isJsonObject(entry) ? (ownValue(entry, name) ?? initial) : undefined;
    if (typeof given === "string" && given.trim() !== "") return given;
    if (typeof given === "number" && name === "issue") return String(given);
    report(`${name} must be a text that is not empty`);
    return "";
  };
  const limit = isJsonObject(entry) ? (ownValue(entry, "max_runtime") ?? undefined) : undefined;
  const isLimit = typeof limit === "number" && Number.isFinite(limit) && limit > 0;
  if (limit !== undefined && !isLimit) report("max_runtime must be a number of seconds above 0");
  const policy = stringAt(entry, "timeout_policy") ?? "interrupt-preserve";
  if (policy !== "interrupt-preserve" && policy !== "continue-preserve")
    report("timeout_policy must be interrupt-preserve or continue-preserve");
  const branch = text("branch");
  if (branch !== "" && !isBranchName(branch)) report(`'${branch}' is no name for a branch`);
  const recipe = text("recipe", DEFAULT_RECIPE);
  if (recipe.startsWith("-")) report(`'${recipe}' is no name of a recipe`);
  return {
    issue: text("issue", "TBD"),
    branch,
    task: text("task"),
    description: text("description", branch),
    recipe,
    maxRuntimeSeconds: isLimit ? limit : undefined,
    timeoutPolicy: policy === "continue-preserve" ? policy : "interrupt-preserve",
  };
}

function isBranchName(name: string): boolean {
  return /^(?![-/.])[\w./+#@-]+$/.test(name) && !/\.\.|\/\/|@\{|\/\.|\.lock(?:\/|$)|[/.]$/.test(name);
}
