import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { BUILT_IN } from "../../src/config/index.ts";
import { checkLayers, type Policy, planPolicy, policyPath, usableLayers } from "../../src/sandbox/index.ts";
import type { System } from "../../src/system/index.ts";
import { survey } from "../../src/workspace/index.ts";
import { SETS } from "./attempts/attempt.ts";
import type { OutsideWorld } from "./outside-world.ts";
import { environmentOf, keepPolicy, planFor, runWords, systemWith } from "./run-attempt.ts";
import { copyScene, MARK, makeScene, PROGRAM, removeScene, type Scene } from "./scene.ts";

const report = existsSync(PROGRAM) ? checkLayers(PROGRAM, "/nonexistent") : undefined;
const canRun = report !== undefined && usableLayers(report)?.includes("namespaces") === true;
const NO_WORLD: OutsideWorld = {
  variables: { PORT: "1" },
  isAlive: () => true,
  listenIn: async () => {},
  end: () => {},
};

const pause = () => new Promise(resolve => setTimeout(resolve, 20));

describe.skipIf(!canRun)("a command in the sandbox", () => {
  let template: Scene;
  const used: Scene[] = [];
  beforeAll(() => {
    template = makeScene();
  });
  afterAll(() => {
    for (const scene of [template, ...used]) removeScene(scene);
  });

  const prepare = (change: Partial<Policy> = {}) => {
    const scene = copyScene(template);
    used.push(scene);
    const env = environmentOf(scene, NO_WORLD);
    const plan = planFor(scene, env, SETS.all);
    const id = keepPolicy(scene, { ...plan, policy: { ...plan.policy, ...change } }, undefined);
    const words = (...command: readonly string[]) => [
      PROGRAM,
      "--home",
      scene.stateHome,
      id,
      "--",
      ...command,
    ];
    const run = (...command: readonly string[]) => runWords(words(...command), scene, { env });
    const shell = (script: string) => run("/bin/sh", "-c", script);
    return { scene, env, id, words, run, shell };
  };

  it("ends with the command's code, or 128 and the signal", async () => {
    const { shell, run } = prepare();
    expect((await shell("exit 7")).code).toBe(7);
    expect((await shell("kill -SEGV $$")).code).toBe(139);
    expect(await run("no-such-program")).toMatchObject({
      code: 127,
      stderr: expect.stringContaining("no-such-program"),
    });
    expect((await run("/etc/passwd")).code).toBe(126);
  });

  it("reads its input, prints as it goes and gets odd bytes unchanged", async () => {
    const { scene, words, env, run } = prepare();
    expect((await runWords(words("cat"), scene, { env, input: "typed" })).stdout).toBe("typed");
    const odd = spawnSync(
      "/bin/sh",
      ["-c", `"$@" "$(printf 'a\\377b')" | od -An -tx1`, "sh", ...words("printf", "%s")],
      {
        env,
        cwd: scene.project,
        encoding: "utf8",
      },
    );
    expect(odd.stdout.trim()).toBe("61 ff 62");
    expect((await run("pwd")).stdout.trim()).toBe(scene.project);
  });

  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("hears %s", async signal => {
    const { scene, env, words } = prepare();
    const script = `trap 'echo heard; exit 9' ${signal.slice(3)}; echo ready; while :; do sleep 0.05; done`;
    const [program = "", ...rest] = words("/bin/sh", "-c", script);
    const child = spawn(program, rest, { env, cwd: scene.project, stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed === "ready\n") child.kill(signal);
    });
    const code = await new Promise(resolve => child.on("close", resolve));
    expect({ code, printed }).toEqual({ code: 9, printed: "ready\nheard\n" });
  });

  it("leaves no process when the program is killed", async () => {
    const { scene, env, words } = prepare();
    const [program = "", ...rest] = words(
      "/bin/sh",
      "-c",
      "setsid sleep 1000 & sleep 1000 & echo ready; wait",
    );
    const child = spawn(program, rest, { env, cwd: scene.project, stdio: ["ignore", "pipe", "inherit"] });
    let hasEnded = false;
    const ended = new Promise<void>(resolve => {
      child.stdout.on("close", () => {
        hasEnded = true;
        resolve();
      });
    });
    await new Promise<void>(resolve => child.stdout.once("data", () => resolve()));
    child.kill("SIGKILL");
    // All of them hold the other end of this stream.
    await ended;
    expect(hasEnded).toBe(true);
  });

  it("ends what the command leaves running, or lets it go on where the policy says so", async () => {
    const late = "(sleep 0.3; echo late > late) > /dev/null 2>&1 & echo first";
    const ended = prepare();
    expect((await ended.shell(late)).stdout).toBe("first\n");
    const kept = prepare({ leftovers: "keep" });
    expect((await kept.shell(late)).stdout).toBe("first\n");
    await expect.poll(() => existsSync(join(kept.scene.project, "late")), { timeout: 60_000 }).toBe(true);
    expect(existsSync(join(ended.scene.project, "late"))).toBe(false);
  });

  it("sets aside at once what a process that goes on makes, and tells of it at the next start", async () => {
    const { scene, shell } = prepare({ leftovers: "keep" });
    const late = join(scene.project, ".vscode");
    await shell(
      "(sleep 0.2; mkdir .vscode; echo x > .vscode/tasks.json; touch made; sleep 1000) > /dev/null 2>&1 & echo $! > pid",
    );
    const held = join(scene.stateHome, "sandbox/held");
    while (!(existsSync(join(scene.project, "made")) && existsSync(join(held, "later")))) await pause();
    while (existsSync(late)) await pause();
    const next = await shell("kill $(cat pid) 2>/dev/null; true");
    expect(next.stderr).toContain(`set aside ${late}`);
    expect((await shell("true")).stderr).toBe("");
  });

  it.each(Object.entries(SETS).filter(([name]) => name !== "bwrap"))(
    "cannot signal or slow down the processes that it was started with: %s",
    async (_, layers) => {
      const scene = copyScene(template);
      used.push(scene);
      const env = environmentOf(scene, NO_WORLD);
      const id = keepPolicy(scene, planFor(scene, env, layers), undefined);
      const inner = "kill -USR1 0; renice -n 19 -g 0 2>/dev/null; renice -n 19 -g $(ps -o pgid= -p $$)";
      const outer = `trap 'echo signalled' USR1; '${PROGRAM}' --home '${scene.stateHome}' ${id} -- /bin/sh -c '${inner}' 2>/dev/null; nice`;
      const child = spawn("/bin/sh", ["-c", outer], { cwd: scene.project, env, detached: true });
      child.stdin.end();
      let printed = "";
      child.stdout.setEncoding("utf8").on("data", (text: string) => {
        printed += text;
      });
      await new Promise(resolve => child.on("close", resolve));
      expect(printed.trim()).toMatch(/^\d+$/);
      expect(Number(printed)).toBeLessThan(19);
    },
  );

  it("hands the signals that end it to all that it started", async () => {
    const { scene, env, words } = prepare({ leftovers: "keep" });
    const script =
      "sh -c 'trap \"echo inner; exit\" TERM; echo ready; while :; do sleep 0.05; done'; echo never";
    const [program = "", ...rest] = words("/bin/sh", "-c", script);
    const child = spawn(program, rest, { cwd: scene.project, env });
    child.stdin.end();
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed === "ready\n") child.kill("SIGTERM");
    });
    const code = await new Promise(resolve => child.on("close", resolve));
    expect([code, printed]).toEqual([143, "ready\ninner\n"]);
  });

  it("gives no folder of git that does not name the project itself, whatever the project says", async () => {
    const { scene, env } = prepare();
    const write = (name: string, text: string) => {
      mkdirSync(dirname(join(scene.project, name)), { recursive: true });
      writeFileSync(join(scene.project, name), text);
    };
    for (const name of ["fake/objects/x", "fake/refs/x", "fake/HEAD"]) write(name, "");
    write("fake/commondir", `${scene.outside}\n`);
    write("one/.git", "gitdir: ../fake\n");
    write("two/.git", `gitdir: ${scene.outside}/repository/.git\n`);
    // In a cache, which a command may change, beside what it may not.
    const planted = join(scene.home, ".cargo/registry/worktrees/evil");
    mkdirSync(planted, { recursive: true });
    for (const [name, text] of Object.entries({
      HEAD: "ref: refs/heads/main\n",
      commondir: "../../..\n",
      gitdir: `${join(scene.project, "three/.git")}\n`,
    }))
      writeFileSync(join(planted, name), text);
    write("three/.git", `gitdir: ${planted}\n`);
    for (const cwd of ["one", "two", "three"]) {
      const system = systemWith(env);
      const workspace = survey({
        cwd: join(scene.project, cwd),
        home: scene.home,
        system,
        settings: BUILT_IN.guard,
        stateHome: scene.stateHome,
      });
      const request = { settings: BUILT_IN.sandbox, layers: SETS.all, leftovers: "kill" as const };
      const { policy } = planPolicy(system, workspace, request);
      expect(policy.write.filter(path => path.startsWith(scene.outside))).toEqual([]);
      expect(policy.write).not.toContain(join(scene.home, ".cargo"));
    }
    // A worktree that the repository knows is one.
    const tree = planFor({ ...template, project: join(template.home, "tree") }, env, SETS.all);
    expect(tree.policy.write).toContain(join(template.project, ".git"));
  });

  it("goes on when somebody takes a hidden socket away, and ends when another takes its place", async () => {
    const scene = copyScene(template);
    used.push(scene);
    // A short name: where the checkout lies deep, the path of a socket becomes too long.
    const path = join(scene.home, "s");
    const listen = async () => {
      const server = createServer();
      await new Promise<void>(resolve => server.listen(path, resolve));
      return server;
    };
    const env = environmentOf(scene, NO_WORLD);
    for (const [isReplaced, code] of [
      [false, 0],
      [true, 126],
    ] as const) {
      const server = await listen();
      const id = keepPolicy(scene, planFor(scene, env, SETS.all), undefined);
      const words = [
        "--home",
        scene.stateHome,
        id,
        "--",
        "/bin/sh",
        "-c",
        "echo ready; read line; echo done",
      ];
      const child = spawn(PROGRAM, words, { cwd: scene.project, env });
      const ended = new Promise(resolve => child.on("close", resolve));
      await new Promise(resolve => child.stdout.once("data", resolve));
      const close = () => new Promise(resolve => server.close(resolve));
      if (isReplaced) {
        writeFileSync(`${path}.new`, "");
        renameSync(`${path}.new`, path);
      } else {
        await close();
        child.stdin.end("go on\n");
      }
      expect(await ended).toBe(code);
      if (isReplaced) await close();
    }
  });

  it("is started where a folder with something to hide has gone meanwhile", async () => {
    const { scene, env } = prepare();
    const { policy, ...plan } = planFor(scene, env, SETS.all);
    const hide = [...policy.hide, { path: join(scene.project, "gone/since/socket") }];
    const id = keepPolicy(scene, { ...plan, policy: { ...policy, hide } }, undefined);
    const ended = await runWords([PROGRAM, "--home", scene.stateHome, id, "--", "echo", "run"], scene, {
      env,
    });
    expect(ended).toMatchObject({ code: 0, stdout: "run\n", stderr: "" });
  });

  it("hides secrets under every name that a mount gives them", () => {
    const { scene, env } = prepare();
    const other = join(scene.root, "other name");
    symlinkSync(scene.home, other);
    const real = systemWith(env);
    const line = (root: string, at: string) =>
      `1 1 8:1 ${root} ${at.replaceAll(" ", "\\040")} rw - ext4 /dev/sda1 rw`;
    const mounts = [line("/", "/"), line(scene.home, other)].join("\n");
    const system: System = {
      ...real,
      files: {
        ...real.files,
        read: (path, limit) =>
          path === "/proc/self/mountinfo" ? real.text.encode(mounts) : real.files.read(path, limit),
      },
    };
    const settings = { cwd: scene.project, home: scene.home, system, settings: BUILT_IN.guard };
    const { policy } = planPolicy(system, survey({ ...settings, stateHome: scene.stateHome }), {
      settings: BUILT_IN.sandbox,
      layers: SETS.all,
      leftovers: "kill",
    });
    expect(policy.hide.map(({ path }) => path)).toContain(join(other, ".aws"));
  });

  it("starts where core dumps are forbidden already", async () => {
    const { words, env, scene } = prepare();
    const ended = await runWords(
      ["/bin/sh", "-c", 'ulimit -H -c 0; exec "$@"', "sh", ...words("/bin/sh", "-c", "ulimit -H -c")],
      scene,
      { env },
    );
    expect(ended).toMatchObject({ code: 0, stdout: "0\n" });
  });

  it("has the three streams open and nothing else", async () => {
    const { shell } = prepare();
    expect((await shell("ls /proc/self/fd | sort -n | tr '\\n' ' '")).stdout).toBe("0 1 2 3 ");
  });

  it("works with git as outside it, and leaves nothing behind that it reserved", async () => {
    const { scene, shell } = prepare();
    const work = [
      "git config user.name >/dev/null || export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a",
      "rm .githooks/pre-commit 2>/dev/null",
      "echo x > new.txt && git add -A && git commit -qm third && echo committed",
      "echo y > new.txt && git stash -uq && git stash pop -q && echo stashed",
      "git checkout -q -b branch && git tag one && git gc -q && echo branched",
      "git status --short",
    ].join("\n");
    const { stdout } = await shell(work);
    expect(stdout).toContain("committed\nstashed\nbranched\n");
    for (const name of ["commondir", "config.worktree", "info/attributes"])
      expect(existsSync(join(scene.project, ".git", name))).toBe(false);
  });

  it("does not let git take a hidden file for an empty one", async () => {
    const { shell } = prepare();
    const { stdout } = await shell("git add -A; git ls-files deploy.key; cat deploy.key .env");
    expect(stdout).toBe("SETTING=1\n");
  });

  it("hides a secret that a command has added to git's list, until git has its content", async () => {
    const { scene, env, shell } = prepare();
    expect((await shell("git add -f deploy.key")).code).toBe(0);
    const again = () => planFor(scene, env, SETS.all);
    const id = keepPolicy(scene, again(), undefined);
    const ended = await runWords([PROGRAM, "--home", scene.stateHome, id, "--", "cat", "deploy.key"], scene, {
      env,
    });
    expect(ended).toMatchObject({ code: 0, stdout: "" });
    const isHidden = () => again().policy.hide.some(({ path }) => path === join(scene.project, "deploy.key"));
    expect(isHidden()).toBe(true);
    spawnSync("git", ["add", "-f", "deploy.key"], { cwd: scene.project, env });
    expect(isHidden()).toBe(false);
  });

  it("passes over no name because of many others, and does not start where it cannot look at all", () => {
    const { scene, env } = prepare();
    const real = systemWith(env);
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ name: `a${at}`, kind: "file" as const }));
    const withNames = (count: number, folder: string): System => ({
      ...real,
      files: {
        ...real.files,
        listKinds: path => [
          ...(path === folder ? many(count) : []),
          ...(real.files.listKinds?.(path) ?? []),
          ...(path === "/tmp" ? [{ name: "krb5cc_0", kind: "file" as const }] : []),
        ],
        realPath: path => (path === "/tmp/krb5cc_0" ? path : real.files.realPath(path)),
        inspect: path => real.files.inspect(path === "/tmp/krb5cc_0" ? "/etc/passwd" : path),
      },
    });
    const plan = (system: System) => {
      const { home, stateHome, project } = scene;
      const workspace = survey({ cwd: project, home, system, settings: BUILT_IN.guard, stateHome });
      const request = { settings: BUILT_IN.sandbox, layers: SETS.all, leftovers: "kill" as const };
      return planPolicy(system, workspace, request).policy;
    };
    const { hide, readOnly } = plan(withNames(60_000, scene.project));
    expect(hide.map(({ path }) => path)).toContain(join(scene.project, "deploy.key"));
    expect(readOnly).toContain(join(scene.project, "nested/.git/config"));
    expect(plan(withNames(60_000, "/tmp")).hide.map(({ path }) => path)).toContain("/tmp/krb5cc_0");
    expect(() => plan(withNames(600_000, scene.project))).toThrow("holds too many files");
  });

  it("serves and connects inside", async () => {
    const { run } = prepare();
    const script = `
      const server = require("node:net").createServer(s => s.end("served")).listen(0, "127.0.0.1", () =>
        require("node:net").connect(server.address().port).on("data", d => { console.log(String(d)); process.exit(); }));`;
    expect((await run(process.execPath, "-e", script)).stdout).toBe("served\n");
  });

  it("is stopped when somebody replaces a protected file, which ends its protection", async () => {
    const { scene, env, words } = prepare();
    const [program = "", ...rest] = words("/bin/sh", "-c", "echo ready; sleep 1000");
    const child = spawn(program, rest, { env, cwd: scene.project, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    await new Promise<void>(resolve => child.stdout.once("data", () => resolve()));
    const config = join(scene.project, ".git/config");
    writeFileSync(`${config}.new`, readFileSync(config));
    renameSync(`${config}.new`, config);
    const code = await new Promise(resolve => child.on("close", resolve));
    expect({ code, said }).toMatchObject({
      code: 126,
      said: expect.stringContaining("was replaced outside"),
    });
  });

  it("keeps variables by name and has no others", async () => {
    const { shell } = prepare({ environment: { keep: ["PATH"], set: { ADDED: "value" } } });
    const { stdout } = await shell("env | grep -v '^PWD=\\|^_=' | cut -d= -f1 | sort | tr '\\n' ' '");
    expect(stdout).toBe("ADDED PATH ");
  });

  it("catches changes instead of making them", async () => {
    const { scene, env } = prepare();
    const [upper, work] = ["upper", "work"].map(name => join(scene.stateHome, name)) as [string, string];
    spawnSync("mkdir", [upper, work]);
    const plan = planFor(scene, env, SETS.all, { caught: [{ path: scene.project, upper, work }] });
    const id = keepPolicy(scene, plan, undefined);
    const script = "echo new > new.txt; rm a.txt; mv tools moved; git add -A; cat new.txt";
    const words = [PROGRAM, "--home", scene.stateHome, id, "--", "/bin/sh", "-c", script];
    expect(await runWords(words, scene, { env })).toMatchObject({ code: 0, stdout: "new\n" });
    expect(existsSync(join(scene.project, "new.txt"))).toBe(false);
    expect(existsSync(join(scene.project, "a.txt"))).toBe(true);
    expect(existsSync(join(scene.project, "tools/clean.sh"))).toBe(true);
    expect(readFileSync(join(upper, "new.txt"), "utf8")).toBe("new\n");
  });

  describe("is not started", () => {
    const expectRefusal = async (words: readonly string[], scene: Scene, reason: string) =>
      expect(await runWords(words, scene, { env: { PATH: "/bin:/usr/bin" } })).toMatchObject({
        code: 126,
        stdout: "",
        stderr: expect.stringMatching(
          new RegExp(`^amplihack-sandbox: the command was not started: .*${reason}.*\\n$`),
        ),
      });

    it.each(["../own", "a/b", "", "a b", "a.b", "x".repeat(65)])("by the id %j", async id => {
      const { scene } = prepare();
      await expectRefusal([PROGRAM, "--home", scene.stateHome, id, "--", "echo", "run"], scene, "an id has");
    });

    it("by a policy that others may read, that is a link, or that says what is not known", async () => {
      const { scene, id, words } = prepare();
      const path = policyPath(scene.stateHome, id);
      const text = readFileSync(path, "utf8");
      chmodSync(path, 0o644);
      await expectRefusal(words("echo", "run"), scene, "others may");
      chmodSync(path, 0o600);
      writeFileSync(path, text.replace('"version":1', '"version":1,"nosuch":1'));
      await expectRefusal(words("echo", "run"), scene, "nosuch");
      writeFileSync(path, text.replace(/"layers":\[[^\]]*\]/, '"layers":[]'));
      await expectRefusal(words("echo", "run"), scene, "nothing runs bare");
      renameSync(path, `${path}.other`);
      symlinkSync(`${path}.other`, path);
      await expectRefusal(words("echo", "run"), scene, "symbolic links");
    });

    it("by a policy of somebody else's folder", async () => {
      const { scene, words } = prepare();
      chmodSync(join(scene.stateHome, "sandbox"), 0o777);
      await expectRefusal(words("echo", "run"), scene, "others may");
    });

    it("where a path of the policy leads through a link", async () => {
      const { scene, words } = prepare({ write: ["/proc/self/cwd"] });
      await expectRefusal(words("echo", "run"), scene, "no place for a rule");
      symlinkSync(scene.outside, join(scene.root, "link"));
      const linked = prepare({ write: [join(scene.root, "link")] });
      await expectRefusal(linked.words("echo", "run"), linked.scene, "symbolic links");
    });

    it("without namespaces where the policy needs them", async () => {
      const { scene, words } = prepare({ layers: ["landlock", "seccomp"] });
      await expectRefusal(words("echo", "run"), scene, "cannot be enforced without this layer");
    });

    it("with a folder as one of its streams", async () => {
      const { scene, words } = prepare();
      const { status, stderr } = spawnSync("/bin/sh", ["-c", `"$@" < /`, "sh", ...words("echo", "run")], {
        cwd: scene.project,
        encoding: "utf8",
      });
      expect({ status, stderr }).toMatchObject({
        status: 126,
        stderr: expect.stringContaining("is a folder"),
      });
    });
  });

  it("never shows a secret in what the program itself says", async () => {
    const { shell } = prepare();
    expect((await shell("cat ~/.ssh/id_rsa")).stderr).not.toContain(MARK);
  });
});
