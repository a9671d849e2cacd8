import { loadTold, type TeamSide } from "../memory/index.ts";
import { MISSING_RIGHT, PostgresError } from "../postgres/index.ts";
import { errorText, type JsonObject, stringAt } from "../protocol/index.ts";
import { Problem, requireDirectories } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { joinedFile, post } from "./joined-server.ts";

/** A page of memories, written as JSON. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/** The memories of the team whose server this machine joined, by its key. Throws for another server or team. */
export async function serverMemory(
  system: System,
  { url, team }: { readonly url: string; readonly team: string },
  timeoutMs: number,
): Promise<TeamSide> {
  const told = await loadTold();
  const joined = joinedFile(system, requireDirectories(system).stateHome).read();
  const wanted = new URL(url).origin;
  if (joined === undefined || new URL(joined.url).origin !== wanted)
    throw new Problem(`memory.url names ${wanted}, which this machine has not joined`, {
      kind: "not-configured",
      fix: `amplihack join ${wanted}`,
    });
  if (joined.team !== team)
    throw new Problem(`this machine joined the team ${joined.team}; memory.team names ${team}`, {
      kind: "other-team",
      fix: `amplihack config set memory.team ${joined.team}`,
    });
  const ask = async (document: object): Promise<JsonObject> => {
    const { key } = joined;
    const answer = await post(wanted, "/api/v1/memory", document, {
      key,
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
    }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
      throw new PostgresError("offline", `${wanted} does not answer: ${errorText(cause)}`);
    });
    if (answer.status === 200) return answer.body;
    const why = `${wanted} answered ${answer.status}: ${stringAt(answer.body, "error") ?? ""}`;
    if (answer.status === 409) throw new PostgresError("refused", why, { code: MISSING_RIGHT });
    if (answer.status === 401) throw new PostgresError("refused", why, { fix: `amplihack join ${wanted}` });
    throw new PostgresError(answer.status >= 500 || answer.status === 429 ? "offline" : "failed", why);
  };
  return {
    look: async () => told.readFacts(await ask({ do: "look" })),
    page: async from =>
      told.readPage(
        await ask({ do: "page", ...(typeof from === "number" ? { since: from } : { next: from }) }),
      ),
    send: async changes => told.readSent(await ask({ do: "send", changes }), changes),
  };
}
