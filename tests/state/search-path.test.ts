import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runGit } from "../../src/history/index.ts";
import { askGitHub } from "../../src/hooks/program/programs.ts";
import { findOnPath } from "../../src/install/index.ts";
import { findBinary } from "../../src/launcher/find-binary.ts";
import { findProgram, programFolders, programPath, programToStart } from "../../src/state/index.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { systemIn } from "../install/sandbox.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const AMPLIHACK = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
/** `spawn("git"`, `argv: ["git"`, `?? "git"` in front of words */
const STARTS_BY_NAME =
  /\b(?:spawn|spawnSync|execFile|execFileSync|execSync)\(\s*["'`](?!\/)[^"'`]*|\bargv: \[\s*["'`](?!\/)[^"'`]*|findProgram\([^)]*\) \?\? "[^"/]*"/g;
/** Addresses of github.com lead to nothing. */
const OFFLINE = {
  GIT_CONFIG_KEY_0: "url.http://127.0.0.1:9/.insteadOf",
  GIT_CONFIG_VALUE_0: "https://github.com/",
};
const NAMES = ["git", "gh", "claude", "codex", "tmux", "less", "node"];

/** A repository that brings programs, each of which leaves a mark, and good ones behind them on PATH. */
function scene() {
  const top = temporaryDirectory();
  const [home, project, good] = [join(top, "home"), join(top, "project"), join(top, "good")];
  const bin = join(project, "node_modules", ".bin");
  const mark = join(top, "ran");
  for (const folder of [home, bin, good]) mkdirSync(folder, { recursive: true });
  execFileSync("git", ["init", "-q", project]);
  for (const name of NAMES) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho ${name} >> ${mark}\n`, { mode: 0o755 });
    if (name !== "git") writeFileSync(join(good, name), "#!/bin/sh\necho 1.2.3\n", { mode: 0o755 });
  }
  const path = `${bin}:${good}:${process.env["PATH"]}`;
  const at = (directory: string, PATH = path) => systemIn(directory, { HOME: home, PATH });
  return { top, home, project, bin, good, path, mark, at };
}

describe("programs that we start", () => {
  it("are none of the project's, whatever PATH says", async () => {
    const { project, good, mark, at } = scene();
    const system = at(project);
    for (const name of NAMES.filter(name => name !== "git"))
      expect([name, findOnPath(system, name)]).toEqual([name, join(good, name)]);
    expect(findBinary(system, "claude", "/self")).toBe(join(good, "claude"));
    const { isOk } = await runGit(system, ["status", "--porcelain"], { cwd: project, timeoutMs: 10_000 });
    expect(isOk).toBe(true);
    await askGitHub(system, ["--version"], { cwd: project, timeoutMs: 10_000 });
    expect(existsSync(mark)).toBe(false);
  });

  it("are none of the project's where PATH has nothing else, and names are not looked for again", async () => {
    const { project, bin, mark, at } = scene();
    // Where `PATH` is empty, systems look into the working directory.
    for (const name of NAMES)
      writeFileSync(join(project, name), `#!/bin/sh\necho ${name} >> ${mark}\n`, { mode: 0o755 });
    for (const PATH of [bin, ".", "", project]) {
      const system = at(project, PATH);
      expect(programPath(system)).toBe("/usr/bin:/bin");
      expect(isAbsolute(programToStart(system, "no-such-program"))).toBe(true);
      await runGit(system, ["status", "--porcelain"], { cwd: project, timeoutMs: 10_000 });
      await askGitHub(system, ["--version"], { cwd: project, timeoutMs: 10_000 });
    }
    expect(existsSync(mark)).toBe(false);
  });

  it("are started by a path, never by a name that somebody else's PATH decides", () => {
    const source = fileURLToPath(new URL("../../src/", import.meta.url));
    const named = (readdirSync(source, { recursive: true }) as string[])
      // There they are what is read of other languages.
      .filter(path => path.endsWith(".ts") && !path.startsWith("code/"))
      .flatMap(path =>
        [...readFileSync(join(source, path), "utf8").matchAll(STARTS_BY_NAME)].map(
          ([start]) => `${path}: ${start}`,
        ),
      );
    expect(named).toEqual([]);
  });

  it("are those of the system in every command that starts git by itself", async () => {
    const { home, project, bin, mark } = scene();
    const PATH = `${bin}:.:${process.env["PATH"]}`;
    for (const words of [
      ["demo"],
      ["plugin", "install", "https://127.0.0.1:9/x.git"],
      ["launch", "--checkout-repo", "https://github.com/acme/none"],
      ["doctor"],
      ["history"],
      ["report"],
    ])
      spawnSync(process.execPath, [AMPLIHACK, ...words], {
        cwd: project,
        env: { PATH, HOME: home, GIT_CONFIG_COUNT: "1", ...OFFLINE },
        stdio: "ignore",
      });
    expect(existsSync(mark) ? readFileSync(mark, "utf8") : "").toBe("");
  });

  it("are none of it from a folder below it, or by the directory that they run in", () => {
    const { home, project, bin, at } = scene();
    const below = join(project, "src");
    mkdirSync(below);
    expect(programFolders(at(below))).not.toContain(bin);
    expect(programFolders(at(home), project)).not.toContain(bin);
    expect(programFolders(at(home))).toContain(bin);
  });

  it("are none of it through links of folders or files", () => {
    const { top, project, bin, good, at } = scene();
    symlinkSync(bin, join(top, "linked"));
    const linked = at(project, `${join(top, "linked")}:${good}`);
    expect(findProgram(linked, "claude")).toBe(join(good, "claude"));
    mkdirSync(join(top, "links"));
    symlinkSync(join(bin, "claude"), join(top, "links", "claude"));
    expect(findProgram(at(project, `${join(top, "links")}:${good}`), "claude")).toBe(join(good, "claude"));
    symlinkSync(project, join(top, "other-name"));
    expect(findProgram(at(join(top, "other-name"), `${bin}:${good}`), "claude")).toBe(join(good, "claude"));
  });

  it("lie in no folder that everybody may write to, and in no relative one", () => {
    const { project, top, good, at } = scene();
    const open = join(top, "open");
    mkdirSync(open);
    writeFileSync(join(open, "claude"), "#!/bin/sh\n", { mode: 0o755 });
    chmodSync(open, 0o777);
    expect(findProgram(at(project, `${open}:.:node_modules/.bin::${good}`), "claude")).toBe(
      join(good, "claude"),
    );
  });

  describe("lie in no folder that another user may write to", () => {
    const PATH = "/tools/bin";
    const ACCOUNTS = {
      "/etc/passwd": [
        "root:x:0:0::/root:/bin/sh",
        "me:x:1000:1000::/home/me:/bin/sh",
        "you:x:1001:1001::/home/you:/bin/sh",
        "bot:x:1002:50::/:/bin/false",
      ].join("\n"),
      "/etc/group": "root:x:0:\nme:x:1000:\nteam:x:60:me,you\nmine:x:61:me,root\nstaff:x:50:\nempty:x:70:\n",
    };
    const foldersOf = (facts: { mode: number; uid?: number; gid?: number }, files = ACCOUNTS) =>
      programFolders(
        createMemorySystem({
          env: { HOME: "/home/me", PATH },
          uid: 1000,
          files: {
            ...files,
            "/proc/self": { kind: "directory" },
            "/home/me": { kind: "directory" },
            "/tools": { kind: "directory", mode: 0o755, uid: 0 },
            [PATH]: { kind: "directory", ...facts },
          },
        }),
      );

    it.each([
      ["all may write", { mode: 0o777, uid: 0 }],
      ["others may, the group may not", { mode: 0o757, uid: 0 }],
      ["a group with somebody else, by the list of its members", { mode: 0o775, uid: 1000, gid: 60 }],
      ["a group with somebody else, whose main group it is", { mode: 0o775, uid: 0, gid: 50 }],
      ["it is somebody else's", { mode: 0o755, uid: 1001 }],
      [
        "a group of somebody who is not known any more",
        { mode: 0o775, uid: 0, gid: 80 },
        { "/etc/group": "g:x:80:gone" },
      ],
    ] as const)("%s", (_, facts, more?: Partial<typeof ACCOUNTS>) => {
      expect(foldersOf(facts, { ...ACCOUNTS, ...more })).toEqual([]);
    });

    it.each([
      ["only I may write", { mode: 0o755, uid: 1000 }],
      ["root's", { mode: 0o755, uid: 0 }],
      ["my own group may write", { mode: 0o775, uid: 1000, gid: 1000 }],
      ["a group of root's and mine", { mode: 0o775, uid: 0, gid: 61 }],
      ["root's, seen from a namespace of users", { mode: 0o755, uid: 65_534 }],
      ["a group of nobody's", { mode: 0o775, uid: 0, gid: 70 }],
    ])("but: %s", (_, facts) => {
      expect(foldersOf(facts)).toEqual([PATH]);
    });
  });

  it("are found in folders of the home, where a session in the home has no project", () => {
    const { home, at } = scene();
    const own = join(home, ".local", "bin");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "claude"), "#!/bin/sh\n", { mode: 0o755 });
    expect(findProgram(at(home, own), "claude")).toBe(join(own, "claude"));
  });
});
