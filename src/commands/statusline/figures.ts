import { type Config, isHistoryOn, loadConfig } from "../../config/index.ts";
import { projectKeys, readJournals, Store } from "../../history/index.ts";
import { auditFile } from "../../hooks/index.ts";
import { readSyncState } from "../../memory/index.ts";
import { memberAt, numberAt, objectAt, parseJsonObject, stringAt } from "../../protocol/index.ts";
import {
  MEMORY_DATABASE,
  requireDirectories,
  rotationsOf,
  sanitiseSessionId,
  type UserDirectories,
} from "../../state/index.ts";
import { join, type System } from "../../system/index.ts";

const MAX_DEPTH = 32;
/** A status line is printed after every message, so only the newest part of the log is read. */
const MAX_AUDIT_BYTES = 8 * 1024 * 1024;
const MAX_TOKENS = 1e12;
const MAX_COST = 1e6;

/** What a host tells about the session; every member may be missing. */
export interface StatusPayload {
  readonly session: string | undefined;
  readonly directory: string | undefined;
  readonly tokens: number | undefined;
  /** in US dollars */
  readonly cost: number | undefined;
}

interface AuditCounts {
  readonly isKnown: boolean;
  readonly asked: number;
  readonly refused: number;
  /** the log is longer than what was read of it */
  readonly isPartial: boolean;
}

export interface SessionFigures extends Pick<StatusPayload, "tokens" | "cost"> {
  /** in words */
  readonly guard: string;
  /** changes of this session, or in words why there is no number */
  readonly kept: number | string | undefined;
  readonly audit: AuditCounts | undefined;
  /** changes of memories that the team's database has not got */
  readonly unsent?: number;
}

/** Input that cannot be read is a payload that tells nothing. */
export function readPayload(text: string): StatusPayload {
  const payload = parseJsonObject(text, MAX_DEPTH);
  const session = stringAt(payload, "session_id", "sessionId");
  const window = objectAt(payload, "context_window");
  const counts = ["total_input_tokens", "total_output_tokens"].flatMap(name => numberAt(window, name) ?? []);
  const tokens = counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
  return {
    session: session === "" ? undefined : session,
    directory: stringAt(payload, "cwd") ?? stringAt(memberAt(payload, "workspace"), "current_dir"),
    tokens: within(tokens, MAX_TOKENS),
    cost: within(numberAt(objectAt(payload, "cost"), "total_cost_usd"), MAX_COST),
  };
}

function within(value: number | undefined, limit: number): number | undefined {
  return value !== undefined && value >= 0 && value < limit ? value : undefined;
}

export function readFigures(system: System, payload: StatusPayload): SessionFigures {
  const { session, directory, tokens, cost } = payload;
  const nothing = { kept: undefined, audit: undefined, tokens, cost };
  const places = attempt(() => requireDirectories(system, directory));
  if (places === undefined) return { ...nothing, guard: "guard unknown, HOME is not set" };
  const loaded = attempt(() => loadConfig(system, places));
  if (loaded === undefined) return { ...nothing, guard: "guard unknown, run amplihack doctor" };
  const { config, notices } = loaded;
  const isIgnored = notices.some(({ code }) => code === "broken" || code === "untrusted-file");
  const state = config.parts.includes("guard") ? "guard on" : "guard OFF";
  return {
    tokens,
    cost,
    guard: isIgnored ? `${state}, configuration ignored, run amplihack doctor` : state,
    kept: countKept(system, places, config, session),
    audit: session === undefined ? undefined : countAudit(system, places, config, session),
    ...(config.memory.url === undefined
      ? {}
      : { unsent: readSyncState(system, join(places.stateHome, MEMORY_DATABASE)).waiting }),
  };
}

function countKept(
  system: System,
  { stateHome }: UserDirectories,
  config: Config,
  session: string | undefined,
): number | string | undefined {
  if (!isHistoryOn(config)) return "history OFF";
  if (session === undefined) return undefined;
  const store = new Store(system, stateHome);
  const journal = attempt(() => readJournals(store, projectKeys(store, undefined), { session }));
  return journal === undefined
    ? "history unreadable"
    : journal.entries.filter(entry => entry.kind === "call").length;
}

function countAudit(
  system: System,
  { home, stateHome }: UserDirectories,
  config: Config,
  session: string,
): AuditCounts {
  const read = attempt(() => readNewest(system, auditFile(config.guard, stateHome, home)));
  if (read === undefined) return { isKnown: false, asked: 0, refused: 0, isPartial: false };
  const id = sanitiseSessionId(session);
  const verdicts = read.text.split("\n").flatMap(line => {
    const entry = line.includes(id) ? parseJsonObject(line, MAX_DEPTH) : undefined;
    return stringAt(entry, "session") === id ? [stringAt(entry, "verdict")] : [];
  });
  const count = (verdict: string) => verdicts.filter(each => each === verdict).length;
  return { isKnown: true, asked: count("ask"), refused: count("deny"), isPartial: read.isPartial };
}

/** The newest bytes of a log and of the files that were put away; the first line may be cut. */
function readNewest(
  { files, text }: System,
  path: string,
): { readonly text: string; readonly isPartial: boolean } {
  let rest = MAX_AUDIT_BYTES;
  const texts: string[] = [];
  for (const file of [path, ...rotationsOf({ files }, path)]) {
    const size = files.follow(file)?.size ?? 0;
    if (size === 0) continue;
    if (rest === 0) return { text: texts.join("\n"), isPartial: true };
    const length = Math.min(size, rest);
    texts.push(text.decode(files.readRange(file, size - length, length)).text);
    rest -= length;
    if (length < size) return { text: texts.join("\n"), isPartial: true };
  }
  return { text: texts.join("\n"), isPartial: false };
}

/** The line says that something cannot be read; `amplihack doctor` says why. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
