// Bundles the hook program for Node: a tiny executable, one CommonJS file per hook, and one more for every module
// that is imported lazily, so that a run loads only what it needs.
import { mkdirSync, writeFileSync } from "node:fs";
import { build, transform } from "esbuild";
import { entryNames, nodeEntrySource } from "./entries.mjs";
import { collectModules, createReader, joinModules } from "./lazy-bundle.mjs";

const FOLDER = "dist/bin/hook-entries";
const LOADER = "src/bin/load-entry.ts";

/** A bundle that `load-entry` loads is an expression: the function that CommonJS would put around its text. */
export const AROUND_BUNDLE = {
  banner: { js: "(function(exports,require,module,__filename,__dirname){" },
  footer: { js: "})" },
};

/**
 * @param {import("esbuild").BuildOptions} common
 * @returns {Promise<readonly string[]>} every file that went into the bundles
 */
export async function buildHooks(common) {
  const settings = { ...common, format: "cjs", charset: "ascii" };
  await build({
    ...settings,
    entryPoints: ["amplihack", "amplihack-hooks", "record-code"].map(name => `src/bin/${name}.ts`),
    outdir: "dist/bin",
    outExtension: { ".js": ".cjs" },
    minify: true,
  });

  const generated = new Map(entryNames().map(name => [`hook-entry:${name}`, nodeEntrySource(name)]));
  const { metafile } = await build({
    ...settings,
    entryPoints: [LOADER, "src/bin/guard-argv.ts", ...generated.keys()],
    outdir: "dist",
    write: false,
    metafile: true,
    plugins: [{ name: "hook-entries", setup: builder => provideEntries(builder, generated) }],
  });
  const { target, platform, define, charset } = settings;
  const read = createReader(metafile.inputs, { target, platform, define, charset }, generated);

  mkdirSync(FOLDER, { recursive: true });
  const waiting = new Map([...generated.keys()].map(path => [path.slice("hook-entry:".length), path]));
  waiting.set("guard-argv", "src/bin/guard-argv.ts");
  const loadLazy = (path, use) => {
    const name = lazyName(path);
    waiting.set(name, path);
    return `Promise.resolve().then(() => ${use(LOADER, "loadEntry")}(__dirname + "/${name}.cjs"))`;
  };
  // Bundles that are found on the way are made in the same walk.
  for (const [name, path] of waiting) {
    const outfile = `${FOLDER}/${name}.cjs`;
    const code = path.startsWith("node_modules/")
      ? await bundlePackage(path, settings)
      : await joinLazily(path, read, loadLazy, settings);
    writeFileSync(outfile, asAscii(code));
  }
  return Object.keys(metafile.inputs);
}

async function bundlePackage(path, settings) {
  const { outputFiles } = await build({
    ...{ ...settings, ...AROUND_BUNDLE, entryPoints: [path] },
    ...{ outdir: FOLDER, write: false, minify: true },
  });
  return outputFiles[0].text;
}

/** esbuild escapes texts and names, but leaves regular expressions as they are; an escape means the same there. */
function asAscii(code) {
  return code.replace(/[\u0080-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

async function joinLazily(path, read, loadLazy, { target }) {
  const modules = await collectModules(path, read);
  modules.set(LOADER, await read(LOADER));
  for (const [name, module] of await collectModules(LOADER, read)) modules.set(name, module);
  const text = joinModules(path, modules, loadLazy);
  const { code } = await transform(text, {
    ...{ banner: AROUND_BUNDLE.banner.js, footer: AROUND_BUNDLE.footer.js },
    ...{ minify: true, format: "cjs", charset: "ascii", target },
  });
  return code;
}

function lazyName(path) {
  const name = path.replace(/^(src|node_modules)\//, "").replace(/\.[a-z]+$/, "");
  return `lazy-${name.replace(/[^a-z0-9]+/gi, "-")}`;
}

function provideEntries(builder, generated) {
  const namespace = "hook-entry";
  builder.onResolve({ filter: /^hook-entry:/ }, ({ path }) => ({ path: path.slice(11), namespace }));
  builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
    contents: generated.get(`hook-entry:${path}`),
    resolveDir: process.cwd(),
    loader: "ts",
  }));
}
