import {
  clip,
  countCharacters,
  findStatement,
  firstCharacters,
  oneLine,
  redact,
  wordPattern,
} from "../text/index.ts";
import { type Entry, entryText } from "../transcripts/index.ts";
import { indexText } from "./search-words.ts";

/** What an agent says when it has found something out, strongest first. */
const MARKS = [
  wordPattern(`
    root cause | lessons? learn(?:ed|t) | (?:i|we) learn(?:ed|t) | turn(?:s|ed) out
    the (?:actual |real |underlying )?(?:problem|issue|bug|cause|culprit|reason) (?:was|is)
    (?:caused|fixed|solved|resolved) by | the (?:fix|solution|workaround) (?:was|is) | gotcha
  `),
  wordPattern(`
    discovered that | found (?:out )?that | decided to | (?:must|should) (?:always|never)
    only works? (?:if|when|with) | does(?:n['’]t| not) work (?:if|when|with|because|unless)
    (?:important|note|remember|caveat|key (?:insight|decision|finding))s?(?=:)
  `),
];

const MIN_SENTENCE_LENGTH = 20;
const MAX_SENTENCE_LENGTH = 240;
const MAX_TASK_LENGTH = 120;
const KEPT_SENTENCES = 200;

interface Statement {
  readonly text: string;
  readonly strength: number;
  readonly place: number;
}

/**
 * Gathers what a session found out, one entry at a time: sentences of the agent that say so in so many words. No
 * model is asked; where nothing was said, nothing was learnt.
 */
export class LearningCollector {
  private readonly statements = new Map<string, Statement>();
  private place = 0;

  see(entry: Entry): void {
    if (entry.role !== "assistant" || entry.isSynthetic) return;
    for (const sentence of sentencesOf(entryText(entry))) {
      const mark = MARKS.findIndex(pattern => findStatement(sentence, pattern) !== undefined);
      if (mark < 0) continue;
      this.statements.set(sentence.toLowerCase(), {
        text: sentence,
        strength: MARKS.length - mark,
        place: this.place++,
      });
      if (this.statements.size > KEPT_SENTENCES) this.dropWeakest();
    }
  }

  /** The strongest and latest that fit, in the order they were said; empty when there are none. */
  summary(limit: number): string {
    const chosen: Statement[] = [];
    let room = limit;
    for (const statement of [...this.statements.values()].sort(byStrength)) {
      const length = countCharacters(statement.text) + 1;
      if (length > room) continue;
      room -= length;
      chosen.push(statement);
    }
    return chosen
      .sort((one, other) => one.place - other.place)
      .map(({ text }) => text)
      .join(" ");
  }

  private dropWeakest(): void {
    const weakest = [...this.statements.values()].sort(byStrength).at(-1);
    if (weakest !== undefined) this.statements.delete(weakest.text.toLowerCase());
  }
}

/** Later ones first: what was found out last is what held. */
function byStrength(one: Statement, other: Statement): number {
  return other.strength - one.strength || other.place - one.place;
}

const CODE_BLOCK = /^(```|~~~)[\s\S]*?(?:^\1|$(?![\s\S]))/gm;
const DECORATION = /^[ \t]*(?:[-*+>]|\d+[.)]|#{1,6})[ \t]+|[*_`]{1,3}/gm;

/** Sentences of a text that are neither fragments nor essays, without code blocks and decoration. */
export function sentencesOf(text: string): readonly string[] {
  return text
    .replace(CODE_BLOCK, "\n")
    .replace(DECORATION, "")
    .split(/\n+|(?<=[.!?])\s+/)
    .map(oneLine)
    .filter(sentence => {
      const length = countCharacters(sentence);
      return length >= MIN_SENTENCE_LENGTH && length <= MAX_SENTENCE_LENGTH;
    });
}

/** Something a session ended with, ready to be stored. */
interface Learning {
  /** text that a hook or a person gave */
  readonly told: string;
  /** what `LearningCollector` found */
  readonly found: string;
  readonly task: string;
  readonly isSuccess: boolean;
}

/**
 * The text to keep, without secrets and at most `limit` characters. What was found goes before what was told, and
 * then with the task it was found at; undefined when neither says anything.
 */
export function composeLearning(
  { told, found, task, isSuccess }: Learning,
  limit: number,
): string | undefined {
  const failed = isSuccess ? "" : "(unfinished) ";
  const purpose = found === "" || task === "" ? "" : `Task: ${clip(oneLine(task), MAX_TASK_LENGTH)} Learnt: `;
  const text = redact(oneLine(failed + purpose + (found === "" ? told : found)));
  return isTrivial(found === "" ? told : found) ? undefined : firstCharacters(text, limit);
}

const MIN_WORDS = 3;

/** Too few words to be of use later; a character of an unspaced script is a word. */
export function isTrivial(text: string): boolean {
  return (indexText(text).match(/[\p{L}\p{N}]{2,}|\p{Lo}/gu)?.length ?? 0) < MIN_WORDS;
}
