import { describe, expect, it } from "vitest";
import { Projects } from "./projects.ts";
import { onNode, perform, Session } from "./session.ts";
import { expectAsBefore, idOf, runAll, stage, undo, write } from "./stage.ts";
import { bash } from "./tool-calls.ts";
import { changedPaths, readTree } from "./tree.ts";

const projects = new Projects();

describe.concurrent("calls at the same time", () => {
  it("in one session belong each to their own change", async () => {
    const { scene, session, before } = await stage(projects, "untracked");
    const first = await session.begin(bash("rm -rf new"));
    const second = await session.begin(bash("sed -i 's/top/TOP/' top.txt"));
    const third = await session.begin(write("README.md", "lost\n"));
    for (const open of [second, first, third]) await perform(open, scene);
    await second.end();
    await third.end();
    await first.end();
    const after = readTree(scene.home);
    expect((await undo(scene, await idOf(scene, "rm -rf new"))).code).toBe(0);
    expect(changedPaths(after, readTree(scene.home)).every(path => path.includes("/new"))).toBe(true);
    expect((await undo(scene, "--session")).code).toBe(0);
    await expectAsBefore({ scene, before }, after);
  });

  it("that cannot be told from each other are taken back together", async () => {
    const { scene, session, before } = await stage(projects, "dirty");
    const first = await session.begin(bash("python3 scripts/format.py"));
    const second = await session.begin(bash("./scripts/wipe.sh"));
    await perform(first, scene);
    await perform(second, scene);
    await first.end();
    await second.end();
    const after = readTree(scene.home);
    expect((await undo(scene, "--session")).code).toBe(0);
    await expectAsBefore({ scene, before }, after);
  });

  it("of two sessions in one project are taken back by session", async () => {
    const { scene, session: one, before } = await stage(projects, "untracked");
    const two = new Session(scene, onNode, "session-2");
    await Promise.all([one.prompt(), two.prompt()]);
    const unknown = await one.begin(bash("python3 scripts/format.py"));
    const named = await two.begin(bash("rm -rf new"));
    await Promise.all([perform(unknown, scene), perform(named, scene)]);
    await Promise.all([named.end(), unknown.end()]);
    await runAll(two, [write("top.txt", "of the second\n")]);
    await runAll(one, ["rm -rf plans"]);
    const after = readTree(scene.home);
    expect((await undo(scene, "--session", "session-2")).code).toBe(0);
    const now = readTree(scene.home);
    expect(changedPaths(after, now).every(path => /\/(new|top\.txt)/.test(path))).toBe(true);
    expect((await undo(scene, "--session", "session-1")).code).toBe(0);
    await expectAsBefore({ scene, before }, after);
  });

  it("of two hosts in one project are taken back together", async () => {
    const { scene, session: one, before } = await stage(projects, "dirty");
    const two = new Session(scene, onNode, "session-2");
    const first = await one.begin(bash("git checkout -q -- .", "codex bash"));
    await perform(first, scene);
    await first.end();
    const second = await two.begin(bash("git reset -q --hard v1", "gemini bash"));
    await perform(second, scene);
    await second.end();
    const after = readTree(scene.home);
    expect((await undo(scene, "--since", "1h")).code).toBe(0);
    await expectAsBefore({ scene, before }, after);
  });
});

describe.concurrent("a call whose end nobody told", () => {
  const calls = ["rm -rf src docs", "./scripts/wipe.sh", "git reset -q --hard HEAD~1", "git stash -q -u"];

  it.each(calls)("is taken back while it is open: %s", async command => {
    const { scene, session, before } = await stage(projects, "dirty");
    expect((await session.shell(command, { hasPost: false })).decision).toBe("none");
    const after = readTree(scene.home);
    expect((await undo(scene)).code).toBe(0);
    await expectAsBefore({ scene, before }, after);
  });

  it.each(calls)("is closed by the next prompt, and taken back: %s", async command => {
    const { scene, session, before } = await stage(projects, "dirty");
    await session.prompt();
    await session.shell(command, { hasPost: false });
    const after = readTree(scene.home);
    await session.prompt();
    expect((await undo(scene)).code).toBe(0);
    await expectAsBefore({ scene, before }, after);
  });

  it("and which a person refused leaves no change", async () => {
    const { scene, session, before } = await stage(projects, "dirty");
    await session.prompt();
    await session.begin(bash("rm -rf src"));
    await session.begin(bash("./scripts/wipe.sh"));
    await session.prompt();
    expect((await undo(scene)).code).toBe(1);
    await expectAsBefore({ scene, before }, before.tree);
  });
});
