import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../generated-inputs.ts";

const INPUTS = 10_000;
const TIMEOUT_MS = runs(300_000, 3_000_000);

/** What must hold of one public function for any input; a check that fails throws, or answers false. */
export type Claim = fc.IRawProperty<unknown>;

/** Claims by the name of the function they are about. */
export type Claims = Readonly<Record<string, Claim>>;

/**
 * Tests what the package exports of one portable folder on generated inputs. A function without a claim fails the suite,
 * so that nothing new is exported untried.
 */
export function describePublicFunctions(folder: string, exported: object, claims: Claims): void {
  describeFunctions(folder, claims, () => {
    const functions = Object.entries(exported).filter(([, value]) => typeof value === "function");
    expect(Object.keys(claims).sort()).toEqual(functions.map(([name]) => name).sort());
  });
}

/** The same for functions behind a folder's door, of which others have tests of their own. */
export function describeDoor(folder: string, exported: object, claims: Claims): void {
  describeFunctions(folder, claims, () => {
    for (const name of Object.keys(claims)) expect(exported).toHaveProperty(name);
  });
}

function describeFunctions(folder: string, claims: Claims, checkNames: () => void): void {
  describe(`the public functions of ${folder}, given anything`, () => {
    it.each(Object.entries(claims))(
      "%s",
      async (_, claim) => {
        await fc.assert(claim, { numRuns: runs(INPUTS) });
      },
      TIMEOUT_MS,
    );

    it("all have a claim here", checkNames);
  });
}

/** A claim over one generated value. */
export function forAll<A>(one: fc.Arbitrary<A>, check: (one: A) => boolean): Claim {
  return fc.property(one, check) as Claim;
}

/** A claim over two generated values. */
export function forBoth<A, B>(
  one: fc.Arbitrary<A>,
  other: fc.Arbitrary<B>,
  check: (one: A, other: B) => boolean,
): Claim {
  return fc.property(one, other, check) as Claim;
}

/** The error an action ends with; undefined when it ends well. */
export function errorOf(action: () => unknown): unknown {
  try {
    action();
    return undefined;
  } catch (error) {
    return error;
  }
}
