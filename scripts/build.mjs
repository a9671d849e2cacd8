// Builds dist/: the two executables and the hook entries as CommonJS (Node starts it fastest), the library and
// the commands as ES modules that share chunks, and the type declarations. All is made beside it and takes its place at the
// end: hooks of this checkout may be running, and a build that fails must leave them as they were.
import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildCommands } from "./build-commands.mjs";
import { buildConstants } from "./build-constants.mjs";
import { buildHooks } from "./build-hooks.mjs";
import { buildVendor, vendoredImports } from "./build-vendor.mjs";
import { resolveForeignTypes } from "./foreign-types.mjs";
import { joinChunks } from "./join-chunks.mjs";
import { lateIndentation, lateWidth, readyTables } from "./lean-modules.mjs";
import { nativeSourcesMs } from "./native-sources.mjs";
import { pastDoors } from "./past-doors.mjs";
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

const OUTPUT = "dist.new";
const REPLACED = "dist.old";
rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(OUTPUT);
process.once("exit", () => rmSync(OUTPUT, { recursive: true, force: true }));

const filesOf = folder =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter(name => name.endsWith(".ts") && !name.endsWith(".d.ts"))
        .map(name => `${folder}/${name}`)
    : [];

// Its form for Node is CommonJS, which calls a `require` that ES modules do not have.
const alias = { yaml: resolve("node_modules/yaml/browser/dist/index.js") };
const bundled = [
  ...(await buildHooks(common, OUTPUT)),
  ...(await buildCommands({ ...common, alias }, OUTPUT)),
  ...(await buildVendor(common, OUTPUT)),
];

// A package's entry is found by its types: src/exports/hosts.ts becomes dist/hosts/index.js.
const libraryEntries = Object.values(subPaths)
  .filter(target => typeof target === "object")
  .map(target => ({
    in: target.types.replace("./dist/types/", "src/").replace(/\.d\.ts$/, ".ts"),
    out: target.default.replace("./dist/", "").replace(/\.js$/, ""),
  }));
const asEntry = path => ({ in: path, out: path.replace(/^src\//, "").replace(/\.ts$/, "") });
const { metafile } = await build({
  ...common,
  metafile: true,
  entryPoints: [
    ...libraryEntries,
    // Entries of their own are cut apart: whoever bundles the engine's core gets only what is used of it.
    ...[
      "src/engine/create-core.ts",
      "src/engine/edge-system.ts",
      "src/cli/program.ts",
      "src/cli/make-command-table.ts",
      "src/recipes/make-shipped-index.ts",
      "src/install/code-cache.ts",
      "src/hooks/user/authoring.ts",
      ...filesOf("src/commands"),
    ].map(asEntry),
  ],
  outdir: OUTPUT,
  format: "esm",
  minify: true,
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  // Packages are bundled, because Node takes longer to find many small files than to read one. `libsql` cannot be:
  // it looks for a compiled file beside itself; nor can `esbuild`, which starts a program of its own.
  external: [
    "libsql",
    "esbuild",
    ...Object.keys(peerDependencies).filter(name => !BUNDLED_PEERS.includes(name)),
  ],
  alias,
  plugins: [vendoredImports, lateIndentation, lateWidth, readyTables(), pastDoors],
});

// The first without anything of Node, because it is bundled for other places.
await joinChunks(OUTPUT, metafile, [
  ["engine-core", "engine/core.js"],
  ["engine", "engine/index.js"],
]);

// By itself: it is bundled with every hook of a user's, and one that brings something of Node along starts a Node of its own.
await build({
  entryPoints: ["src/hooks/user/authoring.ts"],
  outfile: `${OUTPUT}/hooks/user/authoring.js`,
  allowOverwrite: true,
  bundle: true,
  platform: "neutral",
  target: "es2022",
  format: "esm",
  minify: true,
  alias,
  plugins: [pastDoors],
});

writeFileSync(
  `${OUTPUT}/THIRD-PARTY-LICENSES.txt`,
  licenceText([...bundled, ...Object.keys(metafile.inputs)]),
);

for (const name of ["amplihack", "amplihack-hooks"]) {
  const path = `${OUTPUT}/bin/${name}.cjs`;
  if (existsSync(path)) chmodSync(path, 0o755);
}

// What help and completion need of every command, so that they load none.
const { makeCommandTable, TABLE_FILE } = await import(`../${OUTPUT}/cli/make-command-table.js`);
const table = await makeCommandTable(resolve(OUTPUT, "commands"));
writeFileSync(`${OUTPUT}/commands/${TABLE_FILE}`, `${JSON.stringify(table)}\n`);

// The same for the recipes that come along. Nothing is there yet that could be taken for known.
const { makeShippedIndex } = await import(`../${OUTPUT}/recipes/make-shipped-index.js`);
const { createNodeSystem } = await import(`../${OUTPUT}/node-state.js`);
const shipped = await makeShippedIndex(createNodeSystem());
writeFileSync(`${OUTPUT}/recipes/shipped.json`, `${JSON.stringify(shipped)}\n`);

const types = spawnSync(
  "node_modules/.bin/tsc",
  ["-p", "tsconfig.build.json", "--outDir", `${OUTPUT}/types`],
  { stdio: "inherit" },
);
if (types.status !== 0) process.exit(types.status ?? 1);
resolveForeignTypes(`${OUTPUT}/types`);

// The compiled code of every hook, for the Node that builds; an installation makes it for the user's Node. It holds the
// names of the files, so that they must lie in their place.
const { recordCode } = await import(`../${OUTPUT}/install/code-cache.js`);
takePlace();
try {
  await recordCode(createNodeSystem(), {
    binFolder: resolve("dist/bin"),
    node: process.execPath,
    temporaryFolder: tmpdir(),
  });
} catch (error) {
  giveBack();
  throw error;
}
rmSync(REPLACED, { recursive: true, force: true });

/** Everything goes but native programs made from the sources as they are: they need tools that few have. */
function takePlace() {
  rmSync(REPLACED, { recursive: true, force: true });
  if (existsSync("dist")) renameSync("dist", REPLACED);
  renameSync(OUTPUT, "dist");
  const native = `${REPLACED}/native`;
  if (!existsSync(native)) return;
  for (const name of readdirSync(native)) {
    if (statSync(`${native}/${name}`).mtimeMs >= nativeSourcesMs(name)) continue;
    rmSync(`${native}/${name}`, { recursive: true, force: true });
    console.log(`dist/native/${name} was older than its sources and is gone; npm run build:native makes it`);
  }
  renameSync(native, "dist/native");
}

/** A hook that cannot be run is no hook: the last build counts again. */
function giveBack() {
  if (existsSync("dist/native")) renameSync("dist/native", `${REPLACED}/native`);
  renameSync("dist", OUTPUT);
  if (existsSync(REPLACED)) renameSync(REPLACED, "dist");
}
