import { spawnSync } from "node:child_process";
import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { gunzipSync } from "node:zlib";
import { errorText, type Json, listAt, memberAt, readJson, stringAt } from "../../protocol/index.ts";
import { Problem, readText } from "../../state/index.ts";
import { dirname, join, type System } from "../../system/index.ts";
import { fetchBytes, type Release } from "./releases.ts";

const BLOCK = 512;
const MAX_BYTES = 512 * 1024 * 1024;

/** Writes the files of an npm package archive below a new directory, without its first folder. Links are refused. */
export function unpack(archive: Uint8Array, directory: string): void {
  const bytes = gunzipSync(archive, { maxOutputLength: MAX_BYTES });
  let longName: string | undefined;
  for (let offset = 0; offset + BLOCK <= bytes.length; ) {
    const header = bytes.subarray(offset, offset + BLOCK);
    if (header[0] === 0) break;
    const size = readOctal(header, 124, 12);
    const content = bytes.subarray(offset + BLOCK, offset + BLOCK + size);
    if (content.length < size) throw broken("it ends too early");
    const type = String.fromCharCode(header[156] ?? 0);
    offset += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "x") longName = paxPath(content.toString("utf8")) ?? longName;
    else if (type === "L") longName = cString(content);
    else if (type !== "g") {
      const isExecutable = (readOctal(header, 100, 8) & 0o111) !== 0;
      writeEntry(directory, type, longName ?? entryName(header), content, isExecutable);
      longName = undefined;
    }
  }
}

function writeEntry(
  directory: string,
  type: string,
  name: string,
  content: Uint8Array,
  isExecutable: boolean,
): void {
  if (type !== "0" && type !== "\0" && type !== "5") throw broken("it contains links or devices");
  const parts = name.split("/").filter(part => part !== "" && part !== ".");
  if (name.startsWith("/") || name.includes("\0") || parts.includes("..")) throw broken("a name leaves it");
  const path = join(directory, ...parts.slice(1));
  if (parts.length < 2) return;
  if (type === "5") {
    mkdirSync(path, { recursive: true, mode: 0o755 });
    return;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  writeFileSync(path, content, { flag: "wx", mode: isExecutable ? 0o755 : 0o644 });
}

function entryName(header: Buffer): string {
  const [name, prefix] = [cString(header.subarray(0, 100)), cString(header.subarray(345, 500))];
  const isPosix = header.subarray(257, 262).toString("latin1") === "ustar";
  return isPosix && prefix !== "" ? `${prefix}/${name}` : name;
}

/** Records are \`<length> <key>=<value>\\n\`. */
function paxPath(text: string): string | undefined {
  return /(?:^|\n)\d+ path=([^\n]*)\n/.exec(text)?.[1];
}

function readOctal(header: Buffer, start: number, length: number): number {
  const text = cString(header.subarray(start, start + length)).trim();
  if (!/^[0-7]*$/.test(text)) throw broken("a number in it cannot be read");
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function cString(bytes: Buffer): string {
  const end = bytes.indexOf(0);
  return bytes.subarray(0, end < 0 ? bytes.length : end).toString("utf8");
}

function broken(why: string): Problem {
  return new Problem(`the archive of the release is not usable: ${why}`, { kind: "update" });
}

/** DER around the 32 bytes of an Ed25519 key. */
const SPKI_START = Buffer.from("302a300506032b6570032100", "hex");
const SIGNATURE_BYTES = 64;

/** The key that releases are signed with: as configured, else the one that this release was shipped with. */
export function releaseKey(configured: string | undefined, shippedFile: string): KeyObject {
  const text = (configured ?? readShipped(shippedFile)).trim();
  if (text === "") {
    throw refuse(
      "no key to check releases with is shipped or configured",
      "set update.publicKey in config.jsonc",
    );
  }
  try {
    const key = readPublicKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {
    // Told below, without the text.
  }
  throw refuse(
    "the key to check releases with is not an Ed25519 public key",
    "set update.publicKey as PEM or base64",
  );
}

/** A build that was not released has none. */
function readShipped(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

/** PEM, or base64 of the DER form or of the bare 32 bytes. */
export function readPublicKey(text: string): KeyObject {
  if (text.startsWith("-----BEGIN")) return createPublicKey(text);
  const bytes = Buffer.from(text, "base64");
  const der = bytes.length === 32 ? Buffer.concat([SPKI_START, bytes]) : bytes;
  return createPublicKey({ key: der, format: "der", type: "spki" });
}

/** Refuses bytes that were not signed with the key. The signature is 64 bytes, bare or as base64. */
export function checkSignature(
  bytes: Uint8Array,
  signature: Uint8Array,
  key: KeyObject,
  what = "SHA256SUMS",
): void {
  const bare =
    signature.length === SIGNATURE_BYTES ? signature : Buffer.from(textOfBytes(signature), "base64");
  if (bare.length === SIGNATURE_BYTES && verify(null, bytes, key, bare)) return;
  throw refuse(`the signature of ${what} does not match; nothing was changed`);
}

/** Refuses a file that is not what the signed sums say, or is not named there. */
function checkSum(sums: Uint8Array, name: string, content: Uint8Array): void {
  const wanted = textOfBytes(sums)
    .split("\n")
    .map(line => /^([0-9a-f]{64}) [ *](.+?)\r?$/.exec(line))
    .find(match => match?.[2] === name)?.[1];
  if (wanted === undefined) throw refuse(`SHA256SUMS does not name ${name}; nothing was changed`);
  if (createHash("sha256").update(content).digest("hex") === wanted) return;
  throw refuse(`${name} is not the file that SHA256SUMS names; nothing was changed`);
}

function textOfBytes(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("utf8");
}

function refuse(message: string, fix?: string): Problem {
  return new Problem(message, { kind: "untrusted-release", fix });
}

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
