// Node takes longer to find many small files than to read one. Chunks that an entry loads at once become one file; in
// the place of each stands one that hands on what it had, for whoever loads it alone.
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";
import { build } from "esbuild";
import { markPure } from "./pure-statements.mjs";

/**
 * @param {string} output the folder that becomes `dist`
 * @param {import("esbuild").Metafile} metafile of the build that wrote the chunks
 * @param {readonly (readonly [name: string, entry: string])[]} groups what each entry loads, without what an earlier one has
 */
export async function joinChunks(output, { outputs }, groups) {
  /** By its absolute path: what a joined chunk is now. */
  const joined = new Map();
  for (const [name, entry] of groups) {
    const paths = new Set([`${output}/${entry}`]);
    for (const path of paths)
      for (const { path: next, kind, external } of outputs[path].imports)
        if (kind === "import-statement" && !external) paths.add(next);
    const target = `${output}/chunks/${name}.js`;
    const together = [...paths].filter(path => !joined.has(resolve(path)));
    const isNamedElsewhere = path =>
      outputs[path].entryPoint !== undefined ||
      Object.entries(outputs).some(
        ([other, { imports }]) => !together.includes(other) && imports.some(each => each.path === path),
      );
    const chunks = together.filter(isNamedElsewhere);
    const names = (number, end) =>
      outputs[chunks[number]].exports.map((member, at) => end(member, `_${number}_${at}`)).join(",");
    const lines = chunks.map(
      (path, number) =>
        `export{${names(number, (own, as) => `${own} as ${as}`)}}from${quote(resolve(path))};`,
    );
    await build({
      stdin: { contents: lines.join("\n"), resolveDir: resolve(output), sourcefile: `${name}.js` },
      outfile: target,
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20.19",
      charset: "utf8",
      minify: true,
      logLevel: "warning",
      plugins: [besides(target, joined)],
    });
    writeFileSync(target, markPure(readFileSync(target, "utf8")));
    chunks.forEach((path, number) => {
      joined.set(resolve(path), {
        target,
        text: from =>
          `export{${names(number, (own, as) => `${as} as ${own}`)}}from${quote(pathFrom(from, target))};\n`,
      });
    });
    for (const path of together) if (!chunks.includes(path)) rmSync(path);
  }
  for (const [path, { text }] of joined) writeFileSync(path, text(path));
}

/** What is loaded later, or by another name, stays a file of its own; of an earlier group its one file is used. */
function besides(target, joined) {
  const folder = dirname(resolve(target));
  return {
    name: "besides",
    setup(builder) {
      builder.onResolve({ filter: /.*/ }, ({ path, kind, resolveDir }) => {
        if (!/^[./]/.test(path)) return { path, external: true };
        const file = resolve(resolveDir, path);
        const isKept =
          kind === "dynamic-import" || [...joined.values()].some(each => resolve(each.target) === file);
        return isKept ? { path: pathFrom(`${folder}/_`, file), external: true } : { path: file };
      });
      builder.onLoad({ filter: /.*/ }, ({ path }) => {
        const known = joined.get(path);
        return known && { contents: known.text(path), resolveDir: dirname(path), loader: "js" };
      });
    },
  };
}

function pathFrom(file, target) {
  const path = relative(dirname(resolve(file)), resolve(target));
  return path.startsWith(".") ? path : `./${path}`;
}

const quote = path => JSON.stringify(path);
