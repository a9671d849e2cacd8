import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  accumulate,
  type Contribution,
  combine,
  type Effect,
  EMPTY,
  finish,
  fold,
  isSameJson,
  type JsonObject,
  NO_OUTCOME,
  type Power,
  VERDICTS,
  type VerdictKind,
} from "../../src/protocol/index.ts";

const POWERS: readonly Power[] = ["veto", "retry", "feedback", "none"];
const stated = fc.constantFrom<Exclude<VerdictKind, "none">>("allow", "ask", "defer", "deny");
const text = fc.string({ minLength: 1, maxLength: 12 });
const input: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.constantFrom("a", "b"),
  fc.integer({ min: 0, max: 2 }),
);

const optional = <V>(arbitrary: fc.Arbitrary<V>, freq = 2) => fc.option(arbitrary, { nil: undefined, freq });
const effect: fc.Arbitrary<Effect> = fc
  .record({
    decision: optional(fc.record({ kind: stated, reason: optional(text) })),
    halt: optional(fc.record({ reason: optional(text) }), 6),
    input: optional(input),
    output: optional(fc.jsonValue({ maxDepth: 1 }) as fc.Arbitrary<string>),
    context: optional(text),
    message: optional(fc.record({ text, level: fc.constantFrom("info" as const, "warn" as const) })),
    suppress: optional(fc.boolean()),
    extras: optional(fc.dictionary(fc.constantFrom("x", "y"), fc.integer())),
  })
  .map(members => JSON.parse(JSON.stringify(members)) as Effect);

const contributions = fc
  .array(effect, { maxLength: 8 })
  .map(list => list.map((item, index): Contribution => named(`hook-${index}`, item)));

function named(hook: string, said: Effect): Contribution {
  return { hook, effect: said, run: { hook, status: "ok", durationMs: 1 } };
}

function rank(kind: VerdictKind): number {
  return VERDICTS.indexOf(kind);
}

describe("the fold of effects", () => {
  it("1: does not depend on the order in which hooks finish", () => {
    fc.assert(
      fc.property(
        contributions,
        fc.constantFrom(...POWERS),
        fc.infiniteStream(fc.nat()),
        (list, power, picks) => {
          const arrived = new Map<number, Contribution>();
          const waiting = list.map((item, index) => [index, item] as const);
          while (waiting.length > 0) {
            const [next] = waiting.splice((picks.next().value ?? 0) % waiting.length, 1);
            if (next !== undefined) arrived.set(...next);
          }
          const inPlace = list.map((_, index) => arrived.get(index) as Contribution);
          expect(fold(inPlace, { power })).toEqual(fold(list, { power }));
        },
      ),
    );
  });

  it("2: is not changed by a hook that says nothing, apart from its run", () => {
    fc.assert(
      fc.property(contributions, fc.nat({ max: 8 }), fc.constantFrom(...POWERS), (list, place, power) => {
        const silent = named("silent", {});
        const { runs, ...rest } = fold(list.toSpliced(place, 0, silent), { power });
        const { runs: _, ...before } = fold(list, { power });
        expect(rest).toEqual(before);
        expect(runs).toHaveLength(list.length + 1);
      }),
    );
  });

  it("3: never lowers the decision when a hook is added", () => {
    fc.assert(
      fc.property(
        contributions,
        effect,
        fc.nat({ max: 8 }),
        fc.constantFrom(...POWERS),
        (list, more, place, power) => {
          const before = fold(list, { power }).decision.kind;
          const after = fold(list.toSpliced(place, 0, named("more", more)), { power }).decision.kind;
          expect(rank(after)).toBeGreaterThanOrEqual(rank(before));
        },
      ),
    );
  });

  it("4: is a monoid, so the list may be folded in pieces", () => {
    fc.assert(
      fc.property(contributions, fc.nat({ max: 8 }), fc.nat({ max: 8 }), (list, one, other) => {
        const [first, second] = [Math.min(one, other), Math.max(one, other)];
        const parts = [list.slice(0, first), list.slice(first, second), list.slice(second)];
        const folded = parts.map(part => part.map(accumulate).reduce(combine, EMPTY));
        const [a = EMPTY, b = EMPTY, c = EMPTY] = folded;
        const whole = list.map(accumulate).reduce(combine, EMPTY);
        expect(combine(combine(a, b), c)).toEqual(whole);
        expect(combine(a, combine(b, c))).toEqual(whole);
        expect(combine(EMPTY, whole)).toEqual(whole);
        expect(combine(whole, EMPTY)).toEqual(whole);
        expect(finish(combine(a, combine(b, c)), { power: "veto" })).toEqual(fold(list, { power: "veto" }));
      }),
    );
  });

  it("5: gives the reasons of the winners, each once, in fold order, and nobody else's", () => {
    fc.assert(
      fc.property(contributions, list => {
        const { decision } = fold(list, { power: "veto" });
        const winners = list.filter(item => item.effect.decision?.kind === decision.kind);
        if (decision.kind === "none") {
          expect(list.every(item => item.effect.decision === undefined)).toBe(true);
          return;
        }
        const reasons = winners.flatMap(item => item.effect.decision?.reason ?? []);
        expect(decision.by).toEqual(winners.map(item => item.hook));
        if (reasons.length > 0) expect(decision.reason).toBe(reasons.join("\n"));
        else if (decision.kind === "deny") expect(decision.reason).toContain(winners[0]?.hook);
        else expect(decision.reason).toBeUndefined();
      }),
    );
  });

  it("6: hands on an input exactly when a rewrite counted and nothing stopped the call, and then the last", () => {
    fc.assert(
      fc.property(contributions, list => {
        const outcome = fold(list, { power: "veto" });
        const rewrites = list.flatMap(item => item.effect.input ?? []);
        const isStopped = outcome.decision.kind === "deny" || outcome.halt !== undefined;
        if (rewrites.length > 0 && !isStopped) expect(outcome.input).toEqual(rewrites.at(-1));
        else expect(outcome).not.toHaveProperty("input");
      }),
    );
  });

  it("7: reports a conflict exactly when two rewrites differ", () => {
    fc.assert(
      fc.property(contributions, list => {
        const rewrites = list.flatMap(item => item.effect.input ?? []);
        const differ = rewrites.some(one => rewrites.some(other => !isSameJson(one, other)));
        const codes = fold(list, { power: "veto" }).diagnostics.map(({ code }) => code);
        expect(codes.includes("rewrite-conflict")).toBe(differ);
      }),
    );
  });

  it("8: decides nothing on an event without power, shows the refusals and says so", () => {
    fc.assert(
      fc.property(contributions, list => {
        const outcome = fold(list, { power: "none" });
        expect(outcome.decision).toEqual({ kind: "none" });
        const denials = list.filter(item => item.effect.decision?.kind === "deny");
        const shown = outcome.messages.filter(
          ({ level, hook }) => level === "warn" && denials.some(d => d.hook === hook),
        );
        expect(shown.length).toBeGreaterThanOrEqual(denials.length);
        const hasDecision = list.some(item => item.effect.decision !== undefined);
        expect(outcome.diagnostics.some(({ code }) => code === "decision-ignored")).toBe(hasDecision);
      }),
    );
  });

  it("9: takes a failure under open for silence and one under closed for a deny", () => {
    const failure = { code: "timeout", severity: "error", detail: "late" } as const;
    fc.assert(
      fc.property(contributions, fc.nat({ max: 8 }), (list, place) => {
        const open = fold(list.toSpliced(place, 0, named("x", { diagnostics: [failure] })), {
          power: "veto",
        });
        const silent = fold(list.toSpliced(place, 0, named("x", {})), { power: "veto" });
        expect({ ...open, diagnostics: [] }).toEqual({ ...silent, diagnostics: [] });
        const deny = { decision: { kind: "deny", reason: "could not check" } } as const;
        const closed = fold(list.toSpliced(place, 0, named("x", { ...deny, diagnostics: [failure] })), {
          power: "veto",
        });
        const denied = fold(list.toSpliced(place, 0, named("x", deny)), { power: "veto" });
        expect({ ...closed, diagnostics: [] }).toEqual({ ...denied, diagnostics: [] });
      }),
    );
  });

  it("names the first halt beside the decision", () => {
    const outcome = fold(
      [
        named("a", { decision: { kind: "allow" } }),
        named("b", { halt: { reason: "first" } }),
        named("c", { halt: {} }),
      ],
      { power: "veto" },
    );
    expect(outcome).toMatchObject({ decision: { kind: "allow" }, halt: { hook: "b", reason: "first" } });
  });

  it("keeps a rewrite under ask, defer and allow", () => {
    for (const kind of ["allow", "ask", "defer"] as const)
      expect(
        fold([named("a", { input: { a: 1 } }), named("b", { decision: { kind } })], { power: "veto" }).input,
      ).toEqual({ a: 1 });
  });

  it("refuses an aborted action that could be vetoed, and allows nothing that was aborted", () => {
    fc.assert(
      fc.property(contributions, fc.constantFrom(...POWERS), (list, power) => {
        const outcome = fold(list, { power, aborted: true });
        expect(outcome.aborted).toBe(true);
        expect(outcome.decision.kind).not.toBe("allow");
        if (power === "veto") expect(outcome.decision.kind).toBe("deny");
      }),
    );
    expect(fold([], { power: "veto", aborted: true }).decision).toEqual({
      kind: "deny",
      reason: "aborted",
      by: [],
    });
  });

  it("lets an agent stop that was held too often", () => {
    const outcome = fold([named("a", { decision: { kind: "deny", reason: "go on" } })], {
      power: "retry",
      isStopCapReached: true,
    });
    expect(outcome.decision).toEqual({ kind: "none" });
    expect(outcome.diagnostics.map(({ code }) => code)).toEqual(["stop-cap"]);
  });

  it("folds nothing to silence", () => {
    expect(fold([], { power: "veto" })).toEqual(NO_OUTCOME);
  });
});
