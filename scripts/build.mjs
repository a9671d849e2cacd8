// Builds dist/: the two executables and the hook entries as CommonJS (Node starts it fastest), the library and
// the commands as ES modules that share chunks, and the type declarations.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildConstants } from "./build-constants.mjs";
import { buildHooks } from "./build-hooks.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const {
  exports: subPaths,
  dependencies,
  peerDependencies,
} = JSON.parse(readFileSync("package.json", "utf8"));
const define = buildConstants();
const common = {
  bundle: true,
  platform: "node",
  target: "node20.19",
  define,
  logLevel: "warning",
  charset: "utf8",
  // A package's ES modules first: its UMD form hides its own imports from a bundler.
  mainFields: ["module", "main"],
};

// The native program is built by a script of its own and takes longer; it stays.
for (const name of existsSync("dist") ? readdirSync("dist") : []) {
  if (name !== "native") rmSync(`dist/${name}`, { recursive: true, force: true });
}

const filesOf = folder =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(name => name.endsWith(".ts") && !name.endsWith(".d.ts"))
        .map(name => `${folder}/${name}`)
    : [];

await buildHooks(common);

const libraryEntries = Object.values(subPaths)
  .filter(target => typeof target === "object")
  .map(target => target.default.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
await build({
  ...common,
  entryPoints: [
    ...libraryEntries,
    "src/cli/program.ts",
    "src/install/code-cache.ts",
    ...filesOf("src/commands"),
  ],
  outbase: "src",
  outdir: "dist",
  format: "esm",
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  external: [...Object.keys(dependencies), ...Object.keys(peerDependencies)],
});

for (const name of ["amplihack", "amplihack-hooks"]) {
  const path = `dist/bin/${name}.cjs`;
  if (existsSync(path)) chmodSync(path, 0o755);
}

// The compiled code of every hook, for the Node that builds; an installation makes it for the user's Node.
const { recordCode } = await import("../dist/install/code-cache.js");
const { createNodeSystem } = await import("../dist/node-state.js");
await recordCode(createNodeSystem(), {
  binFolder: resolve("dist/bin"),
  node: process.execPath,
  temporaryFolder: tmpdir(),
});

const types = spawnSync("node_modules/.bin/tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
process.exit(types.status ?? 1);
