// Builds dist/: the two executables and the hook entries as CommonJS (Node starts it fastest), the library and
// the commands as ES modules that share chunks, and the type declarations.
import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildConstants } from "./build-constants.mjs";
import { buildHooks } from "./build-hooks.mjs";
import { buildVendor, vendoredImports } from "./build-vendor.mjs";
import { licenceText } from "./third-party.mjs";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { exports: subPaths, peerDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
/** Users of the engine bring their own; our MCP server must run without. */
const BUNDLED_PEERS = ["@modelcontextprotocol/sdk"];
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

clearOutput();

const filesOf = folder =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(name => name.endsWith(".ts") && !name.endsWith(".d.ts"))
        .map(name => `${folder}/${name}`)
    : [];

const bundled = [...(await buildHooks(common)), ...(await buildVendor(common))];

const libraryEntries = Object.values(subPaths)
  .filter(target => typeof target === "object")
  .map(target => target.default.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
const { metafile } = await build({
  ...common,
  metafile: true,
  entryPoints: [
    ...libraryEntries,
    // Entries of their own are cut apart: whoever bundles the engine's core gets only what is used of it.
    "src/engine/create-core.ts",
    "src/engine/core-hooks.ts",
    "src/cli/program.ts",
    "src/cli/make-command-table.ts",
    "src/recipes/make-shipped-index.ts",
    "src/install/code-cache.ts",
    "src/hooks/user/authoring.ts",
    ...filesOf("src/commands"),
  ],
  outbase: "src",
  outdir: "dist",
  format: "esm",
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  // Packages are bundled, because Node takes longer to find many small files than to read one. `libsql` cannot be:
  // it looks for a compiled file beside itself; nor can `esbuild`, which starts a program of its own.
  external: [
    "libsql",
    "esbuild",
    ...Object.keys(peerDependencies).filter(name => !BUNDLED_PEERS.includes(name)),
  ],
  // Its form for Node is CommonJS, which calls a `require` that ES modules do not have.
  alias: { yaml: resolve("node_modules/yaml/browser/dist/index.js") },
  plugins: [vendoredImports],
});

writeFileSync("dist/THIRD-PARTY-LICENSES.txt", licenceText([...bundled, ...Object.keys(metafile.inputs)]));

for (const name of ["amplihack", "amplihack-hooks"]) {
  const path = `dist/bin/${name}.cjs`;
  if (existsSync(path)) chmodSync(path, 0o755);
}

// What help and completion need of every command, so that they load none.
const { makeCommandTable, TABLE_FILE } = await import("../dist/cli/make-command-table.js");
const table = await makeCommandTable(resolve("dist/commands"));
writeFileSync(`dist/commands/${TABLE_FILE}`, `${JSON.stringify(table)}\n`);

// The same for the recipes that come along. Nothing is there yet that could be taken for known.
const { makeShippedIndex } = await import("../dist/recipes/make-shipped-index.js");
const { createNodeSystem } = await import("../dist/node-state.js");
const shipped = await makeShippedIndex(createNodeSystem());
writeFileSync("dist/recipes/shipped.json", `${JSON.stringify(shipped)}\n`);

// The compiled code of every hook, for the Node that builds; an installation makes it for the user's Node.
const { recordCode } = await import("../dist/install/code-cache.js");
await recordCode(createNodeSystem(), {
  binFolder: resolve("dist/bin"),
  node: process.execPath,
  temporaryFolder: tmpdir(),
});

/** Everything goes but a native program made from the sources as they are: it needs tools that few have. */
function clearOutput() {
  const native = statSync("dist/native/amplihack-hooks", { throwIfNoEntry: false });
  const isStale =
    native !== undefined && newestIn(["src", "native/host/src", "package.json"]) > native.mtimeMs;
  if (isStale)
    console.log("dist/native was older than its sources and is gone; npm run build:native makes it");
  const kept = isStale ? [] : ["native"];
  const names = existsSync("dist") ? readdirSync("dist").filter(name => !kept.includes(name)) : [];
  for (const name of names) rmSync(`dist/${name}`, { recursive: true, force: true });
}

function newestIn(paths) {
  const times = paths.map(path => {
    const facts = statSync(path);
    return facts.isDirectory() ? newestIn(readdirSync(path).map(name => `${path}/${name}`)) : facts.mtimeMs;
  });
  return Math.max(0, ...times);
}

const types = spawnSync("node_modules/.bin/tsc", ["-p", "tsconfig.build.json"], { stdio: "inherit" });
process.exit(types.status ?? 1);
