import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, it } from "vitest";
import { writeAtomically } from "../../src/system/atomic-write.ts";
import { createMemorySystem, type MemorySystem, ProcessDied } from "../../src/system/memory.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const PATH = "/data/file.json";

function withOldFile(): MemorySystem {
  return createMemorySystem({ files: { [PATH]: { content: "old", mode: 0o640 } } });
}

function operationsOf(make: () => MemorySystem): number {
  const system = make();
  writeAtomically(system, PATH, bytesOf("new"));
  return system.faults.count;
}

const everyOperation = (make: () => MemorySystem) =>
  Array.from({ length: operationsOf(make) }, (_, index) => index + 1);

describe("an atomic write", () => {
  it("makes the file, private by default, and its parents", () => {
    const system = createMemorySystem();
    writeAtomically(system, "/a/b/c", bytesOf("new"));
    expect(system.peek("/a/b/c")).toBe("new");
    expect(system.files.inspect("/a/b/c")?.mode).toBe(0o600);
    expect(system.files.inspect("/a/b")?.mode).toBe(0o700);
  });

  it("writes the place of a file to the disk at once, but for one whose version before is as good", () => {
    const system = withOldFile();
    const synced: string[] = [];
    const files = Object.assign(Object.create(system.files), {
      syncDirectory: (path: string) => void synced.push(path),
    });
    const watched = { ...system, files };
    writeAtomically(watched, PATH, bytesOf("new"), { mayBeOlder: true });
    expect([system.peek(PATH), synced]).toEqual(["new", []]);
    writeAtomically(watched, PATH, bytesOf("newer"));
    writeAtomically(watched, "/data/other", bytesOf("x"), { mayBeOlder: true });
    expect(synced).toEqual(["/data", "/data"]);
  });

  it("gives a new file the mode asked for, and an existing one keeps its own whatever the umask", () => {
    const system = createMemorySystem({ files: { "/old": { content: "old", mode: 0o666 } } });
    writeAtomically(system, "/new", bytesOf("x"), { mode: 0o644 });
    writeAtomically(system, "/old", bytesOf("x"), { mode: 0o600 });
    expect(system.files.inspect("/new")?.mode).toBe(0o644);
    expect(system.files.inspect("/old")?.mode).toBe(0o666);
  });

  it("replaces what a symlink points to, through several links, and keeps the links", () => {
    const system = createMemorySystem({
      files: {
        "/real/file": "old",
        "/links/one": { target: "two" },
        "/links/two": { target: "../real/file" },
      },
    });
    writeAtomically(system, "/links/one", bytesOf("new"));
    expect(system.peek("/real/file")).toBe("new");
    expect(system.files.readLink("/links/one")).toBe("two");
    expect(system.files.list("/links")).toEqual(["one", "two"]);
  });

  it("makes the file that a dangling symlink points to", () => {
    const system = createMemorySystem({ files: { "/links/one": { target: "/elsewhere/file" } } });
    writeAtomically(system, "/links/one", bytesOf("new"));
    expect(system.peek("/elsewhere/file")).toBe("new");
  });

  it("lets the file system follow `..` behind a linked directory", () => {
    const system = createMemorySystem({
      files: {
        "/far/away/x": "",
        "/far/file": "old",
        "/here/directory": { target: "/far/away" },
        "/here/link": { target: "directory/../file" },
      },
    });
    writeAtomically(system, "/here/link", bytesOf("new"));
    expect(system.peek("/far/file")).toBe("new");
  });

  it("refuses a directory and a loop of links", () => {
    const system = createMemorySystem({
      files: { "/directory/x": "", "/loop": { target: "/loop" } },
    });
    expect(() => writeAtomically(system, "/directory", bytesOf("x"))).toThrow(/EISDIR/);
    expect(() => writeAtomically(system, "/loop", bytesOf("x"))).toThrow(/ELOOP/);
  });

  it("takes names of the greatest length", () => {
    const system = createMemorySystem();
    const path = `/${"ü".repeat(127)}`;
    writeAtomically(system, path, bytesOf("new"));
    expect(system.peek(path)).toBe("new");
  });

  it.each(everyOperation(withOldFile))(
    "leaves old bytes or new ones when the process dies in step %i",
    step => {
      const system = withOldFile();
      system.faults.dieAt(step);
      expect(() => writeAtomically(system, PATH, bytesOf("new"))).toThrow(ProcessDied);
      expect(["old", "new"]).toContain(system.peek(PATH));
    },
  );

  it.each(everyOperation(withOldFile))("leaves no trace when step %i fails, or has written", step => {
    const system = withOldFile();
    system.faults.failAt(step, "ENOSPC");
    let isWritten = true;
    try {
      writeAtomically(system, PATH, bytesOf("new"));
    } catch (error) {
      isWritten = false;
      expect(error).toMatchObject({ code: "ENOSPC" });
    }
    expect(system.peek(PATH)).toBe(isWritten ? "new" : "old");
    expect(system.files.inspect(PATH)?.mode).toBe(0o640);
    expect(system.files.list("/data")).toEqual(["file.json"]);
  });

  it("fails without a trace in a directory that may not be written", () => {
    const system = withOldFile();
    system.faults.failUnder("/data", "EROFS", ["createExclusive", "rename", "remove"]);
    expect(() => writeAtomically(system, PATH, bytesOf("new"))).toThrow(/EROFS/);
    expect(system.peek(PATH)).toBe("old");
  });
});

describe("an atomic write on a real disk", () => {
  it("never puts a file in the place of a pipe or a device", () => {
    const directory = temporaryDirectory();
    execFileSync("mkfifo", [`${directory}/pipe`]);
    symlinkSync("pipe", `${directory}/link`);
    for (const name of ["pipe", "link"])
      expect(() => writeAtomically(createNodeSystem(), `${directory}/${name}`, bytesOf("new"))).toThrow(
        /ENOTSUP/,
      );
    expect(statSync(`${directory}/pipe`).isFIFO()).toBe(true);
    expect(readdirSync(directory)).toEqual(["link", "pipe"]);
  });

  it("replaces content, keeps the mode, follows links and leaves nothing else behind", () => {
    const directory = temporaryDirectory();
    mkdirSync(`${directory}/real`);
    writeFileSync(`${directory}/real/file`, "old");
    chmodSync(`${directory}/real/file`, 0o666);
    symlinkSync("real/file", `${directory}/link`);
    writeAtomically(createNodeSystem(), `${directory}/link`, bytesOf("new"));
    expect(readFileSync(`${directory}/real/file`, "utf8")).toBe("new");
    expect(statSync(`${directory}/real/file`).mode & 0o777).toBe(0o666);
    expect(readdirSync(directory)).toEqual(["link", "real"]);
    expect(readdirSync(`${directory}/real`)).toEqual(["file"]);
  });
});
