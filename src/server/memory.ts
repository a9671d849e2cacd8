import { loadTeamDatabase, loadTold, MemoryError } from "../memory/index.ts";
import { type Database, MISSING_RIGHT, NAME_TAKEN, PostgresError } from "../postgres/index.ts";
import { type JsonObject, MemberError, memberAt, stringAt } from "../protocol/index.ts";
import type { System } from "../system/index.ts";
import { HttpError } from "./http.ts";
import type { Machine } from "./machine.ts";
import { ROLE } from "./tables.ts";

const MAX_CHANGES = 500;

/** The memories of the team, as its machines share them: what is sent counts as that of the machine's person. */
export async function takeMemory(
  system: System,
  database: Database,
  { team, person }: Machine,
  body: JsonObject,
): Promise<object> {
  const { TeamDatabase } = await loadTeamDatabase();
  const { readChange, readCursor } = await loadTold();
  const memories = new TeamDatabase(database.ofTeam(ROLE, team, person), team, system.random);
  try {
    switch (stringAt(body, "do")) {
      case "look":
        // People of the server are in the whole team.
        return { ...(await memories.look()), projects: "all" };
      case "page": {
        const since = memberAt(body, "since");
        return await memories.page(typeof since === "number" ? since : readCursor(memberAt(body, "next")));
      }
      case "send": {
        const changes = memberAt(body, "changes");
        if (!Array.isArray(changes) || changes.length > MAX_CHANGES)
          throw new HttpError(400, `changes must be a list of at most ${MAX_CHANGES}`);
        const { sent, revision } = await memories.send(changes.map(readChange));
        return { revision, sent: sent.map(({ state, isTaken }) => ({ state, isTaken })) };
      }
      default:
        throw new HttpError(400, "do is look, page or send");
    }
  } catch (error) {
    if (error instanceof MemoryError || error instanceof MemberError) throw new HttpError(400, error.message);
    const isRefused =
      error instanceof PostgresError && [MISSING_RIGHT, NAME_TAKEN].includes(error.code ?? "");
    if (isRefused) throw new HttpError(409, "the team does not take this");
    throw error;
  }
}
