// What a decision costs once everything is loaded; growth.mjs tells how that grows with the command.
import { loadSource } from "../../scripts/load-source.mjs";
import { measureCalls } from "./measure.mjs";

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

/** Decides about a command in an ordinary place; `load` gives the modules of a tree. */
export async function openGuard(load) {
  const { judgeCommand, createMemorySystem } = await load({
    "guard/index.ts": ["judgeCommand"],
    "system/memory.ts": ["createMemorySystem"],
  });
  const cwd = "/home/user/project";
  const system = createMemorySystem({
    cwd,
    files: { [`${cwd}/.git/HEAD`]: "ref: refs/heads/feature/x\n" },
  });
  const context = { cwd, home: "/home/user", system };
  return command => judgeCommand(command, context);
}

export async function bench() {
  const judge = await openGuard(loadSource);
  const rows = [];
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
