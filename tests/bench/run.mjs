// `npm run bench [NAME…]`: runs every file beside this one that exports `bench()`, prints one table and writes
// bench-results.json. Figures are compared only with others of the same run; nothing here is an assertion. A ratio is
// to what the row itself compares with, else to the first row of its bench and unit. What is read once, a size or a
// growth, has one figure and no ratio. `--against COMMIT` compares this tree with another, see against.mjs.
import { readdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const NO_BENCHES = [
  "run.mjs",
  "measure.mjs",
  "against.mjs",
  "judge-in-turns.mjs",
  "history-length.mjs",
  "locomo.mjs",
];

const folder = fileURLToPath(new URL(".", import.meta.url));
const { values, positionals } = parseArgs({
  options: {
    against: { type: "string" },
    results: { type: "string" },
    // Checkouts of public sets that the user has, for `outside` and `memory`.
    ...Object.fromEntries(
      ["redcode", "dcg", "tldr", "nl2bash", "trajectories", "locomo"].map(name => [name, { type: "string" }]),
    ),
  },
  allowPositionals: true,
});
const rows = values.against === undefined ? await runBenches(positionals) : await runAgainst(values.against);

async function runBenches(wanted) {
  const names = readdirSync(folder)
    .filter(file => file.endsWith(".mjs") && !NO_BENCHES.includes(file))
    .map(file => file.slice(0, -4))
    .filter(name => wanted.length === 0 || wanted.includes(name));
  const found = [];
  for (const name of names) {
    process.stderr.write(`measuring ${name} …\n`);
    const { bench } = await import(new URL(`${name}.mjs`, import.meta.url).href);
    for (const row of withRatios(await bench(values))) found.push({ bench: name, ...row });
  }
  return found;
}

async function runAgainst(commit) {
  const { benchAgainst } = await import("./against.mjs");
  return (await benchAgainst(commit)).map(row => ({
    bench: "against",
    ...row,
    target: `was ${number(row.old)}`,
  }));
}

function withRatios(found) {
  const first = new Map();
  return found.map(row => {
    const unit = row.unit ?? "ms";
    if (row.p95 === undefined) return row;
    if (!first.has(unit)) first.set(unit, row.p50);
    return { ...row, ratio: row.ratio ?? row.p50 / first.get(unit) };
  });
}

function number(value) {
  return value === undefined ? "" : value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
const cells = rows.map(row => [
  row.bench,
  row.name,
  number(row.p50),
  number(row.p95),
  row.unit ?? "ms",
  row.ratio === undefined ? "" : `${row.ratio.toFixed(2)} ×`,
  row.target ?? "",
]);
const header = ["bench", "what", "p50", "p95", "unit", "ratio", "target"];
const widths = header.map((title, column) => Math.max(title.length, ...cells.map(row => row[column].length)));
const line = row =>
  row
    .map((cell, column) => cell.padEnd(widths[column]))
    .join("  ")
    .trimEnd();
console.log([line(header), line(widths.map(width => "-".repeat(width))), ...cells.map(line)].join("\n"));
writeFileSync(
  values.results ?? "bench-results.json",
  `${JSON.stringify({ node: process.version, rows }, null, 2)}\n`,
);
