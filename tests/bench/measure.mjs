import { spawnSync } from "node:child_process";

/** Medians of commands that are run in turn, so that noise of the machine falls on all of them alike. */
export function measureCommands(commands, { rounds = 40, env = {}, cwd } = {}) {
  const samples = Object.fromEntries(Object.keys(commands).map(name => [name, []]));
  for (let round = 0; round < rounds + 3; round++) {
    for (const [name, { argv, input = "" }] of Object.entries(commands)) {
      const start = process.hrtime.bigint();
      const run = spawnSync(argv[0], argv.slice(1), { input, env: { PATH: process.env.PATH, ...env }, cwd });
      const elapsed = Number(process.hrtime.bigint() - start) / 1e6;
      if (run.error) throw run.error;
      if (round >= 3) samples[name].push(elapsed);
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, list]) => [name, percentiles(list)]));
}

/** Per-call milliseconds of a function that is called many times in this process. */
export function measureCalls(work, { rounds = 2_000, warmUp = 200 } = {}) {
  for (let round = 0; round < warmUp; round++) work(round);
  const list = [];
  for (let round = 0; round < rounds; round++) {
    const start = process.hrtime.bigint();
    work(round);
    list.push(Number(process.hrtime.bigint() - start) / 1e6);
  }
  return percentiles(list);
}

export function percentiles(list) {
  const sorted = [...list].sort((left, right) => left - right);
  const at = share => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  return { p50: at(0.5), p95: at(0.95) };
}
