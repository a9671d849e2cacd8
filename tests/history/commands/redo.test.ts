import { describe, expect, it } from "vitest";
import { printGit } from "./git-facts.ts";
import { type ProjectKind, Projects } from "./projects.ts";
import { type } from "./session.ts";
import { expectAsBefore, runAll, stage, undo } from "./stage.ts";
import { changedPaths, readTree } from "./tree.ts";

const projects = new Projects();

describe.concurrent("an undo, and a redo", () => {
  it.each<readonly [ProjectKind, string]>([
    ["dirty", "rm -rf src"],
    ["dirty", "git reset -q --hard v1"],
    ["dirty", "git stash -q -u"],
    ["dirty", "git stash clear"],
    ["dirty", "git commit -qam x"],
    ["dirty", "./scripts/wipe.sh"],
    ["dirty", "git switch -q -f topic && git branch -D work"],
    ["untracked", "git clean -fdq"],
    ["untracked", "mv new newer && chmod -R 700 newer"],
    ["untracked", "ln -sf ../README.md new/draft.md"],
    ["plain", "./wipe.sh"],
    ["precious", "git clean -fdxq"],
    ["stashed", "git stash pop -q --index"],
    ["merging", "git merge --abort"],
    ["linked", "git worktree remove --force ../linked"],
    ["submodule", "git submodule --quiet deinit -f --all"],
    ["sparse", "git sparse-checkout disable"],
    ["odd", "rm -rf to-directory 'dir with space' ./-dash"],
  ])("give the state after, and another undo the state before: %s, %s", async (kind, command) => {
    const { scene, session, before } = await stage(projects, kind);
    await runAll(session, [command]);
    const after = readTree(scene.home);
    const words = await printGit(scene);
    expect((await undo(scene)).code).toBe(0);
    const redone = await type(scene, ["redo", "--yes"]);
    expect(redone.code, redone.stderr).toBe(0);
    expect(changedPaths(after, readTree(scene.home))).toEqual([]);
    expect(await printGit(scene)).toBe(words);
    expect((await undo(scene)).code).toBe(0);
    await expectAsBefore({ scene, before }, after);
  });
});
