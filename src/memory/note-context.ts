import type { Memory } from "./memory.ts";

export interface RankedMemory {
  readonly memory: Memory;
  /** 1 is the best match, changed just now */
  readonly relevance: number;
}

/** What a note gains where the question names whoever said it. */
const SPEAKER_SHARE = 0.5;
/** What it gains where the question asks for a time, or a number, and the note has one. */
const ASKED_SHARE = 0.4;
/** What a note gives to those beside it in its session: one says what the other answers. */
const NEIGHBOUR_SHARES = [0.4, 0.3, 0.2, 0.1];

/** Of what a note that asks has, this goes on to the next one, which answers, and the rest stays. */
const ANSWER_SHARE = 0.8;
const QUESTION_SHARE = 0.6;

const ASKS_TIME = /\bwhen\b|\b(?:what|which) (?:day|date|time|week|month|year)\b|\bhow long ago\b/i;
const ASKS_NUMBER = /\bhow (?:many|much|often|long|old|far|fast|big|expensive|large)\b/i;
const MONTHS =
  "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?";
const DAYS = "(?:mon|tues|wednes|thurs|fri|satur|sun)days?";
const NAMES_TIME = new RegExp(
  `\\b(?:yesterday|today|tonight|tomorrow|ago|${DAYS}|weekend|(?:last|next|this|past) (?:week|month|year|night|summer|winter|spring|autumn|fall)|(?:in|on|since|until|by|last|next) (?:the )?(?:${MONTHS}|\\d|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)|\\d{4}-\\d\\d)`,
  "i",
);
const NAMES_NUMBER =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|dozen|half|once|twice|every)\b/i;
/** `Ann: …` and `Ann, 3 May: …` tell who said it. */
const SPEAKER = /^(\p{Lu}[\p{L}\p{M}'-]*)(?:,[^:\n]{0,60}(?::\d\d[^:\n]{0,60})?)?:/u;

/** What a question asks for beside its words. */
interface Asked {
  readonly words: ReadonlySet<string>;
  readonly isForTime: boolean;
  readonly isForNumber: boolean;
  /** the time that it names, from and until */
  readonly period: readonly [number, number] | undefined;
}

/**
 * The order of notes with what surrounds them: who said them and when, whether they hold what is asked for, and what stands
 * beside them in their session. A neighbour comes in though it has none of the words.
 */
export function rankInContext(
  question: string,
  ranked: readonly RankedMemory[],
  sessions: readonly (readonly Memory[])[],
  { limit, nowMs }: { readonly limit: number; readonly nowMs: number },
): readonly RankedMemory[] {
  const asked: Asked = {
    words: new Set(question.toLowerCase().match(/[\p{L}\p{M}]+/gu)),
    isForTime: ASKS_TIME.test(question),
    isForNumber: ASKS_NUMBER.test(question),
    period: periodIn(question, nowMs),
  };
  const scores = new Map(ranked.map(({ memory, relevance }) => [memory.id, relevance]));
  const scoreAt = (memory: Memory | undefined) => (memory === undefined ? 0 : (scores.get(memory.id) ?? 0));
  const gains = new Map<string, number>();
  const all = new Map(ranked.map(({ memory }) => [memory.id, memory]));
  for (const notes of sessions)
    for (const [index, memory] of notes.entries()) {
      const before = notes[index - 1];
      const answered = before !== undefined && isQuestion(before) ? ANSWER_SHARE * scoreAt(before) : 0;
      const around = NEIGHBOUR_SHARES.map(
        (share, at) => share * Math.max(scoreAt(notes[index - at - 1]), scoreAt(notes[index + at + 1])),
      );
      const gained = Math.max(answered, ...around);
      if (gained === 0) continue;
      gains.set(memory.id, gained);
      all.set(memory.id, memory);
    }
  const found = [...all.values()]
    .map(memory => {
      const own = scoreAt(memory) * (isQuestion(memory) ? QUESTION_SHARE : 1);
      return { memory, relevance: (own + (gains.get(memory.id) ?? 0)) * scoreFit(memory, asked) };
    })
    .sort((one, other) => other.relevance - one.relevance)
    .slice(0, limit);
  const best = Math.max(1, ...found.map(({ relevance }) => relevance));
  return found.map(({ memory, relevance }) => ({ memory, relevance: relevance / best }));
}

function isQuestion({ value }: Memory): boolean {
  return /\?["')\s]*$/.test(value);
}

function scoreFit({ value, createdMs }: Memory, { words, isForTime, isForNumber, period }: Asked): number {
  const [head = "", speaker = ""] = SPEAKER.exec(value) ?? [];
  const said = value.slice(head.length);
  const isAsked = (isForTime && NAMES_TIME.test(said)) || (isForNumber && NAMES_NUMBER.test(said));
  const isThen = period !== undefined && createdMs >= period[0] && createdMs < period[1];
  return (
    (1 + (speaker !== "" && words.has(speaker.toLowerCase()) ? SPEAKER_SHARE : 0)) *
    (1 + (isAsked ? ASKED_SHARE : 0)) *
    (1 + (isThen ? ASKED_SHARE : 0))
  );
}

const NAMED_PERIOD = new RegExp(
  `\\b(?:(yesterday|today)|(last|this) (week|month|year)|(last|this|in) (${MONTHS})(?:,? (\\d{4}))?|in (\\d{4}))\\b`,
  "i",
);
const MONTH_NAMES = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");

/** The time that a text names, by the calendar in UTC: `last May`, `yesterday`, `in 2024`. */
export function periodIn(text: string, nowMs: number): readonly [number, number] | undefined {
  const [match, day, which, unit, whichMonth, month, year, yearAlone] = NAMED_PERIOD.exec(text) ?? [];
  if (match === undefined) return undefined;
  const now = new Date(nowMs);
  const [y, m, d] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const back = /last|yesterday/i.test(which ?? day ?? "") ? 1 : 0;
  if (day !== undefined) return [Date.UTC(y, m, d - back), Date.UTC(y, m, d - back + 1)];
  if (yearAlone !== undefined) return [Date.UTC(Number(yearAlone), 0), Date.UTC(Number(yearAlone) + 1, 0)];
  if (month !== undefined) {
    const named = MONTH_NAMES.indexOf(month.slice(0, 3).toLowerCase());
    // Without a year the latest that has begun is meant; "last May" in May is a year ago.
    const isLastYear = named > m || (named === m && /last/i.test(whichMonth ?? ""));
    const of = year === undefined ? y - (isLastYear ? 1 : 0) : Number(year);
    return [Date.UTC(of, named), Date.UTC(of, named + 1)];
  }
  if (/year/i.test(unit ?? "")) return [Date.UTC(y - back, 0), Date.UTC(y - back + 1, 0)];
  if (/month/i.test(unit ?? "")) return [Date.UTC(y, m - back), Date.UTC(y, m - back + 1)];
  const monday = d - ((now.getUTCDay() + 6) % 7) - 7 * back;
  return [Date.UTC(y, m, monday), Date.UTC(y, m, monday + 7)];
}
