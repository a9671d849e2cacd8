import { AGENTS, type AgentName, parseAgentName } from "../../hosts/index.ts";
import type { JsonObject } from "../../protocol/index.ts";
import { EnvVar, envParsers, findStateHome, isStateError } from "../../state/index.ts";
import { join, resolve, type System } from "../../system/index.ts";
import { isDirectory, type RecipeSearch } from "../find/find-recipe.ts";
import type { Approve, KeepFiles, Observer } from "../logs/events.ts";
import { type SnippetLimits, snippetLimits } from "../steps/snippet.ts";
import { ContextError, readContextFile, readPairs } from "../values/recipe-context.ts";
import { sessionLimits } from "./base-environment.ts";
import type { Interruption } from "./interruption.ts";
import type { KeptRun } from "./progress-keeper.ts";
import type { ErrorKind } from "./result.ts";

/** What to run and how. Only `recipe` is needed. */
export interface RunRequest {
  /** SHA-256 of the recipes that a person agreed to; another text of the recipe is not run */
  readonly agreed?: readonly string[] | undefined;
  /** a name or a path */
  readonly recipe: string;
  /** Default: the directory of this process. */
  readonly currentDir?: string | undefined;
  /** where steps run. Default: `currentDir`. */
  readonly workingDir?: string | undefined;
  readonly recipeDirs?: readonly string[] | undefined;
  /** typed values; win over everything else */
  readonly context?: JsonObject | undefined;
  /** `key=value`, typed by their spelling */
  readonly contextPairs?: readonly string[] | undefined;
  readonly contextFile?: string | undefined;
  readonly isDryRun?: boolean | undefined;
  /** warnings about the recipe are errors */
  readonly isStrict?: boolean | undefined;
  /** replaces all timeouts; 0 for none */
  readonly stepTimeoutSeconds?: number | undefined;
  readonly includeTags?: readonly string[] | undefined;
  readonly excludeTags?: readonly string[] | undefined;
  readonly agentBinary?: string | undefined;
  readonly autoStage?: boolean | undefined;
  readonly auditDir?: string | undefined;
  /** leaves the context out of the result */
  readonly hidesContext?: boolean | undefined;
  /** a run id, the beginning of one, `last` for the newest run of the recipe, or a checkpoint file */
  readonly resume?: string | undefined;
  /** resumes although the recipe has changed */
  readonly isForced?: boolean | undefined;
  /** program and first arguments that start an agent. Default: `amplihack` from the path. */
  readonly launcher?: readonly [string, ...string[]] | undefined;
  readonly observer?: Observer | undefined;
  readonly interruption?: Interruption | undefined;
  /** keeps the progress in place of checkpoint files, and knows what is done already */
  readonly kept?: KeptRun | undefined;
  /** Sub-recipes and parents are looked for beside the recipe and nowhere else. */
  readonly isSealed?: boolean | undefined;
  /** asks a person about steps with an `approval` */
  readonly approve?: Approve | undefined;
  /** keeps the `artifacts` of steps; where it is absent they lie where the step made them */
  readonly keepFiles?: KeepFiles | undefined;
}

/** A run that cannot begin; told in the result document and on stderr. */
export class RunRefusal extends Error {
  override readonly name = "RunRefusal";
  readonly kind: ErrorKind;

  constructor(kind: ErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

/** The request with defaults, environment and files read. */
export interface RunSettings {
  readonly search: RecipeSearch;
  readonly workingDir: string;
  readonly given: JsonObject;
  readonly agent: AgentName | undefined;
  readonly stepTimeoutSeconds: number | undefined;
  readonly heartbeatSeconds: number;
  readonly budgetOverride: number | undefined;
  readonly snippetLimits: SnippetLimits;
  readonly auditDir: string | undefined;
}

const HEARTBEAT = new EnvVar(
  "AMPLIHACK_RECIPE_HEARTBEAT_INTERVAL_SECONDS",
  envParsers.integer({ atLeast: 0 }),
  60,
);
const BUDGET = new EnvVar("AMPLIHACK_CONTEXT_ENV_BUDGET_BYTES", envParsers.integer({ atLeast: 0 }));

export function readSettings(system: System, request: RunRequest): RunSettings {
  const currentDir = request.currentDir ?? system.files.workingDirectory();
  if (currentDir === undefined) throw new RunRefusal("bad_args", "The current directory no longer exists");
  const workingDir = resolve(currentDir, request.workingDir ?? ".");
  if (!isDirectory(system.files, workingDir)) {
    throw new RunRefusal("bad_args", `Working directory does not exist: ${workingDir}`);
  }
  return refuseBadInput(() => ({
    search: {
      currentDir,
      workingDir,
      recipeDirs: request.recipeDirs ?? [],
      isSealed: request.isSealed === true,
    },
    workingDir,
    given: {
      ...(request.contextFile === undefined
        ? {}
        : readContextFile(system, resolve(currentDir, request.contextFile))),
      ...readPairs(request.contextPairs ?? []),
      ...request.context,
    },
    agent: readAgent(request.agentBinary),
    stepTimeoutSeconds: request.stepTimeoutSeconds ?? readStepTimeout(system),
    heartbeatSeconds: HEARTBEAT.getOrError(system),
    budgetOverride: BUDGET.isSet(system) ? BUDGET.getOrError(system) : undefined,
    snippetLimits: snippetLimits(system),
    auditDir: request.auditDir === undefined ? undefined : resolve(currentDir, request.auditDir),
  }));
}

function refuseBadInput<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RunRefusal) throw error;
    if (error instanceof ContextError || isStateError(error)) {
      throw new RunRefusal("bad_args", error.message);
    }
    throw error;
  }
}

function readAgent(name: string | undefined): AgentName | undefined {
  if (name === undefined) return undefined;
  const agent = parseAgentName(name);
  if (agent !== undefined) return agent;
  throw new RunRefusal("bad_args", `'${name}' is not a known agent; use one of ${AGENTS.join(", ")}`);
}

function readStepTimeout({ env }: System): number | undefined {
  const raw = env.get("AMPLIHACK_STEP_TIMEOUT")?.trim();
  if (raw === undefined || raw === "") return undefined;
  if (/^\d+(?:\.\d+)?$/.test(raw)) return Number(raw);
  throw new RunRefusal("bad_args", "AMPLIHACK_STEP_TIMEOUT must be a number of seconds");
}

/** Recipes that start recipes that start recipes must end somewhere. */
export function refuseDeepNesting(system: System): void {
  const { depth, maxDepth: max } = sessionLimits(system);
  if (depth < max) return;
  throw new RunRefusal(
    "recursion_guard",
    `recipe run recursion depth guard exceeded: depth ${depth} reached configured max ${max}`,
  );
}

/** Where runs leave their logs and checkpoints; undefined when there is no home directory. */
export function stateDirectory(system: System): string | undefined {
  const home = findStateHome(system);
  return home === undefined ? undefined : join(home, "recipes");
}
