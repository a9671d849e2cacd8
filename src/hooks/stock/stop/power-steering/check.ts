import { type InputOf, stringAt } from "../../../../protocol/index.ts";
import { CONFIRMED_FILE, DISABLED_FILE, POWER_STEERING_FOLDER, VARIABLES } from "../../../../state/index.ts";
import { join } from "../../../../system/index.ts";
import { type ReadCount, toolNaming } from "../../../../transcripts/index.ts";
import type { HookContext } from "../../../program/hook-context.ts";
import { readInside } from "../../framework-files.ts";
import { forbidsMergeWithoutPermission } from "../../preferences.ts";
import {
  loadConsiderations,
  loadSteeringConfig,
  type PowerSteeringConfig,
  SessionRecords,
} from "./config.ts";
import { isAnswered, isExcused, isUsersTurn } from "./ending.ts";
import {
  classifySession,
  FactCollector,
  isQuestionAndAnswer,
  type SessionFacts,
  type SessionType,
} from "./facts.ts";
import type { Consideration } from "./heuristics.ts";
import { applyHeuristic, completionClaims, type ProjectFacts } from "./heuristics.ts";
import {
  type CheckResult,
  isFailedBlocker,
  renderHold,
  renderSessionSummary,
  renderTable,
} from "./report.ts";
import { findPullRequest, findSharedRuntime, isStateVerified } from "./repository.ts";
import { isReadablePlace, openSession, transcriptId } from "./source.ts";
import { failureFingerprint, isLoop, MAX_BLOCKS, recordBlock, resetBlocks } from "./turn-state.ts";

/** Why a stop was let through, or the text with which it is held. */
export type SteeringVerdict =
  | { readonly kind: "approve"; readonly because: Approval; readonly table?: string }
  | { readonly kind: "hold"; readonly reason: string };

export type Approval =
  | "disabled"
  | "concurrent"
  | "missing_transcript"
  | "unreadable_place"
  | "already_ran"
  | "auto_approve_threshold"
  | "qa_session"
  | "no_applicable_checks"
  | "user_confirmed"
  | "pr_merged"
  | "loop_detected"
  | "users_turn"
  | "answered"
  | "first_stop"
  | "all_passed";

/** Asks whether the work of a session is complete; never because of an error of its own. */
export async function checkWork(input: InputOf<"stop">, context: HookContext): Promise<SteeringVerdict> {
  const { system } = context;
  const exists = (path: string) => system.files.inspect(path) !== undefined;
  const config = loadSteeringConfig(context);
  const workingDirectory = system.files.workingDirectory() ?? context.directory;
  if (VARIABLES.AMPLIHACK_SKIP_POWER_STEERING.get(system)) return approve("disabled");
  if (!config.isEnabled || exists(join(workingDirectory, DISABLED_FILE))) return approve("disabled");
  const shared = await findSharedRuntime(context);
  if (exists(join(shared.path, POWER_STEERING_FOLDER, DISABLED_FILE))) return approve("disabled");
  if (exists(context.path(POWER_STEERING_FOLDER, ".power_steering_lock"))) return approve("concurrent");
  const path = input.transcriptPath;
  if (path === undefined || !path.startsWith("/")) return approve("missing_transcript");
  if (!isReadablePlace(context, path)) return approve("unreadable_place");
  if (system.files.follow(path)?.kind !== "file") return approve("missing_transcript");

  const sessionId = transcriptId(path);
  const records = new SessionRecords(context, shared.root, sessionId);
  if (records.completed.isSet()) return approve("already_ran");
  records.countRun();
  if (records.turns.read().consecutive_blocks >= MAX_BLOCKS) {
    records.turns.update(resetBlocks);
    records.diagnose({ verdict: "approve", because: "auto_approve_threshold" });
    return approve("auto_approve_threshold");
  }
  const count: ReadCount = { lines: 0, unreadable: 0 };
  const ids = context.sessionId === undefined ? [sessionId] : [context.sessionId, sessionId];
  const source = openSession(context, path, ids, toolNaming(input.host));
  const facts = gatherFacts(input, source.entries(count));
  if (count.unreadable > 0) context.metric("transcript_parse_errors", count.unreadable);
  const check = new WorkCheck(context, records, {
    facts,
    sessionId,
    count,
    isRepository: shared.isRepository,
  });
  return check.run(config, source.isCompacted);
}

function approve(because: Approval): SteeringVerdict {
  return { kind: "approve", because };
}

/** The host may write its file late; what it says in the payload closes the gap. */
function gatherFacts(
  input: InputOf<"stop">,
  entries: Iterable<Parameters<FactCollector["see"]>[0]>,
): SessionFacts {
  const collector = new FactCollector();
  let lastText = "";
  for (const entry of entries) {
    collector.see(entry);
    const text = entry.parts.flatMap(part => (part.kind === "text" ? [part.text] : [])).join("\n");
    if (entry.role === "assistant" && text !== "") lastText = text;
  }
  const last = stringAt(input.raw, "last_assistant_message", "prompt_response");
  if (last !== undefined && last.trim() !== "" && last.trim() !== lastText.trim()) {
    const parts = [{ kind: "text" as const, text: last }];
    collector.see({ role: "assistant", timestamp: undefined, parts, isSynthetic: false });
  }
  return collector.facts();
}

interface Subject {
  readonly facts: SessionFacts;
  readonly sessionId: string;
  readonly count: ReadCount;
  readonly isRepository: boolean;
}

/** The part of the check that has the facts and asks what they mean. */
class WorkCheck {
  private readonly context: HookContext;
  private readonly records: SessionRecords;
  private readonly subject: Subject;

  constructor(context: HookContext, records: SessionRecords, subject: Subject) {
    this.context = context;
    this.records = records;
    this.subject = subject;
  }

  async run(config: PowerSteeringConfig, isCompacted: boolean): Promise<SteeringVerdict> {
    const { facts } = this.subject;
    const sessionType = this.announcedType() ?? classifySession(facts);
    if (isQuestionAndAnswer(facts)) return this.release("qa_session", sessionType, []);
    const considerations = applicable(await loadConsiderations(this.context), config, sessionType);
    if (considerations.length === 0) {
      this.records.completed.set();
      return this.release("no_applicable_checks", sessionType, []);
    }
    const project = this.readProjectFacts();
    const judged = considerations.map(consideration => ({
      consideration,
      failure:
        consideration.heuristic === undefined
          ? undefined
          : applyHeuristic(consideration.heuristic, facts, project),
    }));
    const failedIds = judged.filter(isFailedBlocker).map(({ consideration }) => consideration.id);
    if (failedIds.length === 0) return this.pass(sessionType, judged);
    // The session goes on after these, and its next stop is looked at again.
    if (isUsersTurn(facts)) return this.release("users_turn", sessionType, judged);
    if (isAnswered(facts, failedIds)) return this.release("answered", sessionType, judged);
    const results = judged.map(result =>
      isExcused(result.consideration.id, facts, failedIds) ? withoutBlocker(result) : result,
    );
    if (!results.some(isFailedBlocker)) return this.pass(sessionType, results);
    const evidence = await this.findEvidence(isCompacted);
    if (evidence === "state_verified") return this.pass(sessionType, results.map(withoutBlocker));
    return evidence === undefined
      ? this.hold(sessionType, results)
      : this.release(evidence, sessionType, results);
  }

  /** What the environment says the session is; a value that is none is told and ignored. */
  private announcedType(): SessionType | undefined {
    const { AMPLIHACK_SESSION_TYPE: variable } = VARIABLES;
    const { system } = this.context;
    const complaint = variable.complaint(system);
    if (complaint !== undefined) this.context.log("WARNING", `${complaint}; it is ignored`);
    return variable.tryGet(system);
  }

  /** Facts outside the transcript that outweigh it. */
  private async findEvidence(
    isCompacted: boolean,
  ): Promise<"user_confirmed" | "pr_merged" | "state_verified" | undefined> {
    const { context, subject } = this;
    const confirmation = context.path(POWER_STEERING_FOLDER, subject.sessionId, CONFIRMED_FILE);
    if (context.system.files.inspect(confirmation) !== undefined) return "user_confirmed";
    if (!subject.isRepository) return undefined;
    const pullRequest = await findPullRequest(context);
    if (pullRequest?.state === "MERGED") return "pr_merged";
    return isCompacted && (await isStateVerified(context, pullRequest)) ? "state_verified" : undefined;
  }

  private hold(sessionType: SessionType, results: readonly CheckResult[]): SteeringVerdict {
    const { context, records, subject } = this;
    const { facts, count } = subject;
    const failed = results.filter(isFailedBlocker);
    const ids = failed.map(({ consideration }) => consideration.id);
    const fingerprint = failureFingerprint(context.system, ids);
    const claims = completionClaims(facts, 5);
    const timestamp = context.nowText();
    let reason: string | undefined;
    records.shown.set();
    records.turns.update(state => {
      if (isLoop(state, fingerprint)) return resetBlocks(state);
      reason = renderHold(state, facts, results);
      if (state.consecutive_blocks >= 2)
        context.log("WARNING", `held ${state.consecutive_blocks} times before`);
      return recordBlock(
        state,
        {
          timestamp,
          transcript_index: state.last_analyzed_transcript_index,
          transcript_length: count.lines,
          failed_evidence: failed.map(({ consideration, failure }) => ({
            consideration_id: consideration.id,
            reason: failure?.reason ?? "",
            evidence_quote: failure?.quote ?? null,
            timestamp,
            was_claimed_complete: claims.length > 0,
          })),
          user_claims_detected: claims,
        },
        fingerprint,
      );
    });
    if (reason === undefined) {
      this.diagnose("approve", "loop_detected", sessionType, results);
      return approve("loop_detected");
    }
    const work = `${facts.counts.toolUses} tool uses, ${facts.writes.length} files written`;
    records.addRedirect(ids, reason, work);
    records.saveViolations(
      failed.map(({ consideration, failure }) => ({ id: consideration.id, reason: failure?.reason ?? "" })),
    );
    this.diagnose("hold", "failed_blockers", sessionType, results);
    return { kind: "hold", reason };
  }

  /** Nothing holds the session; the first time, the results are shown. */
  private pass(sessionType: SessionType, results: readonly CheckResult[]): SteeringVerdict {
    const isFirst = this.records.shown.set();
    if (!isFirst) {
      this.records.saveSummary(renderSessionSummary(this.subject.sessionId, this.context.nowText(), results));
    }
    this.records.completed.set();
    const because = isFirst ? "first_stop" : "all_passed";
    const verdict = this.release(because, sessionType, results);
    return isFirst && verdict.kind === "approve" ? { ...verdict, table: renderTable(results) } : verdict;
  }

  private release(
    because: Approval,
    sessionType: SessionType,
    results: readonly CheckResult[],
  ): SteeringVerdict {
    this.records.turns.update(resetBlocks);
    this.diagnose("approve", because, sessionType, results);
    return approve(because);
  }

  private diagnose(
    verdict: string,
    because: string,
    sessionType: SessionType,
    results: readonly CheckResult[],
  ): void {
    const { count, facts } = this.subject;
    this.records.diagnose({
      verdict,
      because,
      session_type: sessionType,
      entries: facts.counts.entries,
      lines: count.lines,
      unreadable_lines: count.unreadable,
      failed: results.filter(result => result.failure !== undefined).map(result => result.consideration.id),
    });
  }

  private readProjectFacts(): ProjectFacts {
    const { context } = this;
    const read = (...parts: readonly string[]) =>
      readInside(context, context.projectRoot, join(context.projectRoot, ...parts)) ?? "";
    return {
      forbidsMerge: forbidsMergeWithoutPermission(read(".claude", "context", "USER_PREFERENCES.md")),
      readme: read("README.md"),
    };
  }
}

function applicable(
  considerations: readonly Consideration[],
  config: PowerSteeringConfig,
  sessionType: SessionType,
): readonly Consideration[] {
  if (sessionType === "SIMPLE" || sessionType === "OPERATIONS") return [];
  return considerations.filter(
    ({ id, enabled, sessionTypes }) =>
      enabled && config.isCheckEnabled(id) && (sessionTypes === "all" || sessionTypes.includes(sessionType)),
  );
}

function withoutBlocker(result: CheckResult): CheckResult {
  return isFailedBlocker(result) ? { ...result, failure: undefined } : result;
}
