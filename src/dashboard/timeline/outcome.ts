import type { JudgementEntry, RunEntry } from "../entries.ts";

/** What became of a call or another event, told as what it was. */
export type Outcome =
  | "refused"
  | "asked"
  | "kept"
  | "noted"
  | "allowed"
  | "held"
  | "context"
  | "unchecked"
  | "silent";

/** Short, for a label. */
export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  refused: "refused",
  asked: "asked",
  kept: "kept first",
  noted: "passed, noted",
  allowed: "allowed",
  held: "stop held",
  context: "context added",
  unchecked: "could not check",
  silent: "no objection",
};

/** What they mean, for those who meet them first. */
export const OUTCOME_MEANINGS: Readonly<Record<Outcome, string>> = {
  refused: "It did not run.",
  asked: "A person was asked; what they answered is between them and the host.",
  kept: "It ran, and what it could have lost was kept first: it can be undone.",
  noted: "It ran. Something about it is worth knowing.",
  allowed: "A hook said yes.",
  held: "The agent wanted to stop and was sent back to work.",
  context: "Nothing was decided; the model was given text.",
  unchecked: "A hook failed, so nothing was checked.",
  silent: "It ran. No rule had anything against it.",
};

const STOPS: ReadonlySet<string> = new Set(["Stop", "SubagentStop"]);

const HOLDS: Readonly<Record<string, string>> = {
  "stop.lock": "Continuous work is on. amplihack unlock ends it.",
  "stop.unfinished": "The check of the work found that something was left undone.",
  "stop.reflection": "Reflection on the session found something to do.",
};

export function outcomeOfRun(run: RunEntry): Outcome {
  const { decision, event, failure, contextLength } = run;
  if (decision === "deny") return STOPS.has(event) ? "held" : "refused";
  if (decision === "ask" || decision === "defer") return "asked";
  if (failure !== "") return "unchecked";
  if (decision === "allow") return "allowed";
  return contextLength > 0 ? "context" : "silent";
}

export function outcomeOfJudgement({ decision, isKept, reason }: JudgementEntry): Outcome {
  if (decision === "deny") return "refused";
  if (decision === "ask") return "asked";
  if (isKept) return "kept";
  return reason === "" ? "silent" : "noted";
}

/** In a sentence: why, or what was added. Empty where there is nothing to say. */
export function tellRun(run: RunEntry): string {
  const outcome = outcomeOfRun(run);
  if (outcome === "unchecked") return run.failure;
  if (outcome === "held") {
    const why = run.rules.map(rule => HOLDS[rule] ?? rule).join(" ");
    return why === "" ? "A hook of your own held it." : why;
  }
  if (outcome === "context") return `${run.contextLength.toLocaleString("en")} characters for the model.`;
  return run.reason;
}
