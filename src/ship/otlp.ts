import { type JsonObject, numberAt, stringAt, stringsAt } from "../protocol/index.ts";
import type { ChainHead } from "../state/index.ts";
import { version } from "../version.ts";
import type { ShippedLine, Totals } from "./read-batch.ts";
import { parseLine, recordTime, type SharedFields, sharedFields } from "./read-batch.ts";

/** OTLP/HTTP in its JSON form: 64-bit numbers are texts, enumerations are numbers. */
export type Attribute = { readonly key: string; readonly value: JsonObject };
type Values = Readonly<Record<string, string | number | readonly string[] | undefined>>;

const SCOPE = { name: "amplihack", version };
const INFO = 9;
const WARN = 13;
const ERROR = 17;
const CUMULATIVE = 2;
/** Upper bounds of the histogram of durations, in seconds. */
const BOUNDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

export function toAttributes(values: Values): readonly Attribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: string | number | readonly string[]): JsonObject {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "number")
    return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(each => ({ stringValue: each })) } };
}

export interface LogOptions {
  /** commands, paths and messages go along */
  readonly hasContent: boolean;
  readonly resource: readonly Attribute[];
  readonly nowMs: number;
}

export function logsRequest(lines: readonly ShippedLine[], options: LogOptions): JsonObject {
  const logRecords = lines.map(line => logRecord(line, options));
  return {
    resourceLogs: [{ resource: { attributes: options.resource }, scopeLogs: [{ scope: SCOPE, logRecords }] }],
  };
}

function logRecord({ log, id, text, hash }: ShippedLine, { hasContent, nowMs }: LogOptions): JsonObject {
  const line = parseLine(text);
  const fields = sharedFields(line ?? {}, hasContent);
  const decision = stringAt(fields, log === "audit" ? "verdict" : "decision") ?? "unknown";
  const isFailure = log === "runs" && stringAt(fields, "result") !== "ok";
  const severity = isFailure || line === undefined ? ERROR : decision === "deny" ? WARN : INFO;
  const own = log === "audit" ? auditValues(fields, hash) : runValues(fields);
  const eventName = log === "audit" ? "amplihack.guard.verdict" : "amplihack.hook.run";
  return {
    timeUnixNano: nanoseconds(recordTime(fields, nowMs)),
    observedTimeUnixNano: nanoseconds(nowMs),
    severityNumber: severity,
    severityText: severity === ERROR ? "ERROR" : severity === WARN ? "WARN" : "INFO",
    eventName,
    body: { stringValue: line === undefined ? "a line that cannot be read" : `${eventName}: ${decision}` },
    attributes: toAttributes({
      "log.record.uid": id,
      "event.name": eventName,
      "gen_ai.conversation.id": stringAt(fields, "session"),
      "gen_ai.agent.name": stringAt(fields, "host"),
      "gen_ai.tool.name": stringAt(fields, "tool"),
      "gen_ai.tool.call.id": stringAt(fields, "call"),
      "amplihack.decision": decision,
      "amplihack.rules": stringsAt(fields, "rules"),
      "amplihack.answered": stringAt(fields, "answered"),
      "amplihack.project.id": stringAt(fields, "project_id"),
      ...own,
      ...(hasContent ? contentValues(fields) : {}),
    }),
  };
}

function auditValues(fields: SharedFields, hash: string): Values {
  return {
    "gen_ai.operation.name": "execute_tool",
    "amplihack.guard.level": stringAt(fields, "level"),
    "amplihack.audit.seq": numberAt(fields, "seq"),
    "amplihack.audit.prev": stringAt(fields, "prev"),
    "amplihack.audit.hash": hash,
  };
}

function runValues(fields: SharedFields): Values {
  const duration = numberAt(fields, "duration_us");
  return {
    "amplihack.hook.name": stringAt(fields, "hook"),
    "amplihack.hook.event": stringAt(fields, "event"),
    "amplihack.hook.result": stringAt(fields, "result"),
    "amplihack.hook.duration": duration === undefined ? undefined : duration / 1e6,
  };
}

function contentValues(fields: SharedFields): Values {
  return {
    "gen_ai.tool.call.arguments": stringAt(fields, "command") ?? stringsAt(fields, "paths").join("\n"),
    "amplihack.targets": stringsAt(fields, "targets"),
    "amplihack.cwd": stringAt(fields, "cwd"),
    "amplihack.project": stringAt(fields, "project"),
    "error.message": stringAt(fields, "error", "failure"),
  };
}

function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}

/** The totals with these lines added. Keys are `verdict HOST VERDICT`, `le HOOK INDEX`, `sum HOOK`. */
export function addTotals(totals: Totals, lines: readonly ShippedLine[]): Totals {
  const sums: Record<string, number> = { ...totals };
  const add = (key: string, amount: number) => {
    sums[key] = (sums[key] ?? 0) + amount;
  };
  for (const { log, text } of lines) {
    const line = parseLine(text);
    const word = (name: string) => (stringAt(line, name) ?? "unknown").replaceAll(/\s+/g, "_").slice(0, 80);
    if (log === "audit") add(`verdict ${word("host")} ${word("verdict")}`, 1);
    const duration = log === "runs" ? numberAt(line, "duration_us") : undefined;
    if (duration === undefined) continue;
    const seconds = duration / 1e6;
    const index = BOUNDS.findIndex(bound => seconds <= bound);
    add(`le ${word("hook")} ${index < 0 ? BOUNDS.length : index}`, 1);
    add(`sum ${word("hook")}`, seconds);
  }
  return sums;
}

export interface MetricOptions {
  readonly resource: readonly Attribute[];
  readonly startedMs: number;
  readonly nowMs: number;
  readonly head: ChainHead | undefined;
}

export function metricsRequest(totals: Totals, options: MetricOptions): JsonObject {
  const { resource, startedMs, nowMs, head } = options;
  const times = { startTimeUnixNano: nanoseconds(startedMs), timeUnixNano: nanoseconds(nowMs) };
  const verdicts = Object.entries(totals).flatMap(([key, count]) => {
    const [kind, host = "", verdict = ""] = key.split(" ");
    if (kind !== "verdict") return [];
    const attributes = toAttributes({ "gen_ai.agent.name": host, "amplihack.decision": verdict });
    return [{ ...times, attributes, asInt: String(count) }];
  });
  const metrics = [
    {
      name: "amplihack.guard.verdicts",
      unit: "{verdict}",
      sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints: verdicts },
    },
    {
      name: "amplihack.hook.duration",
      unit: "s",
      histogram: { aggregationTemporality: CUMULATIVE, dataPoints: durations(totals, times) },
    },
    ...(head === undefined
      ? []
      : [
          {
            name: "amplihack.audit.head",
            unit: "{line}",
            gauge: {
              dataPoints: [
                {
                  timeUnixNano: times.timeUnixNano,
                  asInt: String(head.seq),
                  attributes: toAttributes({ "amplihack.audit.hash": head.hash }),
                },
              ],
            },
          },
        ]),
  ];
  return {
    resourceMetrics: [{ resource: { attributes: resource }, scopeMetrics: [{ scope: SCOPE, metrics }] }],
  };
}

function durations(totals: Totals, times: JsonObject): readonly JsonObject[] {
  const hooks = Object.keys(totals).flatMap(key => (key.startsWith("sum ") ? [key.slice(4)] : []));
  return hooks.map(hook => {
    const counts = Array.from(
      { length: BOUNDS.length + 1 },
      (_, index) => totals[`le ${hook} ${index}`] ?? 0,
    );
    return {
      ...times,
      attributes: toAttributes({ "amplihack.hook.name": hook }),
      count: String(counts.reduce((sum, count) => sum + count)),
      sum: totals[`sum ${hook}`] ?? 0,
      bucketCounts: counts.map(String),
      explicitBounds: BOUNDS,
    };
  });
}
