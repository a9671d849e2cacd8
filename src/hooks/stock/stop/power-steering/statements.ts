import { clip, findStatement, oneLine, type WordPattern, wordPattern } from "../../../../text/index.ts";

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

export type Topic = keyof typeof TOPICS;

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
