import { spawnSync } from "node:child_process";
import type { KeyObject } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { errorText, type Json, listAt, memberAt, readJson, stringAt } from "../../protocol/index.ts";
import { Problem, readText } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { fetchBytes } from "./fetch.ts";
import type { Release } from "./releases.ts";
import { unpack } from "./unpack.ts";
import { checkSignature, checkSum } from "./verify.ts";

const SUMS = { bytes: 64 * 1024, timeoutMs: 30_000 };
const ARCHIVE = { bytes: 256 * 1024 * 1024, timeoutMs: 10 * 60_000 };
const PROBE_MS = 30_000;
const ABANDONED_MS = 60 * 60 * 1000;

/** Fetches, checks and unpacks a release into a directory of its own; gives its command line program. */
export async function fetchRelease(
  system: Pick<System, "random" | "clock">,
  release: Release,
  stateHome: string,
  key: KeyObject,
): Promise<string> {
  const name = `amplihack-${release.version}.tgz`;
  const sums = await fetchBytes(release.addressOf("SHA256SUMS"), SUMS);
  checkSignature(sums, await fetchBytes(release.addressOf("SHA256SUMS.sig"), SUMS), key);
  const archive = await fetchBytes(release.addressOf(name), ARCHIVE);
  checkSum(sums, name, archive);

  const versions = join(stateHome, "versions");
  const target = join(versions, release.version);
  const nonce = system.random.hex(8);
  const temporary = join(versions, `.${release.version}.${nonce}.tmp`);
  const replaced = join(versions, `.${release.version}.${nonce}.old`);
  removeAbandoned(versions, system.clock.nowMs());
  try {
    mkdirSync(temporary, { recursive: true, mode: 0o700 });
    unpack(archive, temporary);
    prove(temporary, release.version);
    takePlace(temporary, target, replaced);
  } finally {
    for (const path of [temporary, replaced]) rmSync(path, { recursive: true, force: true });
    if (existsSync(versions) && readdirSync(versions).length === 0) rmdirSync(versions);
  }
  return programIn(target);
}

/** What an update left that was killed: its copy goes, and a version that it had moved away comes back. */
function removeAbandoned(versions: string, nowMs: number): void {
  for (const name of existsSync(versions) ? readdirSync(versions) : []) {
    const [, version = "", kind] = /^\.(.+)\.[0-9a-f]+\.(tmp|old)$/.exec(name) ?? [];
    const path = join(versions, name);
    // A young one may belong to an update that is running.
    if (kind === undefined || nowMs - statSync(path).ctimeMs < ABANDONED_MS) continue;
    const target = join(versions, version);
    if (kind === "old" && !existsSync(target)) renameSync(path, target);
    else rmSync(path, { recursive: true, force: true });
  }
}

/** Hooks may be starting from the old folder at this moment, so it is never missing for long, nor half there. */
function takePlace(fresh: string, target: string, replaced: string): void {
  const isThere = existsSync(target);
  if (isThere) renameSync(target, replaced);
  try {
    renameSync(fresh, target);
  } catch (error) {
    if (isThere) renameSync(replaced, target);
    throw error;
  }
}

function programIn(directory: string): string {
  return join(directory, "dist", "bin", "amplihack.cjs");
}

/** A release that does not start on this machine must not take the place of one that does. */
function prove(directory: string, version: string): void {
  const fail = (why: string): Problem =>
    new Problem(`amplihack ${version} is not usable here: ${why}; nothing was changed`, {
      kind: "update",
    });
  let manifest: Json;
  try {
    manifest = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  } catch (error) {
    throw fail(`its package.json cannot be read (${errorText(error)})`);
  }
  if (stringAt(manifest, "name") !== "amplihack" || stringAt(manifest, "version") !== version)
    throw fail("its package.json names something else");
  // The platforms that an archive has compiled files for; left out when it needs none.
  const made = memberAt(manifest, "amplihack", "platforms");
  const here = `${process.platform}-${process.arch}`;
  if (Array.isArray(made) && !made.includes(here))
    throw fail(`it is made for ${made.join(", ")}, and this is ${here}`);
  const { status, stdout } = spawnSync(
    process.execPath,
    [programIn(directory), "version", "--format", "json"],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: PROBE_MS },
  );
  const answer = readJson(stdout ?? "", { recover: false, maxDepth: 20 });
  if (status !== 0 || !answer.ok || stringAt(answer.value, "version") !== version)
    throw fail("it does not start");
}

/** The hosts that are registered for the user, by the installer's own record; undefined without an installation. */
export function registeredHosts(
  system: Pick<System, "files" | "text">,
  stateHome: string,
): readonly string[] | undefined {
  const path = join(stateHome, ".claude", "install", "amplihack-manifest.json");
  const text = readText(system, path, 4 * 1024 * 1024);
  if (text === undefined) return undefined;
  const read = readJson(text, { recover: false, maxDepth: 50 });
  const names = listAt(read.ok ? read.value : undefined, "hosts").flatMap(entry => {
    const host = stringAt(entry, "host") ?? "";
    return stringAt(entry, "scope") !== "project" && /^[a-z][a-z-]*$/.test(host) ? [host] : [];
  });
  return [...new Set(names)];
}

/** Lets the new version take the old one's place: the programs that hosts start, and the user's registrations. */
export function runInstall(program: string, hosts: readonly string[]): boolean {
  const words = hosts.length === 0 ? ["--programs-only"] : hosts.flatMap(host => ["--host", host]);
  const { status } = spawnSync(process.execPath, [program, "install", "--yes", ...words], {
    stdio: ["ignore", 2, 2],
  });
  return status === 0;
}
