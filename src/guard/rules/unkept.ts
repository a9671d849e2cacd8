// A file of its own: the history says these at calls that lose something, and needs no other rule for that.
import type { GuardSettings } from "../../config/index.ts";
import { type Details, type Finding, makeFinding, settleVerdict } from "../finding.ts";
import type { Rule, RuleTable } from "../rule.ts";

export const UNKEPT = {
  "fs.unkept": {
    title: "loses what could not be kept",
    verdict: "ask",
    when: "Deletes or overwrites files of which the history could keep no copy first: too large, excluded, or no room.",
    lost: "It would delete or overwrite {target}, and no copy of it was kept, because {why}.",
    person: "It cannot be undone.",
    model: "Move it to another name instead.",
    safer: "ls -ld {target}",
  },
  "fs.others": {
    title: "takes the work of another agent",
    verdict: "ask",
    when: "Deletes or moves files that another live session wrote and has not committed, or puts them away by git: stash, reset --hard, checkout, restore, clean, a switch of branch. Nothing is asked after that session ended.",
    lost: "It would take away {target}: {who} has been at work here since {since} and has not committed {files}.",
    person: "Wait for it, or tell it to commit first. amplihack history --live shows who has what.",
    model: "Leave those files alone, or work in a tree of your own.",
    safer: "git worktree add ../{name}",
  },
} satisfies RuleTable;

/**
 * What there is to say when something would be lost of which no copy could be kept: the path, and in words that follow
 * "because" the reason (`it is larger than 50 MB`). Undefined when the configuration allows it.
 */
export function findUnkept(settings: GuardSettings, path: string, why: string): Finding | undefined {
  return findByHistory("fs.unkept", settings, path, { why });
}

/** Files of another session that a call takes along, the first of them by its path. */
export interface OthersWork {
  readonly path: string;
  /** the host, in words */
  readonly who: string;
  /** the time of day, in words */
  readonly since: string;
  /** which files, in words */
  readonly files: string;
  /** for a tree of one's own */
  readonly name: string;
}

export function findOthers(settings: GuardSettings, { path, ...words }: OthersWork): Finding | undefined {
  return findByHistory("fs.others", settings, path, { ...words });
}

function findByHistory(
  id: keyof typeof UNKEPT,
  settings: GuardSettings,
  path: string,
  details: Details,
): Finding | undefined {
  const rule: Rule = { id, ...UNKEPT[id] };
  const verdict = settleVerdict(rule, undefined, settings);
  return verdict === "allow" ? undefined : makeFinding(rule, verdict, undefined, path, details);
}
