// The archive that `amplihack update` unpacks: the main package with everything it needs at run time, because an
// update starts no package manager. What is bundled into dist needs nothing; libsql has a compiled file per platform.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fail, packFolder, writeJson } from "./release-files.mjs";

const OUTSIDE = "libsql";

/**
 * @param {string} out where the archive goes; `npm/` below it holds the packages
 * @param {string} name of the main package
 * @param {readonly string[]} platforms that the release is for
 * @param {readonly string[]} nativePlatforms those of them that have a native program
 */
export function addArchive(out, name, platforms, nativePlatforms) {
  const work = mkdtempSync(join(out, ".archive-"));
  const place = join(work, "package");
  const modules = join(place, "node_modules");
  cpSync(join(out, "npm", name), place, { recursive: true });
  for (const each of requiredBy(OUTSIDE)) copyPackage(each, modules);
  for (const each of platforms.flatMap(bindingsOf)) addBinding(each, modules, work);
  const natives = nativePlatforms.map(platform => `${name}-${platform}`);
  for (const each of natives) cpSync(join(out, "npm", each), join(modules, each), { recursive: true });
  const { optionalDependencies, ...published } = readJson(join(place, "package.json"));
  const { [OUTSIDE]: version, ...optional } = optionalDependencies;
  writeJson(join(place, "package.json"), {
    ...published,
    optionalDependencies: optional,
    dependencies: { [OUTSIDE]: version },
    bundleDependencies: [OUTSIDE, ...natives],
    amplihack: { platforms },
  });
  packFolder(place, out);
  rmSync(work, { recursive: true, force: true });
}

/** A package and all that it requires, by name. */
function requiredBy(name, found = new Set()) {
  if (found.has(name)) return found;
  found.add(name);
  const { dependencies = {} } = readJson(`node_modules/${name}/package.json`);
  for (const each of Object.keys(dependencies)) requiredBy(each, found);
  return found;
}

/** The packages with the compiled file for a platform; Linux has one for each C library. */
function bindingsOf(platform) {
  const { optionalDependencies } = readJson(`node_modules/${OUTSIDE}/package.json`);
  const start = `@${OUTSIDE}/${platform}`;
  const names = Object.keys(optionalDependencies).filter(
    name => name === start || name.startsWith(`${start}-`),
  );
  return names.length > 0 ? names : fail(`${OUTSIDE} has no compiled file for ${platform}`, 1);
}

function copyPackage(name, modules) {
  cpSync(`node_modules/${name}`, join(modules, name), { recursive: true });
}

/** This machine has only its own; those of others are fetched and must be what the lock file says. */
function addBinding(name, modules, work) {
  if (existsSync(`node_modules/${name}/package.json`)) return copyPackage(name, modules);
  const { version, integrity } = readJson("package-lock.json").packages[`node_modules/${name}`];
  const folder = mkdtempSync(join(work, "fetched-"));
  run("npm", ["pack", "--silent", "--pack-destination", folder, `${name}@${version}`]);
  const [file] = readdirSync(folder);
  const archive = join(folder, file);
  const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
  if (found !== integrity) fail(`${name}@${version} is not the package that package-lock.json names`, 1);
  mkdirSync(join(modules, name), { recursive: true });
  run("tar", ["-xzf", archive, "-C", join(modules, name), "--strip-components", "1"]);
}

function run(program, words) {
  const { status, error } = spawnSync(program, words, { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0)
    fail(`${program} ${words[0]} failed${error === undefined ? "" : `: ${error.message}`}`, 1);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, "utf8"));
}
