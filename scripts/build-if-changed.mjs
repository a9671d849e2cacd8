// `node scripts/build-if-changed.mjs` builds dist/ unless it is what the last such build made of the same sources:
// `npm ci && npm test` would build twice.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const RECORD = "node_modules/.cache/amplihack-build";
const SOURCES = [
  "src",
  "scripts",
  "recipes",
  "package.json",
  "package-lock.json",
  "tsconfig.json",
  "tsconfig.build.json",
];

const digest = digestSources();
if (readRecord() === describeBuild()) {
  console.log("dist/ is already built from these sources");
  process.exit(0);
}
const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
mkdirSync("node_modules/.cache", { recursive: true });
writeFileSync(RECORD, describeBuild());

/** A build puts a new folder in the place of the last one, so its number tells one that was made since. */
function describeBuild() {
  const { ino, birthtimeMs } = statSync("dist", { throwIfNoEntry: false }) ?? {};
  return JSON.stringify([digest, process.version, process.arch, ino, birthtimeMs]);
}

function readRecord() {
  try {
    return readFileSync(RECORD, "utf8");
  } catch {
    return undefined;
  }
}

function digestSources() {
  const hash = createHash("sha256");
  for (const path of SOURCES) addTo(hash, path);
  return hash.digest("hex");
}

function addTo(hash, path) {
  if (statSync(path).isDirectory()) {
    for (const name of readdirSync(path).sort()) addTo(hash, join(path, name));
    return;
  }
  const bytes = readFileSync(path);
  hash.update(`${path} ${bytes.length}\n`).update(bytes);
}
