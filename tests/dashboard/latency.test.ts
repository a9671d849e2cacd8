import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Latency } from "../../src/dashboard/activity.ts";

const MINUTE_MS = 60_000;

describe("latency in bounded memory", () => {
  it("tells quantiles within a tenth of the exact ones", () => {
    const durations = fc.array(fc.integer({ min: 1, max: 30_000_000 }), { minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(durations, all => {
        const latency = new Latency();
        for (const us of all) latency.add("stop", 0, us);
        const sorted = all.toSorted((one, other) => one - other);
        const exact = (share: number) => sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
        const overall = latency.series()[0]?.overall;
        expect(overall?.count).toBe(all.length);
        expect(overall?.maximumUs).toBe(sorted.at(-1));
        for (const [told, share] of [
          [overall?.medianUs, 0.5],
          [overall?.p95Us, 0.95],
        ] as const) {
          expect(Math.abs((told ?? 0) - exact(share))).toBeLessThanOrEqual(exact(share) * 0.1 + 1);
        }
      }),
    );
  });

  it("loses no call when stretches of time are joined", () => {
    const latency = new Latency();
    for (let minute = 0; minute < 5_000; minute++) latency.add("stop", minute * MINUTE_MS, 10);
    const [series] = latency.series();
    expect(series?.points.length).toBeLessThanOrEqual(120);
    expect(series?.points.reduce((sum, point) => sum + point.count, 0)).toBe(5_000);
    expect(series?.points.map(point => point.startMs)).toEqual(
      series?.points.map(point => point.startMs).toSorted((one, other) => one - other),
    );
  });

  it("drops the oldest once a stretch lasts a day", () => {
    const latency = new Latency();
    const day = 24 * 60 * MINUTE_MS;
    for (let index = 0; index < 1_000; index++) latency.add("stop", index * 3 * day, 10);
    const [series] = latency.series();
    expect(series?.points).toHaveLength(120);
    expect(series?.points.at(-1)?.startMs).toBeGreaterThan(2_990 * day);
    expect(series?.overall.count).toBe(1_000);
  });

  it("puts hooks beyond a number together", () => {
    const latency = new Latency();
    for (let index = 0; index < 1_000; index++) latency.add(`hook-${index}`, 0, 10);
    expect(latency.series()).toHaveLength(33);
    expect(latency.series()[0]).toMatchObject({ hook: "other", overall: { count: 968 } });
  });
});
