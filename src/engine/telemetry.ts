import type { Diagnostic, Outcome, Run } from "../protocol/index.ts";
import type { Attribute, Span, Telemetry } from "./options.ts";

const SPAN_EVENTS: Readonly<Record<string, string>> = {
  timeout: "hooks.timeout",
  killed: "hooks.killed",
  "pipe-held": "hooks.pipe_held",
  "output-truncated": "hooks.output.truncated",
  "output-noise": "hooks.output.noise",
  "fail-closed": "hooks.fail_closed",
  "rewrite-conflict": "hooks.rewrite.conflict",
  "stop-cap": "hooks.stop_cap",
};

/** The version of OpenTelemetry's GenAI conventions whose names are used: later ones may rename them. */
export const GENAI_CONVENTIONS = "1.37.0";

/** A call of a tool, as the conventions name its parts. */
interface ToolFacts {
  readonly tool: string;
  readonly id: string;
  readonly sessionId: string;
}

interface RunFacts {
  readonly id: string;
  readonly kind: string;
  readonly dialect: string;
  readonly source: string;
  readonly timeoutMs: number;
}

/** What is told about one finished handler; never its payload, output or command. */
interface FinishedRun {
  readonly run: Run;
  readonly failureCode: string | undefined;
  readonly queueMs: number | undefined;
  readonly isRewrite: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Speaks to the host's telemetry in the engine's names. Whatever that telemetry does, the work inside a span is
 * done exactly once: a broken exporter must not skip a guard.
 */
export class TelemetryRecorder {
  private readonly telemetry: Telemetry;

  constructor(telemetry: Telemetry) {
    this.telemetry = telemetry;
  }

  dispatch<V>(event: string, subject: string, matched: number, refused: number, work: (span: Span) => V): V {
    const attributes = { "hooks.event": event, "hooks.subject": subject, "hooks.matched": matched };
    return this.span("hooks.dispatch", attributes, span => {
      if (refused > 0) span.event("hooks.trust.refused", { "hooks.count": refused });
      return work(span);
    });
  }

  /** The whole life of a call, from the hooks before it to those after it. */
  call<R extends EndedCall>({ tool, id, sessionId }: ToolFacts, work: () => Promise<R>): Promise<R> {
    const attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": tool,
      "gen_ai.tool.type": "function",
      "gen_ai.tool.call.id": id,
      ...(sessionId === "" ? {} : { "gen_ai.conversation.id": sessionId }),
    };
    return this.span(`execute_tool ${tool}`, attributes, async span => {
      const ended = await work();
      span.set("amplihack.status", ended.status);
      if (ended.before !== undefined) setVerdict(span, ended.before);
      if (ended.status === "failed")
        span.set("error.type", ended.error instanceof Error ? ended.error.name : "_OTHER");
      return ended;
    });
  }

  run<V>(facts: RunFacts, work: (span: Span) => V): V {
    const attributes = {
      "hooks.id": facts.id,
      "hooks.kind": facts.kind,
      "hooks.dialect": facts.dialect,
      "hooks.source": facts.source,
      "hooks.timeout_ms": facts.timeoutMs,
    };
    return this.span("hooks.run", attributes, work);
  }

  /** Calls `body`, which never throws, exactly once: also when the telemetry forgets to, or throws itself. */
  private span<V>(name: string, attributes: Readonly<Record<string, Attribute>>, body: (span: Span) => V): V {
    let done: { readonly value: V } | undefined;
    const once = (span: Span): V => {
      done ??= { value: body(withoutErrors(span)) };
      return done.value;
    };
    ignoreErrors(() => this.telemetry.span(name, attributes, once));
    return once(NO_SPAN);
  }

  endRun(span: Span, record: FinishedRun): void {
    const { run } = record;
    span.set("hooks.status", run.status);
    if (run.exitCode !== undefined) span.set("hooks.exit_code", run.exitCode);
    if (run.signal !== undefined) span.set("hooks.signal", run.signal);
    span.set("hooks.truncated", run.truncated === true);
    if (record.queueMs !== undefined) {
      span.set("hooks.queue_ms", record.queueMs);
      this.record("hooks.queue.duration", record.queueMs, {});
    }
    for (const { code } of record.diagnostics) {
      const name = SPAN_EVENTS[code];
      if (name !== undefined) span.event(name);
    }
    if (record.failureCode !== undefined) {
      span.event("hooks.failure", { "hooks.code": record.failureCode });
      this.count("hooks.failures", 1, { code: record.failureCode });
    }
    if (record.isRewrite) span.event("hooks.rewrite");
    this.record("hooks.run.duration", run.durationMs, { status: run.status });
  }

  endDispatch(span: Span, event: string, outcome: Outcome, durationMs: number): void {
    span.set("hooks.decision", outcome.decision.kind);
    span.set("hooks.halted", outcome.halt !== undefined);
    span.set("hooks.rewritten", outcome.input !== undefined || outcome.output !== undefined);
    span.set("hooks.aborted", outcome.aborted);
    setVerdict(span, outcome);
    for (const { code } of outcome.diagnostics) {
      if (code === "rewrite-conflict" || code === "stop-cap") span.event(SPAN_EVENTS[code] ?? code);
    }
    this.count("hooks.decisions", 1, { event, decision: outcome.decision.kind });
    this.record("hooks.dispatch.duration", durationMs, { event });
  }

  /** A failure of a run that was given up before. */
  failure(code: string): void {
    this.count("hooks.failures", 1, { code });
  }

  processes(change: 1 | -1): void {
    this.count("hooks.processes", change, {});
  }

  private count(name: string, n: number, attributes: Readonly<Record<string, string>>): void {
    ignoreErrors(() => this.telemetry.count(name, n, attributes));
  }

  private record(name: string, value: number, attributes: Readonly<Record<string, string>>): void {
    ignoreErrors(() => this.telemetry.record(name, value, attributes));
  }
}

interface EndedCall {
  readonly status: string;
  readonly before: Outcome | undefined;
  readonly error?: unknown;
}

/** What the guard said, and history: ids and facts, never what a call is about. */
function setVerdict(span: Span, { decision: { kind }, extras }: Outcome): void {
  const { understood, rules, kept } = extras;
  if (typeof understood !== "boolean") return;
  const ids = Array.isArray(rules) ? rules.filter(rule => typeof rule === "string") : [];
  const verdict = {
    "amplihack.decision": kind,
    "amplihack.understood": understood,
    "amplihack.rules": ids,
    "amplihack.kept": kept === true,
    "amplihack.held": kind === "ask" || kind === "defer",
  };
  for (const [name, value] of Object.entries(verdict)) span.set(name, value);
  span.event("amplihack.guard.verdict", verdict);
}

/** None where nobody listens: no code of telemetry runs then. */
export function toRecorder(telemetry: Telemetry | undefined): TelemetryRecorder | undefined {
  return telemetry === undefined ? undefined : new TelemetryRecorder(telemetry);
}

const NO_SPAN: Span = { set() {}, event() {} };

function withoutErrors(span: Span): Span {
  return {
    set: (key, value) => ignoreErrors(() => span.set(key, value)),
    event: (name, attributes) => ignoreErrors(() => span.event(name, attributes)),
  };
}

/** A failure of telemetry cannot be reported through telemetry. */
function ignoreErrors(call: () => unknown): void {
  try {
    call();
  } catch {
    // The host's own telemetry is broken; hooks go on as if it were absent.
  }
}
