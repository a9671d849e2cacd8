/**
 * Forms of commands as data. `form` holds the whole commands; every other member is a part. `«part»` stands for one of its choices
 * (a choice may hold parts again) and means the same choice wherever it stands in one command; `«part 2»` is chosen anew.
 * A member is a list of choices; a text is split at white space, for lists of plain words.
 */
export type Grammar = Readonly<Record<string, string | readonly string[]>> & {
  readonly form: readonly string[];
};

const MAX_TRIES_PER_COMMAND = 200;

/** `count` different commands of the grammar, always the same ones for the same seed. Every form comes up equally often. */
export function draw(seed: number, grammar: Grammar, count: number): readonly string[] {
  const next = random(seed);
  const commands = new Set<string>();
  for (let tries = 0; commands.size < count; tries++) {
    if (tries > count * MAX_TRIES_PER_COMMAND)
      throw new Error(
        `the grammar has only about ${commands.size} different commands, ${count} were asked for`,
      );
    const form = grammar.form[tries % grammar.form.length] ?? "";
    commands.add(fill(form, grammar, new Map(), next));
  }
  return [...commands];
}

function fill(text: string, grammar: Grammar, chosen: Map<string, string>, next: () => number): string {
  return text.replace(/«([^»]+)»/g, (_, name: string) => {
    const known = chosen.get(name);
    if (known !== undefined) return known;
    const choices = choicesOf(grammar, name.replace(/ \d+$/, ""));
    const value = fill(choices[Math.floor(next() * choices.length)] ?? "", grammar, chosen, next);
    chosen.set(name, value);
    return value;
  });
}

function choicesOf(grammar: Grammar, part: string): readonly string[] {
  const choices = grammar[part];
  if (choices === undefined) throw new Error(`the grammar has no part «${part}»`);
  return typeof choices === "string" ? choices.split(/\s+/) : choices;
}

/** Mulberry32: small, fast and the same everywhere. */
function random(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
