import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import { createMemorySystem, ProcessDied } from "../../src/system/memory.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { type Files, SystemError } from "../../src/system/system.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);

function codeOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    if (error instanceof SystemError) return error.code;
    throw error;
  }
  return "none";
}

describe.each<[string, () => { readonly files: Files; readonly base: string }]>([
  ["Node", () => ({ files: createNodeSystem().files, base: temporaryDirectory() })],
  ["memory", () => ({ files: createMemorySystem({ cwd: "/base" }).files, base: "/base" })],
])("files on %s", (_, open) => {
  it("have a stamp that holds while they are only looked at", () => {
    const { files, base } = open();
    files.createExclusive(`${base}/a`, bytesOf("one"), 0o644);
    const stamp = files.exactFacts(`${base}/a`)?.stamp;
    files.read(`${base}/a`, 10);
    files.digest(`${base}/a`);
    files.copy(`${base}/a`, `${base}/b`, 0o600);
    expect(files.exactFacts(`${base}/a`)?.stamp).toBe(stamp);
    expect(files.listFacts(base).map(({ name, stamp }) => [name, stamp])[0]).toEqual(["a", stamp]);
  });

  it("have another stamp when another file took the name, also of the same size and time", () => {
    const { files, base } = open();
    files.createExclusive(`${base}/a`, bytesOf("one"), 0o644);
    files.createExclusive(`${base}/b`, bytesOf("two"), 0o644);
    for (const name of ["a", "b"]) files.setModified(`${base}/${name}`, "1700000000000000000");
    const stamp = files.exactFacts(`${base}/a`)?.stamp;
    files.rename(`${base}/b`, `${base}/a`);
    expect(files.exactFacts(`${base}/a`)?.stamp).not.toBe(stamp);
  });

  it("are listed with the facts that each of them has alone", () => {
    const { files, base } = open();
    files.createExclusive(`${base}/file`, bytesOf("content"), 0o640);
    files.symlink("nowhere", `${base}/link`);
    files.makeDirectory(`${base}/directory`, 0o750);
    const found = files.listFacts(base);
    expect(found.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "directory directory",
      "file file",
      "link symlink",
    ]);
    for (const { name, ...facts } of found) {
      expect(facts).toEqual(files.exactFacts(`${base}/${name}`));
      expect(facts.identity).toBe(files.inspect(`${base}/${name}`)?.identity);
    }
    expect(files.exactFacts(`${base}/missing`)).toBeUndefined();
    expect(codeOf(() => files.listFacts(`${base}/missing`))).toBe("ENOENT");
    expect(codeOf(() => files.listFacts(`${base}/file`))).toBe("ENOTDIR");
  });

  it("have their stamps told together, one a line", () => {
    const { files, base } = open();
    files.createExclusive(`${base}/a\nb`, bytesOf("content"), 0o640);
    files.makeDirectory(`${base}/directory`, 0o750);
    const paths = ["a\nb", "missing", "a\nb/below", "directory", "x".repeat(300)].map(
      name => `${base}/${name}`,
    );
    expect(files.stampsOf(paths.join("\0")).split("\n").slice(0, 4)).toEqual([
      files.exactFacts(paths[0] ?? "")?.stamp,
      "",
      "",
      files.exactFacts(paths[3] ?? "")?.stamp,
    ]);
  });

  it("tell how many names they have, and are overwritten for all of them", () => {
    const { files, base } = open();
    files.createExclusive(`${base}/a`, bytesOf("former content"), 0o600);
    files.createExclusive(`${base}/new`, bytesOf("new"), 0o644);
    files.link(`${base}/a`, `${base}/b`);
    const linksOf = (name: string) => files.exactFacts(`${base}/${name}`)?.links;
    expect([linksOf("a"), linksOf("b"), linksOf("new")]).toEqual([2, 2, 1]);
    files.overwrite(`${base}/new`, `${base}/a`);
    expect(files.read(`${base}/b`, 100)).toEqual(bytesOf("new"));
    expect(files.exactFacts(`${base}/b`)).toMatchObject({ mode: 0o600, links: 2 });
    files.remove(`${base}/a`);
    files.rename(`${base}/new`, `${base}/b`);
    expect(linksOf("b")).toBe(1);
    files.symlink("b", `${base}/link`);
    expect(codeOf(() => files.overwrite(`${base}/b`, `${base}/missing`))).toBe("ENOENT");
    expect(codeOf(() => files.overwrite(`${base}/b`, `${base}/link`))).toBe("ELOOP");
    expect(codeOf(() => files.overwrite(`${base}/b`, base))).toBe("EISDIR");
  });

  // Other systems refuse such names.
  it.skipIf(process.platform !== "linux")("have names that need not be UTF-8", () => {
    const { files, base } = open();
    const directory = `${base}/d\udce9p \u{1f480}`;
    const path = `${directory}/caf\udce9\ufffd`;
    files.makeDirectory(directory, 0o755);
    files.createExclusive(path, bytesOf("text"), 0o644);
    files.symlink("caf\udce9\ufffd", `${directory}/link`);
    files.rename(path, `${path}2`);
    files.copy(`${path}2`, path, 0o600);
    expect(files.list(directory)).toEqual(["caf\udce9\ufffd", "caf\udce9\ufffd2", "link"]);
    expect(files.listFacts(directory).map(({ kind }) => kind)).toEqual(["file", "file", "symlink"]);
    expect(files.readLink(`${directory}/link`)).toBe("caf\udce9\ufffd");
    expect(files.realPath(`${directory}/link`).endsWith(path)).toBe(true);
    files.setModified(path, "1700000000000000000");
    files.changeMode(path, 0o640);
    expect(files.inspect(path)).toMatchObject({ mode: 0o640, modifiedMs: 1_700_000_000_000 });
    for (const name of files.list(directory)) files.remove(`${directory}/${name}`);
    files.removeDirectory(directory);
    expect(files.list(base)).toEqual([]);
  });

  it("are copied with exactly the mode that was asked for, to a name that is free", () => {
    const { files, base } = open();
    files.createExclusive(`${base}/a`, bytesOf("content"), 0o400);
    files.copy(`${base}/a`, `${base}/b`, 0o4777);
    expect(files.exactFacts(`${base}/b`)).toMatchObject({ size: 7, mode: 0o4777 });
    expect(files.digest(`${base}/b`)).toBe(createHash("sha256").update("content").digest("hex"));
    expect(codeOf(() => files.copy(`${base}/a`, `${base}/b`, 0o600))).toBe("EEXIST");
    expect(files.exactFacts(`${base}/b`)?.mode).toBe(0o4777);
  });

  it("are copied only if they are files", () => {
    const { files, base } = open();
    files.createExclusive(`${base}/a`, bytesOf("content"), 0o600);
    files.symlink("a", `${base}/link`);
    files.makeDirectory(`${base}/directory`, 0o700);
    expect(codeOf(() => files.copy(`${base}/link`, `${base}/x`, 0o600))).toBe("ELOOP");
    expect(codeOf(() => files.copy(`${base}/directory`, `${base}/x`, 0o600))).toBe("EINVAL");
    expect(codeOf(() => files.copy(`${base}/missing`, `${base}/x`, 0o600))).toBe("ENOENT");
    expect(files.inspect(`${base}/x`)).toBeUndefined();
  });

  it("get the time they are told, links and not what they lead to", () => {
    const { files, base } = open();
    files.createExclusive(`${base}/a`, bytesOf("content"), 0o600);
    files.symlink("a", `${base}/link`);
    files.setModified(`${base}/a`, "1700000000123456000");
    files.setModified(`${base}/link`, "1600000000000000000");
    expect(files.inspect(`${base}/a`)?.modifiedMs).toBe(1_700_000_000_123);
    expect(files.inspect(`${base}/link`)?.modifiedMs).toBe(1_600_000_000_000);
    expect(codeOf(() => files.setModified(`${base}/a`, "yesterday"))).toBe("EINVAL");
  });
});

describe("files of Node", () => {
  const { files } = createNodeSystem();

  it.each([0, 1, 65_535, 65_536, 65_537, 200_000])("of %i bytes are copied and digested whole", size => {
    const base = temporaryDirectory();
    const content = Uint8Array.from({ length: size }, (_, index) => (index * 31) % 251);
    writeFileSync(`${base}/a`, content);
    files.copy(`${base}/a`, `${base}/b`, 0o640);
    expect(Buffer.compare(readFileSync(`${base}/b`), content)).toBe(0);
    expect(statSync(`${base}/b`).mode & 0o7777).toBe(0o640);
    expect(files.digest(`${base}/b`)).toBe(createHash("sha256").update(content).digest("hex"));
  });

  it("keep their holes", () => {
    const base = temporaryDirectory();
    const hollow = openSync(`${base}/hollow`, "w");
    writeSync(hollow, "in the middle", 8_000_000);
    ftruncateSync(hollow, 20_000_000);
    closeSync(hollow);
    const { size, allocatedBytes } = files.exactFacts(`${base}/hollow`) ?? { size: 0, allocatedBytes: 0 };
    expect(size).toBe(20_000_000);
    expect(allocatedBytes).toBeLessThan(1_000_000);
    files.copy(`${base}/hollow`, `${base}/copy`, 0o600);
    expect(files.exactFacts(`${base}/copy`)?.allocatedBytes).toBeLessThan(1_000_000);
    expect(files.digest(`${base}/copy`)).toBe(files.digest(`${base}/hollow`));
  });

  it("are told with set-user-id bits and times to the nanosecond", () => {
    const base = temporaryDirectory();
    writeFileSync(`${base}/tool`, "x");
    chmodSync(`${base}/tool`, 0o4755);
    const { mode, modifiedNs } = files.exactFacts(`${base}/tool`) ?? { mode: 0, modifiedNs: "" };
    expect(mode).toBe(0o4755);
    expect(modifiedNs).toBe(String(lstatSync(`${base}/tool`, { bigint: true }).mtimeNs));
  });

  // Other systems refuse such names.
  it.skipIf(process.platform !== "linux")("are listed by names that are not UTF-8, too", () => {
    const base = temporaryDirectory();
    execFileSync("sh", ["-c", "printf 1 > \"$(printf 'bad\\377')\"; printf 22 > good"], { cwd: base });
    symlinkSync("x", `${base}/link`);
    expect(files.listFacts(base).map(({ name, size }) => [name, size])).toEqual([
      ["bad\udcff", 1],
      ["good", 2],
      ["link", 1],
    ]);
  });
});

describe("files in memory", () => {
  const open = () => createMemorySystem({ cwd: "/base", files: { "/base/a": "one", "/base/d/x": "x" } });

  it.each<[string, (files: Files) => void]>([
    ["append", files => files.append("/base/a", bytesOf("x"), 0o600)],
    ["change of mode", files => files.changeMode("/base/a", 0o644)],
    ["second name", files => files.link("/base/a", "/base/other")],
    [
      "rename",
      files => {
        files.rename("/base/a", "/base/z");
        files.rename("/base/z", "/base/a");
      },
    ],
    ["time", files => files.setModified("/base/a", "1767323045000000000")],
  ])("have another stamp after a touch: %s", (_, touch) => {
    const { files } = open();
    const stamp = files.exactFacts("/base/a")?.stamp;
    touch(files);
    expect(files.exactFacts("/base/a")?.stamp).not.toBe(stamp);
  });

  it("have another stamp of their directory when a name comes or goes", () => {
    const { files } = open();
    const stamps = new Set([files.exactFacts("/base/d")?.stamp]);
    files.copy("/base/a", "/base/d/y", 0o600);
    stamps.add(files.exactFacts("/base/d")?.stamp);
    files.remove("/base/d/x");
    stamps.add(files.exactFacts("/base/d")?.stamp);
    expect(stamps.size).toBe(3);
  });

  it("are half there when a process dies while it copies, and not at all when the copy fails", () => {
    const dying = open();
    dying.faults.dieAt(1);
    expect(() => dying.files.copy("/base/a", "/base/b", 0o600)).toThrow(ProcessDied);
    expect(dying.peek("/base/b")).toBe("o");
    const failing = open();
    failing.faults.failAt(1, "ENOSPC");
    expect(codeOf(() => failing.files.copy("/base/a", "/base/b", 0o600))).toBe("ENOSPC");
    expect(failing.peek("/base/b")).toBeUndefined();
  });
});
