import { type GapKind, isEmptyFootprint, isUnderstood, type Judgement, judgeTool } from "../guard/index.ts";
import { openGuard } from "../hooks/index.ts";
import type { InputOf } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { findPastSessions, type PastSession } from "../transcripts/index.ts";
import { readRecordedCall } from "./guard-summary.ts";
import { transcriptInputs } from "./transcript-inputs.ts";

/** What the sandbox bounds: a call with no other gap is answered at the level `sandbox`. */
const BOUNDED: ReadonlySet<GapKind> = new Set<GapKind>(["program", "option", "value", "code", "environment"]);

interface StandingGap {
  readonly kind: GapKind;
  readonly what: string;
  readonly why: string;
  /** calls that it stood in the way of */
  readonly calls: number;
}

/** How many calls there were, by the lowest level that would have answered them. */
interface Counts {
  calls: number;
  understood: number;
  sandbox: number;
  /** what a host asks its person about, and the guard has nothing against */
  prompted: number;
  /** of these, what `understood` answers */
  spared: number;
  /** and what `sandbox` answers besides */
  bounded: number;
}

export interface AnsweredCalls extends Readonly<Counts> {
  readonly asked: number;
  readonly hosts: readonly (Readonly<Counts> & { readonly host: string })[];
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
  const tally = new AnswerTally();
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

function addSession(system: System, { host, path }: PastSession, tally: AnswerTally): void {
  const guards = new Map<string, ReturnType<typeof openGuard>>();
  for (const recorded of transcriptInputs(system, path, { lines: 0, bytes: 0, bad: 0 })) {
    const call = readRecordedCall(recorded, host);
    if (call === undefined) continue;
    const cwd = call.cwd ?? "/";
    const guard = guards.get(cwd) ?? openGuard(system, cwd, () => {});
    guards.set(cwd, guard);
    tally.add(call, judgeTool(call, guard.context));
    if (tally.calls >= MAX_CALLS) return;
  }
}

/** Tools that hosts ask about: commands and changes. Reading in the project they let pass by themselves. */
const PROMPTED_TOOLS: ReadonlySet<string> = new Set([
  "Bash",
  "Write",
  "Edit",
  "MultiEdit",
  "NotebookEdit",
  "apply_patch",
]);

/**
 * Whether a host in its default mode asks its person about the call. A command of which it is known that it only looks is
 * taken for one that the host knows as well.
 */
function isPrompted({ tool }: Pick<InputOf<"tool">, "tool">, judgement: Judgement): boolean {
  if (!PROMPTED_TOOLS.has(tool.canonicalName) || judgement.verdict !== "allow") return false;
  return !isUnderstood(judgement) || !isEmptyFootprint(judgement.footprint());
}

export class AnswerTally {
  calls = 0;
  private readonly hosts = new Map<string, Counts>();
  private readonly gaps = new Map<string, StandingGap>();

  add(input: Pick<InputOf<"tool">, "host" | "tool">, judgement: Judgement): void {
    this.calls++;
    const none = { calls: 0, understood: 0, sandbox: 0, prompted: 0, spared: 0, bounded: 0 };
    const counts = this.hosts.get(input.host) ?? none;
    this.hosts.set(input.host, counts);
    counts.calls++;
    // Where something was found, that is what stands in the way.
    const gaps = judgement.verdict === "allow" ? judgement.gaps() : undefined;
    const understood = isUnderstood(judgement);
    // Only commands run in the sandbox; another tool is asked about as before.
    const isCommand = input.tool.canonicalName === "Bash";
    const isBounded = isCommand && !understood && gaps?.every(({ kind }) => BOUNDED.has(kind)) === true;
    if (understood) counts.understood++;
    else if (isBounded) counts.sandbox++;
    if (isPrompted(input, judgement)) {
      counts.prompted++;
      if (understood) counts.spared++;
      else if (isBounded) counts.bounded++;
    }
    for (const { kind, what, why } of gaps ?? []) {
      const key = `${kind}\n${what}`;
      const known = this.gaps.get(key)?.calls ?? 0;
      this.gaps.set(key, { kind, what, why, calls: known + 1 });
    }
  }

  result(): Omit<AnsweredCalls, "isPartial"> {
    const hosts = [...this.hosts].map(([host, counts]) => ({ host, ...counts }));
    const sum = (name: keyof Counts) => hosts.reduce((total, one) => total + one[name], 0);
    const [understood, sandbox] = [sum("understood"), sum("sandbox")];
    return {
      calls: this.calls,
      understood,
      sandbox,
      prompted: sum("prompted"),
      spared: sum("spared"),
      bounded: sum("bounded"),
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
