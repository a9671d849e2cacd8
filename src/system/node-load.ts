/**
 * Built-in modules, loaded at the moment they are needed. Most hook runs start no process and ask no terminal,
 * and then do not pay for the code behind it. Works in ES modules and in the CommonJS bundles alike.
 */
export function loadChildProcess(): typeof import("node:child_process") {
  return process.getBuiltinModule("node:child_process");
}

export function loadTerminal(): typeof import("node:tty") {
  return process.getBuiltinModule("node:tty");
}

export function loadOperatingSystem(): typeof import("node:os") {
  return process.getBuiltinModule("node:os");
}

export function loadCrypto(): typeof import("node:crypto") {
  return process.getBuiltinModule("node:crypto");
}
