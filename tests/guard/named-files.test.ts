import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { namesInArchive, namesInDiff } from "../../src/guard/named-files.ts";
import { judge, machine, PROJECT } from "./scene.ts";

const PATH = { searchPath: "/usr/bin:/bin" };
const kinds = (command: string, files: Parameters<typeof machine>[0]) =>
  judge(command, { ...PATH, system: machine(files) })
    .gaps()
    .map(({ kind }) => kind);

const DIFF = (name: string) => `--- a/${name}\n+++ b/${name}\n@@ -1 +1 @@\n-a\n+b\n`;

describe("a patch", () => {
  it("is known by the names in it", () =>
    expect(namesInDiff(`diff --git a/x b/x\nindex 1..2 100644\n${DIFF("src/x")}`)).toEqual([
      "a/x",
      "b/x",
      "a/src/x",
      "b/src/x",
    ]));

  it.each([
    ["leads elsewhere", DIFF("../x")],
    ["makes a link", `diff --git a/x b/x\nnew file mode 120000\n${DIFF("x")}`],
    ["renames", `diff --git a/x b/y\nrename from x\nrename to y\n`],
    ["is no difference of texts", "1c\nx\n.\n"],
    ["ends early", "--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n a\n"],
    ["names what comes first", `Index: /etc/passwd\n${DIFF("x")}`],
  ])("is not known when it %s", (_, patch) => expect(namesInDiff(patch)).toBeUndefined());

  it.each(["patch -p1 < x.patch", "patch -p1 -i x.patch", "git apply x.patch"])(
    "is followed: %s",
    command => {
      const at = `${PROJECT}/x.patch`;
      expect(kinds(command, { [at]: DIFF("src/index.ts") })).toEqual([]);
      expect(kinds(command, { [at]: DIFF(".github/workflows/ci.yml") })).toContain("wiring");
      expect(kinds(`cp y.patch x.patch; ${command}`, { [at]: DIFF("src/index.ts") })).toContain("value");
    },
  );
});

describe("an archive", () => {
  const place = mkdtempSync(join(tmpdir(), "archives-"));
  afterAll(() => rmSync(place, { recursive: true, force: true }));
  const make = (program: string, argv: readonly string[], made: string) => {
    spawnSync(program, argv, { cwd: place });
    return new Uint8Array(readFileSync(join(place, made)));
  };
  mkdirSync(join(place, "in/deep"), { recursive: true });
  writeFileSync(join(place, "in/a.txt"), "a");
  writeFileSync(join(place, "in/deep/b.txt"), "b");
  mkdirSync(join(place, "odd"));
  symlinkSync("/etc", join(place, "odd/link"));

  it.each([
    ["tar", ["-cf", "a.tar", "in"], "a.tar"],
    ["tar", ["--format=ustar", "-cf", "b.tar", "in"], "b.tar"],
    ["zip", ["-qr", "a.zip", "in"], "a.zip"],
  ])("of %s tells its names", (program, argv, made) => {
    const names = namesInArchive(make(program, argv, made));
    expect([...(names ?? [])].sort()).toEqual(["in/", "in/a.txt", "in/deep/", "in/deep/b.txt"]);
  });

  it.each([
    ["with a link", "tar", ["-cf", "c.tar", "odd"], "c.tar"],
    ["with a link", "zip", ["-qry", "c.zip", "odd"], "c.zip"],
    ["that leads out", "tar", ["-Pcf", "d.tar", "../outside-of-it", "in/../in"], "d.tar"],
    ["that is packed further", "tar", ["-czf", "e.tgz", "in"], "e.tgz"],
  ])("%s is not known: %s", (_, program, argv, made) =>
    expect(namesInArchive(make(program, argv, made))).toBeUndefined(),
  );

  it("is followed into the folder where it is unpacked", () => {
    const files = { [`${PROJECT}/a.zip`]: new Uint8Array(readFileSync(join(place, "a.zip"))) };
    expect(kinds("unzip -o a.zip -d out", files)).toEqual([]);
    expect(kinds("unzip a.zip -d .git/hooks", files)).toContain("wiring");
    expect(kinds("cp b.zip a.zip; unzip a.zip", files)).toContain("value");
  });
});
