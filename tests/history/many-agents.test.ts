import { type ChildProcess, spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { bundleProgram } from "../bundle-program.ts";
import { type TestProject, testProject } from "./project.ts";

const AGENTS = ["s1", "s2", "s3", "s4"];
const CALLS = 6;
const program = bundleProgram(new URL("programs/agent.ts", import.meta.url));

function startAgent({ home, root }: TestProject, session: string, calls: number): ChildProcess {
  return spawn(process.execPath, [program, home, root, session, String(calls)], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], HOME: home },
  });
}

const ended = (child: ChildProcess) => new Promise(resolve => child.once("close", resolve));

async function undoAll(project: TestProject): Promise<void> {
  const { changes } = project.history.listChanges({});
  const ids = changes.map(({ id }) => id);
  await project.history.applyUndo(await project.history.planUndo({ kind: "ids", ids }));
}

describe("many agents at once in one project", () => {
  it("lose no change, mix none, and all of it can be undone", async () => {
    const project = testProject();
    project.write({ "shared.txt": "shared\n", "s1.txt": "first\n" });
    const before = project.state();
    await Promise.all(AGENTS.map(session => ended(startAgent(project, session, CALLS))));
    const { changes, problems } = project.history.listChanges({});
    expect(problems).toEqual([]);
    expect(changes).toHaveLength(AGENTS.length * CALLS);
    expect(new Set(changes.map(({ id }) => id)).size).toBe(changes.length);
    for (const { session, files } of changes)
      expect(files.filter(({ path }) => !path.startsWith(`${project.root}/${session}`))).toEqual([]);
    await undoAll(project);
    expect(project.state()).toEqual(before);
    expect(project.history.verify().problems).toEqual([]);
  });

  it("one of them killed leaves a history that can be read and undone", async () => {
    const project = testProject();
    project.write({ "s1.txt": "first\n" });
    const before = project.state();
    const agent = startAgent(project, "s1", 1_000);
    let told = 0;
    agent.stdout?.on("data", () => {
      told += 1;
      if (told === 3) agent.kill("SIGKILL");
    });
    await ended(agent);
    const { changes, problems } = project.history.listChanges({});
    expect(problems).toEqual([]);
    expect(changes.length).toBeGreaterThanOrEqual(3);
    await undoAll(project);
    expect(project.state()).toEqual(before);
  });
});
