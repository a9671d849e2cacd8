import type { LatencySeries } from "../latency.ts";
import type { Stretch } from "../timeline/summary.ts";
import { html, line, type Markup } from "./markup.ts";
import { clock, day, duration } from "./words.ts";

interface Size {
  readonly className: string;
  readonly width: number;
  readonly height: number;
  readonly left: number;
  /** labels below, at most */
  readonly labels: number;
}

/** Drawn twice, so that letters keep their size: the style shows the one that fits. */
const SIZES: readonly Size[] = [
  { className: "wide", width: 1040, height: 220, left: 56, labels: 9 },
  { className: "narrow", width: 340, height: 200, left: 54, labels: 3 },
];

const KINDS = ["refused", "asked", "kept", "undone"] as const;
const BOTTOM = 24;
const TOP = 10;
const MIN_PEAK = 4;

/** Refusals, questions, keeps and undos over time, one column a stretch. */
export function activityChart(
  stretches: readonly Stretch[],
  { isByHour, hasUndone }: { readonly isByHour: boolean; readonly hasUndone: boolean },
): Markup {
  const kinds = hasUndone ? KINDS : KINDS.filter(kind => kind !== "undone");
  const total = (one: Stretch) => kinds.reduce((sum, kind) => sum + one[kind], 0);
  const highest = Math.max(MIN_PEAK, ...stretches.map(total));
  const step = niceStep(highest);
  const peak = Math.ceil(highest / step) * step;
  const label = ({ startMs }: Stretch) => (isByHour ? clock(startMs) : day(startMs).slice(5));
  const told = kinds.map(kind => `${stretches.reduce((sum, one) => sum + one[kind], 0)} ${kind}`).join(", ");
  const drawn = SIZES.map(({ className, width, height, left, labels }) => {
    const bottom = height - BOTTOM;
    const y = (value: number) => bottom - (value / peak) * (bottom - TOP);
    const each = (width - left) / stretches.length;
    const every = Math.ceil(stretches.length / labels);
    const lines = Array.from({ length: Math.round(peak / step) + 1 }, (_, index) => {
      const at = y(index * step);
      return html`<line class="grid" x1="${left}" x2="${width}" y1="${at}" y2="${at}"/><text x="${left - 8}" y="${at + 4}" text-anchor="end">${index * step}</text>`;
    });
    const columns = stretches.map((one, index) => {
      const x = left + index * each + each * 0.18;
      let below = 0;
      const parts = kinds
        .filter(kind => one[kind] > 0)
        .map(kind => {
          below += one[kind];
          return html`<rect class="fill-${kind}" x="${x.toFixed(1)}" y="${y(below).toFixed(1)}" width="${(each * 0.64).toFixed(1)}" height="${((one[kind] / peak) * (bottom - TOP)).toFixed(1)}" rx="1.5"><title>${label(one)}: ${one[kind]} ${kind}</title></rect>`;
        });
      const text =
        index % every === 0
          ? html`<text x="${(left + (index + 0.5) * each).toFixed(1)}" y="${height - 6}" text-anchor="middle">${label(one)}</text>`
          : "";
      return html`${parts}${text}`;
    });
    return html`<svg class="chart ${className}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Over time: ${told}">${lines}${columns}</svg>`;
  });
  const legend = kinds.map(
    kind => html`<li><i class="key-${kind}"></i>${kind === "kept" ? "kept first" : kind}</li>`,
  );
  return html`<figure>${drawn}<figcaption><ul class="legend">${legend}</ul></figcaption></figure>`;
}

/** 1, 2, 5, 10, 20 …: at most five lines. */
function niceStep(highest: number): number {
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  return Math.max(1, [1, 2, 5, 10].map(factor => factor * power).find(step => step >= rough) ?? 1);
}

const MAX_SERIES = 6;

/** How long hooks took, 95 of 100 calls, over time; logarithmic, since they differ by far. */
export function latencyChart(all: readonly LatencySeries[]): Markup {
  const series = all.slice(0, MAX_SERIES);
  const points = series.flatMap(one => one.points);
  const starts = points.map(({ startMs }) => startMs);
  const [from, to] = [Math.min(...starts), Math.max(...starts)];
  const exponents = points.map(({ p95Us }) => Math.log10(Math.max(1, p95Us)));
  const low = Math.floor(Math.min(...exponents));
  const high = Math.max(low + 1, Math.ceil(Math.max(...exponents)));
  const told = series.map(({ hook, overall }) => `${hook} ${duration(overall.p95Us / 1_000)}`).join(", ");
  const isOneDay = day(from) === day(to);
  const label = (ms: number) => (isOneDay ? clock(ms) : `${day(ms).slice(5)} ${clock(ms)}`);
  const drawn = SIZES.map(({ className, width, height, left }) => {
    const bottom = height - BOTTOM;
    const right = width - 10;
    const x = (ms: number) =>
      to === from ? (left + right) / 2 : left + ((ms - from) / (to - from)) * (right - left);
    const y = (exponent: number) => bottom - ((exponent - low) / (high - low)) * (bottom - TOP);
    const lines = Array.from({ length: high - low + 1 }, (_, index) => {
      const at = y(low + index).toFixed(1);
      return html`<line class="grid" x1="${left}" x2="${width}" y1="${at}" y2="${at}"/><text x="${left - 8}" y="${Number(at) + 4}" text-anchor="end">${duration(10 ** (low + index) / 1_000)}</text>`;
    });
    const curves = series.map(({ points: own }, index) => {
      const places = own.map(
        ({ startMs, p95Us }) => [x(startMs), y(Math.log10(Math.max(1, p95Us)))] as const,
      );
      const path = places.map(([px, py]) => `${px.toFixed(1)},${py.toFixed(1)}`).join(" ");
      return html`<g class="series-${index}"><polyline points="${path}"/>${places.map(([px, py]) => html`<circle cx="${px.toFixed(1)}" cy="${py.toFixed(1)}" r="2.5"/>`)}</g>`;
    });
    return html`<svg class="chart ${className}" viewBox="0 0 ${width} ${height}" role="img" aria-label="Time that hooks took, 95 of 100 calls: ${line(told)}">${lines}
<text x="${left}" y="${height - 6}">${label(from)}</text><text x="${right}" y="${height - 6}" text-anchor="end">${label(to)}</text>${curves}</svg>`;
  });
  return html`<figure>${drawn}<figcaption class="soft">Time inside the hook, 95 of 100 calls are faster. Each line upwards is ten times as long.</figcaption></figure>`;
}
