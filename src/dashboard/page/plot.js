import { draw, shownMs, shownTime } from "./elements.js";

/** Time to the right, duration upwards by powers of ten. */
export function plot(series) {
  const width = 960;
  const height = 280;
  const edge = { left: 64, right: 200, top: 16, bottom: 32 };
  const points = series.flatMap(one => one.points);
  const starts = points.map(point => point.startMs);
  const [from, to] = [Math.min(...starts), Math.max(...starts)];
  const exponents = points.map(point => Math.log10(Math.max(1, point.p95Us)));
  const low = Math.floor(Math.min(...exponents));
  const high = Math.max(low + 1, Math.ceil(Math.max(...exponents)));
  const right = width - edge.right;
  const bottom = height - edge.bottom;
  const x = ms => (to === from ? right : edge.left + ((ms - from) / (to - from)) * (right - edge.left));
  const y = exponent => bottom - ((exponent - low) / (high - low)) * (bottom - edge.top);

  const busiest = series[0];
  const picture = draw("svg", {
    viewBox: `0 0 ${width} ${height}`,
    role: "img",
    "aria-label": `Latency over time of ${series.map(one => one.hook).join(", ")}; ${busiest.hook} is called most, 95 % of its calls within ${shownMs(busiest.overall.p95Us / 1000)} ms`,
  });
  for (let exponent = low; exponent <= high; exponent++) {
    picture.append(
      draw("line", { class: "grid", x1: edge.left, x2: right, y1: y(exponent), y2: y(exponent) }),
      draw(
        "text",
        { x: edge.left - 8, y: y(exponent) + 4, "text-anchor": "end" },
        `${10 ** exponent / 1000} ms`,
      ),
    );
  }
  picture.append(
    draw("text", { x: edge.left, y: height - 10 }, shownTime(from).slice(0, 16)),
    draw("text", { x: right, y: height - 10, "text-anchor": "end" }, shownTime(to).slice(0, 16)),
  );
  series.forEach((one, index) => {
    const places = one.points.map(point => [x(point.startMs), y(Math.log10(Math.max(1, point.p95Us)))]);
    const group = draw("g", { class: `series-${index}` });
    group.append(
      draw("polyline", { points: places.map(place => place.map(n => n.toFixed(1)).join(",")).join(" ") }),
    );
    for (const [cx, cy] of places) group.append(draw("circle", { cx, cy, r: 2.5 }));
    const row = edge.top + 14 + index * 20;
    group.append(
      draw("rect", { class: "legend", x: right + 20, y: row - 9, width: 10, height: 10 }),
      draw("text", { x: right + 36, y: row }, one.hook),
    );
    picture.append(group);
  });
  return picture;
}
