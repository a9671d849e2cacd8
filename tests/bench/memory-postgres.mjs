import { mkdtempSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { percentiles } from "./measure.mjs";
import { AGENTS, DAY_MS, loadSources, MEMORIES, makeTexts, memoriesOf, nameOf, PROJECTS } from "./memory.mjs";

/**
 * The same memories in SQLite and in PostgreSQL, on a socket of this machine with its files in memory, asked in turns.
 * By the clock, since a server works in processes of its own; the ratio is to SQLite.
 */
export async function bench() {
  const folder = mkdtempSync(resolve("node_modules", ".amplihack-bench-"));
  const sources = await loadSources(folder, [
    ["openPostgresStore", "src/memory/open-postgres-store.ts"],
    ["readDatabaseUrl", "src/postgres/url.ts"],
    ["hasPostgres, startPostgres", "tests/postgres-server.ts"],
  ]);
  if (!sources.hasPostgres) {
    process.stderr.write("PostgreSQL is not installed: apt-get install postgresql\n");
    rmSync(folder, { recursive: true, force: true });
    return [];
  }
  const server = await sources.startPostgres();
  try {
    const system = sources.createNodeSystem();
    const address = sources.readDatabaseUrl(server.url(), "option");
    const team = await sources.openPostgresStore(system, { address, team: "bench" });
    const file = await sources.openStore(system, join(folder, "memory.db"));
    const rows = await compare(sources, { SQLite: file, PostgreSQL: team }, system.clock.nowMs());
    for (const store of [file, team]) store.close();
    return rows;
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function compare({ readQuery, rankCandidates, recallForPrompt }, stores, nowMs) {
  const text = makeTexts();
  const agents = Array.from({ length: AGENTS }, (_, agent) => memoriesOf(agent, text, nowMs));
  const rows = await inTurns(`fill with ${MEMORIES}`, stores, 1, async store => {
    for (const [agent, memories] of agents.entries()) await store.take(`agent ${agent}`, memories, false);
  });
  const prompts = Array.from({ length: 300 }, () => text.sentence(3 + text.below(10)));
  const longPrompts = Array.from({ length: 100 }, () => text.sentence(30));
  const search = async (store, words, filter) =>
    rankCandidates(await store.search(readQuery(words), filter, 100), nowMs, 5);
  const projects = round => [`/project ${round % PROJECTS}`, ""];
  const draft = round => ({
    project: "",
    agent: "agent 0",
    session: "",
    key: `new ${round}`,
    value: text.sentence(40),
    type: "text",
    category: "context",
  });
  rows.push(
    ...(await inTurns("search all", stores, 200, (store, round) => search(store, prompts[round], {}))),
    ...(await inTurns("search a project's agent", stores, 200, (store, round) =>
      search(store, prompts[round], { projects: projects(round), agent: `agent ${round % AGENTS}` }),
    )),
    ...(await inTurns("search for the most common word", stores, 50, store =>
      search(store, text.word(0), {}),
    )),
    ...(await inTurns("search for a word with a wrong letter", stores, 50, (store, round) =>
      search(store, `${nameOf(round * 97).slice(0, -1)}q`, {}),
    )),
    ...(await inTurns("recall for a prompt of 30 words", stores, 100, (store, round) =>
      recallForPrompt(
        store,
        longPrompts[round],
        { projects: projects(round), unseenBy: `s ${round}` },
        nowMs,
      ),
    )),
    ...(await inTurns("start of a session", stores, 100, (store, round) =>
      store.latest(`/project ${round % PROJECTS}`, nowMs - 30 * DAY_MS, 5),
    )),
    ...(await inTurns("store", stores, 100, (store, round) => store.put(draft(round)))),
  );
  return rows;
}

async function inTurns(name, stores, rounds, work) {
  const samples = Object.fromEntries(Object.keys(stores).map(store => [store, []]));
  const warmUp = rounds === 1 ? 0 : 5;
  for (let round = -warmUp; round < rounds; round++)
    for (const [store, opened] of Object.entries(stores)) {
      const start = process.hrtime.bigint();
      await work(opened, Math.abs(round));
      if (round >= 0) samples[store].push(Number(process.hrtime.bigint() - start) / 1e6);
    }
  const [first, second] = Object.entries(samples).map(([store, times]) => ({
    name: `${name}, ${store}`,
    ...percentiles(times),
  }));
  return [
    { ...first, ratio: 1 },
    { ...second, ratio: second.p50 / first.p50 },
  ];
}
