import { isMatch, type Matcher } from "../handlers/index.ts";

/** Hooks by what they match, so that a subject is looked up and not tried against every hook. */
export class MatchIndex<H extends { readonly matcher: Matcher }> {
  private readonly hooks: readonly H[];
  /** places in the list */
  private readonly exact = new Map<string, number[]>();
  private readonly tested: number[] = [];
  private readonly always: number[] = [];

  constructor(hooks: readonly H[]) {
    this.hooks = hooks;
    for (const [place, { matcher }] of hooks.entries()) {
      if (matcher.kind === "all") this.always.push(place);
      else if (matcher.kind === "test") this.tested.push(place);
      else for (const name of matcher.names) this.placesOf(name).push(place);
    }
  }

  private placesOf(name: string): number[] {
    const known = this.exact.get(name);
    if (known !== undefined) return known;
    const fresh: number[] = [];
    this.exact.set(name, fresh);
    return fresh;
  }

  /** What matches any of the names, each once, in the order of the list. */
  find(subjects: readonly string[]): readonly H[] {
    const found = new Set(this.always);
    for (const subject of subjects) for (const place of this.exact.get(subject) ?? []) found.add(place);
    const isWanted = (place: number): boolean => {
      const hook = this.hooks[place];
      return hook !== undefined && isMatch(hook.matcher, subjects);
    };
    for (const place of this.tested) if (isWanted(place)) found.add(place);
    const places = [...found].sort((left, right) => left - right);
    return places.flatMap(place => this.hooks[place] ?? []);
  }
}
