import { errorText, isJsonObject, type Json, type JsonObject, ownValue } from "../../protocol/index.ts";
import { readExactText } from "../../state/index.ts";
import { hasErrorCode, resolve, type System } from "../../system/index.ts";
import { findGitRoot, isDirectory } from "../find/find-recipe.ts";
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
  if (!isJsonObject(value)) throw new ContextError(`Context file ${path} must be a mapping at the top level`);
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

/** One context value as shell variable. */
interface MirrorEntry {
  /** the keys that lead to it, joined by NUL: a key may itself hold a dot */
  readonly keys: string;
  readonly value: string;
}

/** The whole context as shell variables, before sizes are looked at. */
export interface Mirror {
  /** `RECIPE_VAR_…` by name; where two paths make one name the first keeps it */
  readonly variables: ReadonlyMap<string, MirrorEntry>;
  /** upper-case names of plain values */
  readonly aliases: ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
}

const PREFIX = "RECIPE_VAR_";

/** Names that decide how programs are found, loaded or interpreted; a context value never replaces them. */
const PROTECTED: ReadonlySet<string> = new Set(
  `PATH HOME SHELL PWD OLDPWD USER LOGNAME MAIL HOSTNAME TERM DISPLAY EDITOR VISUAL LANG TMP TMPDIR IFS ENV BASH_ENV
   SHELLOPTS BASHOPTS PROMPT_COMMAND PS1 PS2 PS3 PS4 LD_PRELOAD LD_LIBRARY_PATH DYLD_INSERT_LIBRARIES
   DYLD_LIBRARY_PATH GLIBC_TUNABLES PYTHONPATH PYTHONSTARTUP NODE_OPTIONS PERL5OPT RUBYOPT GIT_SSH_COMMAND CLAUDECODE`.split(
    /\s+/,
  ),
);

function isProtected(name: string): boolean {
  return PROTECTED.has(name) || name.startsWith("LC_") || name.startsWith("AMPLIHACK_");
}

/** The variable a placeholder path is mirrored in. */
export function variableName(path: string): string {
  return PREFIX + path.replaceAll(".", "__").replaceAll("-", "_");
}

const mirrors = new WeakMap<JsonObject, Mirror>();

/** Made once per context; contexts are never changed in place. */
export function createMirror(context: JsonObject): Mirror {
  const known = mirrors.get(context);
  if (known !== undefined) return known;
  const mirror = buildMirror(context);
  mirrors.set(context, mirror);
  return mirror;
}

function buildMirror(context: JsonObject): Mirror {
  const variables = new Map<string, MirrorEntry>();
  const aliases = new Map<string, string>();
  const warnings: string[] = [];

  const clean = (path: string, value: Json): string => {
    const text = valueText(value);
    if (!text.includes("\0")) return text;
    warnings.push(`NUL characters were removed from '${path}'`);
    return text.replaceAll("\0", "");
  };
  const add = (keys: readonly string[], value: Json): void => {
    const path = keys.join(".");
    const name = variableName(path);
    if (/^\w+$/.test(name) && !variables.has(name)) {
      variables.set(name, { keys: keys.join("\0"), value: clean(path, value) });
    }
    if (!isJsonObject(value)) return;
    for (const [key, member] of Object.entries(value)) add([...keys, key], member);
  };

  for (const [key, value] of Object.entries(context)) {
    add([key], value);
    if (typeof value === "object" && value !== null) continue;
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) continue;
    const alias = key.toUpperCase();
    if (isProtected(alias)) warnings.push(`Context key '${key}' is not exported as ${alias}`);
    else aliases.set(alias, clean(key, value));
  }
  return { variables, aliases, warnings: [...new Set(warnings)] };
}
