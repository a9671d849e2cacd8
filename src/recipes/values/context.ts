import { errorText, isJsonObject, type Json, type JsonObject, ownValue } from "../../protocol/index.ts";
import { readExactText } from "../../state/index.ts";
import { hasErrorCode, resolve, type System } from "../../system/index.ts";
import { findGitRoot, isDirectory } from "../find/look.ts";
import { isReservedName, isVariableName } from "../format/parse-step.ts";
import { readYaml, yamlToJson } from "../format/read-yaml.ts";
import type { Recipe } from "../format/recipe.ts";
import { readJsonText, typeFlag, valueText } from "./value.ts";

/** Bad arguments; the message goes to the user as it is. */
export class ContextError extends Error {
  override readonly name = "ContextError";
}

const MAX_CONTEXT_FILE_BYTES = 64 * 1024 * 1024;

/** `key=value` words, later ones winning. */
export function readPairs(pairs: readonly string[]): JsonObject {
  return Object.fromEntries(
    pairs.map(pair => {
      const equals = pair.indexOf("=");
      const key = pair.slice(0, equals);
      if (equals < 0 || !isVariableName(key)) {
        throw new ContextError(
          `Invalid context format '${pair}'. Use key=value format (e.g., -c 'question=What is X?')`,
        );
      }
      return [key, typeFlag(pair.slice(equals + 1))];
    }),
  );
}

/** A JSON or YAML mapping, typed as written. */
export function readContextFile(system: System, path: string): JsonObject {
  let read: ReturnType<typeof readExactText>;
  try {
    read = readExactText(system, path, MAX_CONTEXT_FILE_BYTES);
  } catch (error) {
    const isTooLarge = hasErrorCode(error, "EFBIG");
    const why = isTooLarge ? `it is larger than ${MAX_CONTEXT_FILE_BYTES} bytes` : errorText(error);
    throw new ContextError(`Cannot read context file ${path}: ${why}`);
  }
  if (read === undefined) throw new ContextError(`Context file not found: ${path}`);
  if (read.replaced) throw new ContextError(`Context file ${path} is not valid UTF-8`);
  const value = readJsonText(read.text) ?? readMapping(read.text, path);
  if (!isJsonObject(value))
    throw new ContextError(`Context file ${path} must hold a mapping at the top level`);
  const reserved = Object.keys(value).find(isReservedName);
  if (reserved !== undefined) throw new ContextError(`Context file ${path}: key '${reserved}' is reserved`);
  return value;
}

function readMapping(text: string, path: string): Json {
  const { root, errors } = readYaml(text);
  const [first] = errors;
  if (first !== undefined) throw new ContextError(`Context file ${path}: ${first.message}`);
  return root === undefined ? {} : yamlToJson(root);
}

/** Values from the environment for keys that the recipe declares empty and that are not given. */
export function inferContext(system: System, declared: JsonObject, given: JsonObject): JsonObject {
  const inferred: Record<string, Json> = {};
  for (const [key, value] of Object.entries(declared)) {
    if ((value !== "" && value !== null) || Object.hasOwn(given, key)) continue;
    const names = [`AMPLIHACK_CONTEXT_${key.toUpperCase().replaceAll("-", "_")}`];
    if (key === "task_description") names.push("AMPLIHACK_TASK_DESCRIPTION");
    if (key === "repo_path") names.push("AMPLIHACK_REPO_PATH");
    const found = names.map(name => system.env.get(name)).find(text => text !== undefined && text !== "");
    if (found !== undefined) inferred[key] = found;
    else if (key === "repo_path") inferred[key] = ".";
  }
  return inferred;
}

/** The checks of `context_validation`, before the first step. */
export function checkContext(
  system: System,
  rules: Recipe["contextValidation"],
  context: JsonObject,
  workingDir: string,
): { readonly failures: readonly string[]; readonly warnings: readonly string[] } {
  const failures: string[] = [];
  const warnings: string[] = [];
  for (const [name, rule] of Object.entries(rules)) {
    if (rule === "" || rule === "optional") continue;
    if (rule !== "nonempty" && rule !== "path" && rule !== "git_repo") {
      warnings.push(`context_validation: unknown rule '${rule}' for '${name}'`);
      continue;
    }
    const text = valueText(ownValue(context, name));
    if (text.trim() === "") failures.push(`'${name}' is required but empty or missing`);
    else if (rule !== "nonempty") {
      const problem = pathProblem(system, resolve(workingDir, text), rule);
      if (problem !== undefined) failures.push(`'${name}' path '${text}' ${problem}`);
    }
  }
  return { failures, warnings };
}

function pathProblem({ files }: System, path: string, rule: "path" | "git_repo"): string | undefined {
  let exists = false;
  try {
    exists = files.follow(path) !== undefined;
  } catch {
    exists = false;
  }
  if (!exists) return "does not exist";
  if (rule === "path") return undefined;
  return isDirectory(files, path) && findGitRoot(files, path) !== undefined
    ? undefined
    : "is not a git repository";
}

export function preflightMessage(recipeName: string, failures: readonly string[]): string {
  return [
    `=== PRE-FLIGHT VALIDATION FAILED for '${recipeName}' ===`,
    ...failures.map(failure => `  ✗ ${failure}`),
  ].join("\n");
}
