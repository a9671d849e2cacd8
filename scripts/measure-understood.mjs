// npm run understood [-- --all]: which share of the commands of ordinary days is understood, which gaps stand in the way, and
// what programs they are about. Nothing is run.
import { readFileSync } from "node:fs";
import { loadSource } from "./load-source.mjs";

const CORPORA = ["ordinary", "ordinary-more", "ordinary-third", "ordinary-fourth"];
const SHOWN = 25;

const { judge, isUnderstood } = await loadSource({
  "../tests/guard/scene.ts": ["judge"],
  "exports/guard.ts": ["isUnderstood"],
});
const read = name =>
  readFileSync(new URL(`../tests/guard/corpus/${name}.txt`, import.meta.url), "utf8")
    .split("\n")
    .filter(line => line !== "" && !line.startsWith("# "));

const isAll = process.argv.includes("--all");
const only = new Map();
const kinds = new Map();
let understood = 0;
const commands = CORPORA.flatMap(read);
for (const command of commands) {
  const judgement = judge(command, { searchPath: "/usr/bin:/bin" });
  if (isUnderstood(judgement)) {
    understood += 1;
    continue;
  }
  const gaps = judgement.gaps();
  for (const kind of new Set(gaps.map(gap => gap.kind))) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  const whats = [...new Set(gaps.map(({ kind, what }) => `${kind} ${what}`))];
  if (whats.length === 1) only.set(whats[0], (only.get(whats[0]) ?? 0) + 1);
  if (isAll)
    console.log(
      `${command.slice(0, 110)}\n      ${gaps.map(({ kind, what }) => `${kind}: ${what}`).join("; ")}`,
    );
}
const sorted = map => [...map].sort(([, one], [, other]) => other - one);
console.log(
  `${understood} of ${commands.length} understood (${((100 * understood) / commands.length).toFixed(1)} %)`,
);
console.log(
  `by gap: ${sorted(kinds)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(", ")}`,
);
console.log("the only gap of a command:");
for (const [what, count] of sorted(only).slice(0, SHOWN))
  console.log(`${String(count).padStart(6)}  ${what}`);
