import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { percentiles } from "./measure.mjs";

export const MEMORIES = 100_000;
export const PROJECTS = 10;
export const AGENTS = 7;
const VOCABULARY = 20_000;
export const DAY_MS = 24 * 60 * 60 * 1000;

/** Search, lookup and storing in a store of 100 000 memories, with words as unevenly spread as in real texts. */
export async function bench({ locomo } = {}) {
  if (locomo !== undefined) return (await import("./locomo.mjs")).benchConversations(locomo);
  const folder = mkdtempSync(resolve("node_modules", ".amplihack-bench-"));
  try {
    const { openStore, readQuery, rankCandidates, recallForPrompt, createNodeSystem } =
      await loadSources(folder);
    const text = makeTexts();
    const system = createNodeSystem();
    const nowMs = () => system.clock.nowMs();
    const store = await openStore(system, join(folder, "memory.db"));
    const filled = process.cpuUsage();
    for (let agent = 0; agent < AGENTS; agent++) {
      await store.take(`agent ${agent}`, memoriesOf(agent, text, system.clock.nowMs()), false);
    }
    const { user, system: inKernel } = process.cpuUsage(filled);
    const fillMs = (user + inKernel) / 1_000;

    const prompts = Array.from({ length: 1_000 }, () => text.sentence(3 + text.below(10)));
    const search = async (prompt, filter) => {
      const found = await store.search(readQuery(prompt), filter, 100);
      return rankCandidates(found, system.clock.nowMs(), 5);
    };
    const scoped = round => ({
      projects: [`/project ${round % PROJECTS}`, ""],
      agent: `agent ${round % AGENTS}`,
      updatedSinceMs: system.clock.nowMs() - 30 * DAY_MS,
    });
    const longPrompts = Array.from({ length: 300 }, () => text.sentence(30));
    const recalled = round => ({
      projects: [`/project ${round % PROJECTS}`, ""],
      updatedSinceMs: nowMs() - 365 * DAY_MS,
      unseenBy: `session ${round}`,
    });
    const target = "p95 ≤ 25 ms";
    return [
      {
        name: `search all of ${MEMORIES}, warm`,
        ...(await measure(round => search(prompts[round % prompts.length], {}), 500)),
        target,
      },
      {
        name: "search a project's agent, warm",
        ...(await measure(round => search(prompts[round % prompts.length], scoped(round)), 500)),
        target,
      },
      {
        name: "search for the most common word",
        ...(await measure(() => search(text.word(0), {}), 100)),
        target,
      },
      {
        name: "search for a word with a wrong letter",
        ...(await measure(round => search(`${nameOf(round * 97).slice(0, -1)}q`, {}), 100)),
        target: "p95 ≤ 100 ms",
      },
      {
        name: "recall for a prompt of 30 words",
        ...(await measure(
          round => recallForPrompt(store, longPrompts[round % longPrompts.length], recalled(round), nowMs()),
          300,
        )),
        target: "p95 ≤ 100 ms",
      },
      {
        name: "start of a session",
        ...(await measure(
          round => store.latest(`/project ${round % PROJECTS}`, nowMs() - 30 * DAY_MS, 5),
          300,
        )),
      },
      {
        name: "get by name",
        ...(await measure(
          round => store.list({ agent: `agent ${round % AGENTS}`, session: "", key: `key ${round}` }, "name"),
          500,
        )),
      },
      {
        name: "store one, on disk",
        ...(await measure(
          round =>
            store.put({
              project: "",
              agent: "bench",
              session: "",
              key: `new ${round}`,
              value: text.sentence(40),
              type: "text",
              category: "context",
            }),
          100,
          { byClock: true },
        )),
      },
      { name: `fill the store with ${MEMORIES}`, ...percentiles([fillMs / 1000]), unit: "s" },
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * As `measureCalls`, for calls that promise, in processor time: SQLite answers in the same thread, so that a quiet
 * machine takes as long by the clock. `byClock` is for what waits for the disk.
 */
export async function measure(work, rounds, { byClock = false } = {}) {
  const now = () => {
    if (byClock) return Number(process.hrtime.bigint()) / 1e6;
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const samples = [];
  for (let round = -20; round < rounds; round++) {
    const start = now();
    await work(Math.abs(round));
    if (round >= 0) samples.push(now() - start);
  }
  return percentiles(samples);
}

/** The store is internal, so it is bundled here the way the program bundles it. */
export async function loadSources(folder, more = []) {
  const outfile = join(folder, "store.mjs");
  const exported = [
    ["openStore", "src/memory/sqlite-store.ts"],
    ["readQuery", "src/memory/search-words.ts"],
    ["recallForPrompt", "src/memory/ranking.ts"],
    ["rankCandidates", "src/memory/ranking.ts"],
    ["createNodeSystem", "src/system/node.ts"],
    ...more,
  ];
  const contents = exported.map(([names, file]) => `export { ${names} } from "./${file}";`).join("\n");
  buildSync({
    stdin: { contents, resolveDir: process.cwd(), loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    target: "node20.19",
    format: "esm",
    external: ["libsql", "pg", "vitest"],
    logLevel: "warning",
  });
  return import(pathToFileURL(outfile).href);
}

/** An identifier that one memory has: real notes are full of them, and each is a term of the index. */
export function nameOf(number) {
  return `name${((number * 2_654_435_761) % 4_294_967_296).toString(36)}Part`;
}

export function memoriesOf(agent, text, nowMs) {
  const count = Math.ceil((MEMORIES - agent) / AGENTS);
  return Array.from({ length: count }, (_, index) => {
    const number = index * AGENTS + agent;
    const updatedMs = nowMs - text.below(90) * DAY_MS;
    return {
      id: String(number),
      project: number % 20 === 0 ? "" : `/project ${number % PROJECTS}`,
      agent: `agent ${agent}`,
      session: number % 3 === 0 ? "" : `session ${number % 500}`,
      key: `key ${index}`,
      value: `${text.sentence(20 + text.below(50))} ${nameOf(number)}`,
      type: "text",
      category: "learning",
      createdMs: updatedMs,
      updatedMs,
    };
  });
}

/** Words by Zipf's law from a fixed seed: the same texts in every run. */
export function makeTexts() {
  let seed = 20_260_615;
  const random = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return seed / 0x7fffffff;
  };
  const sums = [];
  let total = 0;
  for (let rank = 1; rank <= VOCABULARY; rank++) {
    total += 1 / rank;
    sums.push(total);
  }
  const word = rank => `w${rank.toString(36)}x`;
  const anyWord = () => {
    const wanted = random() * total;
    let [low, high] = [0, VOCABULARY - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sums[middle] < wanted) low = middle + 1;
      else high = middle;
    }
    return word(low);
  };
  return {
    word,
    below: limit => Math.floor(random() * limit),
    sentence: length => Array.from({ length }, anyWord).join(" "),
  };
}
