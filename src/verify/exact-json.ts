import { printParseErrorCode, visit } from "jsonc-parser";
import { errorText } from "../protocol/index.ts";

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

const MAX_DEPTH = 500;

/** Strict JSON, with numbers kept as written. A repeated key in one object is a problem, not a choice. */
export function readExact(text: string): ExactRead {
  // A list of values for the text as a whole and for every array, a map for every object.
  const root: ExactJson[] = [];
  const open: (ExactJson[] | Map<string, ExactJson>)[] = [root];
  const keys: string[] = [];
  const add = (value: ExactJson): void => {
    const container = open.at(-1);
    if (container instanceof Map) container.set(keys.pop() ?? "", value);
    else container?.push(value);
  };
  const begin = (container: ExactJson[] | Map<string, ExactJson>): void => {
    if (open.length > MAX_DEPTH) throw new Error(`nested deeper than ${MAX_DEPTH}`);
    open.push(container);
  };
  const end = (): void => {
    const container = open.pop();
    add(container instanceof Map ? Object.fromEntries(container) : (container ?? null));
  };
  try {
    visit(
      text,
      {
        onObjectBegin: () => begin(new Map()),
        onObjectProperty(key) {
          if ((open.at(-1) as Map<string, ExactJson>).has(key))
            throw new Error(`the key ${JSON.stringify(key)} stands twice in one object`);
          keys.push(key);
        },
        onObjectEnd: end,
        onArrayBegin: () => begin([]),
        onArrayEnd: end,
        onLiteralValue: (value, offset, length) =>
          add(typeof value === "number" ? new ExactNumber(text.slice(offset, offset + length)) : value),
        onError(code, offset) {
          throw new Error(`${printParseErrorCode(code)} at character ${offset}`);
        },
      },
      { disallowComments: true },
    );
    return { ok: true, value: root[0] ?? null };
  } catch (error) {
    return { ok: false, problem: errorText(error) };
  }
}
