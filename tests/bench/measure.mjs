import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const WARM_UP = 3;

/** Medians of commands that are run in turn, so that noise of the machine falls on all of them alike. */
export function measureCommands(commands, { rounds = 40, ...options } = {}) {
  const samples = timeCommands(Object.values(commands), { rounds: rounds + WARM_UP, ...options });
  return Object.fromEntries(
    Object.keys(commands).map((name, number) => [name, percentiles(samples[number].slice(WARM_UP))]),
  );
}

/** Milliseconds of every start of each command, `{ argv, input, env }`. */
export function timeCommands(commands, options) {
  return runCommands(commands, options).map(runs => runs.map(({ wall }) => wall));
}

/**
 * Every start of each command, with its milliseconds by the clock and, where that can be told, of the processors. Where
 * Rust is installed a small program starts them; Node adds the better part of a millisecond to every start.
 */
export function runCommands(commands, { rounds = 1, env = {}, cwd } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "amplihack-launch-"));
  try {
    launcher ??= compileLauncher();
    const options = { env: { PATH: process.env.PATH, ...env }, cwd };
    return launcher === ""
      ? spawnCommands(commands, rounds, options)
      : launchCommands(launcher, folder, commands, rounds, options);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Compiled once; empty where there is no Rust. */
let launcher;

function compileLauncher() {
  const folder = mkdtempSync(join(tmpdir(), "amplihack-launcher-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const program = join(folder, "launch");
  return compileRust(fileURLToPath(new URL("launch.rs", import.meta.url)), program) ? program : "";
}

/** False where there is no Rust. */
export function compileRust(source, program) {
  return spawnSync("rustc", ["-O", "-o", program, source], { stdio: "ignore" }).status === 0;
}

function launchCommands(launcher, folder, commands, rounds, options) {
  const words = commands.flatMap(({ argv, input = "", env = {} }, number) => {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const file = join(folder, `input-${number}`);
    writeFileSync(file, input);
    return [...(number === 0 ? [] : ["--"]), file, ...settings, ...argv];
  });
  const run = spawnSync(launcher, [String(rounds), ...words], { ...options, encoding: "utf8" });
  if (run.status !== 0) throw new Error(`the commands could not be started: ${run.stderr}`);
  const samples = commands.map(() => []);
  for (const line of run.stdout.trim().split("\n")) {
    const [number, nanoseconds, microseconds] = line.split(" ").map(Number);
    samples[number].push({ wall: nanoseconds / 1e6, processor: microseconds / 1e3 });
  }
  return samples;
}

function spawnCommands(commands, rounds, options) {
  const samples = commands.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [number, { argv, input = "", env = {} }] of commands.entries()) {
      const start = process.hrtime.bigint();
      const run = spawnSync(argv[0], argv.slice(1), { ...options, env: { ...options.env, ...env }, input });
      samples[number].push({ wall: Number(process.hrtime.bigint() - start) / 1e6 });
      if (run.error) throw run.error;
    }
  }
  return samples;
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
