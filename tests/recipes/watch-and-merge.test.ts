import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { recipeMachine } from "./recipe-machine.ts";

const PROGRAM = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));

/** A server that keeps its state in files of the home: what `gh` would say. */
const GH = `#!/bin/bash
printf '%s\\n' "$*" >> "$HOME/gh.log"
case "$1 $2" in
  "pr view")
    case "$*" in
      *"--jq .state"*) [ -f "$HOME/merged" ] && echo MERGED || echo OPEN ;;
      *) echo '{"number":7,"url":"https://github.com/a/b/pull/7","state":"OPEN","isDraft":false,"headRefOid":"abc","baseRefName":"main"}' ;;
    esac ;;
  "pr checks") cat "$HOME/checks"; [ "$(cat "$HOME/checks")" = ok ] ;;
  "pr merge") touch "$HOME/merged" ;;
  "api repos/{owner}/{repo}/branches/main/protection")
    cat "$HOME/protection" 2>/dev/null || { echo "gh: Branch not protected (HTTP 404)" >&2; exit 1; } ;;
  "api repos/{owner}/{repo}/branches/main") [ -f "$HOME/protection" ] && echo '{"protected":true}' || echo '{"protected":false}' ;;
  "api repos/{owner}/{repo}/rules/branches/main") echo '[]' ;;
esac
`;

function machine() {
  const made = recipeMachine();
  const { home, project, env } = made;
  made.write(join(home, "bin/gh"), GH, 0o755);
  made.write(join(home, "bin/amplihack"), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, 0o755);
  env["PATH"] = `${join(home, "bin")}:${env["PATH"]}`;
  made.write(join(home, "checks"), "ok");
  made.write(join(home, "protection"), '{"enforce_admins":{"enabled":true}}');
  const remote = join(home, "remote.git");
  const git = (...words: readonly string[]) => execFileSync("git", words, { cwd: project }).toString();
  execFileSync("git", ["init", "-q", "--bare", remote]);
  git("init", "-q", "-b", "main");
  git("remote", "add", "origin", remote);
  const run = (context: Record<string, string | boolean> = {}) =>
    made.run({ recipe: "watch-and-merge", context });
  const log = () => readFileSync(join(home, "gh.log"), "utf8");
  return { ...made, git, run, log, isMerged: () => existsSync(join(home, "merged")) };
}

describe("watch-and-merge", () => {
  it("merges the watched commit when its checks are green, and gives the lease back", async () => {
    const { run, log, git, isMerged } = machine();
    const { document, exitCode, results } = await run();
    expect(results.filter(({ status }) => status === "failed").map(({ error }) => error)).toEqual([]);
    expect(exitCode).toBe(0);
    expect(document.output).toContain("Merged: https://github.com/a/b/pull/7");
    expect(isMerged()).toBe(true);
    expect(log()).toContain("pr merge https://github.com/a/b/pull/7 --squash --match-head-commit abc");
    git("fetch", "-q", "origin", "refs/amplihack/lease/pr-7");
    const until = Number(/until (\d+)/.exec(git("log", "-1", "--format=%s", "FETCH_HEAD"))?.[1]);
    expect(until * 1000).toBeLessThanOrEqual(Date.now());
  });

  it("does not merge when checks fail", async () => {
    const { run, write, home, isMerged } = machine();
    write(join(home, "checks"), "broken");
    expect((await run()).exitCode).not.toBe(0);
    expect(isMerged()).toBe(false);
  });

  it("does not work on a pull request that another driver holds, and takes over when its time is over", async () => {
    const { run, git, isMerged } = machine();
    const lease = (until: number) => {
      const tree = execFileSync("git", ["mktree"], {
        input: "",
        cwd: git("rev-parse", "--show-toplevel").trim(),
      })
        .toString()
        .trim();
      const commit = git(
        "-c",
        "user.name=o",
        "-c",
        "user.email=o@example.test",
        "commit-tree",
        "-m",
        `until ${until} by other 1`,
        tree,
      );
      git("push", "-q", "--force", "origin", `${commit.trim()}:refs/amplihack/lease/pr-7`);
    };
    lease(4_000_000_000);
    const held = await run();
    expect(held.exitCode).not.toBe(0);
    expect(held.steps["lease"]?.error).toContain("Another driver works on this pull request");
    expect(isMerged()).toBe(false);
    lease(1);
    expect((await run()).exitCode).toBe(0);
    expect(isMerged()).toBe(true);
  });

  it("does not merge when the protection of the branch went away, until a person accepts it", async () => {
    const { run, home, project, env, git, isMerged } = machine();
    await run();
    execFileSync("rm", [join(home, "merged"), join(home, "protection")]);
    const changed = await run();
    expect(changed.exitCode).not.toBe(0);
    expect(changed.steps["protection"]?.error).toContain("gone: enforce_admins.enabled=true");
    expect(isMerged()).toBe(false);
    const accept = ["hygiene", "branch-protection", "main", "--accept"];
    execFileSync(process.execPath, [PROGRAM, ...accept], { cwd: project, env });
    expect((await run()).exitCode).toBe(0);
    expect(isMerged()).toBe(true);
    expect(git("status", "--short")).toBe("");
  });
});
