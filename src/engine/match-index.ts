import { isMatch, type Matcher } from "../hooks/handlers/match.ts";

/** Handlers by what they match, so that a subject is looked up and not tried against every handler. */
export class MatchIndex<H extends { readonly matcher: Matcher; readonly position: number }> {
  private readonly exact = new Map<string, H[]>();
  private readonly tested: H[] = [];
  private readonly always: H[] = [];

  constructor(handlers: readonly H[]) {
    for (const handler of handlers) {
      const { matcher } = handler;
      if (matcher.kind === "all") this.always.push(handler);
      else if (matcher.kind === "test") this.tested.push(handler);
      else for (const name of matcher.names) this.listOf(name).push(handler);
    }
  }

  private listOf(name: string): H[] {
    const known = this.exact.get(name);
    if (known !== undefined) return known;
    const fresh: H[] = [];
    this.exact.set(name, fresh);
    return fresh;
  }

  /** What matches any of the names, each once, in order of position. */
  find(subjects: readonly string[]): H[] {
    const found = new Set<H>(this.always);
    for (const subject of subjects) for (const handler of this.exact.get(subject) ?? []) found.add(handler);
    for (const handler of this.tested) if (isMatch(handler.matcher, subjects)) found.add(handler);
    return [...found].sort((left, right) => left.position - right.position);
  }
}
