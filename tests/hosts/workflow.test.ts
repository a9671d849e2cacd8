import { execFileSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runRecipe } from "../../src/recipes/run/run-recipe.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import {
  createTemporaryUser,
  DRIVERS,
  type HostDriver,
  registerHooks,
  type TemporaryUser,
} from "../../src/verify/live/live.ts";
import type { Delegation, ScriptStep } from "../../src/verify/live/scripted-model.ts";
import { type ScriptedModel, startModel } from "../../src/verify/live/scripted-model.ts";
import { PACKAGE } from "../install/sandbox.ts";
import { UNDERSTOOD } from "../recipes/workflow-machine.ts";
import { onPath, PROGRAMS } from "./harness.ts";

const text = (value: string): ScriptStep => ({ kind: "text", text: value });
const does = (mark: string, command: string): Delegation => ({
  mark,
  steps: [{ kind: "command", command }, text("done")],
});

/** What the model answers in each step of the workflow, known by a phrase of the prompt. */
const SCRIPT: readonly Delegation[] = [
  { mark: "Read what you need", steps: [text(JSON.stringify(UNDERSTOOD))] },
  { mark: "Plan the smallest", steps: [text("1. write add.sh")] },
  does("Write the tests first", `echo '[ "$(bash add.sh 2 3)" = 5 ]' > test.sh`),
  does("Carry out this plan", "echo 'echo $(($1 - $2))' > add.sh"),
  does("Repair the causes", "echo 'echo $(($1 + $2))' > add.sh"),
  { mark: "Review the uncommitted", steps: [text('{"approved": true, "findings": []}')] },
];

/** Options that the trial needs go after the words with which the recipe runner starts the host. */
const LAUNCHED: Readonly<Record<string, number>> = { "claude-code": 0, codex: 2 };

/** Starts the real host as the launcher would, with the scripted model behind it. */
function launcher(user: TemporaryUser, driver: HostDriver, program: string, url: string): string {
  const trial = { home: user.home, project: user.project, url, model: "scripted", key: "not-a-key" };
  const prompt = "PROMPT";
  const first = LAUNCHED[driver.host] ?? 0;
  const more = driver
    .args(prompt, trial)
    .slice(first)
    .filter(word => word !== prompt && word !== "-p");
  const quote = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`;
  const path = join(user.home, "launch");
  const lines = [
    "#!/bin/bash",
    ...Object.entries(driver.env(trial)).map(([name, value]) => `export ${name}=${quote(value)}`),
    // The name of the agent and `--` come first.
    `shift 2; first=("\${@:1:${first}}"); shift ${first}`,
    `exec ${[program, '"${first[@]}"', ...more.map(quote), '"$@"'].join(" ")}`,
  ];
  writeFileSync(path, `${lines.join("\n")}\n`);
  chmodSync(path, 0o755);
  return path;
}

function makeProject({ home, project, env }: TemporaryUser): (...words: readonly string[]) => string {
  const git = (...words: readonly string[]) =>
    execFileSync("git", ["-C", project, ...words], { env, encoding: "utf8" }).trim();
  writeFileSync(join(home, ".gitconfig"), "[user]\nname = Test\nemail = test@example.test\n");
  writeFileSync(join(project, "test.sh"), "true\n");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  git("init", "-q", "--bare", join(home, "remote.git"));
  git("remote", "add", "origin", join(home, "remote.git"));
  return git;
}

async function playWorkflow(driver: HostDriver, program: string, model: ScriptedModel) {
  const variables: Record<string, string> = { ...onPath(program) };
  const user = createTemporaryUser(createNodeSystem(), variables);
  try {
    const git = makeProject(user);
    await registerHooks(user, PACKAGE, driver.host, { parts: ["guard", "workflow"] });
    const launch = launcher(user, driver, program, model.url);
    const get = (name: string) => (name === "AMPLIHACK_LAUNCHER_BINARY" ? launch : user.system.env.get(name));
    const names = () => [...user.system.env.names(), "AMPLIHACK_LAUNCHER_BINARY"];
    const { document, exitCode } = await runRecipe(
      {
        recipe: "default-workflow",
        agentBinary: driver.agent,
        context: { task_description: "Add two numbers", deliver: "push", test_command: "bash test.sh" },
      },
      { ...user.system, env: { get, names } },
    );
    const remote = ["--git-dir", join(user.home, "remote.git")];
    const branch = git(...remote, "for-each-ref", "--format=%(refname:short)", "refs/heads/feat");
    return {
      problem: exitCode === 0 ? "" : JSON.stringify(document).slice(-4_000),
      files: branch === "" ? [] : git(...remote, "ls-tree", "--name-only", branch).split("\n"),
      added: branch === "" ? "" : git(...remote, "show", `${branch}:add.sh`),
    };
  } finally {
    user.remove();
  }
}

describe.each(DRIVERS.filter(({ host }) => host in LAUNCHED && PROGRAMS[host] !== undefined))(
  "default-workflow with $host",
  driver => {
    it("goes from the task to a pushed branch, repairs a red test, and the host knows skill and agents", async () => {
      const model = await startModel([text("done")], SCRIPT);
      try {
        const { problem, files, added } = await playWorkflow(driver, PROGRAMS[driver.host] ?? "", model);
        expect(problem).toBe("");
        expect(files).toEqual(["add.sh", "test.sh"]);
        expect(added).toBe("echo $(($1 + $2))");
        const told = model.requests.map(request => request.text).join("\n");
        expect(told).toContain("# Builder");
        expect(told).toContain("# Reviewer");
        expect(told).toContain("dev-orchestrator");
      } finally {
        await model.close();
      }
    });
  },
);
