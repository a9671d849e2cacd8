import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AMPLIHACK, newUserInside, type User } from "./run-command.ts";

/** Gives a program a terminal; not everywhere. */
const SCRIPT = "/usr/bin/script";

function configure({ home }: User, guard: object): void {
  mkdirSync(join(home, ".amplihack"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, ".amplihack/config.jsonc"), JSON.stringify({ guard }), { mode: 0o600 });
}

/** A repository on main that has a commit and a remote. */
function makeRepository({ project }: User): void {
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.test", ...words], { cwd: project });
  git("init", "-q", "-b", "main");
  git("commit", "-q", "--allow-empty", "-m", "first");
  git("remote", "add", "origin", "https://git.example.test/a.git");
}

interface Explained {
  readonly when: string;
  readonly levels: Readonly<Record<string, string>>;
  readonly here: { readonly level: string; readonly configured: string | null; readonly verdict: string };
}

async function verdictOf(user: User, command: string): Promise<string> {
  const { stdout } = await user.type(["guard", "test", "--json", command]);
  return (JSON.parse(stdout) as { verdict: string }).verdict;
}

describe("commits on main", () => {
  it.each([
    ["relaxed", "allow", "allow"],
    ["standard", "deny", "ask"],
    ["strict", "deny", "ask"],
  ])("are judged at level %s as guard why says", async (level, commit, push) => {
    const user = newUserInside();
    makeRepository(user);
    configure(user, { level });
    expect(await verdictOf(user, "git commit -m x")).toBe(commit);
    expect(await verdictOf(user, "git push origin main")).toBe(push);
    const told = await user.json<Explained>("guard", "why", "git.main", "--format", "json");
    expect(told.levels[level]).toBe(push);
    expect(told.here).toEqual({ level, configured: null, verdict: push });
    if (commit === "deny")
      expect(told.when).toContain(`At standard and strict a commit on main or master denies`);
    else expect(told.when).toContain("At relaxed all of these pass");
    const { stdout } = await user.type(["guard", "why", "git.main"]);
    expect(stdout).toContain(`here         ${push} (level ${level}).\n`);
  });

  it("pass where the person said at the installation that main is not protected, and guard why says so", async () => {
    const user = newUserInside();
    makeRepository(user);
    configure(user, { rules: { "git.main": "allow" } });
    expect(await verdictOf(user, "git commit -m x")).toBe("allow");
    expect((await user.type(["guard", "why", "git.main"])).stdout).toContain(
      "here         allow (the configuration sets allow, level standard).",
    );
  });

  it.skipIf(!existsSync(SCRIPT))("are asked about once, at the first installation", () => {
    const { home, project } = newUserInside();
    const install = (...words: readonly string[]) =>
      execFileSync(
        SCRIPT,
        ["-qec", [...AMPLIHACK, "install", "--host", "claude", ...words].join(" "), "/dev/null"],
        {
          cwd: project,
          env: { PATH: process.env["PATH"], HOME: home },
          input: "no\n",
          encoding: "utf8",
        },
      );
    const question = "Keep agents from committing";
    expect(install("--profile", "guard")).toContain(question);
    expect(JSON.parse(readFileSync(join(home, ".amplihack/config.jsonc"), "utf8"))).toEqual({
      parts: ["guard"],
      autonomy: "off",
      guard: { rules: { "git.main": "allow" } },
    });
    expect(install()).not.toContain(question);
  });
});
