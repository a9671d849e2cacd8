import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildProgram, LaunchMachine } from "./launch-machine.ts";

const program = buildProgram();

/** A machine whose agent runs `body` with shims on PATH; programs named are stand-ins that tell their words. */
function launch(body: string, ...standIns: readonly string[]): LaunchMachine {
  const machine = new LaunchMachine(program);
  for (const name of standIns) machine.script(join(machine.bin, name), `echo "real ${name} $*"`);
  machine.agent("claude", body);
  return machine;
}

describe("--shims", () => {
  it("puts a directory of shims first on PATH, which others cannot change", () => {
    const machine = launch('echo "$PATH"');
    const directory = join(machine.home, ".amplihack/.claude/shims");
    expect(machine.run("claude", "--shims").stdout.split(":")[0]).toBe(directory);
    expect(readdirSync(directory).sort()).toEqual(
      ["dd", "docker", "git", "kubectl", "mkfs", "rm", "terraform"].sort(),
    );
    for (const name of readdirSync(directory))
      expect(statSync(join(directory, name)).mode & 0o777).toBe(0o755);
  });

  it("is off by default", () => {
    const machine = launch('echo "$PATH"');
    expect(machine.run("claude").stdout).not.toContain("shims");
    expect(existsSync(join(machine.home, ".amplihack/.claude/shims"))).toBe(false);
  });

  it("refuses in scripts what the guard refuses, with its reason", () => {
    const machine = launch(`./deploy.sh; echo "ended $?"`);
    machine.script(join(machine.project, "deploy.sh"), 'rm -rf "$HOME"');
    const { stdout, stderr } = machine.run("claude", "--shims");
    expect(stdout).toContain("ended 126");
    expect(stderr).toContain("amplihack:");
    expect(existsSync(machine.home)).toBe(true);
  });

  it("lets through what the guard allows, word for word", () => {
    const machine = launch(
      `mkdir node_modules; rm -rf node_modules; [ -e node_modules ] || echo removed; git "two  words" '*'`,
      "git",
    );
    const { stdout } = machine.run("claude", "--shims");
    expect(stdout).toContain("removed");
    expect(stdout).toContain("real git two  words *");
  });

  it("starts harmless ones at once, without the guard", () => {
    const machine = launch(
      "git status; kubectl get pods; terraform plan; docker ps; dd if=x; rm",
      "git",
      "kubectl",
      "terraform",
      "docker",
      "dd",
      "rm",
    );
    machine.write(join(machine.home, ".amplihack/config.jsonc"), "broken: every use of the guard tells it");
    const { stdout, stderr } = machine.run("claude", "--shims");
    expect(stdout).toBe(
      "real git status\nreal kubectl get pods\nreal terraform plan\nreal docker ps\nreal dd if=x\nreal rm \n",
    );
    expect(stderr).not.toContain("config.jsonc");
  });

  it("asks the guard about destructive ones", () => {
    const machine = launch(
      "terraform destroy -auto-approve; echo $?; kubectl delete namespace prod; echo $?",
      "terraform",
      "kubectl",
    );
    const { stdout, stderr } = machine.run("claude", "--shims");
    expect(stdout).toBe("126\n126\n");
    expect(stderr).toContain("amplihack guard allow-once");
  });

  it.each([
    [{}, "removed", "it runs unchecked"],
    [{ failure: { default: "closed" } }, "ended 126", "it is refused (failure policy closed)"],
    [{ failure: { "pre-tool-use": "ask" } }, "ended 126", "it is refused (failure policy ask)"],
    [{ failure: { default: "closed", "pre-tool-use": "open" } }, "removed", "it runs unchecked"],
  ])("with %j and a guard that cannot run says %s", (config, printed, said) => {
    const machine = launch(
      'mkdir folder; NODE_OPTIONS=--no-such-option rm -r folder && echo removed || echo "ended $?"',
    );
    machine.write(join(machine.home, ".amplihack/config.jsonc"), JSON.stringify(config));
    const { stdout, stderr } = machine.run("claude", "--shims");
    expect(stdout).toContain(printed);
    expect(stderr).toContain(`could not check this rm; ${said}`);
    expect(existsSync(join(machine.project, "folder"))).toBe(printed !== "removed");
  });

  it("says when the program itself is not there", () => {
    const machine = launch("terraform plan; echo $?");
    expect(machine.run("claude", "--shims").stdout).toBe("127\n");
  });
});
