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

export function nativeEntrySource(name) {
  return `import { definition } from "./${FOLDER}/${name}.ts";
import { defineNativeEntry } from "./src/bin/native-start.ts";
export const { start, abandon } = defineNativeEntry(definition);
`;
}
