import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const SOURCES = ["src", "native/host/src", "package.json"];

/** When the sources of the native program were last changed: one that is older is not made from them. */
export function nativeSourcesMs() {
  return Math.max(...SOURCES.map(newestIn));
}

function newestIn(path) {
  const facts = statSync(path);
  if (!facts.isDirectory()) return facts.mtimeMs;
  return Math.max(0, ...readdirSync(path).map(name => newestIn(join(path, name))));
}
