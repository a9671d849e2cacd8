import { userInfo } from "node:os";
import { defineCommand, option, usageError } from "../../cli/index.ts";
import { loadUrl } from "../../postgres/index.ts";
import { loadWorkInTerminal } from "../../recipes/index.ts";
import { clip, escapeControls } from "../../text/index.ts";
import { DATABASE_OPTIONS, QUEUE, resolveDatabaseAddress, resolveQueue, TEAM } from "./database.ts";

const TAKE_OVER_SECONDS = 10;

export const workerCommand = defineCommand({
  name: "worker",
  summary: "run recipes that were submitted to a queue",
  details: `
Whoever can write to the database can run commands here, as the user who starts
this. Runs of a worker that was killed or cut off are taken over by another:
steps that have ended are not done again, those under way are. SIGTERM or Ctrl-C
ends the running steps and returns the runs to the queue.`,
  options: {
    ...DATABASE_OPTIONS,
    queue: QUEUE,
    team: TEAM,
    "working-dir": option.string("DIR", "directory that all runs work in", { short: "w" }),
    concurrency: option.number("N", "runs at once here (1 by default)", {
      minimum: 1,
      maximum: 100,
    }),
    "queue-concurrency": option.number("N", "runs at once in the whole queue; 0: no limit", {
      minimum: 0,
      maximum: 1_000_000,
    }),
    rate: option.string("N/SECONDS", "runs begun in the whole queue; 0/1: no limit"),
    name: option.string("NAME", "how lists call it (host and process by default)"),
    "take-over-after": option.number(
      "SECONDS",
      `when a silent worker counts as lost (${TAKE_OVER_SECONDS} by default)`,
      { minimum: 1 },
    ),
    "keep-days": option.number("N", "delete runs that were over N days ago", { minimum: 1 }),
    "no-output": option.boolean("keep what steps print out of the database"),
    "until-empty": option.boolean("end when all runs of the queue are over"),
  },
  ownsTerminal: true,
  // It runs what others submit.
  forAgents: "asks",
  examples: {
    "amplihack recipe worker --url postgres://ci@db/agents -w ~/checkout": "takes runs until it is stopped",
    "amplihack recipe worker --url --queue nightly --concurrency 4 --rate 10/60":
      "takes four at once, and all workers together begin ten a minute",
  },
  async run({ options, system, terminal }) {
    const queue = resolveQueue(options.queue, options.team);
    const rate = parseRate(options.rate);
    checkName(options.name);
    const address = await resolveDatabaseAddress(system, options);
    const { describeAddress } = await loadUrl();
    const { workInTerminal } = await loadWorkInTerminal();
    const place = describeAddress(address);
    terminal.note(`Whoever can write to ${place} can run commands here as ${userInfo().username}.\n`);
    return workInTerminal(
      system,
      {
        address,
        queue,
        name: options.name,
        concurrency: options.concurrency ?? 1,
        limits: { concurrency: options["queue-concurrency"], rate },
        workingDir: options["working-dir"],
        logsOutput: !options["no-output"],
        takeOverAfterMs: (options["take-over-after"] ?? TAKE_OVER_SECONDS) * 1000,
        keepDays: options["keep-days"],
        isUntilEmpty: options["until-empty"],
        launcher: [process.execPath, process.argv[1] ?? "amplihack"],
      },
      terminal.note,
    );
  },
});

const MAX_NAME_LENGTH = 100;

/** Names stand in lists and logs, and in the server's list of connections. */
function checkName(name: string | undefined): void {
  if (name === undefined) return;
  if (name.trim() !== "" && name.length <= MAX_NAME_LENGTH && escapeControls(name) === name) return;
  throw usageError(
    `'${clip(escapeControls(name), MAX_NAME_LENGTH)}' is not a name for a worker`,
    `use up to ${MAX_NAME_LENGTH} printable characters`,
  );
}

function parseRate(text: string | undefined): { runs: number; seconds: number } | undefined {
  if (text === undefined) return undefined;
  const [, runs, seconds] = /^(\d{1,6})\/(\d{1,6})$/.exec(text) ?? [];
  if (runs === undefined || Number(seconds) === 0)
    throw usageError(
      `--rate must be runs per seconds, got '${text}'`,
      "--rate 10/60 begins ten runs a minute",
    );
  return { runs: Number(runs), seconds: Number(seconds) };
}
