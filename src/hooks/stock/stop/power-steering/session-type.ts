import type { SESSION_TYPES } from "../../../../state/index.ts";
import { type WordPattern, wordPattern } from "../../../../text/index.ts";
import type { SessionFacts } from "./facts.ts";

export type SessionType = (typeof SESSION_TYPES)[number];

const SIMPLE = wordPattern(`
  cleanup | clean up | (?:git )?fetch | git pull | pull latest | sync | update branch | (?:git )?rebase
  merge (?:main|master|it) | merge (?:the |this )?pr | review (?:the )?pr | (?:review|approve) and merge
  workspace | (?:git )?stash | discard changes | reset | checkout | switch branch | list files | show status
  git status | what(?:['’]s)? changed
`);

const OPERATIONS = wordPattern(`
  prioriti[sz]e | prioriti[sz]ation | backlog | roadmap | sprint | triage | pm-architect
  (?:project|product) (?:management|manager) | milestone | epic | user story | release plan
  capacity planning | scrum | kanban | planning session | work items | what (?:should (?:we|i)|to) work on
  (?:determine )?next steps | survey the project
`);

const INVESTIGATION = wordPattern(`
  investigate | troubleshoot | diagnos\\w* | analy[sz]e | research | explore | understand | figure out
  (?:why|how) (?:does|is) | what causes | what['’]s causing | root cause | debug | explain
`);

/** The kind of work a session was; it decides which considerations apply. First rule that holds wins. */
export function classifySession(facts: SessionFacts): SessionType {
  const { openingMessages, writes, counts } = facts;
  const says = (pattern: WordPattern, messages: number) =>
    openingMessages.slice(0, messages).some(text => pattern.test(text));

  if (counts.entries === 0) return "INFORMATIONAL";
  if (says(SIMPLE, 3)) return "SIMPLE";
  if (says(OPERATIONS, 5)) return "OPERATIONS";
  if (writes.some(write => write.isCode) || facts.hasRunTests || facts.hasEditedPullRequest)
    return "DEVELOPMENT";
  if (says(INVESTIGATION, 5)) return "INVESTIGATION";
  const hasWritten = writes.length > 0;
  const asksMostly = counts.userMessages > 0 && counts.userQuestionMarks / counts.userMessages > 0.5;
  if (!hasWritten && counts.reads <= 1 && asksMostly) return "INFORMATIONAL";
  if (!hasWritten && counts.reads >= 2) return "INVESTIGATION";
  if (hasWritten && writes.every(write => write.isDocument || write.isConfiguration)) return "MAINTENANCE";
  if (!hasWritten && facts.hasCommittedOrPushed) return "MAINTENANCE";
  return "INFORMATIONAL";
}

/** A conversation rather than work: nothing to hold the agent for. */
export function isQuestionAndAnswer({ counts }: SessionFacts): boolean {
  if (counts.userMessages === 0) return true;
  if (counts.toolUses === 0 && counts.userMessagesWithQuestion / counts.userMessages > 0.5) return true;
  return counts.entries < 5 && counts.toolUses < 2;
}
