import { spawnSync } from "node:child_process";
import { createHash, createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { runs } from "../generated-inputs.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** The long run makes it for all; packages of other platforms are fetched from the network then. */
const PLATFORMS =
  runs(0, 1) === 1
    ? ["linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"]
    : [`${process.platform}-${process.arch}`];
/** Those with a sandbox. */
const SANDBOXED = PLATFORMS.filter(platform => platform.startsWith("linux-"));
const { version } = readJson(join(ROOT, "package.json"));

function readJson(path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
}

function release(place: string, ...words: readonly string[]) {
  const script = join(ROOT, "scripts", "release.mjs");
  // Programs of the place come first.
  const env = { ...process.env, PATH: `${place}:${process.env["PATH"]}` };
  return spawnSync(process.execPath, [script, join(place, "out"), ...words], { encoding: "utf8", env });
}

/** Files that stand for the programs of the platforms, and tell a version. */
function binaries(place: string, told: unknown = version): string {
  const folder = join(place, "binaries");
  mkdirSync(folder);
  const program = `#!/bin/sh\necho "amplihack-hooks ${told}"\n`;
  for (const platform of PLATFORMS) writeFileSync(join(folder, `amplihack-hooks-${platform}`), program);
  for (const platform of SANDBOXED) writeFileSync(join(folder, `amplihack-sandbox-${platform}`), program);
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
  });
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
      const files = ["amplihack-hooks", ...(SANDBOXED.includes(platform) ? ["amplihack-sandbox"] : [])];
      expect(native).toMatchObject({ os: [os], cpu: [cpu], files });
      for (const file of files)
        expect(statSync(join(packages, `amplihack-${platform}`, file)).mode & 0o777).toBe(0o755);
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
        ...SANDBOXED.map(platform => `amplihack-sandbox-${platform}`),
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
        readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
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
    const refsOf = (pattern: RegExp) =>
      [...crates.matchAll(pattern)].map(([, name, of]) => `pkg:cargo/${name}@${of}`);
    const own = refsOf(/name = "(amplihack-(?:native|sandbox))"\nversion = "(.+)"\n(?!source)/g);
    expect(own).toHaveLength(2);
    const wanted = [...refsOf(/name = "(.+)"\nversion = "(.+)"\nsource/g), ...own];
    expect(refs.filter(ref => ref.startsWith("pkg:cargo/")).sort()).toEqual(wanted.sort());
    // What the schema of CycloneDX 1.5 requires of a component.
    for (const component of sbom.components)
      expect(component).toMatchObject({
        type: own.includes(component["bom-ref"]) ? "application" : "library",
        name: expect.stringMatching(/./),
      });
    expect(sbom).toMatchObject({
      metadata: {
        component: { type: "application", name: "amplihack", version, licenses: [{ expression: "MIT" }] },
      },
    });
    const digits = { "SHA-512": 128, "SHA-256": 64 } as Record<string, number>;
    for (const { hashes = [] } of sbom.components)
      for (const { alg, content } of hashes)
        expect(content).toMatch(new RegExp(`^[0-9a-f]{${digits[alg]}}$`));
  });

  it("can be published: npm accepts each of its packages, with what the package names", () => {
    for (const name of [...PLATFORMS.map(platform => `amplihack-${platform}`), "amplihack"]) {
      const words = ["publish", join(place, "out/npm", name), "--dry-run", "--json", "--ignore-scripts"];
      const { status, stdout, stderr } = spawnSync("npm", [...words, "--access", "public"], {
        encoding: "utf8",
        cwd: place,
      });
      expect([status, status === 0 ? "" : stderr]).toEqual([0, ""]);
      expect(stdout).toContain(`"${name}@${version}"`);
    }
  });

  /** Runs a step of the workflow in a folder that holds the release, with a stand-in of the program it calls. */
  function runStep(program: string, step: string, env: Readonly<Record<string, string>>) {
    const work = temporaryDirectory();
    const isNeeded = (path: string) => !path.endsWith("/plugins") && !path.endsWith("/dist");
    cpSync(join(place, "out"), join(work, "release"), { recursive: true, filter: isNeeded });
    writeFileSync(join(work, program), `#!/bin/sh\nprintf '%s\\n' "$*" >> "$RUNNER_TEMP/calls"\n`, {
      mode: 0o755,
    });
    const workflow = parse(readFileSync(join(ROOT, ".github/workflows/native.yml"), "utf8")) as {
      readonly jobs: Readonly<Record<string, { readonly steps: readonly Record<string, string>[] }>>;
    };
    const steps = Object.values(workflow.jobs).flatMap(job => job.steps);
    const script = steps.find(({ name }) => name?.startsWith(step))?.["run"] ?? "exit 9";
    const ran = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], {
      cwd: work,
      encoding: "utf8",
      env: { HOME: work, PATH: `${work}:${process.env["PATH"]}`, RUNNER_TEMP: work, ...env },
    });
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    return readFileSync(join(work, "calls"), "utf8").trimEnd().split("\n");
  }

  it("is published by the workflow with the main package last, each with provenance", () => {
    const calls = runStep("npm", "Publish the native packages", {});
    expect(calls).toEqual(
      [...PLATFORMS.map(platform => `amplihack-${platform}`).sort(), "amplihack"].map(
        name => `publish ./release/npm/${name} --provenance --access public --ignore-scripts`,
      ),
    );
  });

  it.each([
    ["v1.2.3", "--latest"],
    ["v1.2.3-rc.1", "--prerelease"],
  ])("becomes %s on GitHub (%s) with every file that the sums name", (tag, kind) => {
    const [call = ""] = runStep("gh", "Make the release on GitHub", { GITHUB_REF_NAME: tag });
    expect(call).toContain(`release create ${tag} --verify-tag --generate-notes ${kind} `);
    const files = readdirSync(join(place, "out"), { withFileTypes: true }).filter(entry => entry.isFile());
    expect(call.split(" ").slice(6).sort()).toEqual(files.map(({ name }) => name).sort());
  });

  it("is refused when the native program tells another version", () => {
    const place = temporaryDirectory();
    const { status, stderr } = release(place, "--binaries", binaries(place, "0.0.9"));
    expect(status).toBe(1);
    expect(stderr).toContain(`says "amplihack-hooks 0.0.9" instead of "amplihack-hooks ${version}"`);
  });

  it("asks a program of another machine through an emulator", () => {
    const place = temporaryDirectory();
    const folder = join(place, "binaries");
    mkdirSync(folder);
    writeFileSync(join(folder, "amplihack-hooks-linux-arm64"), "\x7fELF");
    const emulator = '#!/bin/sh\necho "amplihack-hooks 0.0.9"\n';
    for (const name of ["qemu-aarch64-static", "qemu-aarch64"])
      writeFileSync(join(place, name), emulator, { mode: 0o755 });
    const { status, stderr } = release(place, "--binaries", folder);
    const isArm = process.platform === "linux" && process.arch === "arm64";
    expect(status).toBe(1);
    if (!isArm) expect(stderr).toContain('of linux-arm64 says "amplihack-hooks 0.0.9"');
  });

  it.each([
    [["--without-native", "--binaries", "."], "exclude each other"],
    [["--platforms", "linux-x64"], "--platforms needs --without-native"],
    [["--without-native", "--platforms", "plan9-mips"], "plan9-mips is none of linux-x64"],
  ])("is refused with %j", (words, message) => {
    const { status, stderr } = release(temporaryDirectory(), ...words);
    expect([status, stderr.includes(message)]).toEqual([2, true]);
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

describe("a release without native programs", () => {
  it("names none, and its archive still says what it is made for", () => {
    const place = temporaryDirectory();
    const here = `${process.platform}-${process.arch}`;
    const made = release(place, "--without-native", "--platforms", here);
    expect([made.status, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).toContain("hooks run on Node");
    expect(readdirSync(join(place, "out/npm"))).toEqual(["amplihack"]);
    const main = readJson(join(place, "out/npm/amplihack/package.json"));
    expect(Object.keys(main["optionalDependencies"] as object).sort()).toEqual(["esbuild", "libsql"]);
    const archive = join(place, "out", `amplihack-${version}.tgz`);
    const packed = spawnSync("tar", ["-xzOf", archive, "package/package.json"], { encoding: "utf8" });
    expect(JSON.parse(packed.stdout)).toMatchObject({
      bundleDependencies: ["libsql"],
      amplihack: { platforms: [here] },
    });
  });
});
