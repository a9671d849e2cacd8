import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isUnderstood, judgeCommand } from "../../src/exports/guard.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { DISGUISED, type DisguisedScene, PLAIN } from "./disguised-scenes.ts";

// What nobody would see in the words of a call: the scene on the disk, or in the environment, makes it more.

const PATH = "/usr/bin:/bin";
const made: string[] = [];
afterAll(() => {
  for (const top of made) rmSync(top, { recursive: true, force: true });
});

function judgeScene({ given = "", command, env = {} }: DisguisedScene) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "disguised-")));
  made.push(top);
  const [project, home] = [join(top, "project"), join(top, "home")];
  mkdirSync(join(project, "sub"), { recursive: true });
  mkdirSync(home);
  for (const [name, text] of Object.entries({ "a.txt": "a\n", "b.txt": "b\n", "sub/c.txt": "c\n" }))
    writeFileSync(join(project, name), text);
  writeFileSync(join(home, ".bashrc"), "# plain\n");
  const setup = `git init -q -b feature; git config user.name x; git config user.email x@x; git add .; git commit -qm first\n${given}`;
  spawnSync("bash", ["-c", setup], { cwd: project, env: { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1" } });
  const variables = new Map(
    Object.entries(env).map(([name, value]) => [name, value.replace("{{HOME}}", home)]),
  );
  return judgeCommand(command, {
    cwd: project,
    home,
    system: createNodeSystem(),
    searchPath: PATH,
    tmpdir: "/tmp",
    variable: name => variables.get(name),
    isShadowed: name => variables.has(`BASH_FUNC_${name}%%`),
  });
}

describe("a call that is more than its words", () => {
  it.each(DISGUISED)("is not understood, with $name: $command", scene => {
    expect(isUnderstood(judgeScene(scene))).toBe(false);
  });

  it.each(PLAIN)("is understood where it is none, with $name: $command", scene => {
    expect(judgeScene(scene).gaps()).toEqual([]);
  });
});
