import type { JsonObject } from "../../protocol/index.ts";
import { stringAt } from "../../protocol/members.ts";
import type { HookScope } from "../types.ts";

/** What a function gets besides its subject. The signal is made when it is first asked for: most never do. */
export class FunctionScope implements HookScope {
  readonly sessionId: string;
  readonly cwd: string;
  readonly original: unknown;
  declare readonly agentId?: string;
  private controller: AbortController | undefined;
  private isOver = false;

  constructor(payload: JsonObject, projectDir: string, original: unknown) {
    const agentId = stringAt(payload, "agent_id");
    this.sessionId = stringAt(payload, "session_id") ?? "";
    this.cwd = stringAt(payload, "cwd") || projectDir;
    this.original = original;
    if (agentId !== undefined) this.agentId = agentId;
  }

  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.isOver) this.controller.abort();
    }
    return this.controller.signal;
  }

  /** The time is up, or the host gave up. */
  abort(): void {
    this.isOver = true;
    this.controller?.abort();
  }
}
