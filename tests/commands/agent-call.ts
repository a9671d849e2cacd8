import { join } from "node:path";
import { BUILT_IN } from "../../src/config/settings.ts";
import type { FootprintTarget } from "../../src/guard/footprint.ts";
import { beginCall } from "../../src/history/begin.ts";
import { completeChange } from "../../src/history/complete.ts";
import { openContext } from "../../src/history/context.ts";
import { findAllOpen } from "../../src/history/open-changes.ts";
import { beginTurn } from "../../src/history/sessions.ts";
import type { System } from "../../src/system/system.ts";
import { systemIn } from "../install/sandbox.ts";
import type { User } from "./run-command.ts";

interface AgentCall {
  readonly command: string;
  /** below the project */
  readonly targets: readonly string[];
  readonly how?: FootprintTarget["how"];
  readonly tool?: string;
  readonly session?: string;
  /** begins a new turn before */
  readonly isPrompted?: boolean;
  /** its end is never seen */
  readonly isOpen?: boolean;
}

/** One call of an agent, recorded as the hooks around it record it. Returns the id of the change. */
export function agentCall(user: User, call: AgentCall, act: () => void): Promise<string> {
  const { home, project } = user;
  return recordCall(
    systemIn(project, { HOME: home, PATH: process.env["PATH"] ?? "" }),
    { home, project },
    call,
    act,
  );
}

/** The same on any system. */
export async function recordCall(
  system: System,
  place: Pick<User, "home" | "project"> & { readonly stateHome?: string },
  call: AgentCall,
  act: () => void,
): Promise<string> {
  const { home, project, stateHome = join(home, ".amplihack") } = place;
  const { tool = "Bash", session = "s-1", how = "write", command } = call;
  const places = { stateHome, project, home, temps: [], regenerable: [] };
  const context = openContext(system, places, { ...BUILT_IN.history, budgetMs: 60_000 });
  if (call.isPrompted === true) beginTurn(context.store, session, project);
  const request = {
    host: "claude-code",
    session,
    tool,
    toolUseId: undefined,
    command,
    verdict: "allow",
    rules: [],
  };
  const { change } = await beginCall(context, request, {
    targets: call.targets.map(name => ({ path: join(project, name), how, isTree: true })),
    repositories: [],
    unknownIn: [],
    unresolved: [],
  });
  act();
  const open = findAllOpen(context.store).find(({ id }) => id === change);
  if (change === undefined || open === undefined) throw new Error("nothing was begun");
  if (call.isOpen !== true) await completeChange(context, open);
  return change;
}
