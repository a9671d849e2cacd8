import type { SessionStep } from "../reflection/finding.ts";
import { findDecisions } from "./decisions.ts";
import { findFixes } from "./fixes.ts";
import type { LearntNote } from "./note.ts";
import { findRefusals } from "./refusals.ts";

/** Of each kind the latest: they are what held. */
const MAX_OF_A_KIND = 2;

/** Gathers what the steps of a session taught: fixes of failed commands, what replaced refused ones, decisions. */
export class SessionNotes {
  private readonly finders = [findFixes(), findRefusals(), findDecisions()];

  see(step: SessionStep): void {
    for (const finder of this.finders) finder.see(step);
  }

  notes(): readonly LearntNote[] {
    return this.finders.flatMap(finder => finder.notes().slice(-MAX_OF_A_KIND));
  }
}
