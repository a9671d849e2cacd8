import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const WORKFLOWS = ".github/workflows";
const workflows = readdirSync(new URL(`../../${WORKFLOWS}`, import.meta.url)).map(
  name => [name, read(`${WORKFLOWS}/${name}`)] as const,
);

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
}

/**
 * Tools of development that come as one package a platform: of those for other platforms the lock file knows only name
 * and version. Nothing of it is shipped. The list may only become shorter.
 */
const UNHASHED = /^node_modules\/@(?:biomejs\/cli|rolldown\/binding)-[\w-]+$/;
const MAX_UNHASHED = 23;

describe("what is installed from npm", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as {
    readonly packages: Readonly<Record<string, Locked>>;
  };
  const entries = Object.entries(packages).filter(([path]) => path !== "");
  const without = entries.filter(([, { integrity }]) => integrity === undefined);

  it("is known by its hash", () => {
    expect(entries.length).toBeGreaterThan(100);
    expect(without.filter(([path]) => !UNHASHED.test(path)).map(([path]) => path)).toEqual([]);
    expect(without.every(([, { dev, optional }]) => dev === true && optional === true)).toBe(true);
    expect(without.length).toBeLessThanOrEqual(MAX_UNHASHED);
    for (const [, { integrity }] of entries)
      if (integrity !== undefined) expect(integrity).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/);
  });

  it("comes from the registry of whoever installs it, by exact versions", () => {
    for (const [path, { link, version, resolved }] of entries) {
      expect([path, link, resolved]).toEqual([path, undefined, undefined]);
      expect(version).toMatch(/^\d+\.\d+\.\d+/);
    }
    const main = JSON.parse(read("package.json")) as Record<string, Record<string, string>>;
    for (const kind of ["dependencies", "optionalDependencies", "devDependencies"])
      for (const wanted of Object.values(main[kind] ?? {})) expect(wanted).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe("what the native program is made of", () => {
  it("is known by its checksum", () => {
    const blocks = read("native/Cargo.lock").split("[[package]]").slice(1);
    const foreign = blocks.filter(block => /^source = /m.test(block));
    expect(foreign.length).toBeGreaterThan(5);
    for (const block of foreign) {
      expect(block).toMatch(/^source = "registry\+/m);
      expect(block).toMatch(/^checksum = "[0-9a-f]{64}"$/m);
    }
  });

  it("is compiled by one version of Rust, here and in CI", () => {
    const [, channel] = /^channel = "(\d+\.\d+\.\d+)"$/m.exec(read("rust-toolchain.toml")) ?? [];
    expect(channel).toBeDefined();
    const installed = workflows.flatMap(([, text]) =>
      [...text.matchAll(/rustup toolchain install (\S+)/g)].map(([, version]) => version),
    );
    expect(new Set(installed)).toEqual(new Set([channel]));
  });
});

describe("workflows", () => {
  it.each(workflows)("%s pin every action to a commit and name its version", (_, text) => {
    const used = text.split("\n").filter(line => /^\s*(?:- )?uses:/.test(line));
    expect(used.length).toBeGreaterThan(0);
    for (const line of used) expect(line).toMatch(/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    expect(text).toMatch(/^permissions:\n {2}contents: read$/m);
  });

  it("publish with proof of where the packages were made, and with no more rights than that takes", () => {
    const publishing = workflows.map(([, text]) => text).filter(text => text.includes("npm publish"));
    expect(publishing).toHaveLength(1);
    for (const line of (publishing[0] ?? "").split("\n").filter(each => each.includes("npm publish")))
      expect(line).toMatch(/ --provenance .*--ignore-scripts/);
    expect(publishing[0]?.match(/id-token: write/g)).toHaveLength(1);
  });
});
