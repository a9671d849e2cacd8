import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { z } from "zod";
import { errorText, stringAt } from "../protocol/index.ts";
import {
  Interruption,
  listRecipes,
  loadRunRecipe,
  type ResultDocument,
  type RunEvent,
  type RunOutcome,
  recipeListDocument,
  type StepResult,
  searchHere,
} from "../recipes/index.ts";
import { clip } from "../text/index.ts";
import { requireConsent } from "./consent.ts";
import { answer, type CallExtra, MAX_TEXT_CHARACTERS, READS, type ServerContext } from "./tool.ts";

const MAX_VARIABLES = 100;
const MAX_NAME_LENGTH = 4_096;
const MAX_VALUE_LENGTH = 100_000;

export function registerRecipeTools(
  server: McpServer,
  context: ServerContext,
  follow: (run: Promise<unknown>) => void,
): void {
  server.registerTool(
    "recipe_list",
    {
      title: "List recipes",
      description: "Lists the recipes that can be run by name in this project.",
      inputSchema: { tag: z.string().max(200).optional().describe("only those with this tag") },
      annotations: READS,
    },
    ({ tag }) =>
      answer(async () => {
        const { system } = context;
        const search = searchHere(system, { workingDir: undefined, recipeDirs: [] });
        const found = await listRecipes(system, search, { tags: tag === undefined ? [] : [tag] });
        return { recipes: recipeListDocument(found.recipes, true), invalid: found.invalid };
      }),
  );
  registerRun(server, context, follow);
}

const RUN_INPUT = {
  recipe: z.string().min(1).max(MAX_NAME_LENGTH).describe("name or path of a recipe"),
  context: z
    .record(z.string().regex(/^[A-Za-z_]\w*$/), z.string().max(MAX_VALUE_LENGTH))
    .refine(given => Object.keys(given).length <= MAX_VARIABLES, `at most ${MAX_VARIABLES} variables`)
    .default({})
    .describe("variables of the recipe"),
  dry_run: z.boolean().default(false).describe("check and show the steps, execute nothing"),
  working_dir: z.string().max(MAX_NAME_LENGTH).optional().describe("directory to work in"),
};

interface RunWish {
  readonly recipe: string;
  readonly pairs: readonly string[];
  readonly isDryRun: boolean;
  readonly workingDir: string | undefined;
}

function registerRun(
  server: McpServer,
  context: ServerContext,
  follow: (run: Promise<unknown>) => void,
): void {
  server.registerTool(
    "recipe_run",
    {
      title: "Run a recipe",
      description:
        "Runs a recipe: shell commands and agents. The person is asked, as for `amplihack recipe run`; a dry run needs no yes.",
      inputSchema: RUN_INPUT,
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
    async (input, extra) => {
      const wish: RunWish = {
        recipe: input.recipe,
        pairs: Object.entries(input.context).map(([name, value]) => `${name}=${value}`),
        isDryRun: input.dry_run,
        workingDir: input.working_dir,
      };
      let isFailed = false;
      const result = await answer(async () => {
        const consent = { tool: "recipe_run", words: commandWords(wish) };
        const { files } = await requireConsent(server, context, extra, consent);
        const run = createRunRecipe(context, extra, wish, files);
        follow(run);
        const outcome = await run;
        isFailed = outcome.exitCode !== 0;
        return summarise(outcome);
      });
      return isFailed ? ({ ...result, isError: true } satisfies CallToolResult) : result;
    },
  );
}

function commandWords({ recipe, pairs, isDryRun, workingDir }: RunWish): readonly string[] {
  return [
    ...["recipe", "run"],
    ...pairs.flatMap(pair => ["--context", pair]),
    ...(isDryRun ? ["--dry-run"] : []),
    ...(workingDir === undefined ? [] : ["--working-dir", workingDir]),
    ...["--", recipe],
  ];
}

async function createRunRecipe(
  { system, launcher, warn }: ServerContext,
  extra: CallExtra,
  { recipe, pairs, isDryRun, workingDir }: RunWish,
  agreed: readonly string[] | undefined,
): Promise<RunOutcome> {
  const { runRecipe } = await loadRunRecipe();
  const interruption = new Interruption();
  const stop = (): void => interruption.interrupt("SIGTERM");
  if (extra.signal.aborted) stop();
  extra.signal.addEventListener("abort", stop);
  try {
    const observer = progressTo(extra, warn);
    const request = { recipe, contextPairs: pairs, isDryRun, workingDir, hidesContext: true, agreed };
    return await runRecipe({ ...request, launcher, interruption, observer }, system);
  } finally {
    extra.signal.removeEventListener("abort", stop);
  }
}

/** One notification for each step that begins or ends, to clients that asked for them. */
function progressTo(
  { _meta, sendNotification }: CallExtra,
  warn: (message: string) => void,
): (event: RunEvent) => void {
  const progressToken = _meta?.progressToken;
  let total = 0;
  let steps = 0;
  let sent = 0;
  const tell = (message: string): void => {
    if (progressToken === undefined) return;
    // Values must rise, also while the number of finished steps does not.
    sent = Math.max(steps, sent + 0.001);
    const params = { progressToken, progress: sent, ...(total === 0 ? {} : { total }), message };
    sendNotification({ method: "notifications/progress", params }).catch((error: unknown) =>
      warn(`progress cannot be told: ${errorText(error)}`),
    );
  };
  return event => {
    switch (event.kind) {
      case "recipe_start":
        total ||= event.stepCount;
        return tell(`recipe ${event.recipe}`);
      case "step_start":
        return tell(`step ${event.step.path}`);
      case "heartbeat":
        return tell(`step ${event.step.path}, ${Math.round(event.elapsedMs / 1000)} s`);
      case "step_end":
        if (event.step.depth === 0) steps++;
        return tell(`step ${event.step.path} ${event.result.status}`);
      case "notice":
        return event.isWarning ? warn(event.text) : undefined;
      default:
        return undefined;
    }
  };
}

/** The document without what would fill a model's context. */
function summarise({ document, exitCode }: RunOutcome): unknown {
  const steps =
    "step_results" in document && Array.isArray(document.step_results) ? document.step_results : [];
  const { recipe_name, success, status, run_id, duration, error, warnings } = document as ResultDocument;
  const output = stringAt(document as never, "output");
  return {
    recipe_name,
    success,
    status,
    exit_code: exitCode,
    run_id,
    duration,
    ...(error === undefined ? {} : { error: clip(error, MAX_TEXT_CHARACTERS) }),
    ...(output === undefined ? {} : { output: clip(output, MAX_TEXT_CHARACTERS) }),
    ...(warnings === undefined ? {} : { warnings }),
    steps: (steps as readonly StepResult[]).map(step => ({
      step_id: step.step_id,
      status: step.status,
      duration: step.duration,
      output: clip(step.output, MAX_TEXT_CHARACTERS),
      ...(step.error === "" ? {} : { error: clip(step.error, MAX_TEXT_CHARACTERS) }),
    })),
  };
}
