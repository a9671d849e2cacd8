// One entry per hook for each runtime, made from the definitions in src/hooks/entries/.
import { readdirSync } from "node:fs";

const FOLDER = "src/hooks/entries";

/** The entry that answers with its exit code alone. */
export const ARGV_ENTRY = "guard-argv";

/** What esbuild takes as the path of an entry that is generated. */
export const entryPath = name => `hook-entry:${name}`;

export function entryNames() {
  return readdirSync(FOLDER)
    .filter(name => name.endsWith(".ts"))
    .map(name => name.slice(0, -3))
    .sort();
}

export function nodeEntrySource(name) {
  return `import { definition } from "./${FOLDER}/${name}.ts";
import { defineEntry } from "./src/bin/hook-start.ts";
export const main = defineEntry(definition);
export { findEntry } from "./src/hooks/command-line.ts";
`;
}

export function nativeEntrySource(name) {
  if (name === ARGV_ENTRY) return 'export { abandon, start } from "./src/bin/native-guard-argv.ts";';
  return `import { definition } from "./${FOLDER}/${name}.ts";
import { defineNativeEntry } from "./src/bin/native-start.ts";
export const { start, abandon } = defineNativeEntry(definition);
`;
}

/** @returns {import("esbuild").Plugin} gives esbuild the text of generated entries */
export function generatedEntries(sourceOf) {
  const namespace = "hook-entry";
  return {
    name: namespace,
    setup(builder) {
      builder.onResolve({ filter: /^hook-entry:/ }, ({ path }) => ({ path: path.slice(11), namespace }));
      builder.onLoad({ filter: /.*/, namespace }, ({ path }) => ({
        contents: sourceOf(path),
        resolveDir: process.cwd(),
        loader: "ts",
      }));
    },
  };
}
