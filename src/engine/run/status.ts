import type { Effect, Run, RunStatus } from "../../protocol/index.ts";
import type { End, Failure } from "../output/result.ts";

/** How a run is summed up: what it said counts before how it ended. */
export function statusOf(stated: Effect, failure: Failure | undefined): RunStatus {
  if (failure?.code === "aborted") return "aborted";
  if (stated.decision?.kind === "deny") return "blocked";
  if (failure !== undefined) return failure.code === "timeout" ? "timeout" : "failed";
  return stated.message?.level === "warn" ? "warned" : "ok";
}

export function endFacts(end: End): Pick<Run, "exitCode" | "signal"> {
  if (end.kind === "exit") return { exitCode: end.code };
  return end.kind === "signal" ? { signal: end.signal } : {};
}
