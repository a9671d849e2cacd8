/**
 * Regular expressions that always take linear time: literals, `.`, classes, groups, `|`, `*`, `+`, `?`, `^`, `$`
 * and the escapes `\d \w \s`. No back-references, look-around or counted repeats, so a pattern from a
 * configuration file cannot hold the guard up.
 */
export interface LinearPattern {
  matches(text: string): boolean;
}

type State =
  | { kind: "one"; accepts: (character: string) => boolean; next: number }
  | { kind: "fork"; next: readonly number[] }
  | { kind: "start" | "end"; next: number }
  | { kind: "done" };

const LENGTH_LIMIT = 500;

/** Undefined when the text is not such a pattern. */
export function compileLinear(source: string): LinearPattern | undefined {
  if (source.length > LENGTH_LIMIT) return undefined;
  try {
    const builder = new Builder(source);
    const { states, start } = builder.build();
    return { matches: text => run(states, start, text) };
  } catch {
    return undefined;
  }
}

class Builder {
  private readonly states: State[] = [];
  private position = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  build(): { states: readonly State[]; start: number } {
    const done = this.add({ kind: "done" });
    const start = this.alternatives(done);
    if (this.position < this.source.length) throw new Error("unbalanced");
    return { states: this.states, start };
  }

  private add(state: State): number {
    this.states.push(state);
    return this.states.length - 1;
  }

  private alternatives(next: number): number {
    const choices = [this.sequence(next)];
    while (this.source[this.position] === "|") {
      this.position += 1;
      choices.push(this.sequence(next));
    }
    const [only] = choices;
    return choices.length === 1 && only !== undefined ? only : this.add({ kind: "fork", next: choices });
  }

  /** Built from the end, so that every part knows what follows it. */
  private sequence(next: number): number {
    const parts: ((following: number) => number)[] = [];
    while (this.position < this.source.length && !"|)".includes(this.source[this.position] as string))
      parts.push(this.repeated());
    return parts.reduceRight((following, part) => part(following), next);
  }

  private repeated(): (next: number) => number {
    const part = this.atom();
    const sign = this.source[this.position];
    if (sign !== "*" && sign !== "+" && sign !== "?") return part;
    this.position += 1;
    if (sign === "?") return next => this.add({ kind: "fork", next: [part(next), next] });
    return next => {
      const fork = this.add({ kind: "fork", next: [] });
      const body = part(fork);
      this.states[fork] = { kind: "fork", next: [body, next] };
      return sign === "*" ? fork : body;
    };
  }

  private atom(): (next: number) => number {
    const character = this.source[this.position] as string;
    this.position += 1;
    if (character === "^") return next => this.add({ kind: "start", next });
    if (character === "$") return next => this.add({ kind: "end", next });
    if (character === ".") return this.one(() => true);
    if (character === "[") return this.one(this.characterClass());
    if (character === "(") return this.group();
    if ("*+?{".includes(character)) throw new Error("nothing to repeat");
    if (character === "\\") return this.one(this.escape());
    return this.one(found => found === character);
  }

  private one(accepts: (character: string) => boolean): (next: number) => number {
    return next => this.add({ kind: "one", accepts, next });
  }

  /** The text of a group is read again for every place it stands, because states know what follows. */
  private group(): (next: number) => number {
    if (this.source.startsWith("?", this.position)) {
      if (!this.source.startsWith("?:", this.position)) throw new Error("not supported");
      this.position += 2;
    }
    const from = this.position;
    this.alternatives(0);
    if (this.source[this.position] !== ")") throw new Error("unbalanced");
    const end = this.position + 1;
    this.position = end;
    return next => {
      const resume = this.position;
      this.position = from;
      const start = this.alternatives(next);
      this.position = resume;
      return start;
    };
  }

  private escape(): (character: string) => boolean {
    const letter = this.source[this.position];
    this.position += 1;
    if (letter === undefined) throw new Error("lone backslash");
    if (letter === "d") return character => /[0-9]/.test(character);
    if (letter === "w") return character => /[A-Za-z0-9_]/.test(character);
    if (letter === "s") return character => /\s/.test(character);
    if (/[A-Za-z0-9]/.test(letter)) throw new Error("not supported");
    return character => character === letter;
  }

  private characterClass(): (character: string) => boolean {
    const end = this.source.indexOf("]", this.position + 1);
    if (end < 0) throw new Error("open class");
    const body = this.source.slice(this.position, end);
    this.position = end + 1;
    const isNegated = body.startsWith("^");
    const members = isNegated ? body.slice(1) : body;
    return character => {
      for (let index = 0; index < members.length; index += 1) {
        const low = members[index] as string;
        const high = members[index + 2];
        if (members[index + 1] === "-" && high !== undefined) {
          if (character >= low && character <= high) return !isNegated;
          index += 2;
        } else if (low === character) return !isNegated;
      }
      return isNegated;
    };
  }
}

/** All states at once, character by character; a match may begin anywhere. */
function run(states: readonly State[], start: number, text: string): boolean {
  let current = new Set<number>();
  for (let index = 0; index <= text.length; index += 1) {
    if (follow(states, start, index, text.length, current)) return true;
    const character = text[index];
    const next = new Set<number>();
    for (const id of current) {
      const state = states[id];
      if (character !== undefined && state?.kind === "one" && state.accepts(character)) {
        if (follow(states, state.next, index + 1, text.length, next)) return true;
      }
    }
    current = next;
  }
  return false;
}

/** Adds a state and everything reachable without a character; true when the end is among them. */
function follow(
  states: readonly State[],
  from: number,
  index: number,
  length: number,
  into: Set<number>,
): boolean {
  const waiting = [from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (into.has(id)) continue;
    into.add(id);
    const state = states[id];
    if (state?.kind === "done") return true;
    if (state?.kind === "fork") waiting.push(...state.next);
    else if (state?.kind === "start" && index === 0) waiting.push(state.next);
    else if (state?.kind === "end" && index === length) waiting.push(state.next);
  }
  return false;
}
