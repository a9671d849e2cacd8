import { setTimeout } from "node:timers/promises";
import { defineCommand, FORMAT_OPTION, option } from "../cli/index.ts";
import { loadConfig, policyDigest } from "../config/index.ts";
import { loadAudit } from "../hooks/index.ts";
import { errorText } from "../protocol/index.ts";
import { loadOpenTarget, loadShip } from "../ship/index.ts";
import { requireDirectories } from "../state/index.ts";
import { join } from "../system/index.ts";
import { count } from "../text/index.ts";

const DEFAULT_INTERVAL_S = 60;
const DEFAULT_TIMEOUT_S = 10;
/** The longest interval: a day. Node's timers hold at most 24 days. */
const MAX_SECONDS = 86_400;
const RETRIES_ONCE = 4;

export const command = defineCommand({
  name: "ship",
  summary: "send audit log and log of runs to a collector, a database, a SIEM or a server",
  group: "Look",
  details: `
Sends what the target has not acknowledged yet. Every record has an id that
stays the same when it is sent again, so nothing is lost or doubled. Commands,
paths and messages stay here without --content.

otlp=URL is an OpenTelemetry collector (OTLP over HTTP): records, sums and the
head of the audit log. Without --to it is OTEL_EXPORTER_OTLP_ENDPOINT;
OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES are read as everywhere.

postgres=URL is the database of a team, for amplihack dashboard --url. Without
a URL it is memory.url, else AMPLIHACK_DATABASE_URL. Passwords belong in
~/.pgpass or PGPASSWORD.

server is the server of a team that this machine joined (amplihack join).

ecs=FILE appends one JSON document of the Elastic Common Schema for each record,
with the ids of its rules, for the agent of a SIEM to follow.`,
  options: {
    to: option.string("TARGET", "otlp=URL, postgres=URL, ecs=FILE or server"),
    team: option.string("NAME", "whose database it is (memory.team by default)"),
    once: option.boolean("end when all was sent, for timers and CI; 1 if it failed"),
    interval: option.number("SECONDS", `pause between rounds (${DEFAULT_INTERVAL_S} by default)`, {
      minimum: 1,
      maximum: MAX_SECONDS,
    }),
    timeout: option.number("SECONDS", `how long one request may take (${DEFAULT_TIMEOUT_S} by default)`, {
      minimum: 1,
      maximum: MAX_SECONDS,
    }),
    content: option.boolean("also commands, paths and messages, without secrets"),
    format: FORMAT_OPTION,
  },
  forAgents: "asks",
  examples: {
    "amplihack ship --once --to otlp=http://localhost:4318": "sends what is new and ends",
    "amplihack ship --to otlp=https://collector.example": "goes on until it is stopped",
    "amplihack ship --to postgres=postgres://ann@db.example/agents": "to a team's database",
  },
  async run({ options, system, terminal }) {
    const { auditFile } = await loadAudit();
    const { openTarget } = await loadOpenTarget();
    const { shipAll } = await loadShip();
    const places = requireDirectories(system);
    const tell = (message: string) => terminal.warn(`Warning: ${message}\n`);
    const { config, notices } = loadConfig(system, places);
    for (const { message } of notices) tell(message);
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    const target = await openTarget(system, options.to, {
      memory: config.memory,
      policy: policyDigest(system, config),
      team: options.team,
      hasContent: options.content,
      timeoutMs: (options.timeout ?? DEFAULT_TIMEOUT_S) * 1000,
      maxRetries: options.once ? RETRIES_ONCE : Number.POSITIVE_INFINITY,
      signal: stopped.signal,
      wait: pause,
      tell,
    });
    for (const signal of SIGNALS) process.on(signal, stop);
    const { stateHome, home } = places;
    const logs = {
      audit: auditFile(config.guard, stateHome, home),
      runs: join(stateHome, "logs", "runs.jsonl"),
    };
    const round = () => shipAll(system, { stateHome, logs, target, signal: stopped.signal, tell });
    try {
      if (options.once) {
        const sent = await round();
        terminal.printResult(options.format, { success: true, sent }, `${count(sent, "line")} sent\n`);
        return 0;
      }
      while (!stopped.signal.aborted) {
        const sent = await round().catch((error: unknown) => {
          // The loop goes on: what was not acknowledged is sent in the next round.
          if (!stopped.signal.aborted) tell(errorText(error));
          return 0;
        });
        if (sent > 0) terminal.note(`${count(sent, "line")} sent\n`);
        await pause((options.interval ?? DEFAULT_INTERVAL_S) * 1000, stopped.signal);
      }
      return 0;
    } finally {
      for (const signal of SIGNALS) process.off(signal, stop);
      await target.close();
    }
  },
});

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => {});
}
