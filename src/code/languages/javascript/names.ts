const GLOBALS = ["globalThis.", "global.", "window.", "self.", "process.mainModule.", "module.constructor."];
const SAME_MODULE: readonly (readonly [string, string])[] = [
  ["fs.promises", "fs"],
  ["fs-extra", "fs"],
  ["graceful-fs", "fs"],
  ["path.posix", "path"],
  ["shelljs.global", "shelljs"],
  ["shell.", "shelljs."],
  ["https.", "http."],
];

/** Other ways to write the same name. */
export function canonicalName(written: string): string {
  let name = written;
  for (const prefix of GLOBALS) if (name.startsWith(prefix)) name = name.slice(prefix.length);
  if (name.includes(".default")) name = name.replace(/\.default(?=\.|$)/g, "");
  for (const [other, usual] of SAME_MODULE) {
    if (name.startsWith(other)) name = usual + name.slice(other.length);
  }
  return name;
}

/** The qualified name of a module by the name it is loaded with. */
export function moduleName(loaded: string): string {
  return canonicalName(loaded.replace(/^(?:node|npm|jsr):/, "").replace(/^(fs|path|stream|dns)\//, "$1."));
}
