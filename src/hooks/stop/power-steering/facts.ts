import { isJsonObject } from "../../../protocol/index.ts";
import { stringAt } from "../../../protocol/members.ts";
import {
  type Entry,
  entryText,
  isUserMessage,
  type ToolResultPart,
  type ToolUsePart,
} from "../../transcript/entry.ts";
import { firstCharacters } from "../../words.ts";
import { isHeldText } from "../hold-mark.ts";
import * as commands from "./commands.ts";
import { Statements } from "./statements.ts";
import { type Todo, todosOf, type Write, writesOf } from "./written.ts";

/**
 * What a session did, gathered in one pass so that a transcript of any size needs the memory of its last few
 * messages only. All checks are predicates over this record.
 */
export interface SessionFacts {
  readonly counts: Counts;
  /** the first five messages of the user */
  readonly openingMessages: readonly string[];
  /** the last entries, oldest first; empty text for the user's */
  readonly recent: readonly { readonly isAssistant: boolean; readonly text: string }[];
  readonly todos: readonly Todo[];
  readonly writes: readonly Write[];
  readonly skillsCalled: ReadonlySet<string>;
  readonly commandsTyped: readonly string[];
  readonly user: Statements;
  readonly assistant: Statements;
  readonly pullRequestTexts: readonly string[];
  readonly hasRunTests: boolean;
  readonly hasPassingTests: boolean;
  readonly hasLinted: boolean;
  readonly hasStaticCheck: boolean;
  readonly hasInlineValidation: boolean;
  readonly hasEditedPullRequest: boolean;
  readonly hasCreatedPullRequest: boolean;
  readonly hasPushed: boolean;
  readonly hasCommittedOrPushed: boolean;
  readonly mainBranchCommand: string | undefined;
  readonly isBehind: boolean;
  readonly hasPassedPreCommit: boolean;
  /** the largest N of an "N passed" in a tool result */
  readonly mostTestsPassed: number;
}

export interface Counts {
  readonly entries: number;
  readonly userMessages: number;
  readonly userMessagesWithQuestion: number;
  readonly userQuestionMarks: number;
  readonly assistantQuestionMarks: number;
  readonly toolUses: number;
  /** Read, Grep, Glob */
  readonly reads: number;
}

const OPENING_MESSAGES = 5;
const RECENT_ENTRIES = 20;
const RECENT_RESULTS = 10;
const KEPT_CHARACTERS = 20_000;
const KEPT_WRITES = 5_000;
const READERS = new Set(["Read", "Grep", "Glob"]);

/** The name of a command is not what the user says about the work. */
const COMMAND_NAME = /<command-(name|message)>[^<]*<\/command-\1>/g;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class FactCollector {
  private readonly counts: Mutable<Counts> = {
    entries: 0,
    userMessages: 0,
    userMessagesWithQuestion: 0,
    userQuestionMarks: 0,
    assistantQuestionMarks: 0,
    toolUses: 0,
    reads: 0,
  };
  private readonly openingMessages: string[] = [];
  private readonly recent: { isAssistant: boolean; text: string }[] = [];
  private readonly writes: Write[] = [];
  private readonly skillsCalled = new Set<string>();
  private readonly commandsTyped = new Set<string>();
  private readonly user = new Statements();
  private readonly assistant = new Statements();
  private readonly pullRequestTexts: string[] = [];
  private readonly testCalls = new Set<string>();
  /** branches that the latest tool results named; undefined for results that named none */
  private readonly branches: (string | undefined)[] = [];
  private todos: readonly Todo[] = [];
  private lastCommandIsTest = false;
  private readonly flags = {
    hasRunTests: false,
    hasPassingTests: false,
    hasLinted: false,
    hasStaticCheck: false,
    hasInlineValidation: false,
    hasEditedPullRequest: false,
    hasCreatedPullRequest: false,
    hasPushed: false,
    hasCommittedOrPushed: false,
    isBehind: false,
    hasPassedPreCommit: false,
  };
  private mainBranchCommand: string | undefined;
  private mostTestsPassed = 0;

  see(entry: Entry): void {
    const isAssistant = entry.role === "assistant";
    if (!isAssistant && entry.role !== "user") return;
    this.counts.entries++;
    const text = entryText(entry);
    this.recent.push({ isAssistant, text: isAssistant ? lastCharacters(text) : "" });
    if (this.recent.length > RECENT_ENTRIES) this.recent.shift();
    if (isAssistant) this.seeAssistant(text);
    else if (isUserMessage(entry) && !isHeldText(text)) this.seeUser(text);
    for (const part of entry.parts) {
      if (part.kind === "tool-use") this.seeToolUse(part);
      if (part.kind === "tool-result") this.seeResult(part);
    }
  }

  private seeAssistant(text: string): void {
    this.counts.assistantQuestionMarks += countOf(text, "?");
    this.assistant.see(text);
  }

  private seeUser(message: string): void {
    for (const [, command = ""] of message.matchAll(/<command-name>\/([^<\s]+)<\/command-name>/g)) {
      this.commandsTyped.add(command);
    }
    const text = message.replace(COMMAND_NAME, " ");
    this.counts.userMessages++;
    const questions = countOf(text, "?");
    this.counts.userQuestionMarks += questions;
    if (questions > 0) this.counts.userMessagesWithQuestion++;
    if (this.openingMessages.length < OPENING_MESSAGES) {
      this.openingMessages.push(firstCharacters(text, KEPT_CHARACTERS));
    }
    this.user.see(text);
  }

  private seeToolUse({ name, input, id }: ToolUsePart): void {
    this.counts.toolUses++;
    if (READERS.has(name)) this.counts.reads++;
    if (name === "TodoWrite") this.todos = todosOf(input);
    if (name === "Skill") {
      const skill = stringAt(input, "skill", "name");
      if (skill !== undefined) this.skillsCalled.add(skill);
    }
    if (this.writes.length < KEPT_WRITES) this.writes.push(...writesOf(name, input));
    if (name === "Bash" && isJsonObject(input)) this.seeCommand(stringAt(input, "command", "cmd") ?? "", id);
  }

  private seeCommand(whole: string, id: string | undefined): void {
    const command = firstCharacters(whole, KEPT_CHARACTERS);
    const { flags } = this;
    const isTest = commands.isTestCommand(command);
    this.lastCommandIsTest = isTest;
    if (isTest) {
      flags.hasRunTests = true;
      if (id !== undefined) this.testCalls.add(id);
    }
    flags.hasLinted ||= commands.isLintCommand(command);
    flags.hasStaticCheck ||= commands.isStaticCheck(command);
    flags.hasInlineValidation ||= commands.isInlineValidation(command);
    flags.hasEditedPullRequest ||= /\bgh\s+pr\s+(?:create|edit)\b/.test(command);
    if (/\bgh\s+pr\s+create\b/.test(command)) {
      flags.hasCreatedPullRequest = true;
      this.pullRequestTexts.push(command);
    }
    flags.hasPushed ||= commands.isPush(command);
    const changesBranch = commands.isCommit(command) || commands.isPush(command);
    flags.hasCommittedOrPushed ||= changesBranch;
    const commitsHere = commands.isCommit(command) || commands.isBarePush(command);
    if (commands.isPushToMain(command) || (commitsHere && this.isOnMainBranch())) {
      this.mainBranchCommand ??= commands.isPush(command) ? "git push" : "git commit";
    }
  }

  /** by the nearest of the last results that named a branch */
  private isOnMainBranch(): boolean {
    const named = this.branches.filter(branch => branch !== undefined);
    return ["main", "master"].includes(named[named.length - 1] ?? "");
  }

  private seeResult({ id, text }: ToolResultPart): void {
    const isOfTest = id === undefined ? this.lastCommandIsTest : this.testCalls.has(id);
    if (isOfTest && commands.isPassingResult(text)) this.flags.hasPassingTests = true;
    this.flags.isBehind ||= /\b(?:is|are|branch) behind\b|\bhave diverged\b|\bdiverged\b/i.test(text);
    this.flags.hasPassedPreCommit ||= commands.isPreCommitPass(text);
    for (const [, count] of text.matchAll(/\b(\d{1,9}) passed\b/g)) {
      this.mostTestsPassed = Math.max(this.mostTestsPassed, Number(count));
    }
    this.branches.push(commands.branchIn(text));
    if (this.branches.length > RECENT_RESULTS) this.branches.shift();
  }

  facts(): SessionFacts {
    return {
      counts: this.counts,
      openingMessages: this.openingMessages,
      recent: this.recent,
      todos: this.todos,
      writes: this.writes,
      skillsCalled: this.skillsCalled,
      commandsTyped: [...this.commandsTyped],
      user: this.user,
      assistant: this.assistant,
      pullRequestTexts: this.pullRequestTexts,
      ...this.flags,
      mainBranchCommand: this.mainBranchCommand,
      mostTestsPassed: this.mostTestsPassed,
    };
  }
}

function countOf(text: string, character: string): number {
  return text.split(character).length - 1;
}

/** A closing remark stands at the end of a message. */
function lastCharacters(text: string): string {
  return text.length <= KEPT_CHARACTERS ? text : text.slice(-KEPT_CHARACTERS);
}
