import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/index.ts";
import { openHistory } from "../../src/history/index.ts";
import { sha256Hex } from "../../src/system/index.ts";
import { askAbout, type RecipeMachine, recipeMachine, scriptedAgent } from "./recipe-machine.ts";

const step = (command: string) => `name: r\nsteps:\n  - id: a\n    command: |\n      ${command}\n`;
const DENIED = "amplihack parts off guard";
const ASKED = "cat ~/.ssh/id_rsa";
/** A variable that hosts set for what an agent runs. */
const AGENT = { CLAUDECODE: "1" };

function withKey(env: Record<string, string> = {}): RecipeMachine {
  const machine = recipeMachine(env);
  machine.write(join(machine.home, ".ssh/id_rsa"), "SECRET\n", 0o600);
  return machine;
}

describe("a step of a recipe", () => {
  it.each([
    ["plain", step(DENIED)],
    [
      "behind a value",
      `name: r\ncontext: {what: guard}\nsteps: [{id: a, command: "amplihack parts off {{what}}"}]`,
    ],
    ["in a hook of the recipe", `name: r\nhooks: {pre_step: "${DENIED}"}\nsteps: [{id: a, command: "true"}]`],
    ["in a recipe of the recipe", "name: r\nsteps: [{id: a, recipe: inner}]"],
    ["in a subshell", step(`(cd / && bash -c '${DENIED}')`)],
  ])("that is denied alone does not run: %s", async (_, text) => {
    const machine = withKey();
    machine.write("amplihack-called", "");
    machine.write(".claude/recipes/inner.yaml", step(DENIED));
    const { document, results } = await machine.runText(text);
    const said = JSON.stringify([document, machine.events]);
    expect(said).toContain("The guard stopped it");
    expect(results.filter(({ status }) => status === "completed").length).toBe(
      text.includes("hooks") ? 1 : 0,
    );
  });

  it("that would be asked about runs for a person, who started it", async () => {
    const { steps } = await withKey().runText(step(ASKED));
    expect(steps["a"]).toMatchObject({ status: "completed", output: "SECRET" });
  });

  it("that would be asked about does not run for an agent that nobody was asked about", async () => {
    const { steps } = await withKey(AGENT).runText(step(ASKED));
    expect(steps["a"]).toMatchObject({ status: "failed", output: "" });
    expect(steps["a"]?.error).toContain("The guard stopped it");
  });

  it("runs for an agent if the person was asked about exactly this text", async () => {
    const machine = withKey(AGENT);
    askAbout(machine, step(ASKED));
    expect((await machine.runText(step(ASKED))).steps["a"]).toMatchObject({ output: "SECRET" });
    const changed = await machine.runText(`${step(ASKED)}# changed\n`);
    expect(changed.steps["a"]).toMatchObject({ status: "failed", output: "" });
  });

  it("stays denied although the person was asked about it", async () => {
    const machine = withKey(AGENT);
    askAbout(machine, step(DENIED));
    expect((await machine.runText(step(DENIED))).steps["a"]?.error).toContain("The guard stopped it");
  });

  it("that is harmless runs for an agent unasked", async () => {
    const { steps } = await withKey(AGENT).runText(step("echo fine"));
    expect(steps["a"]).toMatchObject({ status: "completed", output: "fine" });
  });

  it("is kept and can be undone", async () => {
    const machine = withKey();
    const path = machine.write("notes.txt", "mine\n");
    const { document } = await machine.runText(step("rm notes.txt"));
    expect(document).toMatchObject({ success: true });
    expect(existsSync(path)).toBe(false);
    const { system, home, project } = machine;
    const places = { home, stateHome: join(home, ".amplihack"), projectRoot: project };
    const { config } = loadConfig(system, places);
    const history = openHistory(system, { ...places, project }, config.history);
    const plan = await history.planUndo({ kind: "newest" });
    await history.applyUndo(plan, { force: false });
    expect(readFileSync(path, "utf8")).toBe("mine\n");
  });
});

describe("what a step uses, when an agent started the recipe and the person was asked about it", () => {
  const shell = step("bash ./s.sh");
  const secret = `cat "$HOME/.ssh/id_rsa"\n`;
  const agentStep = "name: r\nsteps: [{id: a, agent: helper, prompt: x}]\n";
  const outer = "name: o\nsteps: [{id: a, recipe: inner}]\n";

  it.each([
    ["a script", shell, "s.sh", secret, "SECRET"],
    ["an agent's instructions", agentStep, ".claude/agents/helper.md", "Help.\n", "hello"],
    ["a recipe of the recipe", outer, ".claude/recipes/inner.yaml", step("echo nested-ran"), "nested-ran"],
  ])("is as it was then: %s", async (_, text, file, content, output) => {
    for (const [isChanged, isShown] of [
      [false, true],
      [true, true],
      [true, false],
    ]) {
      const machine = withKey(AGENT);
      scriptedAgent(machine, "echo hello");
      if (isShown) askAbout(machine, text, content);
      machine.write(file, isChanged ? `${content}# changed\n` : content);
      const { results } = await machine.runText(text);
      const said = JSON.stringify(results);
      // What nobody was asked about is judged by the rules alone.
      const runs = !isChanged || (!isShown && file !== "s.sh");
      expect([isChanged, isShown, said.includes(output)]).toEqual([isChanged, isShown, runs]);
      if (isChanged && isShown) expect(said).toMatch(/The guard stopped it|is not what the person was asked/);
    }
  });

  it("may be an agent of the person's own, which no agent changes unasked", async () => {
    const machine = withKey(AGENT);
    askAbout(machine, agentStep);
    machine.write(join(machine.home, ".amplihack/.claude/agents/helper.md"), "Help.\n");
    scriptedAgent(machine, "echo hello");
    expect((await machine.runText(agentStep)).steps["a"]).toMatchObject({ output: "hello" });
  });

  it("is not what a later question showed", async () => {
    const machine = withKey(AGENT);
    const change = `sleep 0.1; printf '%s' '${secret}# changed' > s.sh`;
    const text = `name: r\nsteps:\n  - {id: b, command: ${JSON.stringify(change)}}\n  - {id: a, command: bash ./s.sh}\n`;
    askAbout(machine, text, secret);
    machine.write("s.sh", secret);
    const { steps } = await machine.runText(text, {
      observer: event => {
        if (event.kind === "recipe_start") askAbout(machine, text, `${secret}# changed`);
      },
    });
    expect(steps["b"]).toMatchObject({ status: "completed" });
    expect(steps["a"]).toMatchObject({ status: "failed", output: "" });
  });

  it("may be anything where a person started it", async () => {
    const machine = withKey();
    askAbout(machine, agentStep, "Help.\n");
    machine.write(".claude/agents/helper.md", "Help more.\n");
    scriptedAgent(machine, "echo hello");
    expect((await machine.runText(agentStep)).steps["a"]).toMatchObject({ output: "hello" });
  });
});

describe("a recipe that a person agreed to", () => {
  const agreed = [sha256Hex(new TextEncoder().encode(step("echo one")))];

  it("runs as it was then", async () => {
    const { steps } = await withKey(AGENT).runText(step("echo one"), { agreed });
    expect(steps["a"]).toMatchObject({ output: "one" });
  });

  it.each(["in place", "by another file of its name"])("does not run when it was changed %s", async how => {
    const machine = withKey(AGENT);
    const path = machine.write("recipe.yaml", step("echo one"));
    writeFileSync(path, step(how === "in place" ? "echo two" : "echo three"));
    const { document, exitCode } = await machine.run({ recipe: path, agreed });
    expect(exitCode).not.toBe(0);
    expect(document.error).toContain("changed since you were asked about it");
  });
});
