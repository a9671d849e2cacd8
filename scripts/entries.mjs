// One entry per hook for each runtime, made from the definitions in src/hooks/entries/.
import { readdirSync } from "node:fs";

const FOLDER = "src/hooks/entries";

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

/** The entry that answers with its exit code alone. */
export const ARGV_ENTRY = "guard-argv";

export function nativeEntrySource(name) {
  if (name === ARGV_ENTRY) return 'export { abandon, start } from "./src/bin/native-guard-argv.ts";';
  return `import { definition } from "./${FOLDER}/${name}.ts";
import { defineNativeEntry } from "./src/bin/native-start.ts";
export const { start, abandon } = defineNativeEntry(definition);
`;
}
