// What the recipe engine costs: a step compared with a bare `bash -c`, many steps, and parallel steps.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { percentiles } from "./measure.mjs";

const now = () => Number(process.hrtime.bigint()) / 1e6;

/** Milliseconds of `bash -c :` started from this process the way the engine starts it. */
async function bareBash(rounds) {
  const samples = [];
  for (let round = 0; round < rounds; round++) {
    const start = now();
    await new Promise(resolve => {
      const child = spawn("/bin/bash", ["-c", ":"], { stdio: ["pipe", "pipe", "pipe"], detached: true });
      child.stdin.end();
      child.stdout.resume();
      child.stderr.resume();
      child.once("close", resolve);
    });
    samples.push(now() - start);
  }
  return samples;
}

/** Milliseconds from the start of each step to the start of the next, and of the whole run. */
async function runSteps(runRecipe, project, steps) {
  writeFileSync(
    join(project, "bench.yaml"),
    JSON.stringify({ name: "bench", context: { a: "x" }, recursion: { max_total_steps: 10_000 }, steps }),
  );
  const starts = [];
  const begin = now();
  const { exitCode } = await runRecipe({
    recipe: "bench.yaml",
    currentDir: project,
    observer: event => {
      if (event.kind === "step_start" || event.kind === "recipe_end") starts.push(now());
    },
  });
  if (exitCode !== 0) throw new Error(`the recipe ended with exit code ${exitCode}`);
  const perStep = starts.slice(1).map((time, index) => time - starts[index]);
  return { perStep, total: now() - begin };
}

const sequence = count => Array.from({ length: count }, (_, index) => ({ id: `s${index}`, command: ":" }));

export async function bench() {
  const { runRecipe } = await import(new URL("../../dist/recipes/index.js", import.meta.url).href);
  const root = mkdtempSync(join(tmpdir(), "amplihack-bench-"));
  const project = join(root, "project");
  mkdirSync(project);
  process.env.HOME = root;
  delete process.env.AMPLIHACK_HOME;
  delete process.env.AMPLIHACK_SESSION_DEPTH;
  try {
    await runSteps(runRecipe, project, sequence(20));
    const bare = [];
    const step = [];
    for (let round = 0; round < 5; round++) {
      bare.push(...(await bareBash(40)));
      step.push(...(await runSteps(runRecipe, project, sequence(40))).perStep);
    }
    const [bareAt, stepAt] = [percentiles(bare), percentiles(step)];
    const hundred = await runSteps(runRecipe, project, sequence(100));
    const thousand = await runSteps(runRecipe, project, sequence(1000));
    const parallel = await runSteps(
      runRecipe,
      project,
      Array.from({ length: 50 }, (_, index) => ({
        id: `p${index}`,
        command: "sleep 0.2",
        parallel_group: "g",
      })),
    );
    return [
      { name: "bare bash -c", ...bareAt, unit: "ms" },
      { name: "one bash step", ...stepAt, unit: "ms", ratio: stepAt.p50 / bareAt.p50 },
      {
        name: "overhead per bash step",
        p50: stepAt.p50 - bareAt.p50,
        p95: stepAt.p95 - bareAt.p95,
        unit: "ms",
        target: "≤ 5 ms",
      },
      {
        name: "1000 steps, each",
        ...percentiles(thousand.perStep),
        unit: "ms",
        ratio: thousand.total / 1000 / (hundred.total / 100),
        target: "1.00 × of 100 steps, each",
      },
      {
        name: "50 parallel steps of 200 ms",
        p50: parallel.total,
        p95: parallel.total,
        unit: "ms",
        target: "< 2000 ms",
      },
    ];
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
