// Bundles the hook program for Node: a tiny executable, one CommonJS file per hook, and one more for every module
// that is imported lazily, so that a run loads only what it needs.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { build, transform } from "esbuild";
import { ARGV_ENTRY, entryNames, entryPath, generatedEntries, nodeEntrySource } from "./entries.mjs";
import { lateIndentation, leanModules } from "./lean-modules.mjs";
import { pastDoors } from "./past-doors.mjs";

/**
 * How a file must be bundled for `src/bin/load-entry.ts`: as an expression, the function that CommonJS would put around
 * its text. `import()` becomes `require()`, because a script without a module loader has no `import()`.
 */
export const LOADED_BUNDLE = {
  format: "cjs",
  charset: "ascii",
  minify: true,
  supported: { "dynamic-import": false },
  banner: { js: "(function(exports,require,module,__filename,__dirname){" },
  footer: { js: "})" },
};

/**
 * @param {import("esbuild").BuildOptions} common
 * @param {string} output the folder that becomes `dist`
 * @returns {Promise<readonly string[]>} every file that went into the bundles
 */
export async function buildHooks(common, output) {
  const folder = `${output}/bin/hook-entries`;
  await build({
    ...common,
    entryPoints: ["amplihack", "amplihack-hooks", "record-code"].map(name => `src/bin/${name}.ts`),
    outdir: `${output}/bin`,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    minify: true,
  });

  // A module, because hooks of users are; what few of them need is a file of its own.
  writeReached(
    [`${output}/bin/run-hooks.mjs`],
    await build({
      ...common,
      entryPoints: ["src/bin/run-hooks.ts"],
      outdir: `${output}/bin`,
      outExtension: { ".js": ".mjs" },
      chunkNames: "run-hooks-[hash]",
      format: "esm",
      splitting: true,
      minify: true,
      write: false,
      metafile: true,
      plugins: [lateIndentation, pastDoors],
    }),
  );

  mkdirSync(folder, { recursive: true });
  const inputs = new Set();
  let waiting = new Map((await entryNames()).map(name => [name, entryPath(name)]));
  waiting.set(ARGV_ENTRY, `src/bin/${ARGV_ENTRY}.ts`);
  const made = new Set();
  const beside = new Map();
  while (waiting.size > 0) {
    const lazy = new Map();
    const { outputFiles, metafile } = await build({
      ...common,
      ...LOADED_BUNDLE,
      entryPoints: [...waiting].map(([out, path]) => ({ in: path, out })),
      outdir: folder,
      outExtension: { ".js": ".cjs" },
      write: false,
      metafile: true,
      plugins: [
        generatedEntries(nodeEntrySource),
        lateIndentation,
        leanModules((name, text) => beside.set(name, text)),
        lazyBundles(lazy),
        pastDoors,
      ],
    });
    for (const { path, text } of outputFiles) writeFileSync(path, asAscii(text));
    for (const path of Object.keys(metafile.inputs)) inputs.add(path);
    for (const name of waiting.keys()) made.add(name);
    // A door names everything lazy behind it; only what is left in a bundle is wanted.
    const isWanted = name => outputFiles.some(({ text }) => text.includes(`./${name}.cjs`));
    waiting = new Map([...lazy].filter(([name]) => !made.has(name) && isWanted(name)));
  }
  const { banner, footer, ...transformed } = LOADED_BUNDLE;
  for (const [name, text] of beside) {
    const { code } = await transform(text, { ...transformed, target: common.target });
    writeFileSync(`${folder}/${name}.cjs`, asAscii(`${banner.js}${code}${footer.js}`));
  }
  return [...inputs];
}

/**
 * Writes the chunks that the entries can load: a door makes chunks of everything lazy behind it.
 * @param {readonly string[]} entries paths of built files
 * @param {import("esbuild").BuildResult} built with its files unwritten and its metafile
 */
export function writeReached(entries, { outputFiles, metafile }) {
  const reached = new Set(entries);
  for (const path of reached)
    for (const { path: next, external } of metafile.outputs[path].imports) if (!external) reached.add(next);
  for (const { path, contents } of outputFiles) {
    if (!reached.has(relative(process.cwd(), path))) continue;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
  }
}

/** What is imported lazily becomes a bundle beside the one that imports it; `found` gets its name and path. */
function lazyBundles(found) {
  return {
    name: "lazy-bundles",
    setup(builder) {
      builder.onResolve({ filter: /.*/ }, async ({ kind, path, resolveDir, pluginData }) => {
        if (kind !== "dynamic-import" || pluginData === found || path.startsWith("node:")) return undefined;
        const resolved = await builder.resolve(path, { kind, resolveDir, pluginData: found });
        if (resolved.errors.length > 0) return resolved;
        const name = lazyName(relative(process.cwd(), resolved.path));
        found.set(name, resolved.path);
        return { path: `./${name}.cjs`, external: true };
      });
    },
  };
}

function lazyName(path) {
  const name = path.replace(/^(src|node_modules)\//, "").replace(/\.[a-z]+$/, "");
  return `lazy-${name.replace(/[^a-z0-9]+/gi, "-")}`;
}

/** esbuild escapes texts and names, but leaves regular expressions as they are; an escape means the same there. */
export function asAscii(code) {
  return code.replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
