import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { completeChange } from "../../src/history/complete.ts";
import { readStatus } from "../../src/history/git-status.ts";
import { readKnownStatus } from "../../src/history/known-status.ts";
import { findAllOpen } from "../../src/history/open-changes.ts";
import { Store } from "../../src/history/store.ts";
import { createDisk } from "../../src/workspace/disk.ts";
import { findRepository } from "../../src/workspace/repository.ts";
import { type TestProject, testProject } from "./project.ts";

const MS = 60_000;

function repository(): TestProject {
  const p = testProject();
  p.write({ "a.txt": "a\n", "src/deep/b.txt": "b\n", "src/c.txt": "c\n", ".gitignore": "*.log\nbuilt/\n" });
  mkdirSync(join(p.root, "empty/inner"), { recursive: true });
  p.git("init", "-q", "-b", "work");
  p.git("add", "-A");
  p.git("commit", "-qm", "one");
  p.write({ "src/c.txt": "changed\n", "new/n.txt": "n\n", "x.log": "log\n", "built/out.txt": "o\n" });
  return p;
}

/** As if all that was written so far was written long ago: what is fresh is never remembered. */
function later(p: TestProject): TestProject["context"] {
  const { system } = p.context;
  const clock = Object.assign(Object.create(system.clock), { nowMs: () => system.clock.nowMs() + 10_000 });
  const given = { ...system, clock };
  return { ...p.context, system: given, store: new Store(given, join(p.home, ".amplihack")) };
}

async function ask(p: TestProject): Promise<{ readonly text: string; readonly starts: number }> {
  const { store, system } = later(p);
  const found = findRepository(createDisk(system), p.root);
  if (found === undefined) throw new Error("no repository");
  const start = vi.spyOn(system.processes, "start");
  try {
    const status = await readKnownStatus(store, found, () => MS);
    return { text: status.ok ? status.text : status.problem, starts: start.mock.calls.length };
  } finally {
    start.mockRestore();
  }
}

describe("what git said of a tree", () => {
  it("is not asked again while nothing was touched", async () => {
    const p = repository();
    expect((await ask(p)).starts).toBe(1);
    const again = await ask(p);
    expect(again.starts).toBe(0);
    expect(again.text).toContain("? new/n.txt");
  });

  it.each<[string, (p: TestProject) => void]>([
    ["a clean file gets another content of the same size", p => p.write({ "a.txt": "A\n" })],
    [
      "its time is set back as well",
      p => p.shell("cp -p a.txt ref; rm ref; echo B > a.txt; touch -d 2001-01-01 a.txt"),
    ],
    ["a file is deleted", p => p.shell("rm src/deep/b.txt")],
    ["a file becomes executable", p => p.shell("chmod +x a.txt")],
    ["a file is made in a folder that was empty", p => p.write({ "empty/inner/new.txt": "n" })],
    ["a file is made deep in a new folder", p => p.write({ "one/two/three.txt": "3" })],
    ["a file becomes a link", p => p.shell("ln -sf src/c.txt a.txt")],
    ["a folder is moved", p => p.shell("mv src/deep src/deeper")],
    ["a file is staged", p => void p.git("add", "new/n.txt")],
    ["a commit is made", p => void p.git("commit", "-qam", "two")],
    ["a branch is switched", p => void p.git("switch", "-qc", "other")],
    ["HEAD is moved", p => void p.git("commit", "--allow-empty", "-qm", "none")],
    ["a tracked rule changes", p => p.write({ ".gitignore": "*.log\nbuilt/\nnew/\n" })],
    ["a new rule is written below", p => p.write({ "new/.gitignore": "n.txt\n" })],
    ["an exclusion is written", p => writeFileSync(join(p.root, ".git/info/exclude"), "new/\n")],
    [
      "the user excludes something",
      p => {
        mkdirSync(join(p.home, ".config/git"), { recursive: true });
        writeFileSync(join(p.home, ".config/git/ignore"), "new/\n");
      },
    ],
    [
      "the user's settings name a file of rules",
      p => {
        writeFileSync(join(p.home, "rules"), "new/\n");
        writeFileSync(join(p.home, ".gitconfig"), `[core]\n\texcludesFile = ${join(p.home, "rules")}\n`);
      },
    ],
    ["an ignored folder is gone", p => p.shell("rm -rf built")],
  ])("is asked again when %s", async (_, touch) => {
    const p = repository();
    await ask(p);
    expect((await ask(p)).starts).toBe(0);
    touch(p);
    const { text, starts } = await ask(p);
    const fresh = await readStatus(p.context.system, p.root, MS);
    expect([starts, text]).toEqual([1, fresh.ok ? fresh.text : fresh.problem]);
  });

  it("is not remembered of what was touched a moment ago", async () => {
    const p = repository();
    const found = findRepository(createDisk(p.context.system), p.root);
    const start = vi.spyOn(p.context.system.processes, "start");
    for (let times = 0; times < 2; times++)
      if (found !== undefined) {
        p.write({ "a.txt": `${times}\n` });
        await readKnownStatus(p.context.store, found, () => MS);
      }
    expect(start).toHaveBeenCalledTimes(2);
    start.mockRestore();
  });
});

describe("an unknown call", () => {
  it.each([
    ["true", 0],
    ["echo x >> a.txt", 1],
    ["rm src/deep/b.txt", 1],
    ["echo made > made.txt", 1],
  ])("starts git once at most: %s", async (command, most) => {
    const p = repository();
    const before = p.state();
    await ask(p);
    const start = vi.spyOn(p.context.system.processes, "start");
    await p.begin(command, { unknownIn: [p.root] });
    const starts = start.mock.calls.length;
    p.shell(command);
    for (const open of findAllOpen(p.context.store)) await completeChange(p.context, open);
    expect([starts, start.mock.calls.length]).toEqual([0, most]);
    start.mockRestore();
    const [change] = p.history.listChanges({}).changes;
    if (change !== undefined) await p.undo(change.id);
    expect(p.state()).toEqual(before);
  });
});
