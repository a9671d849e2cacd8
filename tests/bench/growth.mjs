// How cost grows with the size of what is given: guard and shell by the length of a command, the engine by the number
// of hooks, memory by the number of memories. `series` and `size` are what docs/maintainers/performance.md plots.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { percentiles } from "./measure.mjs";

const KILOBYTES = [1, 4, 16, 64, 256];
const HOOKS = [1, 10, 100, 1000];
const SAMPLE_MS = 20;
const MEMORIES = [1_000, 10_000, 50_000];

/** Many small commands, one long word, and a long heredoc: the three ways in which commands grow. */
const SHAPES = {
  "many commands": bytes => "echo alpha beta; ".repeat(Math.floor(bytes / 17)),
  "one word": bytes => `echo ${"a".repeat(bytes - 5)}`,
  heredoc: bytes =>
    `cat > notes.md <<'END'\n${"never run rm -rf / here\n".repeat(Math.floor(bytes / 24))}END`,
};

export async function bench() {
  const folder = mkdtempSync(resolve("node_modules", ".amplihack-bench-"));
  try {
    const sources = await bundle(folder);
    return [
      ...(await commandRows(sources)),
      ...(await engineRows(folder)),
      ...(await memoryRows(sources, folder)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `ratio` is the cost of one unit of size against that at the smallest size: 1 is linear. */
function rowsOf(part, series, sizeUnit, figures, target) {
  let smallest;
  return [...figures].map(([size, { p50, p95 }]) => {
    smallest ??= p50 / size;
    const name = `${part}: ${series}, ${size} ${sizeUnit}`;
    const ratio = p50 / size / smallest;
    return { name, p50, p95, unit: "ms CPU", ratio, target, part, series, size, sizeUnit };
  });
}

async function commandRows({ judgeCommand, analyse, createMemorySystem }) {
  const cwd = "/home/user/project";
  const system = createMemorySystem({ cwd, files: { [`${cwd}/.git/HEAD`]: "ref: refs/heads/feature/x\n" } });
  const context = { cwd, home: "/home/user", system };
  const parts = {
    guard: command => judgeCommand(command, context),
    shell: command => analyse(command, { cwd, home: "/home/user", user: "user", tmpdir: "/tmp" }),
  };
  const rows = [];
  for (const [part, work] of Object.entries(parts)) {
    for (const [series, make] of Object.entries(SHAPES)) {
      const figures = new Map();
      for (const size of KILOBYTES) {
        const command = make(size * 1024);
        figures.set(size, await measureWork(() => work(command)));
      }
      rows.push(...rowsOf(part, series, "KB", figures, "per KB ≤ 3 ×"));
    }
  }
  return rows;
}

async function engineRows(projectDir) {
  const { createHookEngine } = await import(resolve("dist/engine/index.js"));
  const call = { session_id: "bench", tool_name: "Bash", tool_input: { command: "ls -la" } };
  const isShell = value => typeof value === "object" && value !== null && typeof value.command === "string";
  const figures = new Map();
  for (const count of HOOKS) {
    const engine = createHookEngine({
      projectDir,
      env: { HOME: projectDir },
      tools: { Bash: { args: isShell } },
    });
    for (let index = 0; index < count; index++)
      engine.beforeToolCall("Bash", ({ args }) => (args.command === "rm" ? { block: true } : undefined));
    figures.set(count, await measureWork(() => engine.dispatch("PreToolUse", call)));
  }
  return rowsOf("engine", "typed hooks", "hooks", figures, "per hook ≤ 1 ×");
}

async function memoryRows({ openStore, readQuery, rankCandidates, createNodeSystem }, folder) {
  const system = createNodeSystem();
  const figures = new Map();
  const wordAt = number => `w${((number * 2_654_435_761) % 20_000).toString(36)}x`;
  const textOf = number => Array.from({ length: 30 }, (_, index) => wordAt(number * 31 + index)).join(" ");
  for (const count of MEMORIES) {
    const store = await openStore(system, join(folder, `memory-${count}.db`));
    const now = system.clock.nowMs();
    const memories = Array.from({ length: count }, (_, index) => ({
      id: String(index),
      project: "/project",
      agent: "agent",
      session: "",
      key: `key ${index}`,
      value: textOf(index),
      type: "text",
      category: "learning",
      createdMs: now,
      updatedMs: now,
    }));
    await store.take("agent", memories, false);
    const search = async round => {
      const found = await store.search(readQuery(textOf(round * 7).slice(0, 40)), {}, 100);
      return rankCandidates(found, now, 5);
    };
    figures.set(count, await measureWork(search));
  }
  return rowsOf("memory", "search", "memories", figures, "per memory < 1 ×");
}

/** Milliseconds of processor time per call: growth shows in them on a busy machine too. */
async function measureWork(work, samples = 15) {
  const spent = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  let round = 0;
  const batch = async calls => {
    const start = spent();
    for (let call = 0; call < calls; call++) await work(round++);
    return (spent() - start) / calls;
  };
  await batch(3);
  const calls = Math.max(1, Math.min(5_000, Math.ceil(SAMPLE_MS / Math.max(0.001, await batch(3)))));
  await batch(calls);
  const list = [];
  for (let sample = 0; sample < samples; sample++) list.push(await batch(calls));
  return percentiles(list);
}

async function bundle(folder) {
  const entry = join(folder, "entry.ts");
  const outfile = join(folder, "sources.mjs");
  const from = (names, path) => `export { ${names} } from ${JSON.stringify(resolve(path))};`;
  writeFileSync(
    entry,
    [
      from("judgeCommand", "src/exports/guard.ts"),
      from("analyseCommand as analyse", "src/programs/model/analyse.ts"),
      from("createMemorySystem", "src/system/memory.ts"),
      from("openStore", "src/memory/sqlite-store.ts"),
      from("readQuery", "src/memory/search-words.ts"),
      from("rankCandidates", "src/memory/ranking.ts"),
      from("createNodeSystem", "src/system/node.ts"),
    ].join("\n"),
  );
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    minify: true,
    nodePaths: [resolve("node_modules")],
    external: ["libsql"],
    logLevel: "error",
  });
  return import(pathToFileURL(outfile).href);
}
