import {
  appendFileSync,
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { idsBeginning } from "../../src/history/ids.ts";
import { AMPLE, testProject } from "./project.ts";

function project() {
  const made = testProject();
  made.write({ "a.txt": "a\n", "b.txt": "b\n", "dir/c.txt": "c\n" });
  return made;
}

describe("a conflict", () => {
  it("holds back everything, is named, and --force keeps the present state first", async () => {
    const p = project();
    const id = await p.call("echo one > a.txt; echo two > b.txt", {
      targets: [p.target("a.txt", "write"), p.target("b.txt", "write")],
    });
    p.write({ "b.txt": "by hand\n" });
    await expect(p.undo(id)).rejects.toMatchObject({ kind: "conflict", exitCode: 3 });
    expect([p.read("a.txt"), p.read("b.txt")]).toEqual(["one\n", "by hand\n"]);
    const plan = await p.history.planUndo({ kind: "newest" });
    expect(plan.conflicts.map(({ subject }) => subject)).toEqual([join(p.root, "b.txt")]);
    const undo = await p.undo(id, { force: true });
    expect([p.read("a.txt"), p.read("b.txt")]).toEqual(["a\n", "b\n"]);
    await p.redo(undo);
    expect([p.read("a.txt"), p.read("b.txt")]).toEqual(["one\n", "by hand\n"]);
  });

  it("is never one of time alone, nor of what is as it was before", async () => {
    const p = project();
    const id = await p.call("echo one > a.txt; rm b.txt", {
      targets: [p.target("a.txt", "write"), p.target("b.txt")],
    });
    utimesSync(join(p.root, "a.txt"), 1, 1);
    p.write({ "b.txt": "b\n" });
    await p.undo(id);
    expect([p.read("a.txt"), p.read("b.txt")]).toEqual(["a\n", "b\n"]);
  });

  it("is one of mode, of kind, and of what was put where something was deleted", async () => {
    for (const meddle of [
      "chmod 600 a.txt",
      "rm a.txt; mkdir a.txt",
      "rm a.txt; ln -s b.txt a.txt",
      "rm a.txt",
    ]) {
      const p = project();
      const id = await p.call("echo one > a.txt", { targets: [p.target("a.txt", "write")] });
      p.shell(meddle);
      await expect(p.undo(id)).rejects.toMatchObject({ kind: "conflict" });
    }
    const p = project();
    const id = await p.call("rm a.txt", { targets: [p.target("a.txt")] });
    p.write({ "a.txt": "other\n" });
    await expect(p.undo(id)).rejects.toMatchObject({ kind: "conflict" });
  });

  it("is found between two changes that are undone together", async () => {
    const p = project();
    const targets = [p.target("a.txt", "write")];
    await p.call("echo one > a.txt", { targets });
    p.write({ "a.txt": "by hand\n" });
    await p.call("echo two > a.txt", { targets });
    await expect(
      p.history.planUndo({ kind: "session" }).then(plan => p.history.applyUndo(plan)),
    ).rejects.toMatchObject({ kind: "conflict" });
    expect(p.read("a.txt")).toBe("two\n");
  });
});

describe("undo", () => {
  it("takes several changes back as one, newest first", async () => {
    const p = project();
    const before = p.state();
    const targets = [p.target("a.txt", "write")];
    await p.call("echo one > a.txt", { targets });
    await p.call("echo two > a.txt", { targets });
    await p.call("mv a.txt z.txt", { targets: [p.target("a.txt", "move"), p.target("z.txt", "write")] });
    const after = p.state();
    const plan = await p.history.planUndo({ kind: "session" });
    const { id } = await p.history.applyUndo(plan);
    expect(p.state()).toEqual(before);
    await expect(p.undo()).rejects.toMatchObject({ kind: "nothing" });
    await p.redo(id);
    expect(p.state()).toEqual(after);
  });

  it("by path leaves the rest of the change open", async () => {
    const p = project();
    const before = p.state();
    const id = await p.call("echo one > a.txt; echo two > b.txt", {
      targets: [p.target("a.txt", "write"), p.target("b.txt", "write")],
    });
    await p.undo(id, { paths: ["a.txt"] });
    expect([p.read("a.txt"), p.read("b.txt")]).toEqual(["a\n", "two\n"]);
    expect(p.history.readChange(id ?? "")).toMatchObject({
      undoneBy: undefined,
      undonePaths: [join(p.root, "a.txt")],
    });
    p.write({ "a.txt": "by hand\n" });
    await p.undo(id);
    expect([p.read("a.txt"), p.read("b.txt")]).toEqual(["by hand\n", "b\n"]);
    p.write({ "a.txt": "a\n" });
    expect(p.state()).toEqual(before);
  });

  it("leaves a directory that the agent made and a person uses since", async () => {
    const p = project();
    const id = await p.call("mkdir -p new/deep; echo x > new/deep/x", {
      targets: [p.target("new/deep", "write", true)],
    });
    p.write({ "new/mine.txt": "mine\n" });
    await p.undo(id);
    expect(existsSync(join(p.root, "new/deep"))).toBe(false);
    expect(p.read("new/mine.txt")).toBe("mine\n");
  });

  it("gives back mode and time of files and directories, also in directories that cannot be written", async () => {
    const p = project();
    chmodSync(join(p.root, "dir/c.txt"), 0o640);
    utimesSync(join(p.root, "dir/c.txt"), 1_000_000, 1_000_000);
    chmodSync(join(p.root, "dir"), 0o750);
    utimesSync(join(p.root, "dir"), 2_000_000, 2_000_000);
    const id = await p.call("rm -rf dir", { targets: [p.target("dir", "delete", true)] });
    chmodSync(p.root, 0o500);
    await p.undo(id);
    const file = statSync(join(p.root, "dir/c.txt"));
    const directory = statSync(join(p.root, "dir"));
    expect([file.mode & 0o777, file.mtimeMs, directory.mode & 0o777, directory.mtimeMs]).toEqual([
      0o640, 1e9, 0o750, 2e9,
    ]);
    expect(statSync(p.root).mode & 0o777).toBe(0o500);
    chmodSync(p.root, 0o700);
  });

  it("gives back the time of a link that went and came again, and the mode of a pipe", async () => {
    const p = project();
    p.shell("ln -s a.txt link; mkfifo -m 640 pipe; touch -hd 2001-02-03 link");
    const facts = () => [p.state(), lstatSync(join(p.root, "link")).mtimeMs];
    const before = facts();
    await p.call("chmod 600 pipe", { targets: [p.target("pipe", "attributes")] });
    await p.call("mv link other", { targets: [p.target("link", "move"), p.target("other", "write")] });
    await p.call("rm other; ln -s a.txt link", { targets: [p.target("other"), p.target("link", "write")] });
    const after = p.state();
    const { id, missing } = await p.history.applyUndo(await p.history.planUndo({ kind: "session" }));
    expect(missing).toEqual([]);
    expect(facts()).toEqual(before);
    await p.redo(id);
    expect(p.state()).toEqual(after);
  });

  it("of a change whose end was never seen takes back what it did", async () => {
    const p = project();
    const before = p.state();
    await p.begin("rm -rf dir", { targets: [p.target("dir", "delete", true)] });
    p.shell("rm -rf dir");
    expect(p.history.listChanges({}).changes.map(({ status }) => status)).toEqual(["open"]);
    await p.undo();
    expect(p.state()).toEqual(before);
  });

  it("gives the index its time back: a file that was written in the moment of `git add` stays changed", async () => {
    const p = testProject();
    p.git("init", "-q");
    // As on a file system that tells moments apart by its ticks alone.
    p.git("config", "core.trustctime", "false");
    const moment = new Date(1_000_000_000_000);
    const writeThen = (text: string) => {
      p.write({ "a.txt": text });
      utimesSync(join(p.root, "a.txt"), moment, moment);
    };
    writeThen("one");
    p.git("add", "a.txt");
    utimesSync(join(p.root, ".git/index"), moment, moment);
    writeThen("two");
    p.write({ "b.txt": "b" });
    const status = () => p.git("--no-optional-locks", "status", "--porcelain");
    const before = status();
    expect(before).toContain("AM a.txt");
    const place = { top: p.root, gitDirectory: join(p.root, ".git") };
    await p.call("git add b.txt", { repositories: [{ ...place, changesFiles: true, changesState: true }] });
    expect(status()).not.toBe(before);
    await p.undo();
    expect(status()).toBe(before);
  });

  it("says what cannot come back and restores the rest", async () => {
    const p = testProject({ ...AMPLE, maxFileMb: 0 });
    p.write({ "a.txt": "a\n" });
    p.shell("ln -s a.txt link");
    const id = await p.call("rm a.txt link", { targets: [p.target("a.txt"), p.target("link")] });
    const plan = await p.history.planUndo({ kind: "ids", ids: [id ?? ""] });
    expect(plan.gone.map(({ path }) => path)).toEqual([join(p.root, "a.txt")]);
    await p.history.applyUndo(plan);
    expect(existsSync(join(p.root, "a.txt"))).toBe(false);
    expect(readdirSync(p.root)).toContain("link");
  });
});

describe("two sessions in one project", () => {
  it("what another session's change claims is not the unknown call's", async () => {
    const p = project();
    await p.begin("make", { unknownIn: [p.root] }, "s1");
    await p.call("echo other > b.txt", { targets: [p.target("b.txt", "write")] }, "s2");
    await p.begin("edit", { targets: [p.target("dir/c.txt", "write")] }, "s2");
    p.write({ "dir/c.txt": "being edited\n", "a.txt": "made\n" });
    const id = await p.end("make", "s1");
    expect(p.history.readChange(id ?? "")?.files.map(({ path }) => path)).toEqual([join(p.root, "a.txt")]);
    await p.end("edit", "s2");
    await p.undo(id);
    expect([p.read("a.txt"), p.read("b.txt"), p.read("dir/c.txt")]).toEqual([
      "a\n",
      "other\n",
      "being edited\n",
    ]);
  });
});

describe("the store", () => {
  it("is private, holds content once, and verifies", async () => {
    const p = project();
    p.write({ "copy.txt": "a\n" });
    await p.call("rm a.txt copy.txt", { targets: [p.target("a.txt"), p.target("copy.txt")] });
    const root = join(p.home, ".amplihack/history");
    expect(statSync(root).mode & 0o777).toBe(0o700);
    const { objects } = p.history.storeSize();
    expect(objects).toBe(1);
    expect(p.history.verify()).toMatchObject({ changes: 1, problems: [] });
    const [directory = ""] = readdirSync(join(root, "objects"));
    const [name = ""] = readdirSync(join(root, "objects", directory));
    expect(statSync(join(root, "objects", directory, name)).mode & 0o777).toBe(0o600);
    writeFileSync(join(root, "objects", directory, name), "tampered");
    expect(p.history.verify().problems).toHaveLength(1);
  });

  it("skips a torn line, reports it, and reads what was written behind it", async () => {
    const p = project();
    await p.call("rm a.txt", { targets: [p.target("a.txt")] });
    const journals = join(p.home, ".amplihack/history/journal");
    const directory = join(journals, readdirSync(journals)[0] ?? "");
    const file = join(directory, "s1.jsonl");
    appendFileSync(file, readFileSync(file, "utf8").trim().slice(0, 100));
    await p.call("rm b.txt", { targets: [p.target("b.txt")] });
    const { changes, problems } = p.history.listChanges({});
    expect(changes).toHaveLength(2);
    expect(problems).toHaveLength(1);
    await p.undo();
    expect(p.read("b.txt")).toBe("b\n");
  });

  it("never takes the id of a change that is gone for the beginning of another one's", async () => {
    const p = project();
    const id = (await p.call("rm a.txt", { targets: [p.target("a.txt")] })) ?? "";
    const [second, digits] = [id.slice(0, 6), id.slice(0, 5)];
    const ids = join(p.home, ".amplihack/history/ids");
    symlinkSync(readlinkSync(join(ids, id)), join(ids, `${second}zz`));
    rmSync(join(ids, id));
    expect(idsBeginning(p.context.store, digits)).toEqual([`${second}zz`]);
    expect(idsBeginning(p.context.store, second)).toEqual([]);
    expect(p.history.readChange(second)).toBeUndefined();
  });

  it("lets the oldest changes go first, whole, and keeps what younger ones need", async () => {
    const p = project();
    const big = "x".repeat(300_000);
    const ids: (string | undefined)[] = [];
    for (const name of ["one", "two", "three"]) {
      p.write({ [`${name}.txt`]: name + big, "same.txt": "same" });
      ids.push(
        await p.call(`rm ${name}.txt same.txt`, { targets: [p.target(`${name}.txt`), p.target("same.txt")] }),
      );
    }
    const pruned = p.history.prune({ toBytes: 700_000 });
    expect(pruned.changes).toBe(1);
    expect(p.history.readChange(ids[0] ?? "")).toBeUndefined();
    await p.undo(ids[2]);
    expect(p.read("same.txt")).toBe("same");
    expect(p.history.prune({ olderThanMs: -60_000 }).changes).toBeGreaterThan(0);
    expect(p.history.listChanges({}).changes).toEqual([]);
    expect(p.history.clear()).toBe(0);
    expect(existsSync(join(p.home, ".amplihack/history"))).toBe(false);
  });

  it("that cannot be written loses everything before the call, and says so", async () => {
    const p = project();
    writeFileSync(join(p.home, ".amplihack"), "a file in the way");
    const captured = await p.begin("rm a.txt", { targets: [p.target("a.txt")] });
    expect(captured.isComplete).toBe(false);
    expect(captured.lost[0]?.path).toBe(join(p.root, "a.txt"));
    expect(p.history.whyNotWritable()).toBeDefined();
  });
});
