import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { newUserInside, type User } from "./run-command.ts";

/** A repository whose branch `work` begins at `main`. */
function repository(before: readonly string[] = [], after: readonly string[] = []) {
  const user = newUserInside();
  const git = (...words: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], {
      cwd: user.project,
      stdio: "pipe",
    });
  const write = (...paths: readonly string[]) => {
    for (const path of paths) {
      mkdirSync(dirname(join(user.project, path)), { recursive: true });
      writeFileSync(join(user.project, path), path.endsWith(".json") ? "{}" : "x\n");
    }
  };
  git("init", "-q", "-b", "main");
  write("README.md", ...before);
  git("add", "-A", "-f");
  git("commit", "-qm", "start");
  git("switch", "-qc", "work");
  write(...after);
  return { user, git, write };
}

const guard = (user: User, ...words: readonly string[]) =>
  user.type(["hygiene", "artifact-guard", ...words], { env: { PATH: process.env["PATH"] ?? "" } });

describe("artifact-guard", () => {
  it("finds nothing in a clean change", async () => {
    const { user } = repository([], ["src/a.ts", "src/logs/entry.ts", "docs/build/notes.md"]);
    expect(await guard(user)).toMatchObject({
      code: 0,
      stderr: "",
      stdout: expect.stringContaining("No artifacts"),
    });
  });

  it.each([
    ["node_modules/x/a.js", "node-modules"],
    ["packages/a/node_modules/x.js", "node-modules"],
    ["sub/dist/plugin.js", "plugin-bundle"],
    ["worktrees/x/a.md", "nested-worktree"],
    ["a/.pytest_cache/x", "cache-artifact"],
    [".yarn/cache/x.zip", "cache-artifact"],
    ["tools/__pycache__/a.pyc", "cache-artifact"],
    [".venv/lib/a.py", "cache-artifact"],
    ["dist/a.js", "build-output"],
    ["target/debug/a", "rust-target"],
    ["index.scip", "generated-index"],
  ])("refuses %s as %s", async (path, rule) => {
    const { user } = repository([], [path]);
    const { code, stdout } = await guard(user, "--mode", "pre-publish", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout).artifacts).toEqual([
      { path, source: "untracked", provenance: "introduced", rule },
    ]);
  });

  it("takes build output beside a manifest for one", async () => {
    const { user } = repository([], ["packages/a/package.json", "packages/a/out/x.js"]);
    expect((await guard(user)).code).toBe(1);
  });

  it("refuses what is staged or committed by this change, and says how to take it out", async () => {
    const { user, git, write } = repository();
    write("dist/a.js");
    git("add", "-f", "dist/a.js");
    const staged = await guard(user, "--mode", "staged");
    expect([staged.code, staged.stdout]).toEqual([1, ""]);
    expect(staged.stderr).toContain("git restore --staged -- dist/a.js");
    git("commit", "-qm", "dist");
    const committed = await guard(user);
    expect(committed.code).toBe(1);
    expect(committed.stderr).toContain("git rm --cached -- dist/a.js");
  });

  it("names a way that works before the first commit", async () => {
    const { user, git } = repository([], ["node_modules/x/a.js"]);
    git("checkout", "-q", "--orphan", "new");
    git("add", "-A", "-f");
    expect((await guard(user)).stderr).toContain("git rm --cached -- node_modules/x/a.js");
    git("rm", "-q", "--cached", "--", "node_modules/x/a.js");
    expect((await guard(user, "--mode", "staged")).code).toBe(0);
  });

  it("reports what was there before without refusing, unless told to", async () => {
    const { user } = repository(["node_modules/x.js"]);
    const gate = await guard(user, "--mode", "pre-publish");
    expect([gate.code, gate.stderr]).toEqual([0, expect.stringContaining("were there before")]);
    expect((await guard(user, "--preexisting", "block")).code).toBe(1);
    expect((await guard(user, "--mode", "all")).code).toBe(1);
  });

  it("leaves ignored files to the modes that look at the whole tree", async () => {
    const { user } = repository([".gitignore"]);
    writeFileSync(join(user.project, ".gitignore"), "node_modules\ntarget\n.claude\n");
    for (const path of ["node_modules/x.js", "target/a", ".claude/runtime/logs/a"]) {
      mkdirSync(dirname(join(user.project, path)), { recursive: true });
      writeFileSync(join(user.project, path), "x");
    }
    expect((await guard(user, "--mode", "pre-commit")).code).toBe(0);
    const { code, stdout } = await guard(user, "--mode", "worktree", "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout).artifacts).toEqual([
      { path: "node_modules/", source: "ignored-present", provenance: "introduced", rule: "node-modules" },
    ]);
  });

  it("lets run-time files of the hooks lie, but not into the index", async () => {
    const { user, git } = repository([], [".claude/runtime/x.log", ".claude/runtime/sessions.jsonl"]);
    expect((await guard(user)).code).toBe(0);
    git("add", "-A", "-f");
    const { stdout } = await guard(user, "--json");
    expect(JSON.parse(stdout).artifacts).toMatchObject([
      { path: ".claude/runtime/x.log", rule: "claude-runtime" },
    ]);
  });

  it("refuses another worktree of the repository, whatever the exceptions say", async () => {
    const { user, git } = repository();
    git("worktree", "add", "-q", "wt/review", "-b", "review");
    git("-c", "advice.addEmbeddedRepo=false", "add", "-f", "wt/review");
    writeFileSync(join(user.project, ".amplihack-artifact-allowlist"), "wt/review\n");
    const { code, stdout } = await guard(user, "--json");
    expect(code).toBe(1);
    expect(JSON.parse(stdout).artifacts).toMatchObject([{ path: "wt/review", rule: "registered-worktree" }]);
  });

  it("knows exceptions that name files or narrow folders", async () => {
    const { user, write } = repository([], ["dist/plugin.js", "tests/fixtures/node_modules/a/b.json"]);
    write("keep.txt");
    writeFileSync(
      join(user.project, "keep.txt"),
      "# reviewed\n\ndist/plugin.js\ntests/fixtures/node_modules/**\n",
    );
    expect(await guard(user, "--allowlist", "keep.txt")).toMatchObject({ code: 0 });
    expect((await guard(user)).code).toBe(1);
  });

  it.each(["/abs", "../x", "node_modules/**", "**/dist/**", "*", "dist/*", "a\\b", "dist/"])(
    "refuses the exception %j",
    async entry => {
      const { user } = repository();
      writeFileSync(join(user.project, ".amplihack-artifact-allowlist"), `\n${entry}\n`);
      const { code, stderr } = await guard(user);
      expect([code, stderr]).toEqual([2, expect.stringContaining(".amplihack-artifact-allowlist:2")]);
    },
  );

  it("says when it could not look", async () => {
    const outside = newUserInside();
    expect((await guard(outside)).code).toBe(2);
    const { user } = repository();
    expect((await guard(user, "--baseline", "none")).code).toBe(2);
    expect((await guard(user, "--allowlist", "none")).code).toBe(2);
    expect((await guard(user, "--mode", "some")).code).toBe(2);
    expect((await guard(user, "--repo", ".")).code).toBe(0);
  });
});
