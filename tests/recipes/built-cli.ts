import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll } from "vitest";
import type { RecipeMachine } from "./recipe-machine.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface BuiltCli {
  readonly path: string;
  run(machine: RecipeMachine, ...words: readonly string[]): CliEnd;
  start(machine: RecipeMachine, ...words: readonly string[]): ChildProcess;
}

export interface CliEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The command line as it is shipped, built for one test file from the sources as they are. */
export function buildCli(): BuiltCli {
  // Inside node_modules, so that packages are found from there.
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "amplihack-cli-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  const common = {
    bundle: true,
    platform: "node",
    target: "node20.19",
    outbase: join(root, "src"),
    outdir: join(folder, "dist"),
    define: { __AMPLIHACK_VERSION__: JSON.stringify(version) },
    logLevel: "warning",
  } as const;
  buildSync({
    ...common,
    entryPoints: [join(root, "src/bin/amplihack.ts")],
    format: "cjs",
    outExtension: { ".js": ".cjs" },
  });
  buildSync({
    ...common,
    entryPoints: [join(root, "src/cli/program.ts"), join(root, "src/commands/recipe.ts")],
    format: "esm",
    splitting: true,
    chunkNames: "chunks/[name]-[hash]",
    packages: "external",
  });
  symlinkSync(join(root, "recipes"), join(folder, "recipes"));
  const path = join(folder, "dist/bin/amplihack.cjs");
  const options = (machine: RecipeMachine): SpawnOptions => ({ cwd: machine.project, env: machine.env });
  return {
    path,
    run(machine, ...words) {
      const end = spawnSync(process.execPath, [path, ...words], {
        ...options(machine),
        encoding: "utf8",
        maxBuffer: 1e9,
      });
      return { code: end.status, stdout: String(end.stdout), stderr: String(end.stderr) };
    },
    start: (machine, ...words) =>
      spawn(process.execPath, [path, ...words], { ...options(machine), stdio: ["ignore", "pipe", "pipe"] }),
  };
}
