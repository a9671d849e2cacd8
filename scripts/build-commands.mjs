// Bundles the commands that people type all day, which shall start nearly as fast as Node itself. Most of a start is the
// reading of code, so that each command is one file with what an ordinary run of it needs, and nothing else. All that
// one of them may need beyond that stands in a file that they share. Every module is there once in a run: what the
// shared file needs of a command's own, it gets from there.
import { writeFileSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { build, transform } from "esbuild";
import { asAscii, LOADED_BUNDLE } from "./build-hooks.mjs";
import { vendoredImports } from "./build-vendor.mjs";
import { commandSource, entryPath, generatedEntries } from "./entries.mjs";
import { lateIndentation, lateWidth, leanModules } from "./lean-modules.mjs";
import { pastDoors } from "./past-doors.mjs";

/** What an ordinary run of each loads only when it knows that it goes on. */
const QUICK_COMMANDS = {
  guard: [],
  history: ["src/commands/history/open.ts", "src/commands/history/table.ts"],
  status: ["src/launcher/agent-status.ts", "src/install/user-hooks/problems.ts"],
  undo: ["src/commands/history/open.ts", "src/commands/undo/carry-out.ts"],
};
const SHARED = "lazy-commands";
/** What the hooks have as a file of its own, with compiled code beside it: the commands load that one. */
const OF_HOOKS = { "src/guard/guard.ts": "lazy-guard-guard" };

/** Files of the package are found from a folder of dist, as from its chunks. */
const BANNER = `${LOADED_BUNDLE.banner.js}var __place={get url(){return require("node:url").pathToFileURL(__dirname).href}};`;
/** A chunk is one of the command's own, one that the hooks have, or one of the shared file. */
const loader =
  ofHooks => `var __outside=require,__made={},__ofHooks=${JSON.stringify(ofHooks)},require=name=>{
if(__ofHooks[name])return __outside(__ofHooks[name]);
if(!/^\\.\\/.*\\.js$/.test(name))return __outside(name);
if(__made[name])return __made[name].exports;
var made=__made[name]={exports:{}},own=module.exports.chunks[name];
if(own)made.exports=own();else __outside("./${SHARED}.cjs").parts[name](made.exports,made,require);
return made.exports};`;

/**
 * @param {import("esbuild").BuildOptions} common
 * @param {string} output the folder that becomes `dist`, which has the hooks already
 * @returns {Promise<readonly string[]>} every file that went into the bundles
 */
export async function buildCommands(common, output) {
  const folder = `${output}/bin/hook-entries`;
  const names = Object.keys(QUICK_COMMANDS);
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: names.map(name => ({ in: entryPath(name), out: `command-${name}` })),
    outdir: folder,
    chunkNames: "[name]-[hash]",
    format: "esm",
    splitting: true,
    minifySyntax: true,
    define: { ...common.define, "import.meta.url": "__place.url" },
    external: ["libsql", "esbuild"],
    write: false,
    metafile: true,
    plugins: [
      generatedEntries(commandSource),
      vendoredImports,
      lateIndentation,
      lateWidth,
      leanModules(() => {}),
      pastDoors,
    ],
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [relative(process.cwd(), path), text]));
  const chunks = { texts, outputs: metafile.outputs };
  for (const name of names) {
    const { code } = await bundleCommand(common, chunks, name);
    writeFileSync(`${folder}/command-${name}.cjs`, asAscii(code));
  }
  writeFileSync(`${folder}/${SHARED}.cjs`, asAscii(await sharedCode(common, chunks, folder)));
  return Object.keys(metafile.inputs);
}

/** All that an ordinary run needs, in one scope. */
async function bundleCommand(common, { texts, outputs }, name) {
  const start = outputOf(outputs, path => path === `hook-entry:${name}`);
  const late = QUICK_COMMANDS[name].map(path => outputOf(outputs, entry => entry === path));
  const own = new Set([start, ...late].flatMap(path => [...reachedFrom(outputs, path)]));
  const wanted = [...own].filter(path =>
    Object.entries(outputs).some(([importer, { imports }]) =>
      imports.some(each => each.path === path && (!own.has(importer) || each.kind === "dynamic-import")),
    ),
  );
  const members = (number, write) =>
    outputs[wanted[number]].exports.map((member, at) => write(member, `_${number}_${at}`)).join(",");
  const lines = wanted.map(
    (path, number) => `import{${members(number, (member, as) => `${member} as ${as}`)}}from${quote(path)};`,
  );
  const rows = wanted.map(
    (path, number) =>
      `${quote(chunkName(path))}:()=>({__esModule:true,${members(number, (member, as) => `get ${member}(){return ${as}}`)}})`,
  );
  const source = `export{run}from${quote(start)};${lines.join("")}export const chunks={${rows.join(",")}};`;
  const { outputFiles } = await build({
    ...LOADED_BUNDLE,
    stdin: { contents: source, resolveDir: process.cwd() },
    outfile: "command.cjs",
    bundle: true,
    platform: common.platform,
    target: common.target,
    logLevel: common.logLevel,
    banner: { js: `${BANNER}${loader(filesOfHooks(outputs))}` },
    write: false,
    plugins: [chunkFiles(texts)],
  });
  return { code: outputFiles[0].text };
}

/** Every chunk that a command can reach, as a function that is called when it is needed. */
async function sharedCode(common, { texts, outputs }) {
  const reached = new Set(
    Object.keys(QUICK_COMMANDS).map(name => outputOf(outputs, path => path === `hook-entry:${name}`)),
  );
  for (const path of reached)
    for (const { path: next, external } of outputs[path].imports) if (!external) reached.add(next);
  const { banner, footer, ...options } = LOADED_BUNDLE;
  const parts = await Promise.all(
    [...reached].map(async path => {
      const { code } = await transform(texts.get(path), { ...options, target: common.target, loader: "js" });
      return `${quote(chunkName(path))}:function(exports,module,require){${code}}`;
    }),
  );
  return `${BANNER}exports.parts={${parts.join(",\n")}}${footer.js}`;
}

/** By chunk: the file to load instead. */
function filesOfHooks(outputs) {
  const rows = Object.entries(OF_HOOKS).map(([source, file]) => [
    chunkName(outputOf(outputs, entry => entry === source)),
    `./${file}.cjs`,
  ]);
  return Object.fromEntries(rows);
}

function outputOf(outputs, isEntry) {
  const found = Object.keys(outputs).find(path => isEntry(outputs[path].entryPoint));
  if (found === undefined)
    throw new Error("an entry of the quick commands has no chunk: is it still imported?");
  return found;
}

/** What is loaded with it. */
function reachedFrom(outputs, start) {
  const reached = new Set([start]);
  for (const path of reached)
    for (const { path: next, kind, external } of outputs[path].imports)
      if (kind === "import-statement" && !external) reached.add(next);
  return reached;
}

/** Chunks are read from memory; those that are imported later are asked for by their name. */
function chunkFiles(texts) {
  return {
    name: "chunk-files",
    setup(builder) {
      builder.onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) => {
        const file = relative(process.cwd(), resolve(resolveDir, path));
        if (!texts.has(file)) return { path, external: true };
        return kind === "dynamic-import"
          ? { path: chunkName(file), external: true }
          : { path: file, namespace: "chunk" };
      });
      builder.onLoad({ filter: /.*/, namespace: "chunk" }, ({ path }) => ({
        contents: texts.get(path),
        resolveDir: resolve(path, ".."),
        loader: "js",
      }));
    },
  };
}

const chunkName = path => `./${basename(path)}`;
const quote = path => JSON.stringify(path);
