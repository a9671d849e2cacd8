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

/** Other ways to write the same road. */
export function canonicalRoad(path: string): string {
  let road = path;
  for (const prefix of GLOBALS) if (road.startsWith(prefix)) road = road.slice(prefix.length);
  if (road.includes(".default")) road = road.replace(/\.default(?=\.|$)/g, "");
  for (const [other, usual] of SAME_MODULE) {
    if (road.startsWith(other)) road = usual + road.slice(other.length);
  }
  return road;
}

/** The road to a module by the name it is loaded with. */
export function moduleRoad(name: string): string {
  return canonicalRoad(name.replace(/^(?:node|npm|jsr):/, "").replace(/^(fs|path|stream|dns)\//, "$1."));
}
