import { errorText, isJsonObject, type Json, type JsonObject, ownValue } from "../../protocol/index.ts";
import { AtomicJsonFile, FileLock, serialise } from "../../state/index.ts";
import { basename, hasErrorCode, type System, writeAtomically } from "../../system/index.ts";
import { type CheckpointSearch, findCheckpoint, MAX_CHECKPOINT_BYTES } from "./find-checkpoint.ts";
import type { StepResult } from "./result.ts";

/** How far one recipe has come: enough to go on after this process was killed at any moment. */
export interface FrameProgress {
  readonly sha256: string;
  /** ids of steps that are over and whose variables are in the context */
  completed: readonly string[];
  context: JsonObject;
  assigned: JsonObject;
  /** members of the parallel group under way that are over, with the variables they will set */
  held: Readonly<Record<string, JsonObject>>;
  /** sub-recipes under way, by the id of the step that runs them */
  readonly children: Map<string, FrameProgress>;
  /** a step was degraded, or failed without ending the recipe */
  isFlawed: boolean;
  /** how steps ended that are over, by id, where that is kept: they are reported as they were */
  readonly results?: ReadonlyMap<string, StepResult>;
}

/** A step whose end is to be recorded. */
export interface EndedStep {
  /** ids from the outermost step inwards, joined by `/` */
  readonly path: string;
  readonly result: StepResult;
}

interface Checkpoint {
  readonly runId: string;
  readonly recipeName: string;
  readonly root: FrameProgress;
}

interface KeptCheckpoint extends Checkpoint {
  readonly workingDir: string;
}

/** Records how far a run has come: in a checkpoint file, in a database, or nowhere. */
export interface ProgressKeeper {
  /** Once it returns, or what it returns resolves, the steps need not run again. What it throws ends the run. */
  save(ended: readonly EndedStep[]): void | Promise<void>;
  /** The run is over: the checkpoint goes when nothing is left to do, and others may resume from it otherwise. */
  close(isDone: boolean): void;
}

/** A run on another host that began before this is over. */
const LONGEST_RUN_MS = 7 * 24 * 60 * 60_000;

/** A run whose progress is kept elsewhere than in a checkpoint file. */
export interface KeptRun {
  readonly runId: string;
  /** How far it has come. A run that begins starts with `given` over the recipe's own values. */
  begin(loaded: { readonly recipe: { readonly context: JsonObject }; readonly sha256: string }): {
    readonly root: FrameProgress;
    readonly keeper: ProgressKeeper;
  };
}

export const NO_PROGRESS: ProgressKeeper = { save() {}, close() {} };

export function newProgress(sha256: string, context: JsonObject): FrameProgress {
  return { sha256, completed: [], context, assigned: {}, held: {}, children: new Map(), isFlawed: false };
}

/** Locks a checkpoint for the whole run: one process runs it, so no step is done twice at the same time. */
function lockCheckpoint(system: System, path: string): FileLock {
  const lock = new FileLock(`${path}.lock`, { system, timeoutMs: 0, foreignMs: LONGEST_RUN_MS });
  lock.acquire();
  return lock;
}

/** `held` is the lock of a run that is resumed; a new run takes its own. */
export function keepProgress(
  system: System,
  path: string,
  checkpoint: KeptCheckpoint,
  warn: (message: string) => void,
  held?: FileLock,
): ProgressKeeper {
  let lock = held;
  let isBroken = false;
  const attempt = (what: string, action: () => void): void => {
    if (isBroken) return;
    try {
      action();
    } catch (error) {
      isBroken = true;
      const why = errorText(error);
      warn(`The checkpoint could not be ${what}; this run cannot be resumed from here: ${why}`);
    }
  };
  attempt("written", () => {
    lock ??= lockCheckpoint(system, path);
  });
  return {
    save: () =>
      attempt("written", () => {
        const content = serialise(
          {
            recipe_name: checkpoint.recipeName,
            run_id: checkpoint.runId,
            working_dir: checkpoint.workingDir,
            ...frameToJson(checkpoint.root),
            timestamp: new Date(system.clock.nowMs()).toISOString(),
          },
          path,
          0,
        );
        // A step that ended just before the machine did runs again, as one that had not ended yet.
        writeAtomically(system, path, system.text.encode(content), { mayBeOlder: true });
      }),
    close: isDone => {
      if (isDone) attempt("removed", () => removeIfThere(system, path));
      lock?.release();
    },
  };
}

function removeIfThere({ files }: System, path: string): void {
  try {
    files.remove(path);
  } catch (error) {
    if (!hasErrorCode(error, "ENOENT")) throw error;
  }
}

function frameToJson(frame: FrameProgress): JsonObject {
  return {
    recipe_sha256: frame.sha256,
    completed_steps: frame.completed,
    context: frame.context,
    // By name: the values are in the context, and the whole is written after every step.
    assigned: Object.keys(frame.assigned),
    held: frame.held,
    flawed: frame.isFlawed,
    sub_recipes: Object.fromEntries([...frame.children].map(([id, child]) => [id, frameToJson(child)])),
  };
}

/** A checkpoint that is ours until `lock` is released. */
export interface ResumedCheckpoint extends Checkpoint {
  readonly path: string;
  readonly lock: FileLock;
}

/** Takes the checkpoint that is meant; throws, saying what is wrong, when it cannot be used. */
export function takeCheckpoint(
  system: System,
  search: CheckpointSearch,
  argument: string,
): ResumedCheckpoint {
  const path = findCheckpoint(system, search, argument);
  if (system.files.follow(path) === undefined) {
    throw new Error(noCheckpoint(path));
  }
  const lock = lockCheckpoint(system, path);
  try {
    const file = new AtomicJsonFile(path, {
      system,
      limitBytes: MAX_CHECKPOINT_BYTES,
      parse: parseCheckpoint,
    });
    const checkpoint = file.read();
    if (checkpoint === undefined) throw new Error(noCheckpoint(path));
    return { ...checkpoint, runId: checkpoint.runId || basename(path).replace(/\.json$/, ""), path, lock };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** One that was submitted keeps its steps in the database, whatever became of it. */
function noCheckpoint(path: string): string {
  return `no checkpoint at ${path}: a run that succeeded leaves none, and one that was submitted goes on with amplihack recipe resume`;
}

function parseCheckpoint(value: Json): Checkpoint {
  if (!isJsonObject(value)) throw new Error("it is not an object");
  const recipeName = ownValue(value, "recipe_name");
  const runId = ownValue(value, "run_id");
  if (typeof recipeName !== "string") throw new Error("recipe_name is missing");
  return { recipeName, runId: typeof runId === "string" ? runId : "", root: parseFrame(value) };
}

function parseFrame(value: JsonObject): FrameProgress {
  const sha256 = ownValue(value, "recipe_sha256");
  const completed = ownValue(value, "completed_steps");
  const context = ownValue(value, "context");
  if (typeof sha256 !== "string") throw new Error("recipe_sha256 is missing");
  if (!Array.isArray(completed) || !completed.every(id => typeof id === "string")) {
    throw new Error("completed_steps is not a list of step ids");
  }
  if (!isJsonObject(context)) throw new Error("context is missing");
  const objectAt = (name: string): JsonObject => {
    const member = ownValue(value, name);
    return isJsonObject(member) ? member : {};
  };
  const held: Record<string, JsonObject> = {};
  for (const [id, variables] of Object.entries(objectAt("held")))
    if (isJsonObject(variables)) held[id] = variables;
  const children = new Map<string, FrameProgress>();
  for (const [id, child] of Object.entries(objectAt("sub_recipes"))) {
    if (isJsonObject(child)) children.set(id, parseFrame(child));
  }
  return {
    sha256,
    completed,
    context,
    assigned: readAssigned(ownValue(value, "assigned"), context),
    held,
    children,
    isFlawed: ownValue(value, "flawed") === true,
  };
}

function readAssigned(assigned: Json | undefined, context: JsonObject): JsonObject {
  const names = new Set(Array.isArray(assigned) ? assigned : []);
  return Object.fromEntries(Object.entries(context).filter(([name]) => names.has(name)));
}
