/** A number as it was written, so that digits beyond 2^53 are not lost. */
export class ExactNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type ExactJson =
  | null
  | boolean
  | string
  | number
  | ExactNumber
  | readonly ExactJson[]
  | { readonly [key: string]: ExactJson };

export type ExactRead =
  | { readonly ok: true; readonly value: ExactJson }
  | { readonly ok: false; readonly problem: string };

const DEPTH_LIMIT = 500;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const BLANK = /[ \t\r\n]*/y;

/** Strict JSON, with numbers kept as written. A repeated key in one object is a problem, not a choice. */
export function readExact(text: string): ExactRead {
  const reader = new Reader(text);
  try {
    const value = reader.value(0);
    reader.skipBlanks();
    if (reader.at < text.length)
      return { ok: false, problem: `text after the JSON value at character ${reader.at}` };
    return { ok: true, value };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
}

class Reader {
  at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  skipBlanks(): void {
    this.match(BLANK);
  }

  value(depth: number): ExactJson {
    if (depth > DEPTH_LIMIT) throw new Error(`nested deeper than ${DEPTH_LIMIT}`);
    this.skipBlanks();
    const next = this.text[this.at];
    if (next === "{") return this.object(depth);
    if (next === "[") return this.list(depth);
    if (next === '"') return this.string();
    for (const [word, value] of [
      ["true", true],
      ["false", false],
      ["null", null],
    ] as const) {
      if (this.text.startsWith(word, this.at)) {
        this.at += word.length;
        return value;
      }
    }
    const number = this.match(NUMBER);
    if (number === undefined) throw new Error(`not JSON at character ${this.at}`);
    return new ExactNumber(number);
  }

  private object(depth: number): ExactJson {
    const entries = new Map<string, ExactJson>();
    this.at += 1;
    if (this.takes("}")) return {};
    do {
      this.skipBlanks();
      const key = this.string();
      if (entries.has(key)) throw new Error(`the key ${JSON.stringify(key)} stands twice in one object`);
      if (!this.takes(":")) throw new Error(`expected a colon at character ${this.at}`);
      entries.set(key, this.value(depth + 1));
    } while (this.takes(","));
    if (!this.takes("}")) throw new Error(`expected } at character ${this.at}`);
    return Object.fromEntries(entries);
  }

  private list(depth: number): ExactJson {
    const items: ExactJson[] = [];
    this.at += 1;
    if (this.takes("]")) return items;
    do items.push(this.value(depth + 1));
    while (this.takes(","));
    if (!this.takes("]")) throw new Error(`expected ] at character ${this.at}`);
    return items;
  }

  private string(): string {
    const found = this.match(STRING);
    if (found === undefined) throw new Error(`expected a string at character ${this.at}`);
    return JSON.parse(found) as string;
  }

  private takes(character: string): boolean {
    this.skipBlanks();
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }
}
