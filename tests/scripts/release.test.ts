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

  it("holds plugins for three hosts, whose hooks start the program beside them", () => {
    const plugins = join(place, "out", "plugins");
    const manifests = {
      "claude-code": [".claude-plugin/plugin.json", "${CLAUDE_PLUGIN_ROOT}"],
      codex: [".codex-plugin/plugin.json", "${PLUGIN_ROOT}"],
      "gemini-cli": ["gemini-extension.json", "${extensionPath}"],
    } as const;
    for (const [host, [manifest, root]] of Object.entries(manifests)) {
      expect(readJson(join(plugins, host, manifest))).toMatchObject({ name: "amplihack", version });
      const hooks = readFileSync(join(plugins, host, "hooks/hooks.json"), "utf8");
      const commands = [...hooks.matchAll(/"command": (".*"),?$/gm)].map(([, text = ""]) => JSON.parse(text));
      expect(commands.length).toBeGreaterThan(5);
      for (const command of commands) expect(command.startsWith(`"${root}/bin/amplihack-hooks" `)).toBe(true);
      const asked = spawnSync(join(plugins, host, "bin/amplihack-hooks"), ["--version"], {
        env: { PATH: process.env["PATH"], HOME: place },
        encoding: "utf8",
      });
      expect(asked.stdout).toBe(`amplihack-hooks ${version}\n`);
      const alone = spawnSync("/bin/sh", [join(plugins, host, "bin/amplihack-hooks"), "pre-tool-use"], {
        env: { PATH: "/nowhere", HOME: place },
        encoding: "utf8",
      });
      // Only where this machine has no Node in the folders that are looked into besides.
      if (alone.stderr.includes("node was not found"))
        expect([alone.status, alone.stdout]).toEqual([0, host === "codex" ? "" : "{}\n"]);
    }
    const places = [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"];
    for (const name of places) expect(JSON.stringify(readJson(join(plugins, name)))).toContain('"./');
  });

  it("is signed over the sums of its files", () => {
    const read = (name: string) => readFileSync(join(place, "out", name));
    const sums = read("SHA256SUMS");
    const signature = Buffer.from(read("SHA256SUMS.sig").toString(), "base64");
    expect(verify(null, sums, createPublicKey(privateKey), signature)).toBe(true);
    const lines = sums.toString().trimEnd().split("\n");
    expect(lines.map(line => line.slice(66))).toEqual(
      [
        `amplihack-${version}.cdx.json`,
        `amplihack-${version}.tgz`,
        `amplihack-plugins-${version}.tgz`,
        ...PLATFORMS.map(platform => `amplihack-hooks-${platform}`),
      ].sort(),
    );
    for (const line of lines) {
      const digest = createHash("sha256")
        .update(read(line.slice(66)))
        .digest("hex");
      expect(line.slice(0, 64)).toBe(digest);
    }
  });

  it("says what it is made of", () => {
    const sbom = readJson(join(place, "out", `amplihack-${version}.cdx.json`)) as {
      readonly bomFormat: string;
      readonly components: readonly {
        readonly "bom-ref": string;
        readonly hashes: readonly { readonly alg: string; readonly content: string }[];
      }[];
    };
    expect(sbom).toMatchObject({ bomFormat: "CycloneDX", specVersion: "1.5", version: 1 });
    const refs = sbom.components.map(component => component["bom-ref"]);
    expect(new Set(refs).size).toBe(refs.length);
    const lock = readJson(join(ROOT, "package-lock.json"))["packages"] as Record<string, { version: string }>;
    for (const name of ["unbash", "yaml", "libsql", "esbuild"])
      expect(refs).toContain(`pkg:npm/${name}@${lock[`node_modules/${name}`]?.version}`);
    expect(refs.filter(ref => ref.startsWith("pkg:npm/vitest@"))).toEqual([]);
    const crates = readFileSync(join(ROOT, "native", "Cargo.lock"), "utf8");
    const wanted = [...crates.matchAll(/name = "(.+)"\nversion = "(.+)"\nsource/g)].map(
      ([, name, of]) => `pkg:cargo/${name}@${of}`,
    );
    expect(refs.filter(ref => ref.startsWith("pkg:cargo/")).sort()).toEqual(wanted.sort());
    const digits = { "SHA-512": 128, "SHA-256": 64 } as Record<string, number>;
    for (const { hashes } of sbom.components)
      for (const { alg, content } of hashes)
        expect(content).toMatch(new RegExp(`^[0-9a-f]{${digits[alg]}}$`));
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
