import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const HOOKS_SOURCES = ["src", "native/host/src", "package.json"];
const SANDBOX_SOURCES = ["native/sandbox", "native/Cargo.lock"];

/**
 * When the sources of a native program were last changed: one that is older is not made from them.
 * @param {string} name of the program's file
 */
export function nativeSourcesMs(name) {
  const sources = name.startsWith("amplihack-sandbox") ? SANDBOX_SOURCES : HOOKS_SOURCES;
  return Math.max(...sources.map(newestIn));
}

function newestIn(path) {
  const facts = statSync(path);
  if (!facts.isDirectory()) return facts.mtimeMs;
  return Math.max(0, ...readdirSync(path).map(name => newestIn(join(path, name))));
}
