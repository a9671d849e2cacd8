import type { Judgement } from "../../guard/index.ts";
import type { InputOf } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { callBridge } from "./bridge/call.ts";
import type { QuestionReply } from "./bridge/contracts.ts";
import { type HookOptions, openHookContext } from "./hook-context.ts";

/** What a person elsewhere is shown. */
export interface ShownCall {
  readonly command: string;
  readonly cwd: string;
  readonly project: string;
  readonly found: readonly string[];
}

/** Time for the program that asks to start and to end. */
const OVERHEAD_MS = 1_500;

/** Asks the team's server and waits, as long as the host waits for this hook. A text says why nobody was asked. */
export async function askTeam(
  input: InputOf<"tool">,
  system: System,
  options: HookOptions,
  { digest = "", all }: Judgement,
  { command, cwd, project, found }: ShownCall,
  waitMs: number,
): Promise<QuestionReply | string> {
  // Judging has used up some of the time that the host gives.
  const budgetMs = options.budgetMs ?? system.clock.answerInMs?.();
  const context = openHookContext(input, system, "pre_tool_use", { ...options, budgetMs });
  const result = await callBridge(context, "question", {
    session_id: context.sessionId ?? "",
    digest,
    command,
    cwd,
    project,
    rules: [...new Set(all.map(({ rule }) => rule))],
    found,
    host: input.host,
    wait_ms: Math.max(0, Math.min(waitMs, context.remainingMs() - OVERHEAD_MS)),
  });
  return result.kind === "reply" ? result.reply : result.problem;
}
