// What a decision costs once everything is loaded; growth.mjs tells how that grows with the command.
import { readdirSync, readFileSync } from "node:fs";
import { loadSource } from "../../scripts/load-source.mjs";
import { measureCalls, percentiles } from "./measure.mjs";

export const KINDS = {
  "pre-filter": ["git status", "ls -la src", "npm test", "cat README.md"],
  ordinary: [
    "git add -A && git commit -m 'fix the build'",
    "grep -rn 'TODO' src | head -20",
    'npm run build > build.log 2>&1; tail -5 "build.log"',
    "rm -rf node_modules dist && npm ci",
  ],
  complex: [
    'for f in $(git ls-files "*.ts"); do if grep -q x "$f"; then sed -i "s/a/b/" "$f"; fi; done | sort | uniq -c',
    'bash -c "cd build && for d in a b c; do rm -rf \\"$d/out\\"; done" && python3 -c "import shutil; shutil.rmtree(\'dist\')"',
    'D=$(mktemp -d); trap \'rm -rf "$D"\' EXIT; cat > "$D/x.sh" <<\'END\'\necho one\nrm -rf dist\nEND\nsh "$D/x.sh" && git push origin HEAD',
  ],
};

const CORPUS = new URL("../guard/corpus/", import.meta.url);
const MIXED = 5_000;

/** Half ordinary commands and half dangerous ones, in turns, taken evenly from all of the guard's corpora. */
export function mixedCommands() {
  const take = kind => {
    const files = readdirSync(CORPUS).filter(name => name.startsWith(kind));
    const lines = files.flatMap(name => readFileSync(new URL(name, CORPUS), "utf8").split("\n"));
    const commands = lines.filter(line => line.trim() !== "" && !line.startsWith("#"));
    const count = MIXED / 2;
    return Array.from({ length: count }, (_, at) => commands[Math.floor((at * commands.length) / count)]);
  };
  const dangerous = take("dangerous");
  return take("ordinary")
    .flatMap((command, at) => [command, dangerous[at]])
    .map(command => command.replaceAll("⏎", "\n"));
}

/** Decides about a command in an ordinary place; `load` gives the modules of a tree. */
export async function openGuard(load) {
  const { judgeCommand, createMemorySystem } = await load({
    "guard/guard.ts": ["judgeCommand"],
    "system/memory.ts": ["createMemorySystem"],
  });
  const cwd = "/home/user/project";
  const system = createMemorySystem({
    cwd,
    files: { [`${cwd}/.git/HEAD`]: "ref: refs/heads/feature/x\n" },
  });
  const context = { cwd, home: "/home/user", system, searchPath: "/usr/local/bin:/usr/bin:/bin" };
  return (command, isWhole = false) => {
    // The memory system keeps every call it was asked for.
    system.calls.length = 0;
    const judgement = judgeCommand(command, context);
    if (isWhole && judgement.verdict === "allow") judgement.hasGaps();
    return judgement;
  };
}

const WARM_UP_ROUNDS = 8;
const ROUNDS = 12;

/**
 * Decisions a second on one core over the mixed set: processor time, all threads, after a warm-up, with two yardsticks
 * of the same run: the shell parser alone, and `JSON.parse` of the calls as a host sends them.
 */
async function benchMixed(judge) {
  const { parse } = await loadSource({ "shell/syntax/parse.ts": ["parseShell as parse"] });
  const commands = mixedCommands();
  const calls = commands.map(command => JSON.stringify({ tool_name: "Bash", tool_input: { command } }));
  const works = {
    decisions: [judge, commands],
    "decisions with gaps": [command => judge(command, true), commands],
    "texts parsed": [parse, commands],
    "calls read from JSON": [JSON.parse, calls],
  };
  const seconds = Object.fromEntries(Object.keys(works).map(name => [name, []]));
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    for (const [name, [work, items]] of Object.entries(works)) {
      const start = process.cpuUsage();
      for (const item of items) work(item);
      const { user, system } = process.cpuUsage(start);
      if (round >= WARM_UP_ROUNDS) seconds[name].push((user + system) / 1e6 / MIXED);
    }
  }
  const decision = percentiles(seconds.decisions).p50;
  return Object.entries(seconds).map(([name, list]) => {
    const { p50, p95 } = percentiles(list);
    const target =
      name === "decisions"
        ? { target: "15000 1/s" }
        : name === "decisions with gaps"
          ? { target: "0.95 ×" }
          : {};
    return {
      name: `${name} per second, mixed set`,
      p50: 1 / p50,
      p95: 1 / p95,
      unit: "1/s",
      ratio: decision / p50,
      ...target,
    };
  });
}

export async function bench() {
  const judge = await openGuard(loadSource);
  const rows = await benchMixed(judge);
  for (const [kind, commands] of Object.entries(KINDS)) {
    const { p50, p95 } = measureCalls(round => judge(commands[round % commands.length]));
    rows.push({
      name: `warm decision, ${kind}`,
      p50: p50 * 1000,
      p95: p95 * 1000,
      unit: "µs",
      target: "1000 µs",
    });
    rows.push({ name: `decisions per second, ${kind}`, p50: 1000 / p50, p95: 1000 / p95, unit: "1/s" });
  }
  return rows;
}
