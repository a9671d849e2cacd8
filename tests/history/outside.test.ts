import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { judgeCommand } from "../../src/exports/guard.ts";
import { isLeftToService } from "../../src/history/background.ts";
import { Projects } from "./commands/projects.ts";
import { runShell } from "./commands/run-shell.ts";
import { onNode, Session, type } from "./commands/session.ts";
import { bash } from "./commands/tool-calls.ts";
import { testProject } from "./project.ts";

const projects = new Projects();

/** Runs the words after the image here, with the paths of mounts; an image without words writes to what is mounted. */
const DOCKER = `#!/bin/bash
shift
while [[ $1 == -* ]]; do
  case $1 in
    -v) host=\${2%%:*}; inside=\${2#*:}; shift 2;;
    --mount) host=\${2#*source=}; host=\${host%%,*}; inside=\${2#*target=}; shift 2;;
    *) shift;;
  esac
done
shift
if (( $# == 0 )); then for file in "$host"/*.txt; do echo entrypoint > "$file"; done; exit; fi
exec "\${@//$inside/$host}"
`;

/** A document beside the project, a call that changes it, and undo. */
async function changeAndUndo(setup: string, command: string) {
  const scene = await projects.make("clean");
  const { project, elsewhere } = scene;
  const programs = join(scene.home, "bin");
  mkdirSync(programs, { recursive: true });
  for (const name of ["docker", "podman"]) writeFileSync(join(programs, name), DOCKER, { mode: 0o755 });
  const env = { ...scene.env, PATH: `${programs}:${scene.env["PATH"]}` };
  await runShell(setup, { cwd: project, env });
  const before = readFileSync(join(elsewhere, "report.txt"), "utf8");
  const session = new Session(scene, onNode, "session-1");
  await session.start();
  await session.prompt();
  const open = await session.begin(bash(command));
  expect(open.decision).toBe("none");
  await runShell(command, { cwd: project, env });
  await open.end();
  expect(textAt(join(elsewhere, "report.txt"))).not.toBe(before);
  const undo = await type(scene, ["undo", "--yes"]);
  expect([undo.code, readFileSync(join(elsewhere, "report.txt"), "utf8")]).toEqual([0, before]);
}

function textAt(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
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
    ["", 'docker run --rm -v "$PWD/../elsewhere":/w alpine rm -f /w/report.txt'],
    ["", "podman run --rm --mount type=bind,source=$(pwd)/../elsewhere,target=/w alpine sh -c 'rm /w/*.txt'"],
    [
      "printf 'rm -f ../elsewhere/report.txt' > ../elsewhere/clean.sh",
      'docker run -v "$PWD/../elsewhere":/w alpine sh /w/clean.sh',
    ],
    ["", 'docker run --rm -v "$PWD/../elsewhere":/w cleaner'],
  ])("%s ⏎ %s", changeAndUndo);
});

describe("pieces of a file outside the project", () => {
  it.each([
    ["split -d -l 1 --additional-suffix=.txt big.txt ../elsewhere/part-", "part-01.txt", 4],
    ["csplit -s -f ../elsewhere/part- -b %02d.txt big.txt 2 3 4", "part-01.txt", 4],
    ["csplit -s -n 3 --prefix=../elsewhere/x big.txt 3", "x001", 2],
    ["ssh-keygen -q -N '' -f ../elsewhere/key", "key.pub", 2],
  ])("go again, and what they replaced comes back: %s", async (command, replaced, count) => {
    const p = testProject();
    const beside = join(p.home, "elsewhere");
    mkdirSync(beside);
    writeFileSync(join(beside, replaced), "mine\n");
    p.write({ "big.txt": "1\n2\n3\n4\n" });
    const given = { cwd: p.root, home: p.home, system: p.context.system };
    await p.begin(command, judgeCommand(command, given).footprint());
    p.shell(command);
    await p.end(command);
    expect(readdirSync(beside)).toHaveLength(count);
    await p.undo();
    expect(readdirSync(beside)).toEqual([replaced]);
    expect(readFileSync(join(beside, replaced), "utf8")).toBe("mine\n");
  });
});

describe("a container that has the project", () => {
  it.each([
    'docker run --rm -v "$PWD":/w alpine rm -rf /w/src',
    "docker run --rm -v $(pwd):/w alpine find /w/src -delete",
    "podman run --rm --mount type=bind,source=$PWD,target=/w alpine sh -c 'rm -rf /w/src'",
  ])("is kept, and undo brings back what it deleted: %s", async command => {
    const p = testProject();
    p.write({ "src/a.ts": "a\n", "src/deep/b.ts": "b\n", docker: DOCKER, podman: DOCKER });
    p.shell("chmod +x docker podman; git init -q -b main; git add -A; git commit -qm one; mkdir src/empty");
    const before = p.state();
    const footprint = judgeCommand(command, {
      cwd: p.root,
      home: p.home,
      system: p.context.system,
    }).footprint();
    const { isComplete } = await p.begin(command, footprint);
    p.shell(`PATH=$PWD:$PATH; ${command}`);
    await p.end(command);
    expect([isComplete, existsSync(join(p.root, "src"))]).toEqual([true, false]);
    await p.undo();
    expect(p.state()).toEqual(before);
  });
});

describe("a call whose processes belong to a service", () => {
  it.each([
    ["docker run -d -v .:/w alpine make", true],
    ["docker compose up --detach", true],
    ["docker start web", true],
    ["echo make | at now", true],
    ["sudo systemd-run make", true],
    ["docker run --rm -v .:/w alpine make", false],
    ['git commit -m "look at it"', false],
    ["npm run screen", false],
  ])("%s: %s", (command, isOne) => {
    expect(isLeftToService(command)).toBe(isOne);
  });
});

describe("the line about what was kept", () => {
  it("leaves out what git clean leaves", async () => {
    expect(
      await keptBy("echo 1 > a.tmp; echo 2 > b.tmp; echo 3 > mine.txt", "git clean -fd -e mine.txt"),
    ).toMatch(/^kept 2 files, 4 bytes: amplihack undo /);
  });

  it("counts what the call may lose: of a search what has the name", async () => {
    const setup = "echo 1 > ~/.zshrc; mkdir ~/d; echo 2 > ~/d/.zshrc; echo 3 > ~/d/mine";
    expect(await keptBy(setup, "find ~ -name .zshrc -delete")).toMatch(
      /^kept 2 files, 4 bytes: amplihack undo /,
    );
  });
});

async function keptBy(setup: string, command: string): Promise<string> {
  const { project, env, home } = await projects.make("clean");
  await runShell(setup, { cwd: project, env });
  const { stdout } = spawnSync(process.execPath, [resolve("dist/bin/amplihack-hooks.cjs"), "pre-tool-use"], {
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
  });
  return (JSON.parse(stdout) as { readonly systemMessage: string }).systemMessage;
}
