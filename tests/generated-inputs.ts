import fc from "fast-check";

// The default run draws the same inputs every time, so that a red run means a change, and few of them; `npm run
// test:long` draws new ones and many more. fast-check prints the seed of a failure, which AMPLIHACK_TEST_SEED takes back.
const seed = process.env["AMPLIHACK_TEST_SEED"] ?? "20261115";
const isLong = process.env["AMPLIHACK_TEST_LONG"] === "1";
const FACTOR = 10;
const FEW = 100;

/**
 * How many inputs a property gets that is worth `count` of them: a tenth by default, but not fewer than a hundred, and
 * ten times as many in the long run. With `longCount` it is exactly these two numbers.
 */
export function runs(count: number, longCount?: number): number {
  if (longCount !== undefined) return isLong ? longCount : count;
  return isLong ? count * FACTOR : Math.min(count, Math.max(FEW, Math.ceil(count / FACTOR)));
}

fc.configureGlobal({ numRuns: runs(100), ...(seed === "random" ? {} : { seed: Number(seed) }) });

const codePoints = (min: number, max: number) => fc.integer({ min, max });

/**
 * One character of any kind, for `fc.string({ unit: anyCharacter })`. fast-check's own "binary" first makes a table of
 * all of Unicode, which takes longer than most properties.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 4, arbitrary: codePoints(0, 0x7f) },
    { weight: 2, arbitrary: codePoints(0x80, 0x7ff) },
    { weight: 2, arbitrary: codePoints(0x800, 0xd7ff) },
    { weight: 1, arbitrary: codePoints(0xe000, 0xffff) },
    { weight: 1, arbitrary: codePoints(0x10000, 0x10ffff) },
  )
  .map(codePoint => String.fromCodePoint(codePoint));
