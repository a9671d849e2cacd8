import { createPublicKey } from "node:crypto";
import * as fs from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { fetchRelease as FetchRelease } from "../../../src/launcher/update/apply.ts";
import { fetchReleases, latestRelease } from "../../../src/launcher/update/releases.ts";
import { createNodeSystem } from "../../../src/system/node.ts";
import { temporaryDirectory } from "../../temporary-directory.ts";
import { PUBLIC_KEY, type PublishedFiles, ReleaseServer } from "./release-server.ts";

/** How many more calls that change the disk below `where` succeed; after them one fails. */
const faults = { left: Number.POSITIVE_INFINITY, where: "" };

function failing<F extends (...words: never[]) => unknown>(call: F): F {
  return ((...words: Parameters<F>) => {
    if (faults.where !== "" && String(words[0]).startsWith(faults.where) && faults.left-- === 0)
      throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    return call(...words);
  }) as unknown as F;
}

let fetchRelease: typeof FetchRelease;

// Test files share a process: the modules under test are loaded anew on a disk that can fail, and dropped afterwards.
beforeAll(async () => {
  vi.resetModules();
  vi.doMock("node:fs", async importOriginal => {
    const real = await importOriginal<typeof import("node:fs")>();
    return {
      ...real,
      mkdirSync: failing(real.mkdirSync),
      writeFileSync: failing(real.writeFileSync),
      renameSync: failing(real.renameSync),
    };
  });
  ({ fetchRelease } = await import("../../../src/launcher/update/apply.ts"));
});

afterAll(() => {
  vi.doUnmock("node:fs");
  vi.resetModules();
});

const KEY = createPublicKey({ key: Buffer.from(PUBLIC_KEY, "base64"), format: "der", type: "spki" });
const HOUR_MS = 60 * 60 * 1000;

afterEach(() => {
  faults.where = "";
});

/** Every file below a folder with its text; undefined without the folder. */
function treeOf(folder: string): Readonly<Record<string, string>> | undefined {
  if (!fs.existsSync(folder)) return undefined;
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    entries
      .map(entry => join(entry.parentPath, entry.name))
      .sort()
      .map(path => [path, fs.statSync(path).isFile() ? fs.readFileSync(path, "utf8") : "folder"]),
  );
}

async function prepare(change: (files: PublishedFiles) => void = () => {}) {
  const stateHome = join(temporaryDirectory(), ".amplihack");
  const server = await ReleaseServer.start();
  server.publish("9.0.0", {}, change);
  const [release] = [latestRelease(await fetchReleases(server.source))];
  if (release === undefined) throw new Error("nothing is offered");
  const versions = join(stateHome, "versions");
  const system = createNodeSystem();
  const fetchAt = (nowMs: number) =>
    fetchRelease(
      { random: system.random, clock: { ...system.clock, nowMs: () => nowMs } },
      release,
      stateHome,
      KEY,
    );
  return { versions, fetchAt, fetch: () => fetchAt(Date.now()) };
}

function putVersion(versions: string, name: string): void {
  const bin = join(versions, name, "dist/bin");
  fs.mkdirSync(bin, { recursive: true });
  fs.writeFileSync(join(bin, "amplihack.cjs"), `// ${name}`);
}

describe("an update that fails", () => {
  it.each([
    ["where nothing was installed", []],
    ["beside another version", ["8.0.0"]],
    ["over a copy of the same version", ["8.0.0", "9.0.0"]],
  ])("at any step %s leaves everything as it was", async (_, present) => {
    const { versions, fetch } = await prepare();
    for (const name of present) putVersion(versions, name);
    const before = treeOf(versions);
    let failures = 0;
    for (let step = 0; ; step++) {
      Object.assign(faults, { where: versions, left: step });
      const outcome = await fetch().catch((error: Error) => error);
      faults.where = "";
      if (!(outcome instanceof Error)) break;
      failures += 1;
      expect(outcome.message).toContain("ENOSPC");
      expect(treeOf(versions)).toEqual(before);
    }
    expect(failures).toBeGreaterThan(4);
    expect(fs.readdirSync(versions).sort()).toEqual([...new Set([...present, "9.0.0"])]);
  });

  it("because the release does not start leaves everything as it was", async () => {
    const { versions, fetch } = await prepare();
    putVersion(versions, "9.0.0");
    const before = treeOf(versions);
    const { execPath } = process;
    Object.defineProperty(process, "execPath", { value: "/bin/false", configurable: true });
    try {
      await expect(fetch()).rejects.toThrow("it does not start; nothing was changed");
    } finally {
      Object.defineProperty(process, "execPath", { value: execPath, configurable: true });
    }
    expect(treeOf(versions)).toEqual(before);
  });
});

describe("an update after one that was killed", () => {
  it("removes what that left, brings back what it had moved away, and leaves one that runs alone", async () => {
    const { versions, fetch, fetchAt } = await prepare();
    for (const name of [".9.0.0.0a1b.tmp", ".8.0.0.0a1b.old", ".7.0.0.0a1b.old", "7.0.0"])
      putVersion(versions, name);
    await fetch();
    expect(fs.readdirSync(versions)).toHaveLength(5);
    await fetchAt(Date.now() + 2 * HOUR_MS);
    expect(fs.readdirSync(versions).sort()).toEqual(["7.0.0", "8.0.0", "9.0.0"]);
    expect(fs.readFileSync(join(versions, "8.0.0/dist/bin/amplihack.cjs"), "utf8")).toContain("8.0.0");
    expect(fs.readFileSync(join(versions, "7.0.0/dist/bin/amplihack.cjs"), "utf8")).toBe("// 7.0.0");
  });
});
