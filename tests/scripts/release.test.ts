import { spawnSync } from "node:child_process";
import { createHash, createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runs } from "../generated-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PATIENCE_MS = 240_000;
/** The long run makes it for all; packages of other platforms are fetched from the network then. */
const PLATFORMS =
  runs(0, 1) === 1
    ? ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"]
    : [`${process.platform}-${process.arch}`];
const { version } = readJson(join(ROOT, "package.json"));

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
}

function release(place: string, ...words: readonly string[]) {
  const script = join(ROOT, "scripts", "release.mjs");
  return spawnSync(process.execPath, [script, join(place, "out"), ...words], { encoding: "utf8" });
}

/** Files that stand for the programs of the platforms. */
function binaries(place: string): string {
  const folder = join(place, "binaries");
  mkdirSync(folder);
  for (const platform of PLATFORMS) writeFileSync(join(folder, `amplihack-hooks-${platform}`), platform);
  return folder;
}

describe("one version everywhere", () => {
  it("is in Cargo.toml what it is in package.json", () => {
    const cargo = readFileSync(join(ROOT, "native", "Cargo.toml"), "utf8");
    expect(/^version = "(.+)"$/m.exec(cargo)?.[1]).toBe(version);
  });
});

describe("a release", () => {
  const place = mkdtempSync(join(tmpdir(), "amplihack-release-"));
  const { privateKey } = generateKeyPairSync("ed25519");
  let made: ReturnType<typeof release>;
  beforeAll(() => {
    const key = join(place, "key.pem");
    writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
    made = release(place, "--binaries", binaries(place), "--key", key);
  }, PATIENCE_MS);
  afterAll(() => rmSync(place, { recursive: true, force: true }));

  it("holds a package for every platform, none with an install script, all of one version", () => {
    expect([made.status, made.stderr]).toEqual([0, ""]);
    const packages = join(place, "out", "npm");
    const main = readJson(join(packages, "amplihack", "package.json"));
    expect(main["optionalDependencies"]).toEqual({
      ...Object.fromEntries(PLATFORMS.map(platform => [`amplihack-${platform}`, version])),
      esbuild: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      libsql: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    });
    for (const name of readdirSync(packages)) {
      const described = readJson(join(packages, name, "package.json"));
      expect(described).toMatchObject({ name, version });
      expect(described).not.toHaveProperty("scripts");
    }
    for (const platform of PLATFORMS) {
      const [os, cpu] = platform.split("-");
      const native = readJson(join(packages, `amplihack-${platform}`, "package.json"));
      expect(native).toMatchObject({ os: [os], cpu: [cpu], files: ["amplihack-hooks"] });
    }
  });

  it("is signed over the sums of its files", () => {
    const read = (name: string) => readFileSync(join(place, "out", name));
    const sums = read("SHA256SUMS");
    const signature = Buffer.from(read("SHA256SUMS.sig").toString(), "base64");
    expect(verify(null, sums, createPublicKey(privateKey), signature)).toBe(true);
    const lines = sums.toString().trimEnd().split("\n");
    expect(lines.map(line => line.slice(66))).toEqual(
      [`amplihack-${version}.tgz`, ...PLATFORMS.map(platform => `amplihack-hooks-${platform}`)].sort(),
    );
    for (const line of lines) {
      const digest = createHash("sha256")
        .update(read(line.slice(66)))
        .digest("hex");
      expect(line.slice(0, 64)).toBe(digest);
    }
  });

  it("is refused with a key of another kind", () => {
    const place = temporaryDirectory();
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const key = join(place, "key.pem");
    writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
    const { status, stderr } = release(place, "--binaries", binaries(place), "--key", key);
    expect(status).toBe(1);
    expect(stderr).toContain("expected ed25519");
  });
});
