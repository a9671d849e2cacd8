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
            throw new Error(`the key ${JSON.stringify(key)} appears twice in one object`);
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

export type DifferenceKind = "value" | "missing" | "extra" | "type" | "exit_code" | "protocol";

/** `missing` is absent in the candidate, `extra` absent in the reference; an absent side has no member here. */
export interface Difference {
  /** JSON pointer */
  readonly path: string;
  readonly reference?: unknown;
  readonly candidate?: unknown;
  readonly kind: DifferenceKind;
}

export interface EqualOptions {
  /** relative difference of numbers of which one is not whole. Default 1e-9. */
  readonly epsilon?: number;
  /** JSON pointers that are left out on both sides; `*` stands for one segment */
  readonly ignore?: readonly string[];
  /** `__ANY__`, `__CONTAINS__:` and `__REGEX__:` in the reference are patterns, as in expected files */
  readonly hasMatchers?: boolean;
  /** the reference need not name every member of an object */
  readonly isPartial?: boolean;
}

const DEFAULT_EPSILON = 1e-9;

/**
 * Compares two JSON values by meaning: key order, number spelling and null against absent do not count; strings,
 * whole numbers, types and the order of lists do. Pure, and symmetric up to naming.
 */
export function jsonEqual(
  reference: ExactJson | undefined,
  candidate: ExactJson | undefined,
  options: EqualOptions = {},
): readonly Difference[] {
  const found: Difference[] = [];
  const { epsilon = DEFAULT_EPSILON, hasMatchers = false, isPartial = false } = options;

  function compare(left: ExactJson | undefined, right: ExactJson | undefined, path: Path): void {
    if (isIgnored(path, options.ignore)) return;
    const kind = findDifference(left, right, path);
    if (kind === undefined) return;
    found.push({
      path: pointer(path),
      ...(left === undefined ? {} : { reference: toPlain(left) }),
      ...(right === undefined ? {} : { candidate: toPlain(right) }),
      kind,
    });
  }

  /** How two values differ; what they hold is compared on its own. */
  function findDifference(
    left: ExactJson | undefined,
    right: ExactJson | undefined,
    path: Path,
  ): DifferenceKind | undefined {
    if (left === undefined) return right === undefined ? undefined : "extra";
    if (right === undefined) return "missing";
    const isMatch = hasMatchers && typeof left === "string" ? matchPattern(left, right) : undefined;
    if (isMatch !== undefined) return isMatch ? undefined : "value";
    if (typeName(left) !== typeName(right)) return "type";
    if (Array.isArray(left) && Array.isArray(right)) {
      for (let index = 0; index < Math.max(left.length, right.length); index++)
        compare(left[index], right[index], [...path, String(index)]);
      return undefined;
    }
    if (typeName(left) === "object") {
      const [one, other] = [left as Members, right as Members];
      for (const key of new Set([...Object.keys(one), ...(isPartial ? [] : Object.keys(other))]))
        compare(findMember(one, key), findMember(other, key), [...path, key]);
      return undefined;
    }
    const isSame =
      typeName(left) === "number"
        ? isSameNumber(numberText(left), numberText(right), epsilon)
        : left === right;
    return isSame ? undefined : "value";
  }

  compare(reference, candidate, []);
  return found;
}

type Path = readonly string[];
type Members = { readonly [key: string]: ExactJson };

/** Inside objects null and absent are the same. */
function findMember(members: Members, key: string): ExactJson | undefined {
  return Object.hasOwn(members, key) ? (members[key] ?? undefined) : undefined;
}

function typeName(value: ExactJson): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (value instanceof ExactNumber) return "number";
  return typeof value;
}

function numberText(value: ExactJson): string {
  return value instanceof ExactNumber ? value.text : String(value);
}

/** Whole numbers by all their digits, others within the tolerance. */
function isSameNumber(one: string, other: string, epsilon: number): boolean {
  const wholes = [wholeNumber(one), wholeNumber(other)] as const;
  if (wholes[0] !== undefined && wholes[1] !== undefined) return wholes[0] === wholes[1];
  const [left, right] = [Number(one), Number(other)];
  if (!Number.isFinite(left) || !Number.isFinite(right))
    return canonicalNumber(one) === canonicalNumber(other);
  return Math.abs(left - right) <= epsilon * Math.max(1, Math.abs(left), Math.abs(right));
}

const MAX_DIGITS = 4_000;

/** The value of `1`, `1.0` and `1e0` alike; undefined for what is not whole or absurdly long. */
function wholeNumber(text: string): bigint | undefined {
  const parsed = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (parsed === null) return undefined;
  const [, sign = "", digits = "", fraction = "", exponent = "0"] = parsed;
  const shift = Number(exponent) - fraction.length;
  const all = `${digits}${fraction}`;
  if (Math.abs(shift) > MAX_DIGITS || all.length > MAX_DIGITS) return undefined;
  if (shift >= 0) return BigInt(`${sign}${all}${"0".repeat(shift)}`);
  const cut = all.slice(shift);
  if (!/^0*$/.test(cut)) return undefined;
  return BigInt(`${sign}${all.slice(0, shift) || "0"}`);
}

/** One spelling per number, for hashing. */
export function canonicalNumber(text: string): string {
  const whole = wholeNumber(text);
  return whole === undefined ? String(Number(text)) : whole.toString();
}

function matchPattern(pattern: string, candidate: ExactJson): boolean | undefined {
  if (pattern === "__ANY__") return true;
  if (pattern.startsWith("__CONTAINS__:")) {
    return typeof candidate === "string" && candidate.includes(pattern.slice("__CONTAINS__:".length));
  }
  if (pattern.startsWith("__REGEX__:")) {
    const source = pattern.slice("__REGEX__:".length);
    return typeof candidate === "string" && new RegExp(`^(?:${source})$`, "su").test(candidate);
  }
  return undefined;
}

function isIgnored(path: Path, ignore: readonly string[] | undefined): boolean {
  return (ignore ?? []).some(pattern => {
    const segments = pattern.split("/").slice(1).map(unescapeSegment);
    return (
      segments.length === path.length &&
      segments.every((segment, index) => segment === "*" || segment === path[index])
    );
  });
}

function pointer(path: Path): string {
  return path.map(segment => `/${segment.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** The value for people and for JSON output; exact numbers that JSON can hold become plain ones. */
export function toPlain(value: ExactJson): unknown {
  if (value instanceof ExactNumber) {
    const number = Number(value.text);
    return Number.isSafeInteger(number) || !Number.isInteger(number) ? number : value.text;
  }
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toPlain(member)]));
}

/** Sorted keys, no nulls in objects, one spelling per number: equal values have equal texts. */
export function canonicalText(value: ExactJson): string {
  if (value instanceof ExactNumber || typeof value === "number") return canonicalNumber(numberText(value));
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value as Members)
    .filter(([, member]) => member !== null)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${canonicalText(member)}`).join(",")}}`;
}
