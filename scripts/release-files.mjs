// What the parts of a release share: JSON files, packed folders, and ending with a reason.
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";

export function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Packs a package as npm does, with the packages it bundles. */
export function packFolder(folder, destination) {
  const { status } = spawnSync(
    "npm",
    ["pack", "--ignore-scripts", "--silent", "--pack-destination", destination],
    { cwd: folder, stdio: ["ignore", "ignore", "inherit"] },
  );
  if (status !== 0) fail(`npm could not pack ${folder}`, 1);
}

export function fail(reason, code) {
  console.error(`release: ${reason}`);
  process.exit(code);
}
