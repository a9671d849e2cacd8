// `node scripts/plot-bench.mjs`: draws docs/maintainers/plots/*.svg from bench-results.json, which `npm run bench` writes. Colours
// follow the reader's light or dark scheme.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const { rows, node } = JSON.parse(readFileSync("bench-results.json", "utf8"));
const FOLDER = "docs/maintainers/plots";
const [WIDTH, HEIGHT] = [640, 320];
const BOX = { left: 70, right: 500, top: 40, bottom: 270 };
const COLOURS = ["a", "b", "c"];

const STYLE = `<style>
text { font: 12px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 14px; }
.line { stroke: #8c959f; stroke-width: 1; }
.grid { stroke: #d0d7de; stroke-width: 0.5; }
.a { stroke: #0969da; fill: #0969da; } .b { stroke: #bc4c00; fill: #bc4c00; } .c { stroke: #8250df; fill: #8250df; }
polyline.a, polyline.b, polyline.c { fill: none; stroke-width: 2; }
text.a, text.b, text.c,
rect.a, rect.b, rect.c { stroke: none; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } .line { stroke: #8b949e; } .grid { stroke: #30363d; }
  .a { stroke: #58a6ff; fill: #58a6ff; } .b { stroke: #f0883e; fill: #f0883e; } .c { stroke: #bc8cff; fill: #bc8cff; }
}
</style>`;

const escapeText = text => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const short = value => (value >= 1000 ? `${value / 1000}k` : Number(value.toPrecision(2)).toString());
const text = (x, y, content, attributes = "") =>
  `<text x="${x}" y="${y}" ${attributes}>${escapeText(content)}</text>`;

function svg(title, parts, height = HEIGHT) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeText(title)}">
${STYLE}
${text(20, 22, title, 'class="title"')}
${parts.join("\n")}
</svg>
`;
}

/** Both axes grow by factors, so that a straight line of slope one is cost in proportion to size. */
function growth(part, title) {
  const own = rows.filter(row => row.part === part && row.p50 > 0);
  const range = values => [
    Math.floor(Math.log10(Math.min(...values))),
    Math.ceil(Math.log10(Math.max(...values))),
  ];
  const [xLow, xHigh] = range(own.map(row => row.size));
  const [yLow, yHigh] = range(own.map(row => row.p50));
  const place = (value, low, high, from, to) =>
    Math.round(from + ((Math.log10(value) - low) / Math.max(1, high - low)) * (to - from));
  const x = value => place(value, xLow, xHigh, BOX.left, BOX.right);
  const y = value => place(value, yLow, yHigh, BOX.bottom, BOX.top);
  const parts = [];
  for (let power = xLow; power <= xHigh; power++) {
    const at = x(10 ** power);
    parts.push(`<line class="grid" x1="${at}" x2="${at}" y1="${BOX.top}" y2="${BOX.bottom}"/>`);
    parts.push(text(at, BOX.bottom + 18, short(10 ** power), 'text-anchor="middle"'));
  }
  for (let power = yLow; power <= yHigh; power++) {
    const at = y(10 ** power);
    parts.push(`<line class="grid" x1="${BOX.left}" x2="${BOX.right}" y1="${at}" y2="${at}"/>`);
    parts.push(text(BOX.left - 8, at + 4, `${short(10 ** power)} ms`, 'text-anchor="end"'));
  }
  parts.push(text((BOX.left + BOX.right) / 2, BOX.bottom + 38, own[0].sizeUnit, 'text-anchor="middle"'));
  const ends = [];
  for (const [index, series] of [...new Set(own.map(row => row.series))].entries()) {
    const line = own.filter(row => row.series === series);
    const colour = COLOURS[index % COLOURS.length];
    const points = line.map(row => `${x(row.size)},${y(row.p50)}`);
    parts.push(`<polyline class="${colour}" points="${points.join(" ")}"/>`);
    for (const point of points) {
      const [cx, cy] = point.split(",");
      parts.push(`<circle class="${colour}" cx="${cx}" cy="${cy}" r="3"/>`);
    }
    ends.push({ series, colour, at: y(line.at(-1).p50) });
  }
  let above = Number.NEGATIVE_INFINITY;
  for (const { series, colour, at } of ends.sort((one, other) => one.at - other.at)) {
    above = Math.max(at + 4, above + 16);
    parts.push(text(BOX.right + 10, above, series, `class="${colour}"`));
  }
  return svg(title, parts);
}

/** Ours, a Node that does nothing and peers on the same input, as multiples of that Node in the same run. */
function coldStarts() {
  const own = rows.filter(row => ["cold-start", "peers"].includes(row.bench) && row.ratio > 0);
  const longest = Math.max(...own.map(row => row.ratio));
  const parts = own.flatMap((row, index) => {
    const y = 40 + index * 20;
    const colour = row.name.startsWith("amplihack") ? "a" : row.name.startsWith("bare") ? "c" : "b";
    const length = Math.round((row.ratio / longest) * 270);
    return [
      text(262, y + 12, row.name, 'text-anchor="end"'),
      `<rect class="${colour}" x="270" y="${y + 2}" width="${length}" height="13"/>`,
      text(270 + length + 6, y + 12, `${row.ratio.toFixed(2)} ×`),
    ];
  });
  return svg("From start to exit, against a Node that does nothing", parts, 60 + own.length * 20);
}

mkdirSync(FOLDER, { recursive: true });
const plots = {
  "cold-starts": coldStarts(),
  "growth-guard": growth("guard", "The guard, by the length of the command"),
  "growth-shell": growth("shell", "Reading shell text, by the length of the command"),
  "growth-engine": growth("engine", "One dispatch, by the number of typed hooks"),
  "growth-memory": growth("memory", "One search, by the number of memories"),
};
for (const [name, content] of Object.entries(plots)) writeFileSync(`${FOLDER}/${name}.svg`, content);
console.log(`${Object.keys(plots).length} plots of a run on Node ${node} in ${FOLDER}`);
