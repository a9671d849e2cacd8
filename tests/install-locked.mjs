import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Installs what the lock file of a folder names, unless it is there already. */
export function installLocked(folder, ...options) {
  const installed = join(folder, "node_modules", ".package-lock.json");
  if (existsSync(installed) && versionsIn(installed) === versionsIn(join(folder, "package-lock.json")))
    return;
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const { status } = spawnSync("npm", ["ci", ...quiet, ...options], { cwd: folder, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

function versionsIn(lock) {
  return JSON.stringify(
    Object.entries(JSON.parse(readFileSync(lock, "utf8")).packages).flatMap(
      ([name, { version, optional }]) => (name === "" || optional ? [] : [[name, version]]),
    ),
  );
}
