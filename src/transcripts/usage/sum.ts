import { isJsonObject, JSON_DEPTH_LIMIT, type JsonObject, parseJsonObject } from "../../protocol/index.ts";
import { basename, dirname, type System } from "../../system/index.ts";
import { readLines } from "../lines.ts";
import { readUsageFacts, type TokenCount, type UsageFact } from "./facts.ts";
import { costOfTokens, type PriceList } from "./prices.ts";

/** One answer of a model, counted once. */
export interface UsageEntry {
  readonly host: string;
  /** of the session that a person started; agents that it started count with it */
  readonly session: string;
  readonly project: string | undefined;
  readonly model: string | undefined;
  readonly timeMs: number;
  readonly tokens: TokenCount;
  /** US dollars; undefined when the price is unknown */
  readonly cost: number | undefined;
  /** tokens that the model held, and could hold */
  readonly context: number;
  readonly window: number | undefined;
}

/** How long a session worked and waited. A pause beyond `AWAY_MS` is neither: the person had left. */
export interface SessionTime {
  readonly host: string;
  readonly session: string;
  readonly project: string | undefined;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly workingMs: number;
  /** for the person's next message */
  readonly waitingMs: number;
}

const AWAY_MS = 30 * 60 * 1000;

export interface UsageRecord {
  readonly host: string;
  readonly path: string;
}

export interface Usage {
  readonly entries: readonly UsageEntry[];
  readonly times: readonly SessionTime[];
  readonly unreadable: number;
}

/**
 * Sums what hosts recorded. An answer that is written several times, also in several files, counts once: with the
 * last of its counts, in the session that has it first. Give the oldest record first.
 */
export class UsageSum {
  private readonly spent = new Map<string, UsageEntry>();
  private readonly times = new Map<string, SessionTime>();
  private unreadable = 0;
  private readonly prices: PriceList;

  constructor(prices: PriceList = {}) {
    this.prices = prices;
  }

  /** A file of lines of JSON. */
  addFile(system: Pick<System, "files" | "text">, record: UsageRecord, cwd?: string): void {
    this.addLines(
      record.host,
      parsedLines(system, record.path, () => this.unreadable++),
      {
        session: sessionOfPath(record.path),
        parent: parentOfPath(record.path),
        cwd,
      },
    );
  }

  /** Lines of one record, in order. */
  addLines(host: string, lines: Iterable<JsonObject>, known: Partial<RecordState> = {}): void {
    const state: RecordState = { session: "", window: undefined, ...known };
    for (const line of lines) for (const fact of readUsageFacts(line)) this.add(host, state, fact);
  }

  result(): Usage {
    return {
      entries: [...this.spent.values()],
      times: [...this.times.values()],
      unreadable: this.unreadable,
    };
  }

  private add(host: string, state: RecordState, fact: UsageFact): void {
    if (fact.kind === "session") {
      state.session = fact.id ?? state.session;
      // Copies of an earlier session's lines tell another id; a parent is told once.
      state.parent = fact.parent ?? state.parent;
      state.cwd = fact.cwd ?? state.cwd;
      state.model = fact.model ?? state.model;
      return;
    }
    const session = state.parent ?? state.session;
    if (fact.kind === "moment") {
      this.addMoment(host, session, state, fact);
      return;
    }
    const { tokens, timeMs } = fact;
    const model = fact.model ?? state.model;
    state.window = fact.window ?? state.window;
    const key = `${host} ${fact.isLocalId === true ? state.session : ""} ${fact.id}`;
    const first = this.spent.get(key);
    this.spent.set(key, {
      host,
      session: first?.session ?? session,
      project: first?.project ?? state.cwd,
      model,
      timeMs: first?.timeMs ?? timeMs,
      tokens,
      cost: fact.cost ?? costOfTokens(model, tokens, this.prices),
      context: tokens.input + tokens.cacheRead + tokens.cacheWrite,
      window: state.window,
    });
  }

  private addMoment(
    host: string,
    session: string,
    state: RecordState,
    { timeMs, isPrompt }: Extract<UsageFact, { kind: "moment" }>,
  ): void {
    // Agents work while their session does.
    if (state.parent !== undefined) return;
    const key = `${host} ${session}`;
    const known = this.times.get(key);
    if (known === undefined) {
      this.times.set(key, {
        host,
        session,
        project: state.cwd,
        startedMs: timeMs,
        endedMs: timeMs,
        workingMs: 0,
        waitingMs: 0,
      });
      return;
    }
    const pause = timeMs - known.endedMs;
    if (pause <= 0) return;
    const counted = pause > AWAY_MS ? 0 : pause;
    this.times.set(key, {
      ...known,
      project: known.project ?? state.cwd,
      endedMs: timeMs,
      workingMs: known.workingMs + (isPrompt ? 0 : counted),
      waitingMs: known.waitingMs + (isPrompt ? counted : 0),
    });
  }
}

interface RecordState {
  session: string;
  parent?: string | undefined;
  cwd?: string | undefined;
  model?: string | undefined;
  window: number | undefined;
}

function* parsedLines(
  system: Pick<System, "files" | "text">,
  path: string,
  bad: () => void,
): Generator<JsonObject> {
  for (const { text } of readLines(system, path)) {
    if (text?.trim() === "") continue;
    const value = text === undefined ? undefined : parseJsonObject(text, JSON_DEPTH_LIMIT);
    if (isJsonObject(value)) yield value;
    else bad();
  }
}

/** Where the lines do not say whose they are. */
function sessionOfPath(path: string): string {
  return basename(path).replace(/\.jsonl$/, "");
}

/** Gemini keeps what an agent did in a folder that is named after the session. */
function parentOfPath(path: string): string | undefined {
  const folder = basename(dirname(path));
  return basename(dirname(dirname(path))) === "chats" ? folder : undefined;
}
