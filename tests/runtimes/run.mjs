// Installs workerd, Bun and Deno, and runs the scenario in each of them: from a bundle, as workers are deployed, and,
// where a runtime loads files, from the files of the package itself. `npm run test:runtimes`.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

const folder = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const core = join(root, "dist/engine/core.js");

function run(program, args, cwd = root) {
  const { status, error } = spawnSync(program, args, { cwd, stdio: "inherit" });
  if (error !== undefined) console.error(`${program} cannot be started: ${error.message}`);
  return status === 0;
}

function must(isDone) {
  if (!isDone) process.exit(1);
}

install();
must(run("npm", ["run", "build"]));
const output = mkdtempSync(join(folder, "node_modules", ".scenario-"));
try {
  const failed = await runAll();
  if (failed.length > 0) console.error(`FAILED in ${failed.join(", ")}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
} finally {
  rmSync(output, { recursive: true, force: true });
}

/** No install script is run: each runtime is a program in a package of its own for this platform. */
function install() {
  const lock = readFileSync(new URL("package-lock.json", import.meta.url), "utf8");
  const stamp = join(folder, "node_modules", ".lock-installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === lock) return;
  must(run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"], folder));
  writeFileSync(stamp, lock);
}

/** The program of a runtime, from the first package of its scope that starts here. */
function programOf(scope, path) {
  const packages = join(folder, "node_modules", scope);
  const candidates = existsSync(packages)
    ? readdirSync(packages).map(name => join(packages, name, path))
    : [];
  const found = candidates.find(file => spawnSync(file, ["--version"]).status === 0);
  if (found === undefined) throw new Error(`no program of ${scope} starts on this platform`);
  return found;
}

async function runAll() {
  const worker = await bundle("worker.mjs");
  const program = await bundle("program.mjs");
  const unbundled = linked();
  const config = join(output, "config.capnp");
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = .scenario)]);
const scenario :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed ${JSON.stringify(worker)})],
  compatibilityDate = "2026-01-01",
);
`,
  );
  const workerd = programOf("@cloudflare", "bin/workerd");
  const bun = programOf("@oven", "bin/bun");
  const deno = programOf("@deno", "deno");
  // Deno is granted nothing at all for the bundle, and the reading of its own modules for the files.
  const ways = {
    "workerd, bundle": [workerd, ["test", config]],
    "Bun, bundle": [bun, [program]],
    "Bun, files": [bun, [unbundled]],
    "Deno, bundle": [deno, ["run", "--no-config", "--no-prompt", program]],
    "Deno, files": [deno, ["run", "--no-config", "--no-prompt", unbundled]],
    "Node, files": [process.execPath, [unbundled]],
  };
  const failed = [];
  for (const [name, [file, args]] of Object.entries(ways)) {
    console.log(`\n${name}`);
    if (!run(file, args, output)) failed.push(name);
  }
  return failed;
}

async function bundle(entry) {
  const outfile = join(output, entry);
  await build({
    entryPoints: [join(folder, entry)],
    outfile,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    alias: { "amplihack/engine/core": core },
    logLevel: "error",
  });
  return entry;
}

/** The program with the package's own files, which import each other. */
function linked() {
  const url = JSON.stringify(pathToFileURL(core).href);
  for (const name of ["scenario.mjs", "check.mjs", "program.mjs"]) {
    const text = readFileSync(join(folder, name), "utf8");
    const linkedText = text
      .replace('"amplihack/engine/core"', url)
      .replace(/"\.\/(\w+)\.mjs"/g, '"./$1-linked.mjs"');
    writeFileSync(join(output, name.replace(".mjs", "-linked.mjs")), linkedText);
  }
  return "program-linked.mjs";
}
