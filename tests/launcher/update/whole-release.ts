import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll } from "vitest";
import { recordCode } from "../../../src/install/code-cache.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { version } from "../../../src/version.ts";
import { buildFolder } from "../../build-folder.ts";
import { PRIVATE_KEY, type PublishedFiles, signRelease } from "./release-server.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
export const OLD = "0.0.9";

/** A release as it is published: its archive on the disk and what is in it, and its files by name. */
export interface WholeRelease {
  readonly version: string;
  readonly archive: string;
  readonly folder: string;
  readonly files: PublishedFiles;
}

/** What `scripts/release.mjs` makes of the built program, and the same program under an older version. */
export async function makeReleases(): Promise<{ readonly now: WholeRelease; readonly old: WholeRelease }> {
  const work = mkdtempSync(join(buildFolder(), "release-"));
  afterAll(() => rmSync(work, { recursive: true, force: true }));
  const now = releaseHere(work);
  return { now, old: await renumber(now, work) };
}

function releaseHere(work: string): WholeRelease {
  const out = join(work, "release");
  const key = join(work, "key.pem");
  writeFileSync(key, PRIVATE_KEY, { mode: 0o600 });
  const binaries = join(work, "binaries");
  writeNative(join(binaries, `amplihack-hooks-${process.platform}-${process.arch}`), version);
  const words = ["scripts/release.mjs", out, "--key", key, "--binaries", binaries];
  execFileSync(process.execPath, words, { cwd: root, stdio: ["ignore", "ignore", "inherit"] });
  const names = readdirSync(out, { withFileTypes: true }).filter(entry => entry.isFile());
  const files = Object.fromEntries(names.map(({ name }) => [name, readFileSync(join(out, name))]));
  const archive = join(out, `amplihack-${version}.tgz`);
  execFileSync("tar", ["-xzf", archive, "-C", work]);
  return { version, archive, folder: join(work, "package"), files };
}

/** The version stands as a text of its own in the bundles; compiled code of them would not notice a change. */
async function renumber(now: WholeRelease, work: string): Promise<WholeRelease> {
  const folder = join(work, "old");
  mkdirSync(folder);
  execFileSync("cp", ["-R", now.folder, folder]);
  const entries = readdirSync(join(folder, "package"), { recursive: true, withFileTypes: true });
  for (const { name, parentPath } of entries.filter(entry => entry.isFile())) {
    const path = join(parentPath, name);
    if (name.endsWith(".cache")) rmSync(path);
    else if (/\.(?:c?js|json)$/.test(name) && !/node_modules\/(?!amplihack)/.test(path.slice(folder.length)))
      writeFileSync(path, readFileSync(path, "utf8").replaceAll(`"${version}"`, `"${OLD}"`));
  }
  const native = `amplihack-${process.platform}-${process.arch}`;
  writeNative(join(folder, "package/node_modules", native, "amplihack-hooks"), OLD);
  // As a release has it, so that not every installation has to compile.
  const binFolder = join(folder, "package/dist/bin");
  await recordCode(createNodeSystem(), { binFolder, node: process.execPath, temporaryFolder: work });
  const packed = join(folder, `amplihack-${OLD}.tgz`);
  packQuickly(packed, folder);
  const files = signRelease(OLD, readFileSync(packed));
  return { version: OLD, archive: packed, folder: join(folder, "package"), files };
}

/** Packs the folder `package` in `place`, compressed as little as can be. */
export function packQuickly(archive: string, place: string): void {
  execFileSync("tar", ["--use-compress-program", "gzip -1", "-cf", archive, "-C", place, "package"]);
}

/** Stands in for the native hook program, which needs tools that few have. */
function writeNative(path: string, ofVersion: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\necho "amplihack-hooks ${ofVersion}"\n`);
  chmodSync(path, 0o755);
}
