import { defineCommand } from "../cli/command.ts";
import { usageError } from "../cli/errors.ts";
import { FORMAT_OPTION, option } from "../cli/option.ts";
import { errorText } from "../protocol/error-text.ts";
import { count } from "../protocol/quantity.ts";
import { version } from "../version.ts";

const DEFAULT_INTERVAL_S = 60;
const DEFAULT_TIMEOUT_S = 10;
const RETRIES_ONCE = 4;
const HELP = "amplihack ship --help";

export const command = defineCommand({
  name: "ship",
  summary: "send the audit log and the log of runs to an OpenTelemetry collector",
  group: "Look",
  details: `
Sends what the target has not acknowledged yet, as OTLP over HTTP: log records, sums
and the head of the audit log. Every record has an id (log.record.uid) that stays the
same when it is sent again. Commands, paths and messages stay here without --content.
Without --to the target is OTEL_EXPORTER_OTLP_ENDPOINT; OTEL_EXPORTER_OTLP_HEADERS and
OTEL_RESOURCE_ATTRIBUTES are read as everywhere.`,
  options: {
    to: option.string("TARGET", "otlp=URL, for instance otlp=https://collector.example:4318"),
    once: option.boolean("end when everything was sent, for timers and CI; 1 when that failed"),
    interval: option.number("SECONDS", `pause between rounds (${DEFAULT_INTERVAL_S} by default)`, {
      minimum: 1,
    }),
    timeout: option.number("SECONDS", `how long one request may take (${DEFAULT_TIMEOUT_S} by default)`, {
      minimum: 1,
    }),
    content: option.boolean("also commands, paths and messages, without secrets as in the log"),
    format: FORMAT_OPTION,
  },
  examples: {
    "amplihack ship --once --to otlp=http://localhost:4318": "sends what is new and ends",
    "amplihack ship --to otlp=https://collector.example": "goes on until it is stopped",
  },
  async run({ options, system, terminal }) {
    const { requireDirectories } = await import("../state/user-directories.ts");
    const { auditPath } = await import("./audit/audit-path.ts");
    const { join } = await import("../system/paths.ts");
    const { shipAll } = await import("../ship/ship.ts");
    const { attributesOf } = await import("../ship/otlp.ts");
    const target = readTarget(options.to ?? standardTarget(system.env.get("OTEL_EXPORTER_OTLP_ENDPOINT")));
    if (target.protocol === "http:" && !LOOPBACK.has(target.hostname))
      terminal.warn(`Warning: ${target.host} is reached without encryption\n`);
    const { stateHome } = requireDirectories(system);
    const stopped = new AbortController();
    const stop = () => stopped.abort();
    for (const signal of SIGNALS) process.on(signal, stop);
    const resource = attributesOf({
      "service.name": "amplihack",
      "service.version": version,
      "host.name": system.processes.self.host,
      ...readPairs(system.env.get("OTEL_RESOURCE_ATTRIBUTES")),
    });
    const round = () =>
      shipAll(system, {
        stateHome,
        logs: { audit: auditPath(system, terminal), runs: join(stateHome, "logs", "runs.jsonl") },
        target,
        resource,
        hasContent: options.content,
        headers: readPairs(system.env.get("OTEL_EXPORTER_OTLP_HEADERS")),
        timeoutMs: (options.timeout ?? DEFAULT_TIMEOUT_S) * 1000,
        maxRetries: options.once ? RETRIES_ONCE : Number.POSITIVE_INFINITY,
        signal: stopped.signal,
        wait: pause,
        tell: message => terminal.warn(`Warning: ${message}\n`),
      });
    try {
      if (options.once) {
        const sent = await round();
        terminal.printResult(options.format, { success: true, sent }, `${count(sent, "line")} sent\n`);
        return 0;
      }
      while (!stopped.signal.aborted) {
        const sent = await round().catch((error: unknown) => {
          // The loop goes on: what was not acknowledged is sent in the next round.
          if (!stopped.signal.aborted) terminal.warn(`Warning: ${errorText(error)}\n`);
          return 0;
        });
        if (sent > 0) terminal.note(`${count(sent, "line")} sent\n`);
        await pause((options.interval ?? DEFAULT_INTERVAL_S) * 1000, stopped.signal);
      }
      return 0;
    } finally {
      for (const signal of SIGNALS) process.off(signal, stop);
    }
  },
});

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

function standardTarget(endpoint: string | undefined): string {
  if (endpoint !== undefined && endpoint !== "") return `otlp=${endpoint}`;
  throw usageError("say where to: --to otlp=URL, or set OTEL_EXPORTER_OTLP_ENDPOINT", HELP);
}

function readTarget(text: string): URL {
  const [, address = ""] = /^otlp=(.+)$/.exec(text) ?? [];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (
    url === undefined ||
    !["http:", "https:"].includes(url.protocol) ||
    url.username !== "" ||
    url.password !== ""
  )
    throw usageError("--to must be otlp=URL with http or https and no password in it", HELP);
  return url;
}

/** `key=value,key=value`, percent-encoded, as the variables of OpenTelemetry hold them. */
function readPairs(text: string | undefined): Readonly<Record<string, string>> {
  const pairs = (text ?? "").split(",").flatMap(pair => {
    const equals = pair.indexOf("=");
    if (equals < 1) return [];
    try {
      return [[pair.slice(0, equals).trim(), decodeURIComponent(pair.slice(equals + 1).trim())] as const];
    } catch {
      throw usageError(
        "OTEL_EXPORTER_OTLP_HEADERS and OTEL_RESOURCE_ATTRIBUTES must be percent-encoded",
        HELP,
      );
    }
  });
  return Object.fromEntries(pairs);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) return resolve();
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done);
  });
}
