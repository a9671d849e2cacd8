import { createHash, randomUUID } from "node:crypto";
import { hostname } from "node:os";
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
import { basename, dirname, join, type System } from "../../system/index.ts";
import { findRecipe, findSubRecipe, type RecipeSearch } from "../find/find-recipe.ts";
import { type LoadedRecipe, loadRecipe } from "../find/load-recipe.ts";
import { parseRecipe } from "../format/parse-recipe.ts";
import { MAX_RECIPE_BYTES } from "../format/recipe.ts";
import type { RunOutcome } from "../run/result.ts";
import { refusalDocument } from "../run/result-document.ts";
import { loadForRun, refusedOutcome } from "../run/run-recipe.ts";
import { RunRefusal, type RunRequest, readSettings } from "../run/run-request.ts";
import { type CommandOutput, explainRefusal, type RecipeFormat } from "../run-in-terminal.ts";
import { inferContext } from "../values/recipe-context.ts";
import { documentText, resultTable } from "../views.ts";
import { type Connection, prepareTables, withClient } from "./connection.ts";
import { RUN_VERSION, WORKFLOW } from "./dbos.ts";
import { printLog } from "./print-log.ts";
import { readResult } from "./run-queries.ts";

interface Packing {
  readonly system: System;
  readonly search: RecipeSearch;
  readonly topLevelFile: string;
  /** by the name that a worker will look for */
  readonly files: Map<string, { readonly path: string; readonly text: string }>;
  readonly warnings: string[];
}

/**
 * The text of a recipe and of every file that it mentions, found as a run here would find them. A sub-recipe that is
 * missing fails its step when that is reached, as here, whatever the worker has under that name.
 */
function packRecipe(
  system: System,
  loaded: LoadedRecipe,
  search: RecipeSearch,
): {
  readonly files: readonly [RecipeFile, ...RecipeFile[]];
  readonly warnings: readonly string[];
} {
  const topLevelFile = loaded.path;
  const packing: Packing = { system, search, topLevelFile, files: new Map(), warnings: [] };
  const name = basename(topLevelFile);
  const first = isFileName(name) ? name : "recipe.yaml";
  pack(packing, first, topLevelFile);
  const [recipe, ...others] = [...packing.files].map(([file, { text }]) => ({ name: file, text }));
  if (recipe === undefined) throw new RunRefusal("not_found", `Recipe file not found: ${topLevelFile}`);
  return { files: [recipe, ...others], warnings: packing.warnings };
}

function pack(packing: Packing, name: string, path: string): void {
  const { system, search, topLevelFile, files } = packing;
  const known = files.get(name);
  if (known?.path === path) return;
  const { sources, loaded, errors } = loadRecipe(system, path, search, topLevelFile);
  const text = sources.get(path);
  if (text === undefined || loaded === undefined) {
    const why = errors.map(error => error.message).join("; ");
    throw new RunRefusal("parse_error", `${path}: ${why}`);
  }
  if (known !== undefined && known.text !== text) {
    throw new RunRefusal(
      "bad_args",
      `'${name}' means two files here: ${known.path} and ${path}. A worker has one folder for all; rename one`,
    );
  }
  if (known !== undefined) return;
  if (files.size >= MAX_FILES)
    throw new RunRefusal("bad_args", `The recipe mentions more than ${MAX_FILES} files`);
  files.set(name, { path, text });
  const own = parseRecipe(text, { file: path }).recipe;
  const mentioned = [own?.extends, ...(own?.steps ?? []).map(step => step.recipe)];
  for (const each of new Set(mentioned)) if (each !== undefined) packMentioned(packing, each, path);
}

function packMentioned(packing: Packing, name: string, file: string): void {
  const { system, search, topLevelFile, warnings } = packing;
  const found = findSubRecipe(system, name, search, { file, topLevelFile });
  if (found.kind === "found") pack(packing, `${name}.yaml`, found.path);
  else warnings.push(`Sub-recipe '${name}' was not found and is not sent along; its step will fail`);
}

/** Writes the files into a folder. Answers the path of the recipe. */
export function unpackRecipe(
  { files, text }: System,
  folder: string,
  packed: readonly [RecipeFile, ...RecipeFile[]],
): string {
  for (const file of packed) {
    const path = join(folder, file.name);
    if (!isFileName(file.name) || dirname(path) !== folder)
      throw new Error(`'${file.name}' is not a file name`);
    files.createExclusive(path, text.encode(file.text), 0o600);
  }
  return join(folder, packed[0].name);
}

/** One file of a recipe: its own, a parent's or a sub-recipe's. */
interface RecipeFile {
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

function isFileName(name: string): boolean {
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

/** A recipe that is ready to be put on a queue. */
export interface PackedRun {
  readonly recipe: string;
  readonly stepCount: number;
  readonly submitted: SubmittedRun;
  readonly warnings: readonly string[];
}

/** Finds, checks and packs a recipe with everything that it needs; throws `RunRefusal` when it cannot be run. */
export function packRun(system: System, request: RunRequest): PackedRun {
  const settings = readSettings(system, request);
  const { search, given, agent, stepTimeoutSeconds } = settings;
  const found = findRecipe(system, request.recipe, search);
  if (found.kind !== "found")
    throw new RunRefusal(found.kind === "missing" ? "not_found" : "bad_args", found.message);
  const warnings: string[] = [];
  const { isStrict } = request;
  const loaded = loadForRun(system, { isDryRun: true, isStrict }, settings, found.path, warning =>
    warnings.push(warning),
  );
  const packed = packRecipe(system, loaded, search);
  const { name, steps, context } = loaded.recipe;
  return {
    recipe: name,
    stepCount: steps.length,
    submitted: {
      files: packed.files,
      // What is inferred from the environment is inferred here: every worker has another one.
      context: { ...inferContext(system, context, given), ...given },
      options: {
        stepTimeoutSeconds,
        includeTags: request.includeTags,
        excludeTags: request.excludeTags,
        agentBinary: agent,
        autoStage: request.autoStage,
      },
    },
    warnings: [...new Set([...warnings, ...packed.warnings])],
  };
}

export interface QueueOptions {
  /** the same key is the same run, however often it is submitted */
  readonly key?: string | undefined;
  /** 1 is taken first; without one a run is taken before all that have one */
  readonly priority?: number | undefined;
}

/** Puts the run on the queue. Answers its id. */
export async function enqueueRun(
  connection: Connection,
  queue: string,
  run: PackedRun,
  { key, priority }: QueueOptions = {},
): Promise<string> {
  const workflow = {
    queueName: queue,
    workflowName: WORKFLOW,
    workflowID: key === undefined ? randomUUID() : idOfKey(queue, key),
    appVersion: RUN_VERSION,
    attributes: toAttributes(run, queue),
    ...(priority === undefined ? {} : { priority }),
  };
  await withClient(connection, client => client.enqueue(workflow, run.submitted));
  return workflow.workflowID;
}

/** What lists of runs are made from. Who submitted is written by the database. */
export function toAttributes(run: Pick<PackedRun, "recipe" | "stepCount">, queue: string) {
  return { recipe: run.recipe, steps: run.stepCount, queue, by: `@${hostname()}` };
}

/** An id in the form of all others, always the same for a key. */
export function idOfKey(queue: string, key: string): string {
  const hex = createHash("sha256")
    .update(JSON.stringify([queue, key]))
    .digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

interface SubmitTarget {
  readonly queue: string;
  /** how the database is named again in a command */
  readonly urlWords: string;
  readonly connection: Connection;
  /** for what a person may want to know next */
  readonly note: (text: string) => void;
  readonly options?: QueueOptions | undefined;
}

interface SubmitDisplay {
  readonly format: RecipeFormat;
  readonly isQuiet: boolean;
  /** until the run is over */
  readonly waits: boolean;
}

/** Submits a recipe and prints its id, or waits for it and prints its result. Returns the exit code. */
export async function submitInTerminal(
  request: RunRequest,
  { queue, urlWords, connection, note, options }: SubmitTarget,
  { format, isQuiet, waits }: SubmitDisplay,
  output: CommandOutput,
): Promise<number> {
  const { print, warn } = output;
  const packed = packFound(request, output);
  if ("exitCode" in packed) {
    explainRefusal(packed, output);
    if (format !== "table") print(documentText(packed.document, format));
    return packed.exitCode;
  }
  for (const warning of packed.warnings) warn(`Warning: ${warning}\n`);
  await prepareTables(connection);
  const runId = await enqueueRun(connection, queue, packed, options);
  if (!waits) {
    const document = { run_id: runId, recipe_name: packed.recipe, queue, state: "queued" };
    print(format === "table" ? `${runId}\n` : documentText(document, format));
    note(`Follow it: amplihack recipe logs ${runId.slice(0, 8)} ${urlWords} --follow\n`);
    return 0;
  }
  note(`Submitted ${runId}\n`);
  const { database } = connection;
  const exitCode = await printLog(database, runId, {
    isFollowing: true,
    isJson: false,
    print: text => (isQuiet ? undefined : warn(text)),
  });
  const document = (await readResult(database, runId)) ?? withoutResult(runId, packed.recipe);
  print(format === "table" ? resultTable(document, false) : documentText(document, format));
  return exitCode;
}

function packFound(request: RunRequest, { system }: CommandOutput): PackedRun | RunOutcome {
  try {
    return packRun(system, request);
  } catch (error) {
    if (error instanceof RunRefusal) return refusedOutcome(request.recipe, "", error);
    throw error;
  }
}

function withoutResult(runId: string, recipe: string): JsonObject {
  const message = "The run was cancelled, or its workers ended again and again";
  return { ...refusalDocument(recipe, runId, "internal", message) } as unknown as JsonObject;
}
