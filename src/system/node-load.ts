import { createRequire } from "node:module";

/**
 * Loads a built-in module at the moment it is needed, in ES modules and in the CommonJS bundles alike. Most
 * hook runs start no process and ask no terminal, and then do not pay for the code behind it.
 */
const load = createRequire(process.execPath);

export function loadChildProcess(): typeof import("node:child_process") {
  return load("node:child_process");
}

export function loadTerminal(): typeof import("node:tty") {
  return load("node:tty");
}

export function loadOperatingSystem(): typeof import("node:os") {
  return load("node:os");
}
