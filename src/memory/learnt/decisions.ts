import { saysWords, wordPattern } from "../../text/index.ts";
import { sentencesOf } from "../learning.ts";
import { type LearntNote, type NoteFinder, quote } from "./note.ts";

/** How decisions are put, by whoever makes them. */
const DECISION = wordPattern(`
  we(?:['’]ve| have)? (?:decided|agreed|settled) (?:to|on|that|for|against)
  (?:chose|picked|prefer|preferred) [^.;!?]{1,80}? (?:instead of|rather than|over|to)
  from now on | as a rule | decision: | the decision (?:is|was)
`);
/** From an agent these announce its next step; from the user they are how the work is to be done. */
const INSTRUCTION = wordPattern(`
  (?:let['’]s|let us|we(?:['’]ll| will)) (?:use|go with|stick (?:with|to)|switch to)
  use [^.;!?]{1,80}? (?:instead of|rather than|over)
  (?:always|never) (?:use|commit|push|run|call|write|add|edit|touch|deploy|merge|store|log|import|mock)
`);
const MAX_SENTENCE_LENGTH = 240;

/** What was decided in the conversation, by the user or by the agent. Questions decide nothing. */
export function findDecisions(): NoteFinder {
  const found = new Map<string, LearntNote>();
  return {
    see(step) {
      if (step.kind === "call") return;
      const isUser = step.kind === "user-message";
      const who = isUser ? "The user decided" : "Decided";
      const patterns = isUser ? [DECISION, INSTRUCTION] : [DECISION];
      for (const sentence of sentencesOf(step.text)) {
        if (sentence.endsWith("?") || !patterns.some(pattern => saysWords(sentence, pattern))) continue;
        // The latest word counts: what is said again moves to the end.
        found.delete(sentence.toLowerCase());
        found.set(sentence.toLowerCase(), {
          category: "decision",
          text: `${who}: ${quote(sentence, MAX_SENTENCE_LENGTH)}`,
        });
      }
    },
    notes: () => [...found.values()],
  };
}
