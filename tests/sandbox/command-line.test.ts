import { spawn, spawnSync } from "node:child_process";
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../install/sandbox.ts";
import { makeScene, removeScene, type Scene } from "./scene.ts";
import { canTry } from "./try-scene.ts";

const CLI = join(PACKAGE_ROOT, "dist/bin/amplihack.cjs");

describe.skipIf(!canTry)("amplihack sandbox and try", () => {
  let scene: Scene;
  let env: Record<string, string>;
  beforeAll(() => {
    scene = makeScene();
    env = { HOME: scene.home, PATH: process.env["PATH"] ?? "" };
  });
  afterAll(() => removeScene(scene));
  const words = (...more: readonly string[]) => [CLI, ...more];

  it("reaches the ports of this machine that are listed, and no other", async () => {
    const servers = ["listed", "other"].map(name => createServer(socket => socket.end(name)));
    const ports = await Promise.all(
      servers.map(
        server =>
          new Promise<number>(resolve => {
            server.listen(0, "127.0.0.1", () => {
              const address = server.address();
              resolve(typeof address === "object" && address !== null ? address.port : 0);
            });
          }),
      ),
    );
    const script = `for (const port of [${ports.join(",")}]) await new Promise(done => require("net").connect(port, "127.0.0.1").on("data", text => console.log(String(text))).on("error", ({ code }) => console.log(code)).on("close", done));`;
    const child = spawn(
      process.execPath,
      words(
        "sandbox",
        "run",
        "--port",
        String(ports[0]),
        "--",
        process.execPath,
        "-e",
        `(async () => {${script}})()`,
      ),
      { env, cwd: scene.project, stdio: ["ignore", "pipe", "inherit"] },
    );
    let said = "";
    child.stdout.on("data", (bytes: Buffer) => {
      said += String(bytes);
    });
    await new Promise(resolve => child.on("close", resolve));
    for (const server of servers) server.close();
    expect(said).toBe("listed\nECONNREFUSED\n");
  });

  it("names the files that were refused behind all that the command said, and those alone", () => {
    const outside = join(scene.home, "a folder");
    mkdirSync(outside, { recursive: true });
    const script = [
      "echo said >&2",
      `touch '${outside}/new'`,
      `echo x > ${scene.home}/plain`,
      "echo x > .git/hooks/pre-commit",
      "cat nothing-here",
      "chmod 0 own; cat own/below",
      "touch made",
      "exit 3",
    ].join("\n");
    const run = spawnSync(
      process.execPath,
      words("sandbox", "run", "--network", "off", "--", "sh", "-c", script),
      {
        env,
        cwd: scene.project,
        encoding: "utf8",
      },
    );
    expect(run.status).toBe(3);
    const lines = run.stderr.trim().split("\n");
    expect(lines[0]).toBe("said");
    expect(lines.slice(-2)).toEqual([
      `amplihack: the sandbox refused changing ${outside}/new, ${scene.home}/plain. To allow it: amplihack sandbox allow '${outside}'`,
      `amplihack: the sandbox refused changing ${scene.project}/.git/hooks/pre-commit. It starts something later or is protected, so only a person changes it`,
    ]);
    expect(lines.filter(line => line.startsWith("amplihack:"))).toHaveLength(2);
  });

  it("says in check what is open in this project: files with other names outside it", () => {
    const check = (...more: readonly string[]) =>
      spawnSync(process.execPath, words("sandbox", "check", ...more), {
        env,
        cwd: scene.project,
        encoding: "utf8",
      });
    expect(check().stdout).not.toContain("other names");
    for (const name of ["one", "two"]) writeFileSync(join(scene.project, name), "x");
    linkSync(join(scene.project, "one"), join(scene.project, "again"));
    linkSync(join(scene.project, "two"), join(scene.outside, "two"));
    const { status, stdout } = check();
    expect([status, stdout]).toEqual([0, expect.stringContaining("Open here:\n")]);
    expect(stdout).toContain("1 file with other names outside the project, which change with them: two\n");
    const { openHere } = JSON.parse(check("--json").stdout);
    expect(openHere).toContain("1 file with other names outside the project, which change with them: two");
    for (const name of ["one", "again", "two"]) rmSync(join(scene.project, name));
  });

  it("leaves no process, no mount and no change when whoever tried a command is killed", async () => {
    const before = readdirSync(scene.project);
    const mounts = readFileSync("/proc/self/mountinfo", "utf8").split("\n").length;
    const seconds = String(90_000 + process.pid);
    const child = spawn(
      process.execPath,
      words("try", "--", "sh", "-c", `echo x > new.txt; echo started; sleep ${seconds}`),
      { env, cwd: scene.project, stdio: ["ignore", "pipe", "inherit"] },
    );
    await new Promise(resolve => child.stdout.once("data", resolve));
    while (!running(seconds)) await new Promise(resolve => setTimeout(resolve, 10));
    child.kill("SIGKILL");
    while (running(seconds)) await new Promise(resolve => setTimeout(resolve, 10));
    expect(readdirSync(scene.project)).toEqual(before);
    expect(readFileSync("/proc/self/mountinfo", "utf8").split("\n")).toHaveLength(mounts);
    const tries = join(scene.stateHome, "sandbox/tries");
    expect(readdirSync(tries)).toHaveLength(1);
    const list = spawnSync(process.execPath, words("try", "list"), {
      env,
      cwd: scene.project,
      encoding: "utf8",
    });
    expect(list.stdout).toBe("Nothing is held.\n");
    expect(readdirSync(tries)).toEqual([]);
  });

  it("leaves the project as it was when there is no room to apply what was caught", () => {
    const disk = join(scene.root, "small disk");
    mkdirSync(disk);
    // The state and the project share a disk of 8 MB, of which the caught file takes more than half.
    const script = `set -e
mount -t tmpfs -o size=8m,mode=755 none "$1"; cd "$1"; mkdir -m 700 home home/.amplihack; mkdir home/project; cd home/project
export HOME="$1/home"; echo text > kept.txt
"$2" "$3" try --apply -- sh -c 'head -c 5000000 /dev/zero > big; rm kept.txt' && echo applied || echo "refused"
ls; "$2" "$3" try list | head -1; "$2" "$3" try discard $(ls "$HOME/.amplihack/sandbox/tries"); ls`;
    const ran = spawnSync(
      "unshare",
      ["--mount", "--map-root-user", "sh", "-c", script, "sh", disk, process.execPath, CLI],
      { env, encoding: "utf8" },
    );
    expect(ran.stdout, ran.stderr).toMatch(/^refused\nkept\.txt\ntry [0-9a-f]+ {2}2 files, .*\nkept\.txt\n$/);
    expect(ran.stderr).toMatch(/no space|ENOSPC/i);
  });
});

function running(word: string): boolean {
  return readdirSync("/proc").some(name => {
    try {
      return readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0").includes(word);
    } catch {
      return false;
    }
  });
}
