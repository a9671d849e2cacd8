import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/index.ts";
import { readAbility } from "../../src/hooks/index.ts";
import { loadSandbox } from "../../src/sandbox/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { MARK, makeScene, removeScene, type Scene } from "./scene.ts";

const VIEW = ["--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "/bin/true"];
/** It may be missing, or the machine may not let it. */
const works =
  (process.arch === "x64" || process.arch === "arm64") && spawnSync("/usr/bin/bwrap", VIEW).status === 0;

describe.skipIf(!works)("bwrap, where amplihack-sandbox is not installed", () => {
  let scene: Scene;
  beforeAll(() => {
    scene = makeScene();
  });
  afterAll(() => removeScene(scene));

  const run = async (script: string, network: "off" | "hosts" | "on" = "hosts") => {
    const { runCommand } = await loadSandbox();
    const node = createNodeSystem();
    const variables: Readonly<Record<string, string>> = {
      HOME: scene.home,
      PATH: process.env["PATH"] ?? "",
      API_TOKEN: MARK,
    };
    const env = { get: (name: string) => variables[name], names: () => Object.keys(variables) };
    const output: string[] = [];
    const places = {
      home: scene.home,
      stateHome: scene.stateHome,
      packageRoot: "/nowhere",
      platform: "linux-x64",
    };
    const code = await runCommand({ ...node, env }, places, {
      words: ["/bin/sh", "-c", script],
      directory: scene.project,
      settings: { ...BUILT_IN.sandbox, network },
      guard: BUILT_IN.guard,
      proxyCommand: [],
      streams: { onOutput: (_, bytes) => output.push(String(bytes)) },
    });
    return { code, output: output.join("") };
  };

  it("lets a command change the project, with its own code and output", async () => {
    expect(await run("echo made > made.txt; cat made.txt; exit 7")).toEqual({ code: 7, output: "made\n" });
    expect(readFileSync(join(scene.project, "made.txt"), "utf8")).toBe("made\n");
    expect((await run("git add -A && git -c user.name=a -c user.email=a@b commit -qm x")).code).toBe(0);
  });

  it.each([
    ["the home", 'echo x > "$HOME/outside.txt"'],
    ["the system", "echo x > /etc/amplihack-test"],
    ["hooks of git", "echo x > .git/hooks/pre-commit"],
    ["the configuration of git", "git config core.hooksPath x"],
    ["hooks, by moving the folder above", "mv .git .git2 && mv .git2 .git"],
    ["keys", 'cat "$HOME"/.ssh/id_* | grep .'],
    ["our own state", 'ls -A "$HOME/.amplihack" | grep .'],
    [
      "secrets in the environment",
      'env | grep API_TOKEN; tr "\\\\0" "\\\\n" < /proc/1/environ | grep API_TOKEN',
    ],
    ["other processes", "test $(ls -d /proc/[0-9]* | wc -l) -gt 20"],
    ["new namespaces", "unshare --user true"],
    ["mounts", "mount -t tmpfs none /mnt"],
    ["the network", "getent hosts example.com || exec 3<>/dev/tcp/1.1.1.1/53"],
  ])("keeps it from %s", async (_, script) => {
    const { code, output } = await run(script);
    expect(output).not.toContain(MARK);
    expect(code).not.toBe(0);
  });

  it("is said to hold less back, so that no call of a host is sent there, and nothing is tried", async () => {
    const { checkSandbox } = await loadSandbox();
    const places = {
      home: scene.home,
      stateHome: scene.stateHome,
      packageRoot: "/nowhere",
      platform: "linux-x64",
    };
    const { report } = checkSandbox(createNodeSystem(), places);
    expect(report).toMatchObject({ by: "bwrap", namespaces: { works: true }, overlay: { works: false } });
    expect(readAbility(createNodeSystem(), scene.stateHome)).toEqual({ isWhole: false, canTry: false });
  });
});
