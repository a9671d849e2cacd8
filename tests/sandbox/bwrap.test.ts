import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/index.ts";
import { readAbility } from "../../src/hooks/index.ts";
import { loadSandbox, type SandboxedCommand } from "../../src/sandbox/index.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { SETS } from "./attempts/attempt.ts";
import { planFor } from "./run-attempt.ts";
import { MARK, makeScene, removeScene, type Scene } from "./scene.ts";

const VIEW = ["--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--", "/bin/true"];
/** It may be missing, or the machine may not let it. */
const works =
  (process.arch === "x64" || process.arch === "arm64") && spawnSync("/usr/bin/bwrap", VIEW).status === 0;

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** A program that runs the start in its last word. */
const RUN_IN_SANDBOX = `
  import { loadSource } from "./scripts/load-source.mjs";
  const { runInSandbox, createNodeSystem } = await loadSource({
    "sandbox/start.ts": ["runInSandbox"],
    "system/node.ts": ["createNodeSystem"],
  });
  process.exitCode = await runInSandbox(createNodeSystem(), JSON.parse(process.argv[1]));`;

describe.skipIf(!works)("bwrap, where amplihack-sandbox is not installed", () => {
  let scene: Scene;
  beforeAll(() => {
    scene = makeScene();
  });
  afterAll(() => removeScene(scene));

  const run = async (
    script: string,
    network: "off" | "hosts" | "on" = "hosts",
    { signal, onOutput }: Partial<NonNullable<SandboxedCommand["streams"]>> = {},
  ) => {
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
      streams: {
        signal,
        onOutput(stream, bytes) {
          output.push(String(bytes));
          onOutput?.(stream, bytes);
        },
      },
    });
    return { code, output: output.join("") };
  };

  it("lets a command change the project, with its own code and output", async () => {
    expect(await run("echo made > made.txt; cat made.txt; exit 7")).toEqual({ code: 7, output: "made\n" });
    expect(readFileSync(join(scene.project, "made.txt"), "utf8")).toBe("made\n");
    expect((await run("git add -A && git -c user.name=a -c user.email=a@b commit -qm x")).code).toBe(0);
  });

  it("has a first process with the filter and without capabilities: who attaches to it gains nothing", async () => {
    const { output } = await run("grep -E '^(Seccomp|Cap(Inh|Prm|Eff|Bnd|Amb)):' /proc/1/status");
    expect(output.match(/\S+$/gm)).toEqual([...Array.from({ length: 5 }, () => "0".repeat(16)), "2"]);
  });

  it("writes no core files and finds no descriptors of whoever started it", async () => {
    expect(await run("ulimit -H -c")).toEqual({ code: 0, output: "0\n" });
    const { policy } = planFor(scene, { PATH: "/usr/bin:/bin", HOME: scene.home }, SETS.bwrap);
    const start = {
      ...{ program: "/usr/bin/bwrap", by: "bwrap", stateHome: scene.stateHome, policy },
      ...{ words: ["/bin/sh", "-c", "cat /proc/self/fd/60"], directory: scene.project },
    };
    // A number above those that Node itself closes.
    const words = ["-c", 'exec 60<"$1"; shift; exec "$@"', "bash", join(scene.home, ".ssh/id_rsa")];
    const command = [process.execPath, "--input-type=module", "-e", RUN_IN_SANDBOX, JSON.stringify(start)];
    const ended = spawnSync("bash", [...words, ...command], { cwd: ROOT, encoding: "utf8" });
    expect(ended).toMatchObject({ status: 0, stdout: "" });
  });

  it("gives a command what a file holds as its input, and not the file", async () => {
    const { policy } = planFor(scene, { PATH: "/usr/bin:/bin", HOME: scene.home }, SETS.bwrap);
    const start = {
      ...{ program: "/usr/bin/bwrap", by: "bwrap", stateHome: scene.stateHome, policy },
      ...{ words: ["/bin/sh", "-c", "cat; echo x >> /proc/self/fd/0"], directory: scene.project },
    };
    const path = join(scene.outside, "file");
    const input = openSync(path, "r+");
    const words = ["--input-type=module", "-e", RUN_IN_SANDBOX, JSON.stringify(start)];
    const ended = spawnSync(process.execPath, words, {
      cwd: ROOT,
      encoding: "utf8",
      stdio: [input, "pipe", "pipe"],
    });
    closeSync(input);
    expect(ended.stdout).toBe("text\n");
    expect(readFileSync(path, "utf8")).toBe("text\n");
  });

  it("tells a command that was ended from one that was not started", async () => {
    const abort = new AbortController();
    const ended = run("echo ready; sleep 1000", "off", {
      signal: abort.signal,
      onOutput: () => abort.abort(),
    });
    expect(await ended).toEqual({ code: 143, output: "ready\n" });
    await expect(run("echo ready", "off", { signal: abort.signal })).rejects.toMatchObject({
      message: "the command was not started",
      causes: ["it was cancelled before"],
      exitCode: 126,
    });
    const { policy } = planFor(scene, { PATH: "/usr/bin:/bin", HOME: scene.home }, SETS.bwrap);
    const start = {
      ...{ program: "/usr/bin/bwrap", by: "bwrap", stateHome: scene.stateHome },
      policy: { ...policy, write: [...policy.write, join(scene.outside, "not-there")] },
      ...{ words: ["/bin/true"], directory: scene.project },
    };
    const words = ["--input-type=module", "-e", RUN_IN_SANDBOX, JSON.stringify(start)];
    const { stderr } = spawnSync(process.execPath, words, { cwd: ROOT, encoding: "utf8" });
    expect(stderr).toContain("bwrap could not make its view");
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
