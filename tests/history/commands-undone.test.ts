import { chmodSync, cpSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Footprint } from "../../src/guard/footprint.ts";
import { type TestProject, testProject } from "./project.ts";

const templates = mkdtempSync(join(realpathSync(tmpdir()), "amplihack-history-"));
afterAll(() => rmSync(templates, { recursive: true, force: true }));
let isMade = false;

/** A repository with work of every kind that exists nowhere else. It is made once and copied. */
function repository(): TestProject {
  const project = testProject();
  const template = join(templates, "repository");
  if (!isMade) {
    fill(project);
    cpSync(project.root, template, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    isMade = true;
  } else {
    cpSync(template, project.root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }
  return project;
}

function fill(project: TestProject): void {
  project.write({
    "src/a.txt": "a\n",
    "src/b.txt": "b\n",
    "src/deep/c.txt": "c\n",
    "run.sh": "#!/bin/sh\n",
    ".gitignore": "*.log\n.env\nignored/\n",
  });
  chmodSync(join(project.root, "run.sh"), 0o755);
  project.git("init", "-q", "-b", "side");
  project.git("add", "-A");
  project.git("commit", "-qm", "one");
  project.git("checkout", "-qb", "main");
  project.write({ "src/b.txt": "b2\n" });
  project.git("commit", "-qam", "two");
  project.git("checkout", "-q", "side");
  project.write({ "src/b.txt": "b of side\n", "src/side.txt": "side\n" });
  project.git("add", "-A");
  project.git("commit", "-qm", "side");
  project.git("checkout", "-q", "main");
  project.write({
    "src/a.txt": "a changed\n",
    "new.txt": "untracked\n",
    "notes/deep/n.txt": "n\n",
    ".env": "SECRET=1\n",
    "ignored/x.txt": "x\n",
    "debug.log": "log\n",
  });
  project.git("stash", "push", "-q", "-m", "first", "--", "src/a.txt");
  project.write({ "src/a.txt": "a second\n" });
  project.git("stash", "push", "-q", "-m", "second", "--", "src/a.txt");
  project.write({ "src/a.txt": "a third\n", "staged.txt": "staged\n" });
  project.git("add", "staged.txt");
  project.shell("mkdir -p empty/inner; ln -s src/a.txt link; ln -s nowhere dangling; chmod 600 new.txt");
}

const everything = ({ root }: TestProject): Partial<Footprint> => ({ unknownIn: [root] });
const git = ({ root }: TestProject): Partial<Footprint> => ({
  repositories: [
    {
      top: root,
      gitDirectory: join(root, ".git"),
      changesFiles: true,
      changesState: true,
      changesIgnored: true,
    },
  ],
});

const GIT_COMMANDS = [
  "git reset --hard",
  "git reset --hard HEAD~1",
  "git reset --soft HEAD~1",
  "git reset HEAD~1",
  "git checkout -- .",
  "git checkout -f side",
  "git switch -f --detach HEAD~1",
  "git restore src/a.txt",
  "git restore --staged --worktree .",
  "git clean -fd",
  "git clean -fdx",
  "git stash",
  "git stash -u",
  "git stash drop",
  "git stash drop 'stash@{1}'",
  "git stash clear",
  "git checkout -q src/a.txt && git stash pop",
  "git branch -D side",
  "git commit -qam three",
  "git add -A",
  "git rm -rqf src",
  "git mv -k src/deep moved",
  "git commit -qam w; git merge side || true",
  "git tag v1",
  "git update-ref -d refs/heads/side",
  "git read-tree HEAD~1",
  "git sparse-checkout set --no-cone run.sh",
  "git commit -qm staged && git revert --no-edit HEAD",
  "git checkout -qb other && git commit -qam more && git branch -M side",
  "git commit -qam w; git rebase -q side || true",
  "git commit -qam w; git cherry-pick side || true",
];

describe("after a git command, undo gives back files, index, refs and stashes", () => {
  it.each(GIT_COMMANDS)("%s", async command => {
    const project = repository();
    const before = project.state();
    const id = await project.call(command, git(project));
    const after = project.state();
    expect(after).not.toEqual(before);
    expect(id).toBeDefined();
    const undone = await project.undo(id);
    expect(project.state()).toEqual(before);
    await project.redo(undone);
    expect(project.state()).toEqual(after);
  });
});

it("a new linked worktree goes again, and a removed one works again", async () => {
  const project = repository();
  const before = project.state();
  const targets = [project.target("linked", "write", true)];
  const added = await project.call("git worktree add -q linked side", { ...git(project), targets });
  expect(project.git("worktree", "list")).toContain("linked");
  const withTree = project.state();
  const removed = await project.call("git worktree remove --force linked", { ...git(project), targets });
  expect(project.git("worktree", "list")).not.toContain("linked");
  await project.undo(removed);
  expect(project.state()).toEqual(withTree);
  expect(project.git("-C", "linked", "status", "--porcelain")).toBe("");
  await project.undo(added);
  expect(project.state()).toEqual(before);
  expect(project.git("worktree", "list")).not.toContain("linked");
});

const UNKNOWN = [
  "rm -rf src notes",
  "rm new.txt .env",
  "echo x > src/a.txt; echo y > src/b.txt; echo z > brand-new.txt",
  "mkdir -p made/deep && echo z > made/deep/file",
  "sed -i s/b/X/ src/b.txt",
  "chmod 644 run.sh",
  "chmod 777 new.txt",
  "mv new.txt notes/renamed.txt",
  "rm link && ln -s other link",
  "rm src/deep/c.txt && ln -s ../a.txt src/deep/c.txt",
  "rm -rf notes && echo file > notes",
  "git commit -qam script",
  "git reset -q --hard HEAD~1 && rm -rf notes",
];

describe("after a program whose effects nobody knew, undo gives back what it changed", () => {
  it.each(UNKNOWN)("%s", async command => {
    const project = repository();
    const before = project.state();
    const id = await project.call(command, everything(project));
    expect(project.state()).not.toEqual(before);
    const undone = await project.undo(id);
    expect(project.state()).toEqual(before);
    expect(undone).toBeDefined();
  });

  it("drops a change that changed nothing", async () => {
    const project = repository();
    expect(await project.call("git status; cat src/a.txt", everything(project))).toBeUndefined();
    expect(project.history.listChanges({}).changes).toEqual([]);
  });
});

const NAMED: readonly [string, string, ...(readonly string[])][] = [
  ["rm -rf src", "src"],
  ["rm -rf empty", "empty"],
  ["rm -rf ignored", "ignored"],
  ["rm -rf notes new.txt link dangling", "notes", "new.txt", "link", "dangling"],
  ["mv src moved", "src", "moved"],
  ["mv new.txt src/b.txt", "new.txt", "src/b.txt"],
  ["cp -r src copy", "copy"],
  ["mkdir -p x/y/z && touch x/y/z/f", "x/y/z"],
  [": > new.txt", "new.txt"],
  ["chmod -R 700 src", "src"],
  ["touch -d 2001-01-01 new.txt && echo more >> new.txt", "new.txt"],
  ["rm -rf notes && echo now a file > notes", "notes"],
  ["chmod 500 src && rm -f new.txt", "src", "new.txt"],
];

describe("after a command that names what it changes, undo gives that back", () => {
  for (const isGit of [true, false]) {
    it.each(NAMED)(`%s (${isGit ? "in a repository" : "without git"})`, async (command, ...paths) => {
      const project = repository();
      if (!isGit) project.shell("rm -rf .git");
      const before = project.state();
      const targets = paths.map(path => project.target(path, "delete", true));
      const id = await project.call(command, { targets });
      const after = project.state();
      expect(after).not.toEqual(before);
      const undone = await project.undo(id);
      expect(project.state()).toEqual(before);
      await project.redo(undone);
      expect(project.state()).toEqual(after);
    });
  }
});

describe("without git", () => {
  it.each(UNKNOWN.filter(command => !command.includes("git ")))("%s", async command => {
    const project = repository();
    project.shell("rm -rf .git");
    const before = project.state();
    const id = await project.call(command, everything(project));
    expect(project.state()).not.toEqual(before);
    await project.undo(id);
    expect(project.state()).toEqual(before);
  });
});
