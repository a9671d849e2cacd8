import { count, escapeHidden } from "../../text/index.ts";
import type { Stopped, Summary } from "./summary.ts";

/** Something that is worth a person's time, and the command that shows more of it. */
export interface LookAt {
  readonly what: string;
  readonly command: string;
}

const MAX_THINGS = 3;
const OFTEN = 3;
/** The log may hold anything; what a person shall type holds a rule. */
const RULE_ID = /^[a-z0-9][a-z0-9._-]*$/;

/** At most three things, the most urgent first. */
export function thingsToLookAt(summary: Summary): readonly LookAt[] {
  const { figures, failure, incomplete, stopped } = summary;
  const often = stopped.filter(each => each.verdict === "ask" && each.count >= OFTEN);
  const refused = stopped.filter(({ verdict }) => verdict === "deny");
  const things: readonly (LookAt | false | undefined)[] = [
    failure !== undefined && {
      what: `${count(figures.failures, "hook call")} could not run, last ${escapeHidden(failure.hook)}: ${escapeHidden(failure.text)}`,
      command: "amplihack doctor",
    },
    ...refused.slice(0, 1).map(tell),
    ...often.slice(0, 1).map(each => ({
      what: `${times(each)}, perhaps to be permitted: ${subjectOf(each)}`,
      command: "amplihack guard suggest",
    })),
    incomplete > 0 && {
      what: `${count(incomplete, "change")} could not be kept whole and can be undone only in part`,
      command: "amplihack history",
    },
    figures.held > 0 && {
      what: `the agent was told to go on at ${count(figures.held, "stop")}`,
      command: "amplihack lock-status",
    },
    ...refused.slice(1, MAX_THINGS).map(tell),
    ...stopped
      .filter(each => each.verdict === "ask" && !often.slice(0, 1).includes(each))
      .slice(0, 1)
      .map(tell),
  ];
  return things.filter(thing => typeof thing === "object").slice(0, MAX_THINGS);
}

function tell(stopped: Stopped): LookAt {
  const { rule } = stopped;
  const command = RULE_ID.test(rule) ? `amplihack guard why ${rule}` : "amplihack guard log";
  return { what: `${times(stopped)}: ${subjectOf(stopped)}`, command };
}

/** Last in its line, where it is cut when it is long. */
function subjectOf({ subject }: Stopped): string {
  return escapeHidden(subject.replace(/\s+/g, " ")) || "a file";
}

function times({ verdict, count: number }: Stopped): string {
  const how = verdict === "deny" ? "refused" : "asked about";
  return number === 1 ? how : `${how} ${number === 2 ? "twice" : `${number} times`}`;
}
