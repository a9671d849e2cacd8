import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { agentThat } from "./recipe-machine.ts";
import { ANSWERS, say, TASK, UNDERSTOOD, workflowMachine } from "./workflow-machine.ts";

const RECIPE = "default-workflow";

describe("default-workflow with a remote and a forge", () => {
  it("takes a task from an issue to a merged pull request, and repairs what checks, review and CI find", async () => {
    const { machine, git, forgeCalls, homeFile, agentCalls } = workflowMachine(ANSWERS, {
      remote: true,
      forge: true,
    });
    const { document, exitCode, steps } = await machine.run({
      recipe: RECIPE,
      context: { task_description: TASK, deliver: "merge" },
    });
    expect(document.error).toBeUndefined();
    expect(Object.values(steps).filter(({ status }) => status === "failed")).toMatchObject([
      { step_id: "check" },
    ]);
    expect(exitCode).toBe(0);
    expect(forgeCalls()).toEqual([
      "repo view",
      "issue list",
      "issue create",
      "pr list",
      "pr create",
      "pr checks",
      "run list",
      "run view",
      "pr checks",
      "pr view",
      "pr merge",
    ]);
    // The text of the task arrives as it is, and nothing of it was run.
    expect(homeFile("issue.md")).toContain(`${TASK}\n`);
    expect(homeFile("pr.md")).toContain(`${TASK}\n`);
    expect(homeFile("pr.md")).toContain("Closes #7");
    const branch = git("--git-dir", join(machine.home, "remote.git"), "branch", "--list", "feat/*").trim();
    expect(branch).toMatch(/^feat\/7-add-numbers-[0-9a-f]{6}$/);
    expect(git("log", "--format=%s", `main..origin/${branch}`).split("\n")).toEqual([
      "fix what CI found: Add numbers",
      "Add numbers",
    ]);
    expect(git("ls-tree", "--name-only", `origin/${branch}`).split("\n")).toEqual([
      "Makefile",
      "add.sh",
      "addressed",
      "ci.txt",
      "test.sh",
    ]);
    // The user's own checkout was not touched, and the work tree went with the merge.
    expect(git("status", "--porcelain")).toBe("");
    expect(git("branch", "--show-current")).toBe("main");
    expect(git("worktree", "list").split("\n")).toHaveLength(1);
    expect(String(document.output)).toContain("Merged.");
    // Each agent got its own instructions, without what describes it to hosts.
    const heads = Array.from({ length: agentCalls() }, (_, index) => {
      const words = homeFile(`argv.${index + 1}`).split("\0");
      return words[words.indexOf("--system-prompt") + 1]?.split("\n")[0];
    });
    expect(heads).toEqual([
      "# Architect",
      "# Architect",
      "# Tester",
      "# Builder",
      "# Builder",
      "# Reviewer",
      "# Builder",
      "# Builder",
    ]);
  });

  it("does not merge, and fails, when an agent switched a protection of the branch off on the way", async () => {
    const { machine, forgeCalls } = workflowMachine(
      {
        ...ANSWERS,
        "Carry out this plan": `echo 'echo $(($1 + $2))' > add.sh; touch ci.txt; echo '[]' > "$HOME/rules"`,
        "Review the uncommitted": say({ approved: true, findings: [] }),
      },
      { remote: true, forge: true },
    );
    machine.write(join(machine.home, "rules"), JSON.stringify([{ type: "pull_request" }]));
    const { exitCode, steps } = await machine.run({
      recipe: RECIPE,
      context: { task_description: TASK, deliver: "merge" },
    });
    expect(exitCode).not.toBe(0);
    expect(steps["finish"]?.error).toContain("gone: pull_request");
    expect(steps["finish"]?.error).toContain("amplihack hygiene branch-protection main --accept");
    expect(forgeCalls()).not.toContain("pr merge");
  });
});

describe("default-workflow without a forge", () => {
  it("builds parts side by side, resolves what they both touched, and says what it would publish", async () => {
    const part = (file: string) => `echo ${file} > ${file}.txt; echo ${file} >> Makefile; echo wrote`;
    const { machine, git } = workflowMachine({
      ...ANSWERS,
      "Read what you need": say({ ...UNDERSTOOD, parallel: true }),
      "Divide the plan": say({
        workstreams: [
          { title: "one", task: "make one", files: ["one.txt"] },
          { title: "two", task: "make two", files: ["two.txt"] },
        ],
      }),
      "Your part: one": part("one"),
      "Your part: two": part("two"),
      "Resolve the conflict":
        "git checkout -q --ours Makefile; git add -A; git commit -q --no-edit --no-verify; echo kept ours",
      "Review the uncommitted": say({ approved: true, findings: [] }),
    });
    const { document, exitCode, steps } = await machine.run({
      recipe: RECIPE,
      context: {
        task_description: TASK,
        deliver: "merge",
        test_command: "test -e one.txt && test -e two.txt",
      },
    });
    expect(document.error).toBeUndefined();
    expect(exitCode).toBe(0);
    expect(steps["resolve"]?.output).toBe("kept ours");
    expect(steps["write"]?.status).toBe("skipped");
    const [branch = "", ...others] = git("branch", "--format=%(refname:short)", "--list", "feat/*").split(
      "\n",
    );
    expect(others).toEqual([]);
    expect(git("log", "--format=%s", `main..${branch}`)).toBe("Add numbers");
    expect(git("show", "--format=", "--name-only", branch).split("\n")).toEqual([
      "Makefile",
      "one.txt",
      "two.txt",
    ]);
    const said = String(document.output);
    expect(said).toContain("No issue, because there is no remote. It would be: Add numbers");
    expect(said).toContain(`Not pushed, because there is no remote. It would be: git push origin ${branch}`);
    expect(said).toContain(`"Add numbers" from ${branch} to main.`);
    expect(said).toContain(`Not merged. It would be: git merge ${branch}`);
    expect(readdirSync(`${machine.project}.worktrees`)).toEqual([branch.replace("/", "-")]);
    expect(existsSync(join(machine.project, "harm"))).toBe(false);
  });

  it("commits no secrets, goes on from there without asking an agent twice, and pushes to a relative path", async () => {
    const { machine, git, agentCalls } = workflowMachine(
      {
        ...ANSWERS,
        "Carry out this plan": "echo 'echo 5' > add.sh; echo KEY=1 > .env; echo wrote",
      },
      { remote: true },
    );
    git("remote", "set-url", "origin", relative(machine.project, join(machine.home, "remote.git")));
    const context = { task_description: "x", deliver: "push", branch: "topic" };
    const refused = await machine.run({ recipe: RECIPE, context });
    expect(refused.exitCode).toBe(1);
    expect(refused.steps["commit"]?.error).toContain("look like secrets and are not committed:\n.env");
    const calls = agentCalls();
    const resumed = await machine.run({ recipe: RECIPE, context: { secret_check: "no" }, resume: "last" });
    expect(resumed.exitCode).toBe(0);
    expect(agentCalls()).toBe(calls);
    expect(git("ls-tree", "--name-only", "origin/topic").split("\n")).toContain(".env");
  });

  it.each([
    [{ deliver: "everything" }, "facts", "deliver must be none, commit, push, pull-request or merge"],
    [{ remote: "upstream" }, "facts", "there is no remote 'upstream'"],
    [{ worktree: "no" }, "workspace", "There are uncommitted changes"],
    [{ base_branch: "--upload-pack=x" }, "workspace", "is not the name of a branch"],
    [{ issue: "12; id" }, "issue", "issue must be a number or none"],
  ])("stops at %j", async (given, step, problem) => {
    const { machine } = workflowMachine(ANSWERS);
    machine.write("mine", "");
    const { exitCode, steps } = await machine.run({
      recipe: RECIPE,
      context: { task_description: "x", ...given },
    });
    expect(exitCode).toBe(1);
    expect(steps[step]?.error).toContain(problem);
    expect(readFileSync(join(machine.project, "mine"), "utf8")).toBe("");
  });

  it("is changed as its page says, and sends a question elsewhere", async () => {
    const { machine, git } = workflowMachine({
      ...ANSWERS,
      "Carry out this plan": `echo 'echo 5' > add.sh; echo wrote`,
      "Review the uncommitted": say({ approved: true, findings: [] }),
    });
    const page = readFileSync(new URL("../../docs/workflow.md", import.meta.url), "utf8");
    const [, example = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    machine.write(".claude/recipes/our-workflow.yaml", example);
    git("branch", "develop");
    const request = {
      recipe: "our-workflow",
      contextPairs: ["task_description=x", "test_command=make test"],
    };
    const { document, exitCode } = await machine.run(request);
    expect(exitCode).toBe(0);
    expect(String(document.output)).toContain("We track work elsewhere.");
    expect(git("log", "--format=%s", "--branches=feat/*", "^develop")).toBe("Add numbers");

    agentThat(machine, { "Read what you need": say({ kind: "question" }) });
    const asked = await machine.run(request);
    expect(asked.exitCode).toBe(1);
    expect(asked.steps["question"]?.error).toContain("recipe run investigate");
  });
});
