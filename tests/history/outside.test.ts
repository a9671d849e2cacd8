import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { Projects } from "./commands/projects.ts";
import { runShell } from "./commands/run-shell.ts";
import { onNode, Session, type } from "./commands/session.ts";
import { bash } from "./commands/tool-calls.ts";

const projects = new Projects();

/** A document beside the project, a call that changes it, and undo. */
async function changeAndUndo(setup: string, command: string) {
  const scene = await projects.make("clean");
  const { project, env, elsewhere } = scene;
  await runShell(setup, { cwd: project, env });
  const before = readFileSync(join(elsewhere, "report.txt"), "utf8");
  const session = new Session(scene, onNode, "session-1");
  await session.start();
  await session.prompt();
  const open = await session.begin(bash(command));
  expect(open.decision).toBe("none");
  await runShell(command, { cwd: project, env });
  await open.end();
  expect(readFileSync(join(elsewhere, "report.txt"), "utf8")).not.toBe(before);
  const undo = await type(scene, ["undo", "--yes"]);
  expect([undo.code, readFileSync(join(elsewhere, "report.txt"), "utf8")]).toEqual([0, before]);
}

const ARCHIVE =
  "mkdir pk; echo theirs > pk/report.txt; tar cf p.tar -C pk report.txt; (cd pk; python3 -m zipfile -c ../p.zip report.txt)";

describe("a document outside the project comes back", () => {
  it.each([
    [
      "",
      'printf \'import sys; open(sys.argv[1], "w").write("x")\' > t.py; python3 t.py ../elsewhere/report.txt',
    ],
    [
      'printf \'import sys; open(sys.argv[2], "w").write("x")\' > t.py',
      "python3 t.py --out ../elsewhere/report.txt",
    ],
    ["printf 'all:\\n\\techo made > report.txt\\n' > ../elsewhere/Makefile", "make -s -C ../elsewhere"],
    [ARCHIVE, "python3 -m zipfile -e p.zip ../elsewhere"],
    [ARCHIVE, "python3 -m tarfile -e p.tar ../elsewhere"],
    [ARCHIVE, "python3 -c \"import shutil; shutil.unpack_archive('p.zip', '../elsewhere')\""],
    [ARCHIVE, "python3 -c \"import tarfile; tarfile.open('p.tar').extractall('../elsewhere')\""],
  ])("%s ⏎ %s", changeAndUndo);
});

describe("the line about what was kept", () => {
  it("counts what the call may lose: of a search what has the name", async () => {
    const { project, env, home } = await projects.make("clean");
    await runShell("echo 1 > ~/.zshrc; mkdir ~/d; echo 2 > ~/d/.zshrc; echo 3 > ~/d/mine", {
      cwd: project,
      env,
    });
    const command = "find ~ -name .zshrc -delete";
    const { stdout } = spawnSync(
      process.execPath,
      [resolve("dist/bin/amplihack-hooks.cjs"), "pre-tool-use"],
      {
        cwd: project,
        env: { ...env, HOME: home },
        input: JSON.stringify({
          hook_event_name: "PreToolUse",
          session_id: "s1",
          cwd: project,
          tool_name: "Bash",
          tool_use_id: "call-1",
          tool_input: { command },
        }),
        encoding: "utf8",
      },
    );
    expect(JSON.parse(stdout).systemMessage).toMatch(/^kept 2 files, 4 bytes: amplihack undo /);
  });
});
