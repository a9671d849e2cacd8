import { describe, expect, it } from "vitest";
import { HOME, judge, machine, PROJECT, rulesOf } from "./scene.ts";

const verdictOf = (command: string, options = {}) => judge(command, options).verdict;

describe("deleting the working directory", () => {
  it.each([
    "rm -rf .",
    "rm -rf ./",
    "rm -rf ..",
    "rm -r ../project",
    "rm -R ../project",
    "rm --recursive ../project",
    "rm --recurs ../project",
    "rm ../project -rf",
    "rm -rf ../proj*",
    "rm -rf ../p*t",
    "rm -rf ../[p]roject",
    "rm -rf ../{project,other}",
    "rm -rf $PWD",
    'rm -rf "${PWD}"',
    "rm -rf $(pwd)",
    "rm -rf `pwd`",
    "rm -rf ~/project",
    "rm -rf $HOME/project",
    "X=project; rm -rf ../$X",
    "rm -rf ${NOTHING:-../project}",
    "rm -rf $(dirname $PWD)",
    'rm -rf "$(git rev-parse --show-toplevel)"',
    "cd .. && rm -rf project",
    "(cd ..; rm -rf project)",
    "rmdir ../project",
    "rm -d ../project",
    "rm --dir ../project",
    "find ../project -delete",
    "find ../project -exec rm -rf {} +",
    "echo ../project | xargs rm -rf",
    "if true; then rm -rf ../project; fi",
    "for d in ../project; do rm -rf $d; done",
    "f() { rm -rf ../project; }; f",
    "case a in a) rm -rf ../project;; esac",
    "coproc rm -rf ../project",
    "rm -rf ../project | cat",
    "rm -rf ../project & wait",
    "rm \\\n-rf ../project",
    "'rm' -rf ../project",
    "sudo -u me FOO=1 rm -rf ../project",
    "time nice -n 5 rm -rf ../project",
    "busybox rm -rf ../project",
    "bash -c 'rm -rf ../project'",
    "bash <<< 'rm -rf ../project'",
    "sh <<X\nrm -rf ../project\nX",
    "echo 'rm -rf ../project' | sh",
    "eval rm -rf ../project",
    "! rm -rf ../project",
  ])("is denied: %s", command => {
    const judgement = judge(command);
    expect(judgement.verdict).toBe("deny");
    const finding = judgement.findings.find(({ rule }) => rule === "fs.cwd");
    expect(finding?.lost).toContain(PROJECT);
    expect(judgement.reason).toContain("Don't work around it");
  });

  it.each([
    "rm -rf ''",
    "rm -rf node_modules",
    "echo rm -rf .",
    "git rm -r --cached .",
    "npm rm project",
    "printf 'rm -rf %s' .",
    "grep 'rm -rf ..' x",
    "man rm",
    ": rm -rf .",
    "# rm -rf .",
    "cat <<X\nrm -rf .\nX",
    "rm -f '../proj*'",
    "docker rm project",
    "rmdir build",
    "cd /tmp && rm -rf project",
  ])("is not seen where it does not happen: %s", command => {
    expect(rulesOf(command)).not.toContain("fs.cwd");
  });

  it("does not mind a link that only leads there, unless a slash follows it", () => {
    const system = machine({ "/tmp/here": { kind: "symlink", target: PROJECT } });
    expect(rulesOf("rm -rf /tmp/here", { system })).not.toContain("fs.cwd");
    expect(rulesOf("rm -rf /tmp/here/", { system })).toContain("fs.cwd");
    expect(rulesOf("rm -rf /tmp/here/.", { system })).toContain("fs.cwd");
  });

  it("counts the directory of the process too", () => {
    expect(rulesOf("rm -rf /srv/app", { processDirectory: "/srv/app/src" })).toContain("fs.cwd");
  });
});

describe("moving the working directory", () => {
  it.each([
    "mv . /tmp/x",
    "mv ../project /tmp",
    "mv ../project ../renamed",
    "mv -f ../project /tmp",
    "mv /tmp/x ../project -t /tmp",
    "mv -t /tmp ../project",
    "mv -t/tmp ../project",
    "mv -ft /tmp ../project",
    "mv --target-directory=/tmp ../project",
    "mv --target-dir /tmp ../project",
    "mv -S .bak ../project /tmp",
    "mv --suffix=.bak ../project /tmp",
    "mv ../proj* /tmp",
    "mv ../* /tmp",
    "sudo -a -b -c -d mv ../project /tmp",
    "command env A=1 mv ../project /tmp",
    "echo ../project | xargs -I{} mv {} /tmp",
    "cd .. && mv project /tmp/x",
    "bash -lc 'mv ../project /tmp'",
  ])("is denied: %s", command => {
    const judgement = judge(command);
    expect(judgement.verdict).toBe("deny");
    expect(judgement.findings.map(finding => finding.rule)).toContain("fs.cwd");
  });

  it.each([
    "mv src/a.ts src/b.ts",
    "mv ../proxy* /tmp",
    "mv '../proj*' /tmp",
    "git mv a b",
    "echo mv . /tmp",
  ])("is not seen where it does not happen: %s", command => expect(rulesOf(command)).not.toContain("fs.cwd"));
});

describe("committing to main", () => {
  const onMain = machine({ [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/main\n" });
  const onMaster = machine({
    [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/master\n",
    [`${PROJECT}/.git/packed-refs`]: "# pack\nabc refs/heads/master\n",
  });

  it.each([
    "git commit -m x",
    "git  commit -m x",
    "git -c a.b=c commit -m x",
    "git --no-pager commit",
    `git -C ${PROJECT} commit -m x`,
    "git -C src commit -m x",
    `git --git-dir=${PROJECT}/.git commit -m x`,
    "cd src && git commit -m x",
    "git add -A && git commit -m 'msg'",
    "bash -c 'git commit -m x'",
    "GIT_AUTHOR_NAME=x git commit -m x",
    "git commit --amend --no-edit",
  ])("is denied: %s", command => {
    const judgement = judge(command, { system: onMain });
    expect(judgement.verdict).toBe("deny");
    expect(judgement.findings[0]).toMatchObject({ rule: "git.main", target: "main" });
    expect(judgement.reason).toContain("git switch -c");
    expect(judgement.reason).toContain("pull request");
  });

  it("is asked about where no remote is, and the person reads how to allow it for good", () => {
    const alone = machine({
      [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/main\n",
      [`${PROJECT}/.git/config`]: "[core]\n\tbare = false\n",
    });
    const judgement = judge("git commit -m x", { system: alone });
    expect(judgement).toMatchObject({ verdict: "ask", findings: [{ rule: "git.main" }] });
    expect(judgement.texts?.person).toContain("amplihack config set guard.rules.git.main allow");
    expect(judge("git commit -m x", { system: onMain }).texts?.person).toContain(
      "amplihack config set guard.rules.git.main allow",
    );
  });

  it("knows master, also from packed refs", () => {
    expect(judge("git commit -m x", { system: onMaster }).findings[0]).toMatchObject({
      rule: "git.main",
      verdict: "deny",
    });
  });

  it.each([
    "git checkout -b fix && git commit -m x",
    "git switch -c fix; git commit -m x",
    "git checkout feature/x && git commit -m x",
    "git switch feature/x && git commit -am x",
    "git commit --dry-run",
    "git commit-tree HEAD^{tree}",
    "git commit-graph write",
    "echo git commit -m x",
    "git log --grep='git commit'",
    "git -C /tmp/nothing commit -m x",
  ])("is not seen where it does not happen: %s", command => {
    expect(verdictOf(command, { system: onMain })).toBe("allow");
  });

  it("follows a checkout in the same text, and the repository that -C names", () => {
    expect(rulesOf("git checkout main && git commit -m x")).toEqual(["git.main"]);
    expect(verdictOf("git commit -m x")).toBe("allow");
    expect(verdictOf(`git -C ${HOME}/other commit -m x`)).toBe("deny");
    expect(verdictOf(`cd ${HOME}/other && git commit -m x`)).toBe("deny");
    expect(verdictOf(`git commit -m x`, { cwd: `${HOME}/other` })).toBe("deny");
  });

  it("asks about the first commit of a new repository", () => {
    expect(judge(`git -C ${HOME}/fresh commit -m first`).findings[0]).toMatchObject({
      rule: "git.main",
      verdict: "ask",
    });
  });

  it("has nothing to say on a detached HEAD or a broken one", () => {
    const detached = machine({ [`${PROJECT}/.git/HEAD`]: "1234567890123456789012345678901234567890\n" });
    expect(verdictOf("git commit -m x", { system: detached })).toBe("allow");
    expect(verdictOf("git commit -m x", { system: machine({ [`${PROJECT}/.git/HEAD`]: "" }) })).toBe("allow");
  });

  it("reads the HEAD of a linked worktree, not that of the main checkout", () => {
    const system = machine({
      "/work/tree/.git": `gitdir: ${PROJECT}/.git/worktrees/tree\n`,
      [`${PROJECT}/.git/worktrees/tree/HEAD`]: "ref: refs/heads/main\n",
      [`${PROJECT}/.git/worktrees/tree/commondir`]: "../..\n",
    });
    expect(judge("git commit -m x", { system, cwd: "/work/tree" }).findings[0]).toMatchObject({
      rule: "git.main",
      verdict: "deny",
    });
  });

  it("asks on other protected branches and for the wider forms", () => {
    const onRelease = machine({
      [`${PROJECT}/.git/HEAD`]: "ref: refs/heads/release/1\n",
      [`${PROJECT}/.git/refs/heads/release/1`]: "x",
    });
    expect(verdictOf("git commit -m x", { system: onRelease })).toBe("ask");
    for (const command of [
      "git merge feature/x",
      "git rebase feature/x",
      "git push",
      "git cherry-pick abc",
    ]) {
      expect(judge(command, { system: onMain }).findings[0]).toMatchObject({
        rule: "git.main",
        verdict: "ask",
      });
    }
  });
});

describe("bypassing git hooks", () => {
  it.each([
    "git commit --no-verify -m x",
    "git commit --no-veri -m x",
    "git commit -n -m x",
    "git commit -anm x",
    "git commit -m x --no-verify",
    "git push --no-verify",
    "git push origin feature/x --no-verify",
    "git merge --no-verify feature/y",
    "git rebase --no-verify main",
    "git am --no-verify x.mbox",
    "git am -n x.mbox",
    "git -c x.y=z commit --no-verify",
    "sudo git commit -n -m x",
  ])("is denied: %s", command => {
    const judgement = judge(command);
    expect(judgement.verdict).toBe("deny");
    expect(judgement.findings.map(finding => finding.rule)).toContain("git.verify");
    expect(judgement.reason).toContain("pre-commit run --all-files");
  });

  it.each([
    "git push -n",
    "git merge -n feature/y",
    "git log -n 5",
    "git commit -m '--no-verify'",
    "git commit -m -n",
    "git commit -F -n",
    "git commit -C -n",
    "git commit -m x -- -n",
    "echo --no-verify",
    "git commit -m x # --no-verify",
    "npm run x -- --no-verify",
  ])("is not seen where it does not happen: %s", command => {
    expect(rulesOf(command)).not.toContain("git.verify");
  });
});

describe("text that the shell would refuse", () => {
  it.each(["rm -rf '/", 'echo "$(rm', "rm -rf / ; if true; then"])(
    "is judged as what it becomes when the rest comes: %s",
    command => {
      const { notes, verdict } = judge(command);
      expect(notes.length).toBeGreaterThan(0);
      expect(["allow", "deny"]).toContain(verdict);
    },
  );

  it("is denied for what it names, and for a complete dangerous line before it", () => {
    expect(verdictOf("rm -rf '/")).toBe("deny");
    expect(verdictOf("rm -rf /\necho 'open")).toBe("deny");
  });

  it("still runs with an open heredoc, so that is judged", () => {
    expect(verdictOf("bash <<X\nrm -rf /\n")).toBe("deny");
  });
});
