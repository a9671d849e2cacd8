import { isJsonObject, stringAt } from "../../../../protocol/index.ts";
import type { SESSION_TYPES } from "../../../../state/index.ts";
import { basename } from "../../../../system/index.ts";
import {
  clip,
  findStatement,
  firstCharacters,
  oneLine,
  type WordPattern,
  wordPattern,
} from "../../../../text/index.ts";
import {
  type Entry,
  entryText,
  isUserMessage,
  type ToolResultPart,
  type ToolUsePart,
} from "../../../../transcripts/index.ts";
import { isHeldText } from "../lock-mode.ts";
import * as commands from "./commands.ts";
import { listWrites, readTodos, type Todo, type Write } from "./source.ts";

/**
 * What a session did, gathered in one pass so that a transcript of any size needs the memory of its last few
 * messages only. All checks are predicates over this record.
 */
export type SessionFacts = Readonly<ReturnType<typeof noFacts>>;

function noFacts() {
  return {
    counts: {
      entries: 0,
      userMessages: 0,
      userMessagesWithQuestion: 0,
      userQuestionMarks: 0,
      assistantQuestionMarks: 0,
      toolUses: 0,
      /** Read, Grep, Glob */
      reads: 0,
    },
    /** the user's latest message, and what was done since */
    lastRequest: "",
    writesSinceRequest: 0,
    /** the latest message of the agent that has a text */
    closing: "",
    /** how the latest run of tests ended; undefined when its result says neither */
    lastTestRun: undefined as "passed" | "failed" | undefined,
    /** the first five messages of the user */
    openingMessages: [] as string[],
    /** the last entries, oldest first; empty text for the user's */
    recent: [] as { readonly isAssistant: boolean; readonly text: string }[],
    todos: [] as readonly Todo[],
    writes: [] as Write[],
    skillsCalled: new Set<string>(),
    commandsTyped: new Set<string>(),
    user: new Statements(),
    assistant: new Statements(),
    pullRequestTexts: [] as string[],
    /** the latest build ended badly, by what the host recorded */
    hasFailedBuild: false,
    hasRunTests: false,
    hasPassingTests: false,
    hasLinted: false,
    hasStaticCheck: false,
    hasInlineValidation: false,
    hasEditedPullRequest: false,
    hasCreatedPullRequest: false,
    hasPushed: false,
    hasCommittedOrPushed: false,
    mainBranchCommand: undefined as string | undefined,
    isBehind: false,
    hasPassedPreCommit: false,
    /** the largest N of an "N passed" in a tool result */
    mostTestsPassed: 0,
  };
}

const OPENING_MESSAGES = 5;
const RECENT_ENTRIES = 20;
const RECENT_RESULTS = 10;
const KEPT_CHARACTERS = 20_000;
const KEPT_WRITES = 5_000;
const READERS = new Set(["Read", "Grep", "Glob"]);

/** The name of a command is not what the user says about the work. */
const COMMAND_NAME = /<command-(name|message)>[^<]*<\/command-\1>/g;

/** Gathers the facts while it sees one entry after the other. */
export class FactCollector {
  private readonly gathered = noFacts();
  private readonly testCalls = new Set<string>();
  private readonly buildCalls = new Set<string>();
  /** branches that the latest tool results named; undefined for results that named none */
  private readonly branches: (string | undefined)[] = [];
  private lastCommandIsTest = false;
  /** the call that went to the main branch, until its result is known */
  private mainBranchCall: string | undefined;

  facts(): SessionFacts {
    return this.gathered;
  }

  see(entry: Entry): void {
    const isAssistant = entry.role === "assistant";
    if (!isAssistant && entry.role !== "user") return;
    this.gathered.counts.entries++;
    const text = entryText(entry);
    this.gathered.recent.push({ isAssistant, text: isAssistant ? lastCharacters(text) : "" });
    if (this.gathered.recent.length > RECENT_ENTRIES) this.gathered.recent.shift();
    if (isAssistant) this.seeAssistant(text);
    else if (isUserMessage(entry) && !isHeldText(text)) this.seeUser(text);
    for (const part of entry.parts) {
      if (part.kind === "tool-use") this.seeToolUse(part);
      if (part.kind === "tool-result") this.seeResult(part);
    }
  }

  private seeAssistant(text: string): void {
    if (text.trim() !== "") this.gathered.closing = lastCharacters(text);
    this.gathered.counts.assistantQuestionMarks += countQuestionMarks(text);
    this.gathered.assistant.see(text);
  }

  private seeUser(message: string): void {
    for (const [, command = ""] of message.matchAll(/<command-name>\/([^<\s]+)<\/command-name>/g)) {
      this.gathered.commandsTyped.add(command);
    }
    const text = message.replace(COMMAND_NAME, " ");
    this.gathered.counts.userMessages++;
    this.gathered.lastRequest = firstCharacters(text, KEPT_CHARACTERS);
    this.gathered.writesSinceRequest = 0;
    const questions = countQuestionMarks(text);
    this.gathered.counts.userQuestionMarks += questions;
    if (questions > 0) this.gathered.counts.userMessagesWithQuestion++;
    if (this.gathered.openingMessages.length < OPENING_MESSAGES) {
      this.gathered.openingMessages.push(firstCharacters(text, KEPT_CHARACTERS));
    }
    this.gathered.user.see(text);
  }

  private seeToolUse({ name, input, id }: ToolUsePart): void {
    this.gathered.counts.toolUses++;
    if (READERS.has(name)) this.gathered.counts.reads++;
    if (name === "TodoWrite") this.gathered.todos = readTodos(input);
    if (name === "Skill") {
      const skill = stringAt(input, "skill", "name");
      if (skill !== undefined) this.gathered.skillsCalled.add(skill);
    }
    const written = this.gathered.writes.length < KEPT_WRITES ? listWrites(name, input) : [];
    this.gathered.writes.push(...written);
    this.gathered.writesSinceRequest += written.length;
    if (name === "Bash" && isJsonObject(input)) this.seeCommand(stringAt(input, "command", "cmd") ?? "", id);
  }

  private seeCommand(whole: string, id: string | undefined): void {
    const command = firstCharacters(whole, KEPT_CHARACTERS);
    const { gathered } = this;
    const isTest = commands.isTestCommand(command);
    this.lastCommandIsTest = isTest;
    if (isTest) {
      gathered.hasRunTests = true;
      if (id !== undefined) this.testCalls.add(id);
    }
    if (id !== undefined && commands.BUILD_COMMAND.test(command)) this.buildCalls.add(id);
    gathered.hasLinted ||= commands.LINT_COMMAND.test(command);
    gathered.hasStaticCheck ||= commands.STATIC_CHECK.test(command);
    const written = gathered.writes.at(-1)?.path;
    gathered.hasInlineValidation ||=
      commands.isInlineValidation(command) ||
      (written !== undefined && commands.runsFile(command, basename(written)));
    gathered.hasEditedPullRequest ||= /\bgh\s+pr\s+(?:create|edit)\b/.test(command);
    if (/\bgh\s+pr\s+create\b/.test(command)) {
      gathered.hasCreatedPullRequest = true;
      this.gathered.pullRequestTexts.push(command);
    }
    gathered.hasPushed ||= commands.isPush(command);
    const changesBranch = commands.isCommit(command) || commands.isPush(command);
    gathered.hasCommittedOrPushed ||= changesBranch;
    const commitsHere = commands.isCommit(command) || commands.isBarePush(command);
    if (commands.isPushToMain(command) || (commitsHere && this.isOnMainBranch())) {
      if (gathered.mainBranchCommand !== undefined) return;
      gathered.mainBranchCommand = commands.isPush(command) ? "git push" : "git commit";
      this.mainBranchCall = id;
    }
  }

  /** by the nearest of the last results that named a branch */
  private isOnMainBranch(): boolean {
    const named = this.branches.filter(branch => branch !== undefined);
    return ["main", "master"].includes(named[named.length - 1] ?? "");
  }

  private seeResult({ id, text, hasFailed }: ToolResultPart): void {
    const isOfTest = id === undefined ? this.lastCommandIsTest : this.testCalls.has(id);
    if (isOfTest) this.seeTestResult(text, hasFailed);
    if (id !== undefined && this.buildCalls.has(id)) this.gathered.hasFailedBuild = hasFailed === true;
    // What was refused, or failed, did not reach the branch.
    if (hasFailed === true && id !== undefined && id === this.mainBranchCall)
      this.gathered.mainBranchCommand = undefined;
    this.gathered.isBehind ||= /\b(?:is|are|branch) behind\b|\bhave diverged\b|\bdiverged\b/i.test(text);
    this.gathered.hasPassedPreCommit ||= commands.isPreCommitPass(text);
    for (const [, count] of text.matchAll(/\b(\d{1,9}) passed\b/g)) {
      this.gathered.mostTestsPassed = Math.max(this.gathered.mostTestsPassed, Number(count));
    }
    this.branches.push(commands.branchIn(text));
    if (this.branches.length > RECENT_RESULTS) this.branches.shift();
  }

  /** What was said to fail before is over when the tests pass. */
  private seeTestResult(text: string, hasFailed: boolean | undefined): void {
    const isFailing = commands.isFailingResult(text);
    // Some print nothing when all is well; the host knows how the program ended.
    if (commands.isPassingResult(text) || (hasFailed === false && !isFailing)) {
      this.gathered.hasPassingTests = true;
      this.gathered.lastTestRun = "passed";
      this.gathered.assistant.recover();
    } else if (isFailing) {
      this.gathered.lastTestRun = "failed";
    }
  }
}

function countQuestionMarks(text: string): number {
  return text.split("?").length - 1;
}

/** A closing remark stands at the end of a message. */
function lastCharacters(text: string): string {
  return text.length <= KEPT_CHARACTERS ? text : text.slice(-KEPT_CHARACTERS);
}

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

/** Topics of what was said in a session; each is remembered once it was said without a negation. */
const TOPICS = {
  review: wordPattern("reviews? | reviewed | feedback | comments? | requested changes"),
  response: wordPattern("addressed | fixed | updated | changed | resolved"),
  feature: wordPattern("new features? | (?:add|implement|build|create) (?:an? |the )?(?:\\w+ )?features?"),
  investigation: wordPattern("investigat\\w+ | root cause | diagnos\\w+ | findings | analysis"),
  manualTest: wordPattern(`
    manual(?:ly)? test(?:ed|ing)?
    tested (?:it )?(?:manually|interactively|locally|end[- ]to[- ]end|in (?:the|a) browser)
    verified (?:it )?(?:manually|interactively|in (?:the|a) browser) | interactive(?:ly)? test(?:ed|ing)?
  `),
  /** its state, not what is in it or made for it */
  continuousIntegration: wordPattern(`
    (?<!\\b(?:in|on) (?:the )?)(?:ci|github actions)(?![- ](?:config\\w*|workflows?|images?|scripts?|cache|variables?|files?|setup)\\b)
  `),
  mergeable: wordPattern("mergeable"),
  passing: wordPattern("pass(?:es|ing|ed)? | green"),
  readyForReview: wordPattern("ready[- ]for[- ]review"),
  draft: wordPattern("draft"),
  continuousIntegrationFailed: wordPattern(`
    (?:ci|github actions|pipeline|checks?|workflow|build)\\b[^.!?\\n]{0,60}\\b(?:failed|failing|fails|red)
  `),
} as const satisfies Record<string, WordPattern>;

type Topic = keyof typeof TOPICS;

/** Failure words, unless they name a thing that is built ("error handling") rather than one that happened. */
const FAILURE = wordPattern(`
  failing | failed
  error(?!::|s?[- ](?:handl|messag|case|path|type|class|code|report|boundar|page|state|log|object|text|condition))
`);
/** What shows that an earlier failure is over. */
const RECOVERY = wordPattern(`
  mergeable | (?:all|both) (?:the )?(?:tests|checks)(?: now)? pass(?:ed|ing)?
  (?:tests|checks|ci|build|pipeline|suite|everything)(?: is| are)?(?: all)?(?: now)? (?:pass(?:es|ed|ing)?|green)
`);

/** "Fixed the failing test" tells of a failure that is over. */
const REPAIRED =
  /\b(?:fix(?:ed|es)?|repair(?:ed|s)?|resolve[ds]?|correct(?:ed|s)?)\s+(?:(?:the|an?|this|that|both|all)\s+)?$/i;

export class Statements {
  private readonly said = new Set<Topic>();
  private failure: string | undefined;

  see(text: string): void {
    if (text === "") return;
    for (const topic of Object.keys(TOPICS) as Topic[]) {
      if (!this.said.has(topic) && findStatement(text, TOPICS[topic]) !== undefined) this.said.add(topic);
    }
    const failed = findStatement(text, FAILURE, at => REPAIRED.test(text.slice(Math.max(0, at - 30), at)));
    const recovered = findStatement(text, RECOVERY);
    if (failed !== undefined && (recovered === undefined || recovered < failed)) {
      this.failure = quoteAt(text, failed);
    } else if (recovered !== undefined) {
      this.failure = undefined;
    }
  }

  has(topic: Topic): boolean {
    return this.said.has(topic);
  }

  /** Facts show that what failed is over. */
  recover(): void {
    this.failure = undefined;
  }

  /** the sentence of the latest failure that nothing said since has put right */
  get openFailure(): string | undefined {
    return this.failure;
  }
}

/** The sentence around a position, as one line of at most 150 characters. */
export function quoteAt(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf(". ", at - 1) + 1, 0);
  const rest = text.slice(start);
  const end = rest.slice(at - start).search(/[.!?](?:\s|$)|\n/);
  return clip(oneLine(end < 0 ? rest : rest.slice(0, at - start + end + 1)), 150);
}
