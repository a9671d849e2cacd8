import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentCall } from "./agent-call.ts";
import { newUserInside, type User } from "./run-command.ts";

/** A project with two files, of which an agent has deleted one and rewritten the other. */
async function userAfterAgent(): Promise<{
  readonly user: User;
  readonly deleted: string;
  readonly edited: string;
}> {
  const user = newUserInside();
  write(user, "src/prices.ts", "total = 42\n");
  chmodSync(join(user.project, "src/prices.ts"), 0o640);
  write(user, "notes.txt", "call Ada\n");
  const deleted = await agentCall(
    user,
    { command: "rm -rf src", targets: ["src"], how: "delete", isPrompted: true },
    () => rmSync(join(user.project, "src"), { recursive: true }),
  );
  const edited = await agentCall(
    user,
    {
      command: '{"file_path":"notes.txt"}',
      tool: "Edit",
      targets: ["notes.txt", "new.txt"],
      isPrompted: true,
    },
    () => {
      write(user, "notes.txt", "call Bob\n");
      write(user, "new.txt", "x\n");
    },
  );
  return { user, deleted, edited };
}

function write({ project }: User, name: string, content: string): void {
  mkdirSync(join(project, name, ".."), { recursive: true });
  writeFileSync(join(project, name), content);
}

const read = ({ project }: User, name: string): string | undefined =>
  existsSync(join(project, name)) ? readFileSync(join(project, name), "utf8") : undefined;

describe("amplihack history", () => {
  it("lists the changes of this project, newest first, and says what can be done", async () => {
    const { user, deleted, edited } = await userAfterAgent();
    const { code, stdout, stderr } = await user.type(["history"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      new RegExp(
        `^just now  ${edited} .*Edit: .*notes.txt.* 2 files\njust now  ${deleted} .*Bash: rm -rf src .*files?\n$`,
      ),
    );
    expect(stderr).toContain("Take one back: amplihack undo ID");
    expect((await user.type(["history", "list"])).stdout).toBe(stdout);
  });

  it("can be narrowed to a session, turns, a path, a time and a number", async () => {
    const { user, deleted, edited } = await userAfterAgent();
    const ids = async (...words: string[]) =>
      (await user.json<{ id: string }[]>("history", ...words)).map(({ id }) => id);
    expect(await ids()).toEqual([edited, deleted]);
    expect(await ids("--turn")).toEqual([edited]);
    expect(await ids("--turn", "2")).toEqual([edited, deleted]);
    expect(await ids("--path", "src")).toEqual([deleted]);
    expect(await ids("--limit", "1")).toEqual([edited]);
    expect(await ids("--session", "s-2")).toEqual([]);
    expect(await ids("--since", "1h", "--all-projects")).toEqual([edited, deleted]);
  });

  it("has the members that programs rely on", async () => {
    const { user, deleted } = await userAfterAgent();
    const [, first] = await user.json<Record<string, unknown>[]>("history");
    expect(first).toMatchObject({
      id: deleted,
      host: "claude-code",
      session: "s-1",
      turn: 1,
      tool: "Bash",
      command: "rm -rf src",
      project: user.project,
      verdict: "allow",
      undone: false,
    });
    expect(first?.["files"]).toContainEqual(
      expect.objectContaining({ path: join(user.project, "src/prices.ts"), what: "deleted" }),
    );
  });

  it("says so where nothing is recorded, and where nothing is kept at all", async () => {
    const user = newUserInside();
    expect(await user.type(["history"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: "No change by an agent is recorded here.\nElsewhere: amplihack history --all-projects\n",
    });
    expect(await user.json("history")).toEqual([]);
    mkdirSync(join(user.home, ".amplihack"));
    writeFileSync(join(user.home, ".amplihack/config.jsonc"), '{"history":{"enabled":false}}');
    expect((await user.type(["history"])).stderr).toContain("the history is switched off");
  });

  it("offers to a shell the ids that a command takes", async () => {
    const { user, deleted, edited } = await userAfterAgent();
    const offered = async (kind: string) => (await user.type(["complete", kind])).stdout;
    await user.type(["undo", "--yes"]);
    const { of } = (await user.json<{ kind: string; id: string; of: string[] }[]>("history"))[0] ?? {};
    expect(of).toEqual([edited]);
    expect(await offered("undoable")).toBe(`${deleted}\n`);
    expect((await offered("redoable")).trim().split("\n")).toHaveLength(1);
    expect((await offered("change")).trim().split("\n")).toHaveLength(3);
  });
});

describe("amplihack history show", () => {
  it("shows no secrets where the variable of an agent is set, whatever the processes above are", async () => {
    const user = newUserInside();
    write(user, ".env", "TOKEN=abc-hidden\n");
    const id = await agentCall(user, { command: "echo NEW=1 >> .env", targets: [".env"] }, () =>
      write(user, ".env", "TOKEN=abc-hidden\nNEW=1\n"),
    );
    const { stdout } = await user.type(["history", "show", id], { env: { GEMINI_CLI: "1" } });
    expect(stdout).toContain("it may hold secrets");
    expect(stdout).not.toContain("abc-hidden");
  });

  it("shows no secrets to an agent by another way, of another name, or of another time", async () => {
    const user = newUserInside();
    const env = { CLAUDECODE: "1" };
    const hidden = "TOKEN=abc-hidden\n";
    const change = (command: string, targets: readonly string[], work: () => void) =>
      agentCall(user, { command, targets }, work);
    write(user, ".env", hidden);
    symlinkSync(".env", join(user.project, "link.txt"));
    const ids = [
      await change("echo A >> link.txt", ["link.txt", ".env"], () => write(user, ".env", `${hidden}A\n`)),
      await change("mv .env notes.txt", [".env", "notes.txt"], () =>
        renameSync(join(user.project, ".env"), join(user.project, "notes.txt")),
      ),
      await change("mv notes.txt .env.local", ["notes.txt", ".env.local"], () =>
        renameSync(join(user.project, "notes.txt"), join(user.project, ".env.local")),
      ),
      await change("mv .env.local deep/.ENV", [".env.local", "deep/.ENV"], () => {
        mkdirSync(join(user.project, "deep"));
        renameSync(join(user.project, ".env.local"), join(user.project, "deep/.ENV"));
      }),
      await change("rm -r deep", ["deep"], () => rmSync(join(user.project, "deep"), { recursive: true })),
    ];
    for (const id of ids)
      for (const words of [
        ["history", "show", id],
        ["history", "show", id, "--format", "json"],
        ["history", "show", id, "--", ".env"],
        ["undo", id, "--dry-run"],
        ["undo", id, "--dry-run", "--format", "json"],
      ]) {
        const { stdout, stderr } = await user.type(words, { env });
        expect([words.join(" "), `${stdout}${stderr}`.includes("abc-hidden")]).toEqual([
          words.join(" "),
          false,
        ]);
      }
  });

  it("is a diff, of all files or some", async () => {
    const { user, edited } = await userAfterAgent();
    const { code, stdout } = await user.type(["history", "show", edited]);
    expect(code).toBe(0);
    expect(stdout).toContain(`change ${edited}  2 files\n`);
    expect(stdout).toContain("--- a/notes.txt\n+++ b/notes.txt\n@@ -1,1 +1,1 @@\n-call Ada\n+call Bob\n");
    expect(stdout).toContain("--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,1 @@\n+x\n");
    const some = await user.type(["history", "show", edited, "--", "new.txt"]);
    expect(some.stdout).not.toContain("notes.txt\n");
    expect(some.stdout).toContain("+++ b/new.txt");
  });

  it("names files and sizes alone with --stat", async () => {
    const { user, deleted } = await userAfterAgent();
    const { stdout } = await user.type(["history", "show", deleted, "--stat"]);
    expect(stdout).toContain("  deleted   src/prices.ts  11 bytes\n");
    expect(stdout).not.toContain("@@");
  });

  it("does not know an id that is none", async () => {
    const { code, stderr } = await newUserInside().type(["history", "show", "zzzzzz"]);
    expect([code, stderr]).toEqual([
      1,
      "Error: there is no change zzzzzz\n  fix: amplihack history --all-projects\n",
    ]);
  });
});

describe("amplihack undo", () => {
  it("writes nothing without a terminal to ask at", async () => {
    const { user } = await userAfterAgent();
    const { code, stdout, stderr } = await user.type(["undo"]);
    expect(code).toBe(1);
    expect(stdout).toContain("This takes back what Claude Code did just now:\n");
    expect(stdout).toContain("  1 file gets its earlier content back\n      notes.txt\n");
    expect(stdout).toContain("  1 file is removed: it was not there before\n      new.txt\n");
    expect(stderr).toBe("Nothing was changed, as there is no terminal to ask at. Add --yes to do it.\n");
    expect([read(user, "notes.txt"), read(user, "new.txt")]).toEqual(["call Bob\n", "x\n"]);
  });

  it("takes back the newest change, then the one before, and says how to reverse it", async () => {
    const { user } = await userAfterAgent();
    expect(await user.type(["undo", "--yes"])).toMatchObject({
      code: 0,
      stdout: "Done: 1 file restored, 1 file removed.\nTo reverse this: amplihack redo\n",
    });
    expect([read(user, "notes.txt"), read(user, "new.txt")]).toEqual(["call Ada\n", undefined]);
    expect(read(user, "src/prices.ts")).toBeUndefined();
    expect((await user.type(["undo", "--yes"])).code).toBe(0);
    expect(read(user, "src/prices.ts")).toBe("total = 42\n");
    expect(statSync(join(user.project, "src/prices.ts")).mode & 0o777).toBe(0o640);
    const nothing = await user.type(["undo", "--yes"]);
    expect([nothing.code, nothing.stdout]).toEqual([1, ""]);
    expect(nothing.stderr).toContain("there is nothing to undo");
  });

  it("is reversed by redo", async () => {
    const { user, edited } = await userAfterAgent();
    await user.type(["undo", "--yes"]);
    const preview = await user.type(["redo"]);
    expect([preview.code, read(user, "new.txt")]).toEqual([1, undefined]);
    expect(preview.stdout).toContain("This reverses the undo of just now:\n");
    const redone = await user.type(["redo", "--yes"]);
    expect(redone.stdout).toBe(`Done: 2 files restored.\nTo reverse this: amplihack undo ${edited}\n`);
    expect([read(user, "notes.txt"), read(user, "new.txt")]).toEqual(["call Bob\n", "x\n"]);
    expect((await user.type(["redo", "--yes"])).stderr).toContain("there is nothing to redo");
  });

  it("takes several as one: by ids, turns, session or time", async () => {
    for (const words of [["--turn", "2"], ["--session"], ["--session", "s-1"], ["--since", "1h"]]) {
      const { user, deleted, edited } = await userAfterAgent();
      const document = await user.json<{ changes: string[] }>("undo", ...words, "--yes");
      expect(document).toMatchObject({ status: "done", kind: "undo", changes: [edited, deleted] });
      expect([read(user, "notes.txt"), read(user, "src/prices.ts")]).toEqual(["call Ada\n", "total = 42\n"]);
    }
  });

  it("can be confined to paths, and leaves the rest to be undone later", async () => {
    const { user, edited } = await userAfterAgent();
    expect((await user.type(["undo", edited, "--yes", "--", "notes.txt"])).code).toBe(0);
    expect([read(user, "notes.txt"), read(user, "new.txt")]).toEqual(["call Ada\n", "x\n"]);
    expect((await user.type(["history"])).stdout).toContain("partly undone");
    expect((await user.type(["undo", "--yes"])).code).toBe(0);
    expect(read(user, "new.txt")).toBeUndefined();
  });

  it("only looks with --dry-run, at every file", async () => {
    const { user, edited } = await userAfterAgent();
    const { code, stdout } = await user.type(["undo", "--dry-run"]);
    expect(code).toBe(0);
    expect(stdout).toContain(`Nothing was changed. To do this: amplihack undo ${edited}\n`);
    expect(read(user, "new.txt")).toBe("x\n");
    const { stdout: json } = await user.type(["undo", "--dry-run", "--format", "json"]);
    expect(JSON.parse(json)).toMatchObject({
      status: "preview",
      restored: [join(user.project, "notes.txt")],
      removed: [join(user.project, "new.txt")],
    });
  });

  it("refuses, with exit code 3, what was changed since, and keeps that when it is forced", async () => {
    const { user, edited } = await userAfterAgent();
    write(user, "notes.txt", "my own words\n");
    const refused = await user.type(["undo", "--yes"]);
    expect(refused.code).toBe(3);
    expect(refused.stdout).toContain(
      "Nothing was changed, because 1 file is different since:\n  notes.txt: it was changed since\n",
    );
    expect(refused.stdout).toContain(`  amplihack undo ${edited} --force\n`);
    expect([read(user, "notes.txt"), read(user, "new.txt")]).toEqual(["my own words\n", "x\n"]);
    const { stdout: json, code } = await user.type(["undo", "--yes", "--format", "json"]);
    expect([code, JSON.parse(json)]).toMatchObject([
      3,
      { status: "conflicts", conflicts: [{ why: "it was changed since" }] },
    ]);
    expect((await user.type(["undo", "--yes", "--force"])).code).toBe(0);
    expect(read(user, "notes.txt")).toBe("call Ada\n");
    expect((await user.type(["redo", "--yes"])).code).toBe(0);
    expect(read(user, "notes.txt")).toBe("my own words\n");
  });

  it("takes back a call whose end was never seen", async () => {
    const user = newUserInside();
    write(user, "a.txt", "before\n");
    await agentCall(user, { command: "sleep 9", targets: ["a.txt"], isOpen: true }, () =>
      write(user, "a.txt", "after\n"),
    );
    expect((await user.type(["history"])).stdout).toMatch(/ open\n$/);
    expect((await user.type(["undo"])).stdout).toContain("its end was not seen; it may still be running");
    expect((await user.type(["undo", "--yes"])).code).toBe(0);
    expect(read(user, "a.txt")).toBe("before\n");
  });

  it.each([
    [["undo", "a1", "--turn"], "ID and --turn exclude each other"],
    [["undo", "--since", "1h", "--session"], "--session and --since exclude each other"],
    [["undo", "--since", "soon"], "--since must be a time such as 10m, 2h or 7d, not 'soon'"],
  ])("%j is a usage error", async (words, message) => {
    const { code, stderr } = await newUserInside().type(words);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });
});

describe("amplihack history prune, verify and clear", () => {
  it("verify says that all is as it was written, and names what is not", async () => {
    const { user } = await userAfterAgent();
    const fine = await user.type(["history", "verify"]);
    const objects = join(user.home, ".amplihack/history/objects");
    const [object = ""] = readdirSync(objects, { recursive: true, encoding: "utf8" })
      .map(name => join(objects, name))
      .filter(path => statSync(path).isFile());
    chmodSync(object, 0o600);
    writeFileSync(object, "something else");
    const damaged = await user.type(["history", "verify"]);
    expect(damaged.code).toBe(1);
    expect(damaged.stdout).toMatch(/^✗ .*\n.*: 1 problem\n$/);
    expect([fine.code, fine.stdout]).toEqual([
      0,
      expect.stringMatching(/^✓ 2 changes, .*: all as it was written\n$/),
    ]);
  });

  it("ask before they forget, and then forget", async () => {
    const { user } = await userAfterAgent();
    const asked = await user.type(["history", "clear"]);
    expect(asked.code).toBe(1);
    expect(asked.stdout).toMatch(
      /^This forgets 2 changes of all projects, .* Your files stay as they are\.\n/,
    );
    expect((await user.type(["history", "prune", "--older-than", "7d"])).code).toBe(1);
    expect(await user.json("history", "prune", "--older-than", "7d", "--yes")).toMatchObject({ changes: 0 });
    expect(await user.json<unknown[]>("history")).toHaveLength(2);
    expect((await user.type(["history", "clear", "--yes"])).stdout).toMatch(/^Forgot 2 changes, /);
    expect(await user.json("history")).toEqual([]);
    expect((await user.type(["undo", "--yes"])).code).toBe(1);
  });

  it("prune makes room by size, oldest first", async () => {
    const { user, edited } = await userAfterAgent();
    const pruned = await user.type(["history", "prune", "--to", "1b", "--yes"]);
    expect([pruned.code, pruned.stdout]).toEqual([
      0,
      expect.stringMatching(/^Forgot \d changes?, .* freed\.\n$/),
    ]);
    const left = await user.json<{ id: string }[]>("history");
    expect(left.map(({ id }) => id).filter(id => id !== edited)).toEqual([]);
  });
});
