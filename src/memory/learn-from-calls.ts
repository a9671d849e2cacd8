import type { JsonObject } from "../protocol/index.ts";
import type { LearntNote } from "./learnt.ts";

/** What of an engine is needed: to see calls after they ended. */
interface Observed {
  observe(event: string, watcher: (payload: JsonObject) => void): Disposable;
}

export interface LearningOptions {
  /** keeps a note; default: the memory of this machine, for the project of the working directory */
  readonly remember?: (note: LearntNote, sessionId: string) => Promise<void> | void;
  /** told when a note could not be kept; default: a warning of the process */
  readonly onError?: (error: unknown) => void;
}

/**
 * Makes notes of what an embedded agent's sessions taught: a command that failed, its error, and the command that then
 * worked. The same rules make the notes of other hosts at the end of a session; secrets are cut out.
 */
export function learnFromCalls(engine: Observed, options: LearningOptions = {}): Disposable {
  const { onError = warn } = options;
  // Loaded with the first call that ended.
  let learner: Promise<{ see(payload: JsonObject, isError: boolean): void }> | undefined;
  const see = (payload: JsonObject, isError: boolean): void => {
    learner ??= import("./learn-from-sessions.ts").then(
      ({ SessionLearner }) => new SessionLearner({ ...options, onError }),
    );
    void learner.then(one => one.see(payload, isError)).catch(onError);
  };
  const observers = [
    engine.observe("PostToolUse", payload => see(payload, false)),
    engine.observe("PostToolUseFailure", payload => see(payload, true)),
  ];
  return {
    [Symbol.dispose]: () => {
      for (const observer of observers) observer[Symbol.dispose]();
    },
  };
}

function warn(problem: unknown): void {
  process.emitWarning(`what a session learnt was not kept: ${String(problem)}`, "AmplihackWarning");
}
