import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { isUnderstood, judgeCommand } from "../../src/exports/guard.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { NODE_PROGRAM } from "../hooks/executable.ts";
import { answersOnly, DISGUISED, type DisguisedScene, layOut, PATH, PLAIN } from "./disguised-scenes.ts";

// What nobody would see in the words of a call: the scene on the disk, or in the environment, makes it more.

const made: string[] = [];
afterAll(() => {
  for (const top of made) rmSync(top, { recursive: true, force: true });
});

function judgeScene(scene: DisguisedScene) {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "disguised-")));
  made.push(top);
  const { project, home } = layOut(scene, top);
  const variables = new Map(
    Object.entries(scene.env ?? {}).map(([name, value]) => [name, value.replace("{{HOME}}", home)]),
  );
  return judgeCommand(scene.command, {
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

it("is not answered by the hook program on Node, where its neighbours are", () => {
  answersOnly(NODE_PROGRAM);
});
