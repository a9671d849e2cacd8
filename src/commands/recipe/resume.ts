import { CommandError, defineCommand, FORMAT_OPTION, option, usageError } from "../../cli/index.ts";
import { loadApprovals, loadCancelRun, loadRunQueries } from "../../recipes/index.ts";
import { DATABASE_OPTIONS, findRunId, urlWords, withRuns } from "./database.ts";
import { NOT_FOUND_EXIT_CODE, QUEUED_RUN } from "./options.ts";

export const resumeCommand = defineCommand({
  name: "resume",
  summary: "go on with a submitted run that failed or was cancelled",
  details: `
It goes to its queue again under the same id. Steps that have ended are not done
again; with --from that step and all after it are. A run that was started here
with recipe run goes on with recipe run --resume.`,
  positionals: [QUEUED_RUN],
  options: {
    ...DATABASE_OPTIONS,
    from: option.string("STEP", "do this step and all after it again"),
    format: FORMAT_OPTION,
  },
  forAgents: "asks",
  examples: {
    "amplihack recipe resume 3f2a --url postgres://ann@db/agents": "continues after the last step that ended",
    "amplihack recipe resume last --from test --url": "does the step test again, and what follows",
  },
  async run({ options, positionals, system, terminal }) {
    const { resumeRun } = await loadCancelRun();
    const { findQueuedRun } = await loadRunQueries();
    return withRuns(system, options, async connection => {
      const runId = await findRunId(connection, positionals[0] ?? "", options.url);
      const run = await findQueuedRun(connection.database, system.clock.nowMs(), runId);
      if (run === undefined) throw new CommandError(`run ${runId} is gone`, { kind: "not-found" });
      await resumeRun(connection, run, options.from);
      terminal.printResult(options.format, { success: true, run_id: runId }, `Queued again: ${runId}\n`);
      terminal.note(
        `Follow it: amplihack recipe logs ${runId.slice(0, 8)} ${urlWords(options.url)} --follow\n`,
      );
      return 0;
    });
  },
});

export const approveCommand = defineCommand({
  name: "approve",
  summary: "answer a submitted run that waits for a person",
  details: `
A step with an approval waits until somebody answers. Without --yes or --no it
shows what is asked. The login that answered is in the log of the run.`,
  positionals: [QUEUED_RUN],
  options: {
    ...DATABASE_OPTIONS,
    step: option.string("STEP", "which step, where several wait"),
    yes: option.boolean("let it run"),
    no: option.boolean("refuse: the step fails"),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "passes", loosensWith: ["yes"] },
  examples: {
    "amplihack recipe approve last --url": "shows what is asked",
    "amplihack recipe approve 3f2a --yes --url postgres://ann@db/agents": "lets the step run",
  },
  async run({ options, positionals, system, terminal }) {
    if (options.yes && options.no) throw usageError("--yes and --no exclude each other", "give one of them");
    const { openApprovals, answerApproval } = await loadApprovals();
    return withRuns(system, options, async ({ database, ...connection }) => {
      const runId = await findRunId({ database, ...connection }, positionals[0] ?? "", options.url);
      const all = await openApprovals(database, runId);
      const open = options.step === undefined ? all : all.filter(({ path }) => path === options.step);
      const [first, second] = open;
      if (first === undefined)
        throw new CommandError(`run ${runId} waits for nobody${options.step === undefined ? "" : " there"}`, {
          kind: "not-found",
          exitCode: NOT_FOUND_EXIT_CODE,
          fix: `amplihack recipe runs ${runId} ${urlWords(options.url)}`,
        });
      if (!options.yes && !options.no) {
        const text = open.map(({ path, question }) => `${path}: ${question}\n`).join("");
        terminal.printResult(options.format, { success: true, run_id: runId, waiting: open }, text);
        return 0;
      }
      if (second !== undefined)
        throw usageError(
          `several steps wait: ${open.map(({ path }) => path).join(", ")}`,
          `name one: --step ${first.path}`,
        );
      if (!(await answerApproval(database, runId, first.path, options.yes)))
        throw new CommandError("somebody else has answered meanwhile", { kind: "over" });
      const said = options.yes ? "Approved" : "Refused";
      terminal.printResult(
        options.format,
        { success: true, run_id: runId, step: first.path },
        `${said}: ${first.path}\n`,
      );
      return 0;
    });
  },
});
