import { spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NO_FOOTPRINT } from "../../src/guard/footprint.ts";
import { finishCall } from "../../src/history/background.ts";
import { beginCall } from "../../src/history/begin.ts";
import { savedByEditors } from "../../src/history/editors.ts";
import { type History, openHistory } from "../../src/history/index.ts";
import { Keeper, NO_LIMITS } from "../../src/history/keeper.ts";
import { callKey, findOpen } from "../../src/history/open-changes.ts";
import { filteredPaths, runGit } from "../../src/history/run-git.ts";
import { readSessionWrites } from "../../src/history/session-writes.ts";
import { Store } from "../../src/history/store.ts";
import { sweepProject } from "../../src/history/sweep.ts";
import type { Files, System } from "../../src/system/index.ts";
import { AMPLE, type TestProject, testProject } from "./project.ts";

async function end(project: TestProject, command: string): Promise<void> {
  const { store } = project.context;
  for (const open of findOpen(store, "s1", callKey(store, undefined, "Bash", command)))
    await finishCall(project.context, open, { exit: "ok" });
}

/** Runs it as hosts do: the shell's end is the end of the call, whatever it left running. */
async function runLeaving(project: TestProject, command: string): Promise<void> {
  const child = spawn("bash", ["-c", command], { cwd: project.root, stdio: "ignore" });
  await new Promise(resolve => child.once("exit", resolve));
}

const MAX_LOOKS = 500;

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  for (let looks = 0; looks < MAX_LOOKS && !(await isTrue()); looks++)
    await new Promise(resolve => setTimeout(resolve, 20));
}

describe("a call that leaves processes behind", () => {
  it.each([
    "( until test -e go; do sleep 0.05; done; rm -rf work; touch over ) &",
    "nohup sh -c 'until test -e go; do sleep 0.05; done; rm -rf work; touch over' >/dev/null 2>&1 &",
    "setsid -f sh -c 'until test -e go; do sleep 0.05; done; rm -rf work; touch over'",
  ])("is over when they are: %s", async command => {
    const p = testProject();
    p.write({ "work/a.txt": "a\n", "work/deep/b.txt": "b\n" });
    await p.begin(command, { targets: [p.target("work", "delete", true)] });
    await runLeaving(p, command);
    await end(p, command);
    const [running] = p.history.listChanges({}).changes;
    expect(running?.status).toBe("running");
    expect(p.history.storeSize().objects).toBeGreaterThan(1);
    p.write({ go: "" });
    await until(async () => {
      await p.history.finishEnded();
      return p.history.listChanges({}).changes[0]?.status === "done";
    });
    expect(existsSync(join(p.root, "work"))).toBe(false);
    await p.undo(running?.id);
    expect([p.read("work/a.txt"), p.read("work/deep/b.txt")]).toEqual(["a\n", "b\n"]);
  });

  it("is one that its host runs in the background, and a foreground call beside it is none", async () => {
    const p = testProject();
    p.write({ "a.txt": "a\n", "b.txt": "b\n" });
    const child = spawn("bash", ["-c", "until test -e go; do sleep 0.05; done"], { cwd: p.root });
    const id = await p.call("rm b.txt", { targets: [p.target("b.txt")] });
    expect(p.history.readChange(id ?? "")?.status).toBe("done");
    p.write({ go: "" });
    await new Promise(resolve => child.once("exit", resolve));
  });

  it("is not one beside which a program of that name begins that nobody else has started", async () => {
    const p = testProject();
    p.write({ "a.txt": "a\n" });
    const command = "bash build.sh";
    try {
      await p.begin(command, { targets: [p.target("a.txt")] });
      p.write({ "a.txt": "by the call\n" });
      const service = `echo > ${p.root}/began; until test -e ${p.root}/over; do sleep 0.05; done; echo > ${p.root}/gone`;
      spawn("setsid", ["-f", "bash", "-c", service], { cwd: "/", stdio: "ignore" });
      await until(async () => existsSync(join(p.root, "began")));
      await end(p, command);
      expect(p.history.listChanges({}).changes[0]?.status).toBe("done");
    } finally {
      p.write({ over: "" });
      await until(async () => existsSync(join(p.root, "gone")));
    }
  });

  it("is not one beside which a program of others starts something with the same words", async () => {
    const p = testProject();
    p.write({ "a.txt": "a\n", "mine.txt": "mine\n" });
    const WAIT = "until test -e over; do sleep 0.05; done";
    // A daemon, that was there before the call, and whose work has the words of the call.
    const daemon = `echo ready > ready; until test -e go; do sleep 0.05; done; bash -c 'echo $$ > began; ${WAIT}'; : >> gone`;
    spawn("setsid", ["-f", "bash", "-c", daemon], { cwd: p.root, stdio: "ignore" });
    await until(async () => existsSync(join(p.root, "ready")));
    const command = `bash -c '${WAIT}'`;
    try {
      await p.begin(command, { targets: [p.target("a.txt")] });
      p.write({ "a.txt": "by the call\n", go: "" });
      await until(async () => existsSync(join(p.root, "began")));
      await end(p, command);
      const [change] = p.history.listChanges({}).changes;
      expect(change?.status).toBe("done");
      p.write({ "mine.txt": "by the person\n" });
      await p.undo(change?.id);
      expect([p.read("a.txt"), p.read("mine.txt")]).toEqual(["a\n", "by the person\n"]);
    } finally {
      p.write({ go: "", over: "" });
      await until(async () => existsSync(join(p.root, "gone")));
    }
  });
});

describe("a file that the host itself writes", () => {
  it.each(["tools/pre-commit", "R & D/x.sh"])("is written when its call has ended: %s", async path => {
    const p = testProject();
    const { store } = p.context;
    const call = { host: "claude-code", session: "s1", tool: "Write", toolUseId: "u1", command: path };
    const request = { ...call, verdict: "allow", rules: [] };
    await beginCall(p.context, request, { ...NO_FOOTPRINT, targets: [p.target(path, "write")] });
    // Somebody else's process, with a word of the name.
    const other = spawn("bash", ["-c", "until test -e go; do sleep 0.05; done", "pre-commit"], {
      cwd: p.root,
    });
    await new Promise(resolve => other.once("spawn", resolve));
    p.write({ [path]: "x\n" });
    for (const open of findOpen(store, "s1")) await finishCall(p.context, open, { exit: "ok" });
    expect(p.history.listChanges({}).changes.map(({ status }) => status)).toEqual(["done"]);
    p.write({ go: "" });
    await new Promise(resolve => other.once("exit", resolve));
  });

  it("is told from what lay in the folder before, while the call runs", async () => {
    const p = testProject();
    p.write({ "tools/old.sh": "x\n" });
    const { system } = p.context;
    const clock = { ...system.clock, nowMs: () => system.clock.nowMs() + 60_000 };
    const later = { ...p.context, system: { ...system, clock } };
    const call = {
      host: "claude-code",
      session: "s1",
      tool: "Bash",
      toolUseId: "u1",
      command: "./fill tools",
    };
    const targets = [p.target("tools", "write", true)];
    await beginCall(later, { ...call, verdict: "allow", rules: [] }, { ...NO_FOOTPRINT, targets });
    p.write({ "tools/new.sh": "x\n" });
    const soon = new Date(Date.now() + 120_000);
    utimesSync(join(p.root, "tools/new.sh"), soon, soon);
    const writes = readSessionWrites(p.context, "s1");
    expect(writes?.files()).toEqual([join(p.root, "tools"), join(p.root, "tools/new.sh")]);
    expect(writes?.hasWritten(join(p.root, "tools/old.sh"))).toBe(false);
  });

  it("is known to be the session's at every moment in which another process ends the call", async () => {
    const p = testProject();
    const stateHome = join(p.home, ".amplihack");
    await p.begin("cat > tools/x.sh", { targets: [p.target("tools", "write", true)] });
    p.write({ "tools/x.sh": "x\n" });
    const earlier = join(p.home, "earlier");
    cpSync(stateHome, earlier, { recursive: true, verbatimSymlinks: true });
    await p.end("cat > tools/x.sh");
    const isKnown = (endsAt: number): { readonly isKnown: boolean; readonly looks: number } => {
      let looks = 0;
      const seenAt = (path: string) =>
        path.startsWith(stateHome) && ++looks <= endsAt ? path.replace(stateHome, earlier) : path;
      const { files } = p.context.system;
      const system: System = {
        ...p.context.system,
        files: Object.assign(Object.create(files) as Files, {
          list: (path: string) => files.list(seenAt(path)),
          read: (path: string, limit: number) => files.read(seenAt(path), limit),
          inspect: (path: string) => files.inspect(seenAt(path)),
        }),
      };
      const context = { ...p.context, system, store: new Store(system, stateHome) };
      const writes = readSessionWrites(context, "s1");
      return { isKnown: writes?.hasWritten(join(p.root, "tools/x.sh")) === true, looks };
    };
    const { looks } = isKnown(0);
    expect(looks).toBeGreaterThan(3);
    for (let endsAt = 0; endsAt <= looks + 3; endsAt++)
      expect([endsAt, isKnown(endsAt).isKnown]).toEqual([endsAt, true]);
  });
});

describe("a change of a call whose effects were not known", () => {
  it("says that its files were found by comparing, and what a person saved meanwhile comes back by redo", async () => {
    const p = testProject();
    p.write({ "a.txt": "a\n", "b.txt": "b\n" });
    await p.begin("make", { unknownIn: [p.root] });
    p.shell("echo agent > a.txt");
    p.write({ "b.txt": "saved by a person\n" });
    const id = await p.end("make");
    expect(p.history.readChange(id ?? "")?.isCompared).toBe(true);
    const undo = await p.undo(id, { paths: ["a.txt"] });
    expect([p.read("a.txt"), p.read("b.txt")]).toEqual(["a\n", "saved by a person\n"]);
    await p.redo(undo);
    const all = await p.undo(id);
    await p.redo(all);
    expect(p.read("b.txt")).toBe("saved by a person\n");
    const named = await p.call("echo x > a.txt", { targets: [p.target("a.txt", "write")] });
    expect(p.history.readChange(named ?? "")?.isCompared).toBeUndefined();
  });
});

describe("a file that a person has open in an editor while an unknown call runs", () => {
  it.each([".b.txt.swp", ".#b.txt", ".~lock.b.txt#"])(
    "is not taken back unless they say so: %s",
    async trace => {
      const p = testProject();
      p.write({ "a.txt": "a\n", "b.txt": "b\n" });
      await p.begin("make", { unknownIn: [p.root] });
      p.shell("echo agent > a.txt");
      p.write({ [trace]: "", saved: "saved by a person\n" });
      p.shell("mv saved b.txt");
      const id = await p.end("make");
      expect(p.history.readChange(id ?? "")?.files.map(({ path }) => path.slice(p.root.length + 1))).toEqual([
        "a.txt",
        "b.txt",
      ]);
      const before = p.state();
      await expect(p.undo(id)).rejects.toThrow("nothing was written");
      expect(p.state()).toEqual(before);
      const forced = await p.undo(id, { force: true });
      expect([p.read("a.txt"), p.read("b.txt")]).toEqual(["a\n", "b\n"]);
      await p.redo(forced);
      await p.undo(id, { paths: ["a.txt"] });
      expect([p.read("a.txt"), p.read("b.txt"), p.read(trace)]).toEqual(["a\n", "saved by a person\n", ""]);
    },
  );
});

describe("a file that is written while it is copied", () => {
  it("is copied again, so that its size and time are those of its content", async () => {
    const p = testProject();
    const path = join(p.root, "a.txt");
    p.write({ "a.txt": "one" });
    let copies = 0;
    const { files } = p.context.system;
    const system: System = {
      ...p.context.system,
      files: Object.assign(Object.create(files) as Files, {
        copy(from: string, to: string, mode: number) {
          if (from === path && copies++ === 0) appendFileSync(path, " more");
          files.copy(from, to, mode);
        },
      }),
    };
    const keeper = new Keeper(new Store(system, join(p.home, ".amplihack")), p.context.rules, NO_LIMITS);
    const { state, stamp } = keeper.capture(path);
    expect(state).toMatchObject({
      size: "one more".length,
      content: { in: "store", id: files.digest(path) },
    });
    expect(stamp).toBe(files.exactFacts(path)?.stamp);
  });
});

describe("a file that VS Code saved while an unknown call ran", () => {
  // By the editor's own algorithm, of file:///home/u/src/main.ts and of the same on a machine called box.
  it.each([
    [".config/Code", "-71beeea7", "/home/u/src/main.ts", undefined],
    [".config/Cursor", "-293ade03", "/home/u/a b.ts", undefined],
    [
      ".vscode-server/data",
      "-3f348ecd",
      "/home/u/src/main.ts",
      "vscode-remote://ssh-remote%2Bbox/home/u/x.ts",
    ],
  ])("is found by the copy that it makes: %s/User/History/%s", (place, folder, path, resource) => {
    const p = testProject();
    const { system } = p.context;
    const copies = join(p.home, place, "User/History");
    const listing = JSON.stringify({ version: 1, resource: resource ?? "file:///x", entries: [] });
    mkdirSync(join(copies, "-1"), { recursive: true });
    mkdirSync(join(copies, folder));
    for (const one of ["-1", folder]) writeFileSync(join(copies, one, "entries.json"), listing);
    const since = Date.now() - 1_000;
    const saved = () => savedByEditors(system, p.home, since, ["/home/u/other.ts", path]);
    expect(saved()).toEqual([]);
    const copy = join(copies, folder, "Ab1c.ts");
    writeFileSync(copy, "saved by a person\n");
    expect(saved()).toEqual([path]);
    expect(savedByEditors(system, p.home, Date.now() + 60_000, [path])).toEqual([]);
  });

  it("is not taken back unless they say so", async () => {
    const p = testProject();
    p.write({ "a.txt": "a\n", "b.txt": "b\n" });
    await p.begin("make", { unknownIn: [p.root] });
    p.shell("echo agent > a.txt");
    p.write({ "b.txt": "saved by a person\n" });
    let hash = 149_417;
    for (const character of `file://${p.root}/b.txt`)
      hash = (Math.imul(hash, 31) + character.charCodeAt(0)) | 0;
    const copies = join(p.home, ".config/VSCodium/User/History", hash.toString(16));
    mkdirSync(copies, { recursive: true });
    writeFileSync(join(copies, "Ab1c.txt"), "saved by a person\n");
    const id = await p.end("make");
    const before = p.state();
    await expect(p.undo(id)).rejects.toThrow("nothing was written");
    expect(p.state()).toEqual(before);
    await p.undo(id, { paths: ["a.txt"] });
    expect([p.read("a.txt"), p.read("b.txt")]).toEqual(["a\n", "saved by a person\n"]);
  });
});

describe("a folder with a name that tools use", () => {
  it.each([".next", ".cache", ".terraform", "log", "node_modules", "__pycache__", "bower_components"])(
    "is somebody's work while git does not ignore it: %s",
    async name => {
      const p = testProject();
      p.write({ "a.txt": "a\n", [`${name}/notes.md`]: "mine\n" });
      p.git("init", "-q");
      const id = await p.call(`rm -rf ${name}`, { targets: [p.target(name, "delete", true)] });
      await p.undo(id);
      expect(p.read(`${name}/notes.md`)).toBe("mine\n");
    },
  );
});

describe("a folder with a name that tools use, outside git", () => {
  it.each([
    ["node_modules", "node_modules/.package-lock.json"],
    ["node_modules", "package.json"],
    ["bower_components", "bower.json"],
    ["__pycache__", undefined],
    [".venv", ".venv/pyvenv.cfg"],
  ])("is made again where a tool's mark is, and work without it: %s, %s", async (name, mark) => {
    const p = testProject();
    p.write({ [`${name}/m.pyc`]: "made\n", ...(mark === undefined ? {} : { [mark]: "{}\n" }) });
    expect(await p.call(`rm ${name}/m.pyc`, { unknownIn: [p.root] })).toBeUndefined();
    const other = testProject();
    other.write({ [`${name}/mine.md`]: "mine\n" });
    const id = await other.call(`rm -r ${name}`, { unknownIn: [other.root] });
    await other.undo(id);
    expect(other.read(`${name}/mine.md`)).toBe("mine\n");
  });
});

describe("an id that was shown", () => {
  it("stays, and says that nothing was changed", async () => {
    const p = testProject();
    p.write({ "a.txt": "a\n" });
    const { change = "" } = await p.begin("true", { targets: [p.target("a.txt")] });
    await p.end("true");
    await expect(p.undo(change)).rejects.toMatchObject({
      kind: "nothing",
      message: `${change} changed nothing, so there is nothing to undo`,
    });
    await expect(p.undo("zzzzzz")).rejects.toMatchObject({ kind: "not-found" });
  });
});

describe("a kept copy that was damaged", () => {
  it("is never restored; the rest is with --force, and what is missing is named", async () => {
    const p = testProject();
    p.write({ "a.txt": "a\n", "b.txt": "b\n" });
    const id = await p.call("rm a.txt b.txt", { targets: [p.target("a.txt"), p.target("b.txt")] });
    const change = p.history.readChange(id ?? "");
    const before = change?.files.find(({ path }) => path.endsWith("a.txt"))?.before;
    const object = before?.kind === "file" && "id" in before.content ? before.content.id : "";
    writeFileSync(p.context.store.objectPath(object), "A\n");
    await expect(p.undo(id)).rejects.toMatchObject({ kind: "conflict", exitCode: 3 });
    expect(existsSync(join(p.root, "b.txt"))).toBe(false);
    const plan = await p.history.planUndo({ kind: "newest" });
    const { missing } = await p.history.applyUndo(plan, { force: true });
    expect(missing).toEqual([{ path: join(p.root, "a.txt"), why: expect.stringContaining("damaged") }]);
    expect(p.read("b.txt")).toBe("b\n");
    expect(existsSync(join(p.root, "a.txt"))).toBe(false);
  });
});

describe("what an undo wrote", () => {
  /** Whatever is written at the end of that path gets other bytes, as many as it had. */
  function tampering(p: TestProject, end: string): History {
    const { files } = p.context.system;
    const spoil = (to: string) => {
      const top = existsSync(join(to, "a.txt")) ? join(to, "a.txt") : to;
      if (top.endsWith(end) && existsSync(top)) writeFileSync(top, "?".repeat(readFileSync(top).length));
    };
    const system: System = {
      ...p.context.system,
      files: Object.assign(Object.create(files) as Files, {
        rename(from: string, to: string) {
          files.rename(from, to);
          spoil(to);
        },
        overwrite(from: string, to: string) {
          files.overwrite(from, to);
          spoil(to);
        },
      }),
    };
    return openHistory(system, p.context.places, AMPLE);
  }

  const inGit = (p: TestProject) => {
    p.git("init", "-q");
    p.git("add", "-A");
    p.git("commit", "-qm", "one");
  };
  const notKept = { why: "it was written, but its content is not what was kept" };

  it.each([
    ["a file from the store", "rm -r dir/a.txt", () => {}],
    ["a file from git", "rm -r dir/a.txt", inGit],
    ["a folder from git", "rm -r dir", inGit],
    ["a file with two names", "echo x > dir/a.txt", (p: TestProject) => p.shell("ln dir/a.txt other")],
  ])(
    "is read again: %s with other bytes of the same number is not called done",
    async (_, command, prepare) => {
      const p = testProject();
      p.write({ "dir/a.txt": "one\n", "dir/b.txt": "two\n" });
      prepare(p);
      await p.call(command, { unknownIn: [p.root] });
      const history = tampering(p, "/a.txt");
      const { missing, restored } = await history.applyUndo(await history.planUndo({ kind: "newest" }));
      const names = ["dir/a.txt", "other"].map(name => join(p.root, name)).filter(path => existsSync(path));
      expect(missing).toEqual(names.map(path => ({ path, ...notKept })));
      expect(restored).toBe(command === "rm -r dir" ? 2 : 0);
      expect(p.read("dir/a.txt")).toBe("????");
    },
  );

  it("is what git writes, also where git would not keep it so", async () => {
    const p = testProject();
    // Line endings that were committed before they were to be converted; git looks at no file that is older.
    p.write({ "a.txt": "one\r\n", "b.txt": "two\r\n" });
    p.shell("touch -d 2001-01-01 a.txt b.txt");
    inGit(p);
    p.git("config", "core.autocrlf", "true");
    p.write({ ".gitattributes": "* text\n" });
    p.git("add", ".gitattributes");
    p.git("commit", "-qm", "attributes");
    const id = await p.call("rm a.txt b.txt", { unknownIn: [p.root] });
    const places = p.history
      .readChange(id ?? "")
      ?.files.map(({ before }) => (before.kind === "file" ? before.content.in : before.kind));
    expect(places).toEqual(["git", "git"]);
    const plan = await p.history.planUndo({ kind: "newest" });
    expect(await p.history.applyUndo(plan)).toMatchObject({ missing: [], restored: 2 });
    expect([p.read("a.txt"), p.read("b.txt")]).toEqual(["one\r\n", "two\r\n"]);
  });

  it.each([
    ["is switched away", "git switch -q bare"],
    ["is removed with them", "rm -rf deep .gitattributes"],
    [
      "is changed, after it was changed by hand",
      "echo > .gitattributes; rm -rf deep",
      "*.txt text eol=crlf\n# mine\n",
    ],
  ])(
    "has the line endings of the attributes that held then, where the file of attributes %s",
    async (_, command, byHand?: string) => {
      const p = testProject();
      p.write({ ".gitattributes": "*.txt -text\n" });
      p.shell("git init -q -b main && git add -A && git commit -q -m bare && git branch bare");
      p.write({ ".gitattributes": "*.txt text eol=crlf\n", "deep/.gitattributes": "b.txt ident\n" });
      p.write({ "deep/a.txt": "one\r\ntwo\r\n", "deep/b.txt": "$Id$\r\n" });
      p.shell("git add -A && git commit -qm files && rm -r deep && git checkout -q -- .");
      if (byHand !== undefined) p.write({ ".gitattributes": byHand });
      const before = p.state();
      expect(p.read("deep/b.txt")).toMatch(/^\$Id: .* \$\r\n$/);
      await p.call(command, { unknownIn: [p.root] });
      const after = p.state();
      expect(existsSync(join(p.root, "deep"))).toBe(false);
      const undo = await p.undo();
      expect(p.state()).toEqual(before);
      await p.redo(undo);
      expect(p.state()).toEqual(after);
    },
  );

  it("has the line endings of the settings that held then", async () => {
    const p = testProject();
    p.write({ "a.txt": "one\ntwo\n", "b.ts": "one\n" });
    inGit(p);
    const config = readFileSync(join(p.root, ".git/config"), "utf8");
    const before = p.state();
    const command =
      "git config core.autocrlf true; mkdir -p .git/info; echo '*.ts text eol=crlf' > .git/info/attributes; rm a.txt b.ts";
    await p.call(command, { unknownIn: [p.root] });
    await p.undo();
    expect(p.state()).toEqual(before);
    expect(readFileSync(join(p.root, ".git/config"), "utf8")).toBe(config);
  });
});

describe("a folder that was replaced since", () => {
  it("is not followed where it became a link, neither to delete nor to write", async () => {
    const p = testProject();
    mkdirSync(join(p.home, ".claude"));
    writeFileSync(join(p.home, ".claude/settings.json"), "mine\n");
    p.write({ "fix/.claude/other.json": "before\n" });
    const write = await p.call("echo agent > fix/.claude/settings.json; echo x > fix/.claude/other.json", {
      targets: [p.target("fix/.claude/settings.json", "write"), p.target("fix/.claude/other.json", "write")],
    });
    p.shell("mv fix old");
    symlinkSync(p.home, join(p.root, "fix"));
    await expect(p.undo(write)).rejects.toMatchObject({ kind: "conflict" });
    const plan = await p.history.planUndo({ kind: "newest" });
    const { missing } = await p.history.applyUndo(plan, { force: true });
    expect(missing.map(({ path }) => path)).toEqual([join(p.root, "fix/.claude/other.json")]);
    expect(readFileSync(join(p.home, ".claude/settings.json"), "utf8")).toBe("mine\n");
    expect(existsSync(join(p.home, ".claude/other.json"))).toBe(false);
  });

  it("is a conflict where it is another folder, and none where an undo made it again", async () => {
    const p = testProject();
    p.write({ "src/a.txt": "a\n", "src/b.txt": "b\n" });
    const edit = await p.call("echo x > src/a.txt", { targets: [p.target("src/a.txt", "write")] });
    const gone = await p.call("rm -rf src", { targets: [p.target("src", "delete", true)] });
    await p.undo(gone);
    expect((await p.history.planUndo({ kind: "ids", ids: [edit ?? ""] })).conflicts).toEqual([]);
    p.shell("mv src was; mkdir src; cp -p was/a.txt src/a.txt");
    const { conflicts } = await p.history.planUndo({ kind: "ids", ids: [edit ?? ""] });
    expect(conflicts.map(({ subject }) => subject)).toEqual([join(p.root, "src")]);
  });
});

describe("the history itself", () => {
  it("is in no change, whatever reached it", async () => {
    const p = testProject();
    writeFileSync(join(p.home, ".zshrc"), "setopt\n");
    const target = { path: p.home, how: "delete", isTree: true } as const;
    const id = await p.call("rm ../.zshrc", { targets: [target] });
    const files = p.history.readChange(id ?? "")?.files ?? [];
    expect(files.map(({ path }) => path)).toEqual([join(p.home, ".zshrc")]);
    await p.undo(id);
    expect(readFileSync(join(p.home, ".zshrc"), "utf8")).toBe("setopt\n");
    expect(p.history.verify().problems).toEqual([]);
  });
});

describe("a folder that only has the name of build output", () => {
  it.each(["log", "tmp", "cache", "out", "obj", "build", "node_modules", "vendor/bundle"])(
    "%s is work unless git ignores it",
    async name => {
      const p = testProject();
      p.write({ "a.txt": "a\n", [`${name}/mine.raw`]: "work\n" });
      p.git("init", "-q");
      p.git("add", "a.txt");
      p.git("commit", "-qm", "one");
      const id = await p.call(`./unknown; rm -rf ${name}`, { unknownIn: [p.root] });
      await p.undo(id);
      expect(p.read(`${name}/mine.raw`)).toBe("work\n");
      p.write({ ".gitignore": `${name}/\n` });
      expect(await p.call(`rm -rf ${name}`, { unknownIn: [p.root] })).toBeUndefined();
      // Together with something that comes back, it is named as what does not.
      p.write({ [`${name}/made.raw`]: "made\n" });
      const both = await p.call(`rm -rf ${name} a.txt`, { unknownIn: [p.root] });
      expect(p.history.readChange(both ?? "")?.notKept).toEqual([
        { path: join(p.root, name), why: "git ignores it, so no copy was made" },
      ]);
    },
  );
});

describe("a clean tracked file that a filter of the repository makes", () => {
  const FILTER = [
    ["filter.x.clean", "tr a-z A-Z"],
    ["filter.x.smudge", "tr A-Z a-z"],
    ["filter.x.required", "true"],
  ] as const;
  const filtered = (): TestProject => {
    const p = testProject();
    p.git("init", "-q", "-b", "main");
    for (const [key, value] of FILTER) p.git("config", key, value);
    p.write({ ".gitattributes": "*.sec filter=x\n", "dir/a.sec": "secret\n", "dir/b.txt": "b\n" });
    p.git("add", "-A");
    p.git("commit", "-qm", "one");
    p.git("checkout", "-qb", "other");
    p.write({ "dir/a.sec": "another\n" });
    p.git("commit", "-qam", "two");
    p.git("checkout", "-q", "main");
    // The index is younger than the files, so that git does not read them again.
    p.shell("sleep 0.05; touch -d '1 minute ago' dir/*; git status");
    return p;
  };
  const gitWork = (p: TestProject) => ({
    repositories: [
      {
        gitDirectory: join(p.root, ".git"),
        top: p.root,
        changesFiles: true,
        changesState: true,
        changesIgnored: false,
      },
    ],
  });
  const unknown = (p: TestProject) => ({ unknownIn: [p.root] });

  it.each([
    ["git rm -rq dir", gitWork],
    ["git switch -qf other", gitWork],
    ["git mv dir/a.sec dir/c.txt", gitWork],
    ["rm -r dir", unknown],
    ["echo x > dir/a.sec", unknown],
    ["git rm -rq dir && git commit -qm gone", unknown],
  ] as const)("comes back as it was: %s", async (command, footprint) => {
    const p = filtered();
    const before = p.state();
    expect(p.git("status", "--porcelain")).toBe("");
    const id = await p.call(command, footprint(p));
    expect(p.state()).not.toEqual(before);
    const plan = await p.history.planUndo({ kind: "ids", ids: [id ?? ""] });
    const { missing, problems } = await p.history.applyUndo(plan);
    expect([...missing, ...problems]).toEqual([]);
    expect(p.state()).toEqual(before);
    expect(p.read("dir/a.sec")).toBe("secret\n");
  });

  it("is not counted among the work that a call may lose", async () => {
    const p = filtered();
    p.write({ "dir/b.txt": "changed\n", "new.txt": "new\n" });
    const { keptIn } = await p.begin("git reset --hard", gitWork(p));
    const names = (...work: Parameters<typeof keptIn>[1] & object) =>
      keptIn([p.root], work).map(({ path }) => path.slice(p.root.length + 1));
    expect(names("changed")).toEqual(["dir/b.txt"]);
    expect(names("untracked")).toEqual(["new.txt"]);
  });

  it("is left to git where it is too large to be copied before every call; undo names the command", async () => {
    const p = filtered();
    p.write({ "dir/a.sec": "x".repeat(2 * 1024 * 1024) });
    p.git("commit", "-qam", "large");
    p.shell("sleep 0.05; touch -d '1 minute ago' dir/*; git status");
    const id = await p.call("rm dir/a.sec", unknown(p));
    const { gone } = await p.history.planUndo({ kind: "ids", ids: [id ?? ""] });
    expect(gone).toMatchObject([{ why: expect.stringContaining("git checkout -- dir/a.sec") }]);
  });
});

describe("a clean tracked file whose line endings git would write otherwise", () => {
  const MIXED = "a\r\nb\n";
  const mixed = (files: Readonly<Record<string, string>>): TestProject => {
    const p = testProject();
    p.git("init", "-q", "-b", "main");
    p.write({ "one.txt": "1\n", ...files });
    p.git("add", "-A");
    p.git("commit", "-qm", "one");
    // The index is younger than the files, so that git does not read them again.
    p.shell("touch -d '1 minute ago' *.txt */*.txt; git status");
    return p;
  };
  const EVERYWHERE = { ".gitattributes": "* text=auto\n" };
  const many = Object.fromEntries(Array.from({ length: 320 }, (_, at) => [`dir/${at}.txt`, MIXED]));

  it.each([
    ["git rm -q mixed.txt", { ...EVERYWHERE, "mixed.txt": MIXED }],
    ["rm mixed.txt", { ...EVERYWHERE, "mixed.txt": MIXED }],
    ["rm -r dir", { "dir/.gitattributes": "* text=auto\n", "dir/mixed.txt": MIXED }],
    ["git rm -q mixed.txt && git commit -qm gone", { ...EVERYWHERE, "mixed.txt": MIXED }],
  ])("comes back as it was from an unknown call: %s", async (command, files) => {
    const p = mixed(files);
    const before = p.state();
    await p.call(command, { unknownIn: [p.root] });
    expect(p.state()).not.toEqual(before);
    await p.undo();
    expect(p.state()).toEqual(before);
  });

  it("comes back with a large folder that is deleted by its name", async () => {
    const p = mixed({ "dir/.gitattributes": "* text=auto\n", ...many });
    const before = p.state();
    await p.call("rm -r dir", { targets: [p.target("dir", "delete", true)] });
    await p.undo();
    expect(p.state()).toEqual(before);
  });

  it("is named as what did not come back where no copy was made", async () => {
    const p = mixed({ ...EVERYWHERE, "mixed.txt": MIXED.repeat(300_000) });
    const id = await p.call("rm mixed.txt", { unknownIn: [p.root] });
    const plan = await p.history.planUndo({ kind: "ids", ids: [id ?? ""] });
    const { missing } = await p.history.applyUndo(plan);
    expect(missing).toMatchObject([{ why: expect.stringContaining("other line endings") }]);
  });
});

describe("a folder of which no copy is made, since a tool makes it again", () => {
  const withModules = (): TestProject => {
    const p = testProject();
    p.git("init", "-q", "-b", "main");
    p.write({ ".gitignore": "node_modules/\n", "node_modules/x/index.js": "x\n" });
    p.git("add", "-A");
    p.git("commit", "-qm", "one");
    return p;
  };

  it("is named as not kept when a call deletes it", async () => {
    const p = withModules();
    const id = await p.call("rm -r node_modules", { targets: [p.target("node_modules", "delete", true)] });
    expect(p.history.readChange(id ?? "")?.notKept).toEqual([
      { path: join(p.root, "node_modules"), why: expect.stringContaining("a tool makes again") },
    ]);
  });

  it.each(["node_modules.bak", "sub/node_modules"])(
    "stays where a call moved it, and undo says where: %s",
    async to => {
      const p = withModules();
      mkdirSync(join(p.root, "sub"));
      const id = await p.call(`mv node_modules ${to}`, {
        targets: [p.target("node_modules", "move", true), p.target(to, "write", true)],
      });
      await p.undo(id);
      expect(p.read(`${to}/x/index.js`)).toBe("x\n");
      expect(p.history.readChange(id ?? "")?.notKept).toEqual([
        { path: join(p.root, "node_modules"), why: expect.stringContaining(join(p.root, to)) },
      ]);
    },
  );
});

describe("git that we start", () => {
  it("runs nothing that a repository names", async () => {
    const p = testProject();
    const mark = join(p.home, "ran");
    const program = `sh -c 'touch ${mark}; cat'`;
    p.write({ "a.txt": "a\n", "b.txt": "b\n", ".gitattributes": "a.txt filter=x diff=x\n" });
    p.git("init", "-q");
    p.git("add", "-A");
    p.git("commit", "-qm", "one");
    const included = join(p.home, "included");
    writeFileSync(included, `[filter "y"]\n\tclean = ${program}\n\tsmudge = ${program}\n`);
    appendFileSync(join(p.root, ".gitattributes"), "b.txt filter=y\n");
    for (const [key, value] of [
      ["filter.x.clean", program],
      ["filter.x.smudge", program],
      ["filter.x.process", program],
      ["filter.x.required", "true"],
      ["include.path", included],
      ["core.fsmonitor", program],
      ["core.pager", program],
      ["diff.external", program],
      ["diff.x.textconv", program],
      ["core.sshCommand", program],
      ["credential.helper", `!${program}`],
    ] as const)
      p.git("config", key, value);
    writeFileSync(join(p.root, ".git/hooks/post-checkout"), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    p.shell("sleep 0.01; touch a.txt b.txt");
    await p.begin("./unknown", { unknownIn: [p.root] });
    expect(existsSync(mark)).toBe(false);
    writeFileSync(join(p.root, "a.txt"), "changed\n");
    const id = await p.end("./unknown");
    await p.undo(id);
    expect(p.read("a.txt")).toBe("a\n");
    expect(existsSync(mark)).toBe(false);
  });
});

/** Ways to have git run a program, each of which could be missed by who looks for programs first. */
const HIDDEN: Readonly<Record<string, (p: TestProject, program: string) => void>> = {
  "in settings that are larger than anybody reads": (p, program) => {
    appendFileSync(join(p.root, ".git/config"), `${"#".repeat(1024)}\n`.repeat(1100));
    p.git("config", "filter.x.clean", program);
  },
  "under a name of many characters": (p, program) => {
    p.git("config", "filter.a =b'c.clean", program);
    appendFileSync(join(p.root, ".git/info/attributes"), "a.txt filter=x\n");
    p.git("config", "filter.x.clean", program);
  },
  "in settings of the working tree alone": (p, program) => {
    p.git("config", "extensions.worktreeConfig", "true");
    p.git("config", "--worktree", "filter.x.clean", program);
  },
  "in settings that are included where a branch is checked out": (p, program) => {
    writeFileSync(join(p.home, "included"), `[filter "x"]\n\tclean = "${program}"\n`);
    p.git("config", "includeIf.onbranch:**.path", join(p.home, "included"));
  },
  "in settings of a submodule": (p, program) => {
    p.shell(
      "git init -q ../other && cd ../other && echo '*.txt filter=x' > .gitattributes && echo b > b.txt && git add -A && git commit -qm b",
    );
    p.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", join(p.root, "../other"), "sub");
    p.git("commit", "-qm", "sub");
    p.git("config", "submodule.sub.ignore", "none");
    for (const key of ["filter.x.clean", "core.fsmonitor"]) p.git("-C", "sub", "config", key, program);
    p.shell("sleep 0.01; touch sub/b.txt");
  },
  "as a driver that shows differences": (p, program) => {
    appendFileSync(join(p.root, ".git/info/attributes"), "a.txt diff=x\n");
    p.git("config", "diff.x.textconv", `${program} #`);
    p.git("config", "diff.external", program);
  },
  "in an old spelling of a section": (p, program) =>
    appendFileSync(join(p.root, ".git/config"), `[FILTER.x]\n\tclean = "${program}"\n`),
};

describe("git that we start in a hostile repository", () => {
  const hostile = (): TestProject => {
    const p = testProject();
    p.write({ "a.txt": "a\n", ".gitattributes": "a.txt filter=x\n" });
    p.git("init", "-q", "-b", "main");
    p.git("add", "-A");
    p.git("commit", "-qm", "one");
    return p;
  };
  const CALLS = [
    ["status", "--porcelain", "--ignored"],
    ["ls-files", "-z", "-m", "-o", "--exclude-standard"],
    ["hash-object", "--stdin-paths"],
    ["diff", "--no-color", "HEAD"],
    ["log", "-p", "-1"],
    ["show", "HEAD"],
    ["update-index", "-z", "--add", "--remove", "--stdin"],
  ];

  it.each(Object.entries(HIDDEN))("runs no program that stands %s", async (_, hide) => {
    const p = hostile();
    const mark = join(p.home, "ran");
    const program = `sh -c 'touch ${mark}; cat'`;
    hide(p, program);
    p.shell("sleep 0.01; echo changed > a.txt");
    for (const args of CALLS) {
      const { problem } = await runGit(p.context.system, args, {
        cwd: p.root,
        timeoutMs: 10_000,
        input: args.includes("--stdin-paths") ? "a.txt\n" : args.includes("--stdin") ? "a.txt\0" : "",
      });
      expect([args[0], problem, existsSync(mark)]).toEqual([args[0], "", false]);
    }
    // The scene is one in which git does run it.
    p.shell(
      "sleep 0.01; echo again > a.txt; git hash-object a.txt; git status --porcelain; git diff HEAD | cat",
    );
    expect(existsSync(mark)).toBe(true);
  });

  it("is not started where nobody can tell which programs the repository names", async () => {
    const p = hostile();
    const mark = join(p.home, "ran");
    const pipe = join(p.home, "pipe");
    p.shell(`mkfifo ${pipe}`);
    p.git("config", "filter.x.clean", `sh -c 'touch ${mark}; cat'`);
    appendFileSync(join(p.root, ".git/config"), `[include]\n\tpath = ${pipe}\n`);
    p.shell("sleep 0.01; echo changed > a.txt");
    const started: (readonly string[])[] = [];
    const { system } = p.context;
    const watched: System = {
      ...system,
      processes: {
        ...system.processes,
        start(request) {
          started.push(request.argv);
          return system.processes.start(request);
        },
      },
    };
    const options = { cwd: p.root, timeoutMs: 500 };
    const { isOk, problem } = await runGit(watched, ["status", "--porcelain"], options);
    expect([isOk, problem]).toEqual([false, "git took too long"]);
    expect(started).toHaveLength(1);
    expect(started[0]).toContain("config");
    // Nothing is known of its content either.
    expect(await filteredPaths(watched, ["a.txt", "b.txt"], options)).toEqual(new Set(["a.txt", "b.txt"]));
    expect(existsSync(mark)).toBe(false);
  });
});

describe("permissions that git does not know", () => {
  it("come back with a clean file that an unknown program removed or wrote anew", async () => {
    const p = testProject();
    p.write({ "secret.txt": "s\n", "run.sh": "#!/bin/sh\n", "deep/own.txt": "o\n", "plain.txt": "p\n" });
    p.shell("git init -q -b main && chmod 600 secret.txt deep/own.txt && chmod 700 run.sh");
    p.git("add", "-A");
    p.git("commit", "-qm", "one");
    await sweepProject(p.context, p.root);
    const before = p.state();
    await p.call("rm secret.txt run.sh plain.txt; rm -r deep; echo n > secret.txt", { unknownIn: [p.root] });
    expect(p.state()).not.toEqual(before);
    await p.undo();
    expect(p.state()).toEqual(before);
  });
});

describe("a file at which git was told not to look", () => {
  it.each(["--assume-unchanged", "--skip-worktree"])("is kept and comes back: %s", async option => {
    const p = testProject();
    p.write({ "mine.txt": "m\n", "clean.txt": "c\n", "other.txt": "o\n" });
    p.shell("git init -q -b main");
    p.git("add", "-A");
    p.git("commit", "-qm", "one");
    p.git("update-index", option, "mine.txt", "clean.txt");
    p.write({ "mine.txt": "what nobody else has\n" });
    const before = p.state();
    await p.call("for f in *.txt; do echo x > $f; done", { unknownIn: [p.root] });
    await p.undo();
    expect(p.state()).toEqual(before);
    await p.call("rm *.txt", { unknownIn: [p.root] });
    await p.undo();
    expect(p.state()).toEqual(before);
    const place = { top: p.root, gitDirectory: join(p.root, ".git") };
    await p.call(`git update-index ${option.replace("--", "--no-")} *.txt; git reset -q --hard`, {
      repositories: [{ ...place, changesFiles: true, changesState: true }],
    });
    await p.undo();
    expect(p.state()).toEqual(before);
  });
});
