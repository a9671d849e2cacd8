import { CommandError, defineCommand, FORMAT_OPTION, option, ProgressLine } from "../../cli/index.ts";
import { loadRunSync, type SyncReport, type SyncRequest } from "../../memory/index.ts";
import { isServerUrl, PostgresError, readDatabaseUrl } from "../../postgres/index.ts";
import { loadServerMemory } from "../../ship/index.ts";
import { count, escapeControls } from "../../text/index.ts";
import { memoryPlace, warnUnencrypted } from "./store-access.ts";

const DEFAULT_TIMEOUT_S = 60;
const MAX_TIMEOUT_S = 86_400;
/** In the background another one that is under way does the work. */
const PATIENCE_MS = 30_000;
const MAX_ROUNDS = 5;

export const syncCommand = defineCommand({
  name: "sync",
  summary: "send what changed here to the team's database, and fetch what others changed",
  details: `
Memories of projects that were cloned from the same place are shared; what counts for every project stays here. Hooks
and commands read and write the file on this machine and start this in the background; run it to have it now. What
cannot be sent waits. Of two changes of one memory the later stays, and the database keeps the text of the other.`,
  options: {
    earlier: option.boolean("also share what was stored before memory.url was set"),
    "change-team": option.boolean("start over with the team that is configured now"),
    background: option.boolean("say nothing; failures are in ~/.amplihack/logs/memory-sync.log"),
    timeout: option.number("SECONDS", `how long to try (${DEFAULT_TIMEOUT_S} by default)`, {
      minimum: 1,
      maximum: MAX_TIMEOUT_S,
    }),
    format: FORMAT_OPTION,
  },
  forAgents: { use: "passes", asksWith: ["change-team", "earlier"] },
  examples: {
    "amplihack memory sync": "prints: 12 sent, 3 fetched, 0 waiting",
    "amplihack memory sync --earlier": "also sends what this machine had before",
  },
  async run(invocation) {
    const { options, system, terminal } = invocation;
    const { countWaiting, runSync } = await loadRunSync();
    const place = memoryPlace(invocation);
    const timeoutMs = (options.timeout ?? DEFAULT_TIMEOUT_S) * 1_000;
    const request: SyncRequest = {
      timeoutMs,
      patienceMs: options.background ? 0 : Math.min(PATIENCE_MS, timeoutMs),
      sharesEarlier: options.earlier,
      changesTeam: options["change-team"],
      connect: async timeoutMs => {
        const { serverMemory } = await loadServerMemory();
        const { url = "", team } = place.config.memory;
        return serverMemory(system, { url, team }, timeoutMs);
      },
    };
    if (options.background) {
      // The next hook starts no other one while this one runs, so what changed meanwhile is this one's to send.
      for (let round = 1; round <= MAX_ROUNDS; round++) {
        const done = await runSync(system, place, request).catch(() => undefined);
        if (done === undefined || ((await countWaiting(system, place)) ?? 0) <= done.refused) break;
      }
      return 0;
    }
    const { url } = place.config.memory;
    if (url !== undefined && !isServerUrl(url))
      warnUnencrypted(invocation, readDatabaseUrl(url, "configuration"));
    const report = await new ProgressLine(system, terminal)
      .during("talking to the team's database …", () => runSync(system, place, request))
      .catch((error: unknown) => {
        throw withWaiting(error);
      });
    if (report === undefined)
      throw new CommandError("another sync is under way, and sends what waits here as well", {
        kind: "busy",
        fix: "amplihack memory sync, when it is done",
      });
    const { origin, isComplete, renamed, ...counts } = report;
    const document = { ...counts, complete: isComplete, renamed: [...renamed], shared_with: origin };
    terminal.printResult(options.format, document, render(report));
    return report.isComplete ? 0 : 1;
  },
});

/** Nothing is lost, which is what people ask first. */
function withWaiting(error: unknown): unknown {
  if (!(error instanceof PostgresError)) return error;
  return new CommandError(error.message, {
    kind: error.kind,
    causes: ["what changed here is kept and sent later; memories are read from this machine"],
    fix: error.fix,
  });
}

function render({ sent, fetched, waiting, refused, earlier, renamed, isComplete }: SyncReport): string {
  const lines = [`${sent} sent, ${fetched} fetched, ${waiting} waiting`];
  if (refused > 0)
    lines.push(
      `${count(refused, "change")} not taken: you may not write that project, or a project that you may not see has the name.`,
    );
  if (!isComplete) lines.push("Time ran out before everything was done; run it again.");
  if (earlier > 0) {
    const [who, them] = earlier === 1 ? ["1 memory", "it"] : [`${earlier} memories`, "them"];
    const stay = earlier === 1 ? "stays" : "stay";
    lines.push(
      `${who} from before the team ${stay} on this machine; amplihack memory sync --earlier shares ${them}.`,
    );
  }
  for (const { from, to } of renamed)
    lines.push(
      `Your own '${escapeControls(from)}' is now called '${escapeControls(to)}': the team has one of that name.`,
    );
  return `${lines.join("\n")}\n`;
}
