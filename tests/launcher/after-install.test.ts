import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AGENTS } from "../../src/hosts/index.ts";
import { LaunchMachine } from "./launch-machine.ts";

const program = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
const isBuilt = existsSync(program);
if (!isBuilt)
  process.stderr.write("launches after an installation are not tested: run npm run build first\n");

describe.skipIf(!isBuilt)("after amplihack install", () => {
  it.each(AGENTS)("a launch of %s finds nothing to complain about", agent => {
    const machine = new LaunchMachine(program);
    machine.agent(agent, "echo started");
    const installed = machine.run("install", "--yes", "--host", agent);
    expect(installed.code, installed.stderr).toBe(0);
    expect(machine.run(agent)).toEqual({ code: 0, stdout: "started\n", stderr: "" });
  });

  it("shims and status work from the installed package", () => {
    const machine = new LaunchMachine(program);
    machine.agent("claude", 'rm -rf "$HOME"; echo "ended $?"');
    machine.run("install", "--host", "claude");
    expect(machine.run().stdout).toContain("Next: amplihack claude");
    expect(machine.run("claude", "--shims").stdout).toBe("ended 126\n");
    expect(existsSync(machine.home)).toBe(true);
  });
});
