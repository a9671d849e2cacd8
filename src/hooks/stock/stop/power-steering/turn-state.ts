import { booleanAt, type Json, StrictMembers } from "../../../../protocol/index.ts";
import { AtomicJsonFile } from "../../../../state/index.ts";
import { join, type System, sha256Hex } from "../../../../system/index.ts";
import type { HookContext } from "../../../program/hook-context.ts";

export interface FailedEvidence {
  readonly consideration_id: string;
  readonly reason: string;
  readonly evidence_quote: string | null;
  readonly timestamp: string;
  readonly was_claimed_complete: boolean;
}

export interface BlockRecord {
  readonly block_number: number;
  readonly timestamp: string;
  readonly transcript_index: number;
  readonly transcript_length: number;
  readonly failed_evidence: readonly FailedEvidence[];
  readonly user_claims_detected: readonly string[];
}

/** What is remembered from stop to stop of one session. */
export interface TurnState {
  readonly session_id: string;
  readonly turn_count: number;
  readonly consecutive_blocks: number;
  readonly first_block_timestamp: string | null;
  readonly last_block_timestamp: string | null;
  readonly block_history: readonly BlockRecord[];
  readonly last_analyzed_transcript_index: number;
  readonly failure_fingerprints: readonly string[];
}

export const MAX_BLOCKS = 5;
const MAX_REPEATS = 3;

function emptyTurnState(sessionId: string): TurnState {
  return {
    session_id: sessionId,
    turn_count: 0,
    consecutive_blocks: 0,
    first_block_timestamp: null,
    last_block_timestamp: null,
    block_history: [],
    last_analyzed_transcript_index: 0,
    failure_fingerprints: [],
  };
}

/** The file of one session; a malformed one is set aside and the count starts anew. */
export class TurnStateFile {
  private readonly file: AtomicJsonFile<TurnState>;
  private readonly context: HookContext;
  private readonly sessionId: string;

  constructor(context: HookContext, directory: string, sessionId: string) {
    this.context = context;
    this.sessionId = sessionId;
    this.file = new AtomicJsonFile<TurnState>(join(directory, sessionId, "turn_state.json"), {
      system: context.system,
      lockPath: join(directory, sessionId, ".turn_state.lock"),
      lockTimeoutMs: 2_000,
      parse: value => parseTurnState(value, sessionId),
      onBrokenLock: message => context.log("WARNING", message),
    });
  }

  /** Each call is one stop: the turn is counted whatever becomes of it. */
  update(change: (state: TurnState) => TurnState): TurnState {
    return this.file.update(
      state => change({ ...state, turn_count: state.turn_count + 1 }),
      emptyTurnState(this.sessionId),
      {
        onMalformed: "set-aside",
        onSetAside: () =>
          this.context.report("the turn state was malformed; it was set aside and starts over"),
      },
    );
  }

  read(): TurnState {
    try {
      return this.file.readOrDefault(emptyTurnState(this.sessionId));
    } catch {
      return emptyTurnState(this.sessionId);
    }
  }
}

/** Nothing holds the session any more; turns stay counted. */
export function resetBlocks(state: TurnState): TurnState {
  return { ...emptyTurnState(state.session_id), turn_count: state.turn_count };
}

/** The first 16 hexadecimal digits of SHA-256 over the sorted ids. */
export function failureFingerprint(system: Pick<System, "text">, ids: readonly string[]): string {
  return sha256Hex(system.text.encode([...ids].sort().join("|"))).slice(0, 16);
}

/** The same failures for the third time: holding on would be a loop. */
export function isLoop(state: TurnState, fingerprint: string): boolean {
  return state.failure_fingerprints.filter(known => known === fingerprint).length + 1 >= MAX_REPEATS;
}

export function recordBlock(
  state: TurnState,
  block: Omit<BlockRecord, "block_number">,
  fingerprint: string,
): TurnState {
  const number = state.consecutive_blocks + 1;
  return {
    ...state,
    consecutive_blocks: number,
    first_block_timestamp: state.first_block_timestamp ?? block.timestamp,
    last_block_timestamp: block.timestamp,
    block_history: [...state.block_history, { block_number: number, ...block }].slice(-MAX_BLOCKS * 2),
    last_analyzed_transcript_index: block.transcript_length,
    failure_fingerprints: [...state.failure_fingerprints, fingerprint].slice(-50),
  };
}

/** Missing members have their defaults; anything else that does not fit is malformed. */
function parseTurnState(value: Json, sessionId: string): TurnState {
  const state = new StrictMembers(value);
  return {
    session_id: sessionId,
    turn_count: countOrZero(state, "turn_count"),
    consecutive_blocks: countOrZero(state, "consecutive_blocks"),
    first_block_timestamp: state.optional("first_block_timestamp", state.string) ?? null,
    last_block_timestamp: state.optional("last_block_timestamp", state.string) ?? null,
    block_history: (state.optional("block_history", state.list) ?? []).map(parseBlock),
    last_analyzed_transcript_index: countOrZero(state, "last_analyzed_transcript_index"),
    failure_fingerprints: state.optional("failure_fingerprints", state.strings) ?? [],
  };
}

function parseBlock(value: Json): BlockRecord {
  const block = new StrictMembers(value, "block_history[]");
  return {
    block_number: countOrZero(block, "block_number"),
    timestamp: block.optional("timestamp", block.string) ?? "",
    transcript_index: countOrZero(block, "transcript_index"),
    transcript_length: countOrZero(block, "transcript_length"),
    failed_evidence: (block.optional("failed_evidence", block.list) ?? []).map(parseEvidence),
    user_claims_detected: block.optional("user_claims_detected", block.strings) ?? [],
  };
}

function parseEvidence(value: Json): FailedEvidence {
  const evidence = new StrictMembers(value, "failed_evidence[]");
  return {
    consideration_id: evidence.optional("consideration_id", evidence.string) ?? "",
    reason: evidence.optional("reason", evidence.string) ?? "",
    evidence_quote: evidence.optional("evidence_quote", evidence.string) ?? null,
    timestamp: evidence.optional("timestamp", evidence.string) ?? "",
    was_claimed_complete: booleanAt(value, "was_claimed_complete") === true,
  };
}

function countOrZero(members: StrictMembers, name: string): number {
  return members.optional(name, members.count) ?? 0;
}
