import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runGit } from "../../src/history/index.ts";
import { askGitHub } from "../../src/hooks/program/programs.ts";
import { findOnPath } from "../../src/install/index.ts";
import { findBinary } from "../../src/launcher/find-binary.ts";
import { findProgram, programFolders } from "../../src/state/index.ts";
import { systemIn } from "../install/sandbox.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

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

  it("are found in folders of the home, where a session in the home has no project", () => {
    const { home, at } = scene();
    const own = join(home, ".local", "bin");
    mkdirSync(own, { recursive: true });
    writeFileSync(join(own, "claude"), "#!/bin/sh\n", { mode: 0o755 });
    expect(findProgram(at(home, own), "claude")).toBe(join(own, "claude"));
  });
});
