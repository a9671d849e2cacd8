import { type Counted, mostFirst } from "./counts.ts";
import type { JudgementEntry, RunEntry } from "./entries.ts";
import { Latency, type LatencySeries } from "./latency.ts";

interface SessionSummary {
  readonly session: string;
  readonly host: string;
  readonly project: string;
  readonly first: string;
  readonly last: string;
  readonly calls: number;
  readonly stopped: number;
  readonly failures: number;
}

/** Everything that was read, in figures. */
export interface Overview {
  readonly calls: number;
  readonly denied: number;
  readonly asked: number;
  readonly failures: number;
  /** lines of the logs that could not be understood */
  readonly unreadable: number;
  readonly hosts: readonly Counted[];
  readonly rules: readonly Counted[];
  readonly sessions: readonly SessionSummary[];
  readonly latency: readonly LatencySeries[];
}

const MAX_SESSIONS = 500;
const MAX_NAMES = 300;

/** Counts entries as they come; its memory does not grow with their number. */
export class Tally {
  unreadable = 0;
  private calls = 0;
  private denied = 0;
  private asked = 0;
  private failures = 0;
  private readonly hosts = new Map<string, number>();
  private readonly rules = new Map<string, number>();
  /** in the order of their last call */
  private readonly sessions = new Map<string, SessionSummary>();
  private readonly latency = new Latency();

  addRun(run: RunEntry): void {
    this.calls++;
    const isStopped = run.decision === "deny" || run.decision === "ask";
    if (run.decision === "deny") this.denied++;
    if (run.decision === "ask") this.asked++;
    if (run.failure !== "") this.failures++;
    countUp(this.hosts, run.host);
    this.latency.add(run.hook, Date.parse(run.ts), run.ms * 1000);
    if (run.session !== "") this.addToSession(run, isStopped);
  }

  addJudgement({ decision, rules }: JudgementEntry): void {
    if (decision !== "allow") for (const rule of rules) countUp(this.rules, rule);
  }

  overview(): Overview {
    const { calls, denied, asked, failures, unreadable } = this;
    return {
      calls,
      denied,
      asked,
      failures,
      unreadable,
      hosts: mostFirst(this.hosts),
      rules: mostFirst(this.rules),
      sessions: [...this.sessions.values()].reverse(),
      latency: this.latency.series(),
    };
  }

  private addToSession(run: RunEntry, isStopped: boolean): void {
    const { session, host, project, ts } = run;
    const known = this.sessions.get(session);
    this.sessions.delete(session);
    this.sessions.set(session, {
      session,
      host,
      project,
      first: known?.first ?? ts,
      last: ts,
      calls: (known?.calls ?? 0) + 1,
      stopped: (known?.stopped ?? 0) + (isStopped ? 1 : 0),
      failures: (known?.failures ?? 0) + (run.failure === "" ? 0 : 1),
    });
    const [oldest] = this.sessions.keys();
    if (this.sessions.size > MAX_SESSIONS && oldest !== undefined) this.sessions.delete(oldest);
  }
}

function countUp(counts: Map<string, number>, name: string): void {
  const key = counts.has(name) || counts.size < MAX_NAMES ? name : "other";
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
