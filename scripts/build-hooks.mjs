// Bundles the hook program for Node: a tiny executable, one CommonJS file per hook, and one more for every module
// that is imported lazily, so that a run loads only what it needs.
import { relative } from "node:path";
import { build } from "esbuild";
import { entryNames, nodeEntrySource } from "./entries.mjs";

const FOLDER = "bin/hook-entries";
const LOADER = "./src/bin/load-entry.ts";

/**
 * @param {import("esbuild").BuildOptions} common
 * @returns {Promise<readonly string[]>} every file that went into the bundles
 */
export async function buildHooks(common) {
  const bundled = new Set();
  const lazy = new Map();
  const done = new Set();
  let entryPoints = {
    "bin/amplihack": "src/bin/amplihack.ts",
    "bin/amplihack-hooks": "src/bin/amplihack-hooks.ts",
    "bin/record-code": "src/bin/record-code.ts",
    [`${FOLDER}/guard-argv`]: "src/bin/guard-argv.ts",
    ...Object.fromEntries(entryNames().map(name => [`${FOLDER}/${name}`, `hook-entry:${name}`])),
  };
  while (Object.keys(entryPoints).length > 0) {
    const { metafile } = await build({
      ...common,
      metafile: true,
      entryPoints,
      outdir: "dist",
      format: "cjs",
      outExtension: { ".js": ".cjs" },
      minify: true,
      charset: "ascii",
      plugins: [hookEntries, lazyModules(lazy)],
    });
    for (const path of Object.keys(metafile.inputs)) bundled.add(path);
    entryPoints = Object.fromEntries(
      [...lazy].filter(([name]) => !done.has(name)).map(([name, path]) => [`${FOLDER}/${name}`, path]),
    );
    for (const name of lazy.keys()) done.add(name);
  }
  return [...bundled];
}

const hookEntries = {
  name: "hook-entries",
  setup(builder) {
    const namespace = "hook-entry";
    builder.onResolve({ filter: /^hook-entry:/ }, ({ path }) => ({ path: path.slice(11), namespace }));
    builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
      contents: nodeEntrySource(path),
      resolveDir: process.cwd(),
      loader: "ts",
    }));
  },
};

/** Turns `import("…")` of a hook into the loading of a bundle of its own. */
function lazyModules(found) {
  return {
    name: "lazy-modules",
    setup(builder) {
      const namespace = "lazy";
      builder.onResolve({ filter: /.*/ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
        const isOfHooks = !importer.endsWith("src/bin/amplihack.ts") && !path.startsWith("node:");
        if (kind !== "dynamic-import" || pluginData === namespace || !isOfHooks) return undefined;
        const target = await builder.resolve(path, { kind, resolveDir, importer, pluginData: namespace });
        if (target.errors.length > 0) return { errors: target.errors };
        const name = `lazy-${relative(process.cwd(), target.path)
          .replace(/^(src|node_modules)\//, "")
          .replace(/\.[a-z]+$/, "")
          .replace(/[^a-z0-9]+/gi, "-")}`;
        found.set(name, target.path);
        return { path: name, namespace };
      });
      builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: `const { loadEntry } = require(${JSON.stringify(LOADER)});
const { join } = require("node:path");
module.exports = loadEntry(join(__dirname, ${JSON.stringify(`${path}.cjs`)}));`,
        resolveDir: process.cwd(),
        loader: "js",
      }));
    },
  };
}
