import {
  clip,
  countCharacters,
  findStatement,
  firstCharacters,
  oneLine,
  redact,
  saysWords,
  wordPattern,
} from "../text/index.ts";
import { type Entry, entryText } from "../transcripts/index.ts";
import type { Category } from "./memory.ts";
import type { SessionStep } from "./reflection.ts";
import { indexText, isOneLetterOff } from "./search-words.ts";

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
    for (const sentence of splitSentences(entryText(entry))) {
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
function splitSentences(text: string): readonly string[] {
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

/** Something a session taught, as it is stored. */
export interface LearntNote {
  readonly category: Category;
  readonly text: string;
}

/** Looks for notes of one kind; sees the steps of a session in order and tells at the end, the latest last. */
interface NoteFinder {
  see(step: SessionStep): void;
  notes(): readonly LearntNote[];
}

type Call = Extract<SessionStep, { kind: "call" }>;

const MAX_QUOTE_LENGTH = 160;

/** A command or message of the session on one short line, without secrets. */
function quote(text: string, length = MAX_QUOTE_LENGTH): string {
  return clip(redact(oneLine(text)), length);
}

/** Programs that look at things: one that finds nothing and one that does are no problem and its solution. */
const LOOKING: ReadonlySet<string> = new Set(
  "[ cat cd diff echo file find grep head ls pwd rg sed sleep stat tail test tree true wc which".split(" "),
);
const WRAPPERS: ReadonlySet<string> = new Set("command env exec nice nohup sudo time timeout".split(" "));

/** What two commands are compared by. */
interface CommandWords {
  /** the whole command without what only shortens its output */
  readonly text: string;
  readonly program: string;
  /** what it is told to do: words other than the program, its options and assignments */
  readonly operands: readonly string[];
  /** all words, in pieces, so that `test:unit` has `test` */
  readonly pieces: ReadonlySet<string>;
}

/** Undefined for commands that nothing is to be learnt from. */
function readCommand(command: string): CommandWords | undefined {
  const text = command
    .replace(/\s+/g, " ")
    .replace(/ ?2>&1/g, "")
    .replace(/ ?\| ?(?:head|tail|grep|cat|less|tee)\b.*$/, "")
    .trim();
  const words = (text.split(/ ?(?:&&|;|\|\|) ?/).at(-1) ?? "")
    .split(" ")
    .filter(word => word !== "" && !/^\w+=/.test(word) && !WRAPPERS.has(word));
  const [program = "", ...rest] = words.map(word => word.replace(/^["']|["']$/g, "").toLowerCase());
  if (program === "" || LOOKING.has(program)) return undefined;
  return {
    text,
    program,
    operands: rest.filter(word => !word.startsWith("-")),
    pieces: new Set(text.toLowerCase().split(/[^\p{L}\p{N}]+/u)),
  };
}

/**
 * Whether the second command tries the same as the first in another way: all that the first was told to do is in it.
 * Another program will do when it is told the same, as `pnpm install` for `npm install`.
 */
function isSameAttempt(first: CommandWords, second: CommandWords): boolean {
  if (first.text === second.text) return false;
  if (first.program !== second.program && first.operands.length === 0) return false;
  return first.operands.every(operand =>
    operand.split(/[^\p{L}\p{N}]+/u).every(piece => hasPiece(second, piece)),
  );
}

function hasPiece({ pieces }: CommandWords, piece: string): boolean {
  return pieces.has(piece) || [...pieces].some(other => other.length > 2 && isOneLetterOff(other, piece));
}

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

/** What was decided in the conversation, by the user or by the agent. Questions decide nothing. */
function findDecisions(): NoteFinder {
  const found = new Map<string, LearntNote>();
  return {
    see(step) {
      if (step.kind === "call") return;
      const isUser = step.kind === "user-message";
      const who = isUser ? "The user decided" : "Decided";
      const patterns = isUser ? [DECISION, INSTRUCTION] : [DECISION];
      for (const sentence of splitSentences(step.text)) {
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

/** As `renderTexts` of the guard begins and ends what it tells an agent, alone or behind the person's text. */
const REFUSAL =
  /\[([\w./-]+)\]:? ([\s\S]*?)(?: Safer: |\nAgent: not run| Don't work around it| You cannot switch this off)/;

interface Refusal {
  readonly rule: string;
  readonly reason: string;
}

/** What the guard said when it refused a call. */
function refusalIn({ output }: Call): Refusal | undefined {
  const [, rule, reason] = REFUSAL.exec(output) ?? [];
  return rule === undefined || reason === undefined ? undefined : { rule, reason };
}

/** What comes later answers something else. */
const MAX_CALLS_AFTER_REFUSAL = 6;
const MAX_REASON_LENGTH = 120;

/** A command that the guard refused, and what was done in its place. */
function findRefusals(): NoteFinder {
  let last: { readonly command: CommandWords; readonly refusal: Refusal; callsAgo: number } | undefined;
  const found = new Map<string, LearntNote>();
  return {
    see(step) {
      if (step.kind !== "call" || step.command === undefined) return;
      const command = readCommand(step.command);
      if (command === undefined) return;
      const refusal = refusalIn(step);
      if (refusal !== undefined) {
        last = { command, refusal, callsAgo: 0 };
        return;
      }
      if (last === undefined || ++last.callsAgo > MAX_CALLS_AFTER_REFUSAL || step.hasFailed) return;
      if (!sharesWord(last.command, command)) return;
      const { rule, reason } = last.refusal;
      found.set(last.command.text, {
        category: "learning",
        text: `\`${quote(last.command.text)}\` was refused (${rule}: ${quote(reason, MAX_REASON_LENGTH)}). \`${quote(command.text)}\` was done instead.`,
      });
      last = undefined;
    },
    notes: () => [...found.values()],
  };
}

function sharesWord(refused: CommandWords, done: CommandWords): boolean {
  if (refused.text === done.text) return false;
  return (
    refused.program === done.program || refused.operands.some(operand => done.operands.includes(operand))
  );
}

interface Failure {
  readonly command: CommandWords;
  readonly error: string;
  callsAgo: number;
}

const EDITING = new Set(["Edit", "Write", "NotebookEdit"]);
/** What comes later answers something else. */
const MAX_CALLS_BEFORE_FIX = 12;
const MAX_OPEN = 20;

/**
 * A command that failed, with its error, and the command that then worked. When files were changed in between, it was
 * the change that helped, and that is in the repository.
 */
function findFixes(): NoteFinder {
  let open: Failure[] = [];
  const found = new Map<string, LearntNote>();
  return {
    see(step) {
      if (step.kind !== "call") return;
      for (const failure of open) failure.callsAgo++;
      if (EDITING.has(step.tool)) open = [];
      open = open.filter(failure => failure.callsAgo <= MAX_CALLS_BEFORE_FIX);
      const command = step.command === undefined ? undefined : readCommand(step.command);
      if (command === undefined || refusalIn(step) !== undefined) return;
      const others = open.filter(failure => failure.command.text !== command.text);
      if (step.hasFailed) {
        open = [...others, { command, error: errorIn(step), callsAgo: 0 }].slice(-MAX_OPEN);
        return;
      }
      const solved = others.filter(failure => isSameAttempt(failure.command, command));
      open = others.filter(failure => !solved.includes(failure));
      const [first] = solved;
      if (first !== undefined) found.set(first.command.text, toNote(first, command));
    },
    notes: () => [...found.values()],
  };
}

function toNote({ command, error }: Failure, working: CommandWords): LearntNote {
  const failed = error === "" ? "failed" : `failed with: ${quote(error)}.`;
  return {
    category: "learning",
    text: `\`${quote(command.text)}\` ${failed} \`${quote(working.text)}\` worked.`,
  };
}

const TELLING =
  /error|fail|not found|no such|denied|cannot|can't|unable|unknown|invalid|missing|required|refused|undefined|exception|unsupported/i;
const EXIT_LINE = /^(?:error: )?(?:command failed|(?:process )?exit(?:ed with)?(?: code| status)?:? ?\d+)/i;

/** The first line that says what is wrong, else the last one. */
function errorIn({ output }: Call): string {
  const lines = output
    .split("\n")
    .map(line => line.trim())
    .filter(line => line !== "" && !EXIT_LINE.test(line));
  return (lines.find(line => TELLING.test(line)) ?? lines.at(-1) ?? "").replace(/[.:;\s]+$/, "");
}

/** Of each kind the latest: they are what held. */
const MAX_OF_A_KIND = 2;

/** Gathers what the steps of a session taught: fixes of failed commands, what replaced refused ones, decisions. */
export class SessionNotes {
  private readonly finders = [findFixes(), findRefusals(), findDecisions()];
  private readonly maxOfAKind: number;

  constructor(maxOfAKind = MAX_OF_A_KIND) {
    this.maxOfAKind = maxOfAKind;
  }

  see(step: SessionStep): void {
    for (const finder of this.finders) finder.see(step);
  }

  notes(): readonly LearntNote[] {
    return this.finders.flatMap(finder => finder.notes().slice(-this.maxOfAKind));
  }
}
