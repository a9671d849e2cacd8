import { isJsonObject, type Json, type JsonObject, memberAt, stringAt } from "../protocol/index.ts";
import { createNodeSystem } from "../system/node.ts";
import type { LearningOptions } from "./learn-from-calls.ts";
import { type LearntNote, SessionNotes } from "./learnt.ts";
import { learnedRetention, learntDraft } from "./memory.ts";
import { findMemoryPlace, projectScopes, teamOrigin } from "./memory-place.ts";
import { type SessionStep, tellsFailure } from "./reflection.ts";

const MAX_SESSIONS = 100;
const MAX_OUTPUT = 4_000;
const EXIT_CODES = ["exitCode", "exit_code", "code", "status"];

/** What the sessions of an engine taught so far. */
export class SessionLearner {
  private readonly sessions = new Map<string, { readonly notes: SessionNotes; readonly told: Set<string> }>();
  private readonly options: LearningOptions & { readonly onError: (error: unknown) => void };

  constructor(options: SessionLearner["options"]) {
    this.options = options;
  }

  see(payload: JsonObject, isError: boolean): void {
    const { onError, remember = (note, session) => rememberHere(note, session, onError) } = this.options;
    const { sessions } = this;
    const sessionId = stringAt(payload, "session_id") ?? "";
    const session = sessions.get(sessionId) ?? { notes: new SessionNotes(), told: new Set<string>() };
    // The session that was idle for longest is forgotten.
    sessions.delete(sessionId);
    sessions.set(sessionId, session);
    const [oldest] = sessions.keys();
    if (sessions.size > MAX_SESSIONS && oldest !== undefined) sessions.delete(oldest);
    session.notes.see(toSessionStep(payload, isError));
    for (const note of session.notes.notes()) {
      if (session.told.has(note.text)) continue;
      session.told.add(note.text);
      void Promise.resolve(note)
        .then(each => remember(each, sessionId))
        .catch(onError);
    }
  }
}

function toSessionStep(payload: JsonObject, isError: boolean): SessionStep {
  const input = payload["tool_input"] ?? {};
  const result = payload["tool_response"] ?? payload["error"] ?? null;
  const output = (stringAt(result, "stderr", "message") || readText(result)).slice(0, MAX_OUTPUT);
  const code = EXIT_CODES.map(name => memberAt(result, name)).find(value => typeof value === "number");
  return {
    kind: "call",
    tool: stringAt(payload, "tool_name") ?? "",
    input,
    command: stringAt(input, "command", "cmd", "script"),
    output,
    hasFailed: isError || (code !== undefined ? code !== 0 : tellsFailure(output)),
  };
}

function readText(value: Json): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(readText).join("\n");
  return isJsonObject(value)
    ? Object.values(value)
        .map(each => readText(each ?? null))
        .join("\n")
    : "";
}

async function rememberHere(
  note: LearntNote,
  session: string,
  onError: (problem: unknown) => void,
): Promise<void> {
  const system = createNodeSystem();
  const place = findMemoryPlace(system, onError);
  if (!place.config.memory.learn) return;
  const [project] = projectScopes(system, place, place.projectRoot);
  const { openStore } = await import("./sqlite-store.ts");
  const store = await openStore(system, place.databasePath, { origin: teamOrigin(place.config) });
  try {
    await store.remember(learntDraft(note, { project, session }), learnedRetention(system.clock.nowMs()));
  } finally {
    store.close();
  }
}
