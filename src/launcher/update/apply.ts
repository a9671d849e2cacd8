import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isJsonObject, ownValue, readJson } from "../../protocol/index.ts";
import { readText } from "../../state/read-text.ts";
import type { System } from "../../system/system.ts";
import { LaunchProblem, textOf } from "../problem.ts";
import { fetchBytes } from "./fetch.ts";
import type { Release } from "./releases.ts";
import { unpack } from "./unpack.ts";
import { checkSignature, checkSum, releaseKey } from "./verify.ts";

const SUMS = { bytes: 64 * 1024, timeoutMs: 30_000 };
const ARCHIVE = { bytes: 256 * 1024 * 1024, timeoutMs: 10 * 60_000 };
const PROBE_MS = 30_000;

/** Fetches, checks and unpacks a release into a directory of its own; gives its command line program. */
export async function fetchRelease(
  system: Pick<System, "random">,
  release: Release,
  stateHome: string,
  publicKey: string | undefined,
): Promise<string> {
  const key = releaseKey(publicKey);
  const name = `amplihack-${release.version}.tgz`;
  const sums = await fetchBytes(release.addressOf("SHA256SUMS"), SUMS);
  checkSignature(sums, await fetchBytes(release.addressOf("SHA256SUMS.sig"), SUMS), key);
  const archive = await fetchBytes(release.addressOf(name), ARCHIVE);
  checkSum(sums, name, archive);

  const versions = join(stateHome, "versions");
  const target = join(versions, release.version);
  const temporary = join(versions, `.${release.version}.${system.random.hex(8)}.tmp`);
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  try {
    unpack(archive, temporary);
    prove(temporary, release.version);
    rmSync(target, { recursive: true, force: true });
    renameSync(temporary, target);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    throw error;
  }
  return programIn(target);
}

function programIn(directory: string): string {
  return join(directory, "dist", "bin", "amplihack.cjs");
}

/** A release that does not start on this machine must not take the place of one that does. */
function prove(directory: string, version: string): void {
  const fail = (why: string): LaunchProblem =>
    new LaunchProblem(`amplihack ${version} is not usable here: ${why}; nothing was changed`, {
      kind: "update",
    });
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  } catch (error) {
    throw fail(`its package.json cannot be read (${textOf(error)})`);
  }
  const isOurs =
    isJsonObject(manifest) &&
    ownValue(manifest, "name") === "amplihack" &&
    ownValue(manifest, "version") === version;
  if (!isOurs) throw fail("its package.json names something else");
  const { status, stdout } = spawnSync(
    process.execPath,
    [programIn(directory), "version", "--format", "json"],
    {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: PROBE_MS,
    },
  );
  const answer = readJson(stdout ?? "", { recover: false, maxDepth: 20 });
  const reported = answer.ok && isJsonObject(answer.value) ? ownValue(answer.value, "version") : undefined;
  if (status !== 0 || reported !== version) throw fail("it does not start");
}

/** The hosts that the user has registered, by the installer's own record. */
export function registeredHosts(
  system: Pick<System, "files" | "text">,
  stateHome: string,
): readonly string[] {
  const path = join(stateHome, ".claude", "install", "amplihack-manifest.json");
  const read = readJson(readText(system, path, 4 * 1024 * 1024) ?? "", { recover: false, maxDepth: 50 });
  const hosts = read.ok && isJsonObject(read.value) ? ownValue(read.value, "hosts") : undefined;
  const names = (Array.isArray(hosts) ? hosts : []).flatMap(entry => {
    if (!isJsonObject(entry) || ownValue(entry, "scope") === "project") return [];
    const host = ownValue(entry, "host");
    return typeof host === "string" && /^[a-z][a-z-]*$/.test(host) ? [host] : [];
  });
  return [...new Set(names)];
}

/** Lets the new version register itself where the old one was. */
export function runInstall(program: string, hosts: readonly string[]): boolean {
  const words = hosts.flatMap(host => ["--host", host]);
  const { status } = spawnSync(process.execPath, [program, "install", "--yes", ...words], {
    stdio: ["ignore", 2, 2],
  });
  return status === 0;
}
