// One entry per hook for each runtime, made from the table of stock hooks.
import { existsSync } from "node:fs";

/** The entry that answers with its exit code alone. */
export const ARGV_ENTRY = "guard-argv";

/** What esbuild takes as the path of an entry that is generated. */
export const entryPath = name => `hook-entry:${name}`;

/** The stock hooks, and the one that answers for all other events. */
export async function entryNames() {
  const { loadSource } = await import("./load-source.mjs");
  const { STOCK_HOOKS } = await loadSource({ "protocol/stock-hooks.ts": ["STOCK_HOOKS"] });
  return [...STOCK_HOOKS.map(hook => hook.name), "no-opinion"].sort();
}

/** Where the definition of a hook is: a file of its name, or one in a folder of its name. */
export function definitionPath(name) {
  return [`src/hooks/stock/${name}.ts`, `src/hooks/stock/${name}/${name}.ts`].find(path => existsSync(path));
}

export function nodeEntrySource(name) {
  return `import { definition } from "./${definitionPath(name)}";
import { defineEntry } from "./src/bin/hook-start.ts";
export const main = defineEntry(definition);
export { findEntry } from "./src/hooks/program/command-line.ts";
`;
}

export function commandSource(name) {
  return `import { command } from "./src/commands/${name}.ts";
import { runBundled } from "./src/cli/program.ts";
export const run = runBundled(command);
`;
}

export function nativeEntrySource(name) {
  if (name === ARGV_ENTRY) return 'export { abandon, start } from "./src/bin/native-guard-argv.ts";';
  return `import { definition } from "./${definitionPath(name)}";
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
