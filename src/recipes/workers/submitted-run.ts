import {
  booleanAt,
  isJsonObject,
  type Json,
  type JsonObject,
  memberAt,
  numberAt,
  stringAt,
  stringsAt,
} from "../../protocol/index.ts";
import { MAX_RECIPE_BYTES } from "../format/recipe.ts";
import type { RunRequest } from "../run/run-request.ts";

/** One file of a recipe: its own, a parent's or a sub-recipe's. */
export interface RecipeFile {
  /** `NAME.yaml`, where NAME is what other files call it */
  readonly name: string;
  readonly text: string;
}

/** All that a worker gets: with it every machine runs the same. */
export interface SubmittedRun {
  /** the recipe itself first, then what it mentions, directly or through others */
  readonly files: readonly [RecipeFile, ...RecipeFile[]];
  /** values over those of the recipe */
  readonly context: JsonObject;
  readonly options: RunOptions;
}

type RunOptions = Pick<
  RunRequest,
  "stepTimeoutSeconds" | "includeTags" | "excludeTags" | "agentBinary" | "autoStage"
>;

/** Files are written under these names: none may lead out of their folder or hide in it. */
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}\.ya?ml$/;
export const MAX_FILES = 200;

export function isFileName(name: string): boolean {
  return FILE_NAME.test(name);
}

/** Whoever can write to the database can write this: it is read as any other untrusted text. Throws, saying what is wrong. */
export function parseSubmittedRun(value: Json | undefined): SubmittedRun {
  if (!isJsonObject(value)) throw new Error("the submitted run is not an object");
  const files = memberAt(value, "files");
  const context = memberAt(value, "context");
  const options = memberAt(value, "options") ?? {};
  if (!Array.isArray(files) || files.length > MAX_FILES) throw new Error("the submitted run has no recipe");
  const [first, ...others] = files.map(parseFile);
  if (first === undefined) throw new Error("the submitted run has no recipe");
  if (!isJsonObject(context)) throw new Error("the submitted run has no context");
  if (!isJsonObject(options)) throw new Error("the options of the submitted run are not an object");
  return { files: [first, ...others], context, options: parseOptions(options) };
}

function parseFile(value: Json): RecipeFile {
  const name = stringAt(value, "name");
  const text = stringAt(value, "text");
  if (name === undefined || text === undefined || !isFileName(name))
    throw new Error("a recipe file of the submitted run has no usable name or no text");
  if (text.length > MAX_RECIPE_BYTES) throw new Error(`the recipe file ${name} is too large`);
  return { name, text };
}

function parseOptions(options: JsonObject): RunOptions {
  return {
    stepTimeoutSeconds: numberAt(options, "stepTimeoutSeconds"),
    includeTags: stringsAt(options, "includeTags"),
    excludeTags: stringsAt(options, "excludeTags"),
    agentBinary: stringAt(options, "agentBinary"),
    autoStage: booleanAt(options, "autoStage") === true,
  };
}
