import { type Gap, type GapKind, isUnderstood, judgeTool } from "../guard/index.ts";
import { openGuard } from "../hooks/index.ts";
import { normalise } from "../hosts/index.ts";
import { checkInput } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { findPastSessions, type PastSession } from "../transcripts/index.ts";
import { transcriptInputs } from "./transcript-inputs.ts";

/** What the sandbox bounds: a call with no other gap is answered at the level `sandbox`. */
const BOUNDED: ReadonlySet<GapKind> = new Set<GapKind>(["program", "option", "value", "code", "environment"]);

export interface StandingGap {
  readonly kind: GapKind;
  readonly what: string;
  readonly why: string;
  /** calls that it stood in the way of */
  readonly calls: number;
}

/** Recorded calls by the lowest level that would have answered them. */
export interface AnsweredCalls {
  readonly calls: number;
  readonly understood: number;
  readonly sandbox: number;
  readonly asked: number;
  readonly hosts: readonly {
    readonly host: string;
    readonly calls: number;
    readonly understood: number;
    readonly sandbox: number;
  }[];
  /** the most frequent first */
  readonly gaps: readonly StandingGap[];
  /** there were more calls than are looked at */
  readonly isPartial: boolean;
}

const MAX_CALLS = 3_000;

/**
 * Judges what hosts recorded since a time, the newest sessions first. The calls are judged in the folders as they are
 * now, so that the figures are an estimate.
 */
export function measureAnswers(system: System, home: string, sinceMs: number): AnsweredCalls {
  const sessions = findPastSessions(system, home).filter(({ modifiedMs }) => modifiedMs >= sinceMs);
  const tally = new Tally();
  let isPartial = false;
  for (const session of sessions) {
    if (tally.calls >= MAX_CALLS) {
      isPartial = true;
      break;
    }
    addSession(system, session, tally);
  }
  return { ...tally.result(), isPartial };
}

function addSession(system: System, { host, path }: PastSession, tally: Tally): void {
  const guards = new Map<string, ReturnType<typeof openGuard>>();
  for (const { event, payload } of transcriptInputs(system, path, { lines: 0, bytes: 0, bad: 0 })) {
    if (event !== "PreToolUse") continue;
    const read = normalise(JSON.stringify(payload), { host, event, env: system.env });
    const checked = read.ok ? checkInput(read.value) : undefined;
    if (checked?.ok !== true || checked.input.kind !== "tool") continue;
    const cwd = checked.input.cwd ?? "/";
    const guard = guards.get(cwd) ?? openGuard(system, cwd, () => {});
    guards.set(cwd, guard);
    const judgement = judgeTool(checked.input, guard.context);
    tally.add(host, judgement.verdict === "allow" ? judgement.gaps() : undefined, isUnderstood(judgement));
    if (tally.calls >= MAX_CALLS) return;
  }
}

class Tally {
  calls = 0;
  private readonly hosts = new Map<string, { calls: number; understood: number; sandbox: number }>();
  private readonly gaps = new Map<string, StandingGap>();

  /** Without gaps: something was found. */
  add(host: string, gaps: readonly Gap[] | undefined, understood: boolean): void {
    this.calls++;
    const counts = this.hosts.get(host) ?? { calls: 0, understood: 0, sandbox: 0 };
    this.hosts.set(host, counts);
    counts.calls++;
    if (understood) counts.understood++;
    else if (gaps?.every(({ kind }) => BOUNDED.has(kind)) === true) counts.sandbox++;
    for (const { kind, what, why } of gaps ?? []) {
      const key = `${kind}\n${what}`;
      const known = this.gaps.get(key)?.calls ?? 0;
      this.gaps.set(key, { kind, what, why, calls: known + 1 });
    }
  }

  result(): Omit<AnsweredCalls, "isPartial"> {
    const hosts = [...this.hosts].map(([host, counts]) => ({ host, ...counts }));
    const sum = (name: "understood" | "sandbox") => hosts.reduce((total, one) => total + one[name], 0);
    const [understood, sandbox] = [sum("understood"), sum("sandbox")];
    return {
      calls: this.calls,
      understood,
      sandbox,
      asked: this.calls - understood - sandbox,
      hosts,
      gaps: [...this.gaps.values()].sort((one, other) => other.calls - one.calls),
    };
  }
}

/** The command that a person can type about a gap; undefined where the question stays theirs. */
export function commandAgainst({ kind, what }: StandingGap): string | undefined {
  if (kind === "place") return "amplihack config get history";
  return kind === "reach" && /^[\w.-]+\.[a-z]{2,}$/i.test(what)
    ? `amplihack sandbox allow ${what}`
    : undefined;
}
