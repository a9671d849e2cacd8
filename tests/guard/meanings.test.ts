import { describe, expect, it } from "vitest";
import { judge, machine, PROJECT, rulesOf } from "./scene.ts";

const verdictOf = (command: string) => judge(command).verdict;

describe("a pattern", () => {
  it("is everything only when it takes every name", () => {
    for (const pattern of ["*", "./*", "?*", "[a-z]*"])
      expect(rulesOf(`rm -rf ${pattern}`), pattern).toContain("fs.project");
    for (const pattern of ["q*", "*x", "*qzx", "k*"])
      expect(rulesOf(`rm -rf ${pattern}`), pattern).not.toContain("fs.project");
  });
});

describe("the home directory of another machine", () => {
  it("is not ours", () => {
    const home = "/tmp/home-of-a-test";
    for (const command of [
      "ssh host 'rm -rf ~/x'",
      "ssh host 'rm -rf $HOME/x'",
      "ssh host 'cd ~ && rm -rf x'",
    ]) {
      const { verdict, findings } = judge(command, { home });
      expect(verdict, command).toBe("ask");
      expect(findings[0]?.target, command).toBe("~/x");
    }
    expect(judge("ssh host 'rm -rf ~'", { home }).verdict).toBe("deny");
  });
});

describe("a syntax check", () => {
  it.each([
    "bash -n x.sh",
    "bash -n -c 'rm -rf /'",
    "sh -n -c 'rm -rf ~'",
    "zsh -n x",
    "echo 'rm -rf /' | bash -n",
    "bash -o noexec -c 'rm -rf /'",
  ])("runs nothing: %s", command => expect(verdictOf(command)).toBe("allow"));

  it.each(["bash -n +n -c 'rm -rf /'", "bash -ni -c 'rm -rf /'", "bash -c 'rm -rf /' -n"])(
    "may be taken back, or not be one: %s",
    command => expect(verdictOf(command)).toBe("deny"),
  );
});

describe("help and dry runs", () => {
  it.each([
    "rm --help",
    "rm --help -rf ~",
    "git reset --hard --help",
    "git clean -fd --help",
    "terraform destroy --help",
    "git push -n --no-verify",
    "git push --dry-run --force",
    "npm publish --dry-run",
  ])("change nothing: %s", command => expect(verdictOf(command)).toBe("allow"));

  it.each<[string, string]>([
    ["rm -rf ~ --help", "deny"],
    ["chmod -R 777 / --help", "deny"],
    ["rm -rf -- ~ --help", "deny"],
    ["git reset --hard -- --help", "ask"],
    ["git push --dry-run --no-dry-run --force", "ask"],
    ["git push -n --no-dry-run --force", "ask"],
    ["git clean -fd -n --no-dry-run", "ask"],
    ["npm publish --dry-run --no-dry-run", "ask"],
    ["npm publish --dry-run=false", "ask"],
    ["kubectl delete pod x --dry-run=none", "ask"],
  ])("count only where the program takes them for that: %s", (command, verdict) =>
    expect(verdictOf(command)).toBe(verdict),
  );
});

describe("an operation of git that is under way", () => {
  it.each(["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge/done"])(
    "can be left while %s is there",
    name => {
      const system = machine({ [`${PROJECT}/.git/${name}`]: "x\n" });
      for (const command of [
        "git reset --hard ORIG_HEAD",
        "git reset --merge",
        "git rebase --abort",
        "git merge --continue",
        "git cherry-pick --skip",
      ])
        expect(judge(command, { system }).verdict, command).toBe("allow");
      expect(judge("git reset --hard HEAD~3", { system }).verdict).toBe("ask");
    },
  );

  it("is the only time for it", () => expect(verdictOf("git reset --hard ORIG_HEAD")).toBe("ask"));
});
