// Recipes beyond one machine: runs and steps a second with one, two and four workers, and what the record of a step costs
// beyond the one in a checkpoint file, in the same process. Needs PostgreSQL (`apt-get install postgresql`).
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import pg from "pg";
import { buildConstants } from "../../scripts/build-constants.mjs";
import { percentiles } from "./measure.mjs";

const ROUNDS = 3;
const RUNS = 40;
const STEPS_OF_RUN = 3;
const STEPS_OF_LONG = 100;
const WORKERS = [1, 2, 4];
const CONCURRENCY = 4;
const NOBODY = 65_534;
const SCHEMA = "amplihack_recipes";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));

const now = () => Number(process.hrtime.bigint()) / 1e6;
const recipeOf = (count, command, condition) =>
  JSON.stringify({
    name: "bench",
    steps: Array.from({ length: count }, (_, index) => ({ id: `s${index}`, command, condition })),
  });

export async function bench() {
  const folders = existsSync("/usr/lib/postgresql") ? readdirSync("/usr/lib/postgresql") : [];
  const programs = folders.map(version => `/usr/lib/postgresql/${version}/bin`).at(-1);
  if (programs === undefined) {
    process.stderr.write("  PostgreSQL is not installed: apt-get install postgresql\n");
    return [];
  }
  const root = mkdtempSync("/tmp/amplihack-bench-");
  const server = await startServer(programs, root);
  const project = join(root, "project");
  mkdirSync(project);
  process.env.HOME = root;
  for (const name of ["AMPLIHACK_HOME", "AMPLIHACK_SESSION_DEPTH"]) delete process.env[name];
  try {
    writeFileSync(join(project, "short.yaml"), recipeOf(STEPS_OF_RUN, "sleep 0.2"));
    writeFileSync(join(project, "long.yaml"), recipeOf(STEPS_OF_LONG, ":", "1 == 2"));
    const modules = await loadModules();
    return [...(await perStep(modules, server, project)), ...(await throughput(modules, server, project))];
  } finally {
    rmSync(MODULES, { force: true });
    server.process.kill("SIGQUIT");
    await new Promise(resolve => server.process.once("exit", resolve));
    rmSync(root, { recursive: true, force: true });
  }
}

/** Where packages are found from. */
const MODULES = join(ROOT, "node_modules", `.amplihack-bench-${process.pid}.mjs`);

async function loadModules() {
  const wanted = {
    "recipes/run/run-recipe.ts": "runRecipe",
    "recipes/run/interruption.ts": "Interruption",
    "recipes/workers/worker.ts": "workOnQueue",
    "recipes/workers/submit.ts": "packRun, enqueueRun",
    "recipes/workers/connection.ts": "openConnection, prepareTables",
    "postgres/url.ts": "readDatabaseUrl",
    "system/node.ts": "createNodeSystem",
  };
  await build({
    stdin: {
      contents: Object.entries(wanted)
        .map(([path, names]) => `export { ${names} } from "./src/${path}";`)
        .join("\n"),
      resolveDir: ROOT,
      loader: "ts",
    },
    bundle: true,
    outfile: MODULES,
    format: "esm",
    platform: "node",
    define: buildConstants(),
    packages: "external",
    logLevel: "warning",
  });
  return import(MODULES);
}

/**
 * Steps whose condition is false, so that nothing but their record costs anything; in turns with a checkpoint file, and as
 * a worker of this process runs them.
 */
async function perStep(modules, server, project) {
  const { runRecipe, Interruption, workOnQueue, packRun, enqueueRun, openConnection, prepareTables } =
    modules;
  const system = modules.createNodeSystem();
  const address = modules.readDatabaseUrl(server.url(await server.create()), "option");
  const connection = await openConnection(address);
  await prepareTables(address, connection);
  const request = { recipe: "long.yaml", currentDir: project };
  const packed = packRun(system, request);
  const local = [];
  const durable = [];
  let begun = 0;
  let onEnd;
  const stopping = new Interruption();
  const ready = new Promise(resolve => {
    const report = {
      ready: resolve,
      started: () => {
        begun = now();
      },
      ended: () => onEnd(now() - begun),
      left() {},
      tookOver() {},
      cutOff() {},
    };
    const options = {
      address,
      queue: "default",
      concurrency: 1,
      limits: {},
      workingDir: project,
      logsOutput: true,
      takeOverAfterMs: 10_000,
      keepDays: undefined,
      isUntilEmpty: false,
    };
    onEnd = workOnQueue(system, options, stopping, report);
  });
  const worker = onEnd;
  await ready;
  for (let round = 0; round < ROUNDS + 1; round++) {
    const start = now();
    await runRecipe(request, system);
    local.push((now() - start) / STEPS_OF_LONG);
    const ended = new Promise(resolve => {
      onEnd = resolve;
    });
    await enqueueRun(connection, "default", packed);
    durable.push((await ended) / STEPS_OF_LONG);
  }
  stopping.interrupt("SIGTERM");
  await worker;
  await connection.close();
  const [localAt, durableAt] = [percentiles(local.slice(1)), percentiles(durable.slice(1))];
  return [
    { name: "recording a step in a checkpoint file", ...localAt, unit: "ms" },
    {
      name: "recording a step in the database",
      ...durableAt,
      unit: "ms",
      ratio: durableAt.p50 / localAt.p50,
    },
    { name: "the database's overhead per step", p50: durableAt.p50 - localAt.p50, unit: "ms" },
  ];
}

/** Steps that wait, as for an agent: from the first run that is begun to the last that has ended, all queued before. */
async function throughput(modules, server, project) {
  const samples = new Map(WORKERS.map(count => [count, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const count of WORKERS) samples.get(count).push(await drain(modules, server, project, count));
  const one = percentiles(samples.get(WORKERS[0])).p50;
  return WORKERS.flatMap(count => {
    const at = percentiles(samples.get(count));
    const name = `${count} worker${count === 1 ? "" : "s"} of ${CONCURRENCY} at once`;
    return [
      { name: `${name}: runs`, ...at, unit: "/s", ratio: at.p50 / one },
      { name: `${name}: steps`, p50: at.p50 * STEPS_OF_RUN, unit: "/s" },
    ];
  });
}

async function drain(modules, server, project, count) {
  const { packRun, enqueueRun, openConnection, prepareTables, readDatabaseUrl, createNodeSystem } = modules;
  const database = await server.create();
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    AMPLIHACK_DATABASE_URL: server.url(database),
  };
  const address = readDatabaseUrl(server.url(database), "option");
  const connection = await openConnection(address);
  await prepareTables(address, connection);
  const packed = packRun(createNodeSystem(), { recipe: "short.yaml", currentDir: project });
  for (let run = 0; run < RUNS; run++) await enqueueRun(connection, "default", packed);
  const words = [PROGRAM, "recipe", "worker", "--url", "--concurrency", String(CONCURRENCY), "--until-empty"];
  const workers = Array.from({ length: count }, () =>
    spawn(process.execPath, words, { cwd: project, env, stdio: "ignore" }),
  );
  await Promise.all(workers.map(worker => new Promise(resolve => worker.once("exit", resolve))));
  const [row] = await connection.database.run(
    `SELECT max(completed_at) - min(started_at_epoch_ms) AS ms FROM ${SCHEMA}.workflow_status`,
  );
  await connection.close();
  return RUNS / (Number(row.ms) / 1000);
}

/** In a folder of its own, on a socket; it refuses to run as root. */
async function startServer(programs, root) {
  const data = join(root, "data");
  mkdirSync(data, { mode: 0o700 });
  const user = process.getuid() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  if (process.getuid() === 0) for (const path of [root, data]) chownSync(path, NOBODY, NOBODY);
  const initdb = ["-D", data, "-U", "bench", "-A", "trust", "-E", "UTF8", "--no-sync"];
  execFileSync(join(programs, "initdb"), initdb, { ...user, stdio: "ignore" });
  const child = spawn(join(programs, "postgres"), ["-D", data, "-k", root, "-c", "listen_addresses="], {
    ...user,
    stdio: "ignore",
  });
  let count = 0;
  const administer = async sql => {
    const client = new pg.Client({ host: root, user: "bench", database: "postgres" });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  for (;;) {
    try {
      await administer("SELECT 1");
      break;
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50));
    }
  }
  return {
    process: child,
    url: database => `postgres://bench@/${database}?host=${encodeURIComponent(root)}`,
    async create() {
      count += 1;
      await administer(`CREATE DATABASE bench_${count}`);
      return `bench_${count}`;
    },
  };
}
