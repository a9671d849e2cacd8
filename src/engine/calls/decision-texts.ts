import { type Outcome, type ReaderTexts, stringAt } from "../../protocol/index.ts";
import type { CallDecision, CallGap } from "./types.ts";

/** Why a call must not run, if so, in the words for the model. */
export function refusalIn({ decision, halt }: Outcome): string | undefined {
  if (decision.kind === "deny") return decision.texts?.model ?? decision.reason;
  return halt === undefined ? undefined : (halt.reason ?? "a hook ended the turn");
}

/** What a person has to be asked, in the words for each reader. */
export function questionIn({ decision }: Outcome, tool: string): ReaderTexts | undefined {
  if (decision.kind !== "ask" && decision.kind !== "defer") return undefined;
  const reason = decision.reason ?? `a hook asks before ${tool} runs`;
  return decision.texts ?? { person: reason, model: reason };
}

/** What the guard told beside its decision. */
export function understoodIn({ extras }: Outcome): boolean | undefined {
  const { understood } = extras;
  return typeof understood === "boolean" ? understood : undefined;
}

export function gapsIn({ extras }: Outcome): readonly CallGap[] {
  const { gaps } = extras;
  return (Array.isArray(gaps) ? gaps : []).flatMap(gap => {
    const [kind, what, why] = [stringAt(gap, "kind"), stringAt(gap, "what"), stringAt(gap, "why")];
    return kind === undefined || what === undefined || why === undefined ? [] : [{ kind, what, why }];
  });
}

/** What the guard knows is worked out when it is read. */
export function withKnowledge(decided: Omit<CallDecision, "understood" | "gaps">): CallDecision {
  return {
    ...decided,
    get understood() {
      return understoodIn(decided.before);
    },
    get gaps() {
      return gapsIn(decided.before);
    },
  };
}
