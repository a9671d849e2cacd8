import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../install/sandbox.ts";
import { copyScene, makeScene, removeScene, type Scene } from "./scene.ts";
import { canTry } from "./try-scene.ts";

const HOOKS = join(PACKAGE_ROOT, "dist/bin/amplihack-hooks.cjs");
const CLI = join(PACKAGE_ROOT, "dist/bin/amplihack.cjs");

interface Answer {
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string;
    readonly permissionDecisionReason?: string;
    readonly updatedInput?: { readonly command: string; readonly [name: string]: unknown };
  };
}

/** A person who set autonomy to `sandbox`, and what Claude Code does with a call. */
describe.skipIf(!canTry)("a host at autonomy: sandbox", () => {
  let scene: Scene;
  let env: Record<string, string>;
  let template: Scene;
  const environmentOf = ({ home }: Scene) => ({
    HOME: home,
    PATH: process.env["PATH"] ?? "",
    TERM: "dumb",
    LANG: "C.UTF-8",
  });

  beforeAll(() => {
    scene = template = makeScene();
    env = environmentOf(template);
    writeFileSync(join(scene.home, ".bashrc"), "");
    writeFileSync(join(scene.stateHome, "config.jsonc"), '{"autonomy":"sandbox"}', { mode: 0o600 });
    const bin = join(scene.stateHome, ".claude/bin");
    mkdirSync(bin, { recursive: true });
    const wrapper = `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`;
    writeFileSync(join(bin, "amplihack"), wrapper, { mode: 0o755 });
    expect(amplihack("sandbox", "check").status).toBe(0);
  });
  afterAll(() => removeScene(template));
  beforeEach(() => {
    scene = copyScene(template);
    env = environmentOf(scene);
  });
  afterEach(() => removeScene(scene));

  const amplihack = (...words: readonly string[]) =>
    spawnSync(process.execPath, [CLI, ...words], { env, cwd: scene.project, encoding: "utf8" });

  /** `hostWords` are further words of the process that starts the hook. */
  const hook = (
    event: string,
    command: string,
    more: object = {},
    hostWords: readonly string[] = [],
  ): Answer => {
    const payload = {
      session_id: "s-1",
      cwd: scene.project,
      hook_event_name: event === "pre-tool-use" ? "PreToolUse" : "PostToolUse",
      permission_mode: "default",
      tool_name: "Bash",
      tool_use_id: "use-1",
      tool_input: { command, description: "says what it does", timeout: 5000 },
      ...more,
    };
    const line = `"$NODE" "$HOOKS" ${event} --host claude-code; :`;
    const { stdout } = spawnSync("sh", ["-c", line, "host", ...hostWords], {
      env: { ...env, NODE: process.execPath, HOOKS },
      cwd: scene.project,
      input: JSON.stringify(payload),
      encoding: "utf8",
    });
    return JSON.parse(stdout) as Answer;
  };

  const rewrite = (command: string): string => {
    const { permissionDecision, updatedInput } = hook("pre-tool-use", command).hookSpecificOutput ?? {};
    expect([permissionDecision, updatedInput?.["description"], updatedInput?.["timeout"]]).toEqual([
      "allow",
      "says what it does",
      5000,
    ]);
    return updatedInput?.command ?? "";
  };

  /** As the host does: in a shell that goes on afterwards. */
  const play = (command: string, { shell = "bash", input = "" } = {}) => {
    const script = 'eval "$1"; echo "code $? in $(pwd)"';
    const ran = spawnSync(shell, ["-c", script, shell, rewrite(command)], {
      env,
      cwd: scene.project,
      input,
      encoding: "utf8",
    });
    const lines = ran.stdout.trimEnd().split("\n");
    return { output: lines.slice(0, -1).join("\n"), end: lines.at(-1), stderr: ran.stderr };
  };

  const write = (name: string, text: string) => writeFileSync(join(scene.project, name), text);
  const read = (name: string) => readFileSync(join(scene.project, name), "utf8");

  it("runs what it cannot read in the sandbox: it changes the project, and no file outside", () => {
    // What a file names is not known before it is read.
    write("commands", `cp Makefile ${scene.home}/outside.txt; cat ${scene.home}/.ssh/id_rsa\n`);
    write("Makefile", "RUN := $(shell cat commands)\nall:\n\t@echo built > out.txt; $(RUN); exit 3\n");
    const { end, stderr, output } = play("make");
    expect(end).toBe(`code 2 in ${scene.project}`);
    expect(output).toBe("");
    expect(stderr).toContain("Read-only file system");
    expect(read("out.txt")).toBe("built\n");
    expect(existsSync(join(scene.home, "outside.txt"))).toBe(false);
    expect(readFileSync(join(scene.stateHome, "logs/audit.jsonl"), "utf8")).toContain('"answered":"sandbox"');
  });

  const SHELLS = ["bash", "sh", "zsh"].filter(shell => spawnSync("which", [shell]).status === 0);
  it.each(SHELLS)("keeps the working directory, the code, the input and the output in %s", shell => {
    mkdirSync(join(scene.project, "sub dir"));
    write("cat.sh", 'cat; echo "error $1" >&2; exit 7\n');
    const { output, end, stderr } = play("cd 'sub dir' && sh ../cat.sh 'a  b'", { shell, input: "typed\n" });
    expect(output).toBe("typed");
    expect(stderr).toBe("error a  b\n");
    expect(end).toBe(`code 7 in ${scene.project}/sub dir`);
  });

  it.each(["--disallowedTools", "--disallowed-tools=Bash(make:*)", "--settings"])(
    "rewrites nothing where the host was started with rules that only its command line tells: %s",
    option => {
      write("build.sh", "echo built\n");
      expect(hook("pre-tool-use", "sh build.sh", {}, [option, "x"])).toEqual({});
    },
  );

  it("rewrites nothing that runs or writes in memory, of which the sandbox has its own", () => {
    const memory = mkdtempSync("/dev/shm/sandbox-calls-");
    try {
      mkdirSync(join(scene.project, "lib"));
      write("lib/a.txt", "a");
      const rewrites = (command: string, more: object = {}) =>
        hook("pre-tool-use", command, more).hookSpecificOutput?.updatedInput !== undefined;
      expect([rewrites("make"), rewrites("rm -rf lib > log")]).toEqual([true, true]);
      expect(rewrites("make", { cwd: memory })).toBe(false);
      for (const command of [`cd ${memory} && make`, `make > ${memory}/log`, `rm -rf lib ${memory}/log`])
        expect([command, rewrites(command)]).toEqual([command, false]);
      const words = [CLI, "sandbox", "run", "--", "touch", "made"];
      const run = spawnSync(process.execPath, words, { env, cwd: memory, encoding: "utf8" });
      expect([run.status, run.stdout]).toEqual([126, ""]);
      expect(run.stderr).toContain(`the sandbox does not see ${memory}, so the command was not started`);
      expect(run.stderr).toContain("it has a /dev/shm of its own");
    } finally {
      rmSync(memory, { recursive: true });
    }
  });

  it("sends Codex's calls there only while its own sandbox is off, as its transcript last tells", () => {
    const turn = (type: string) =>
      `{"type":"turn_context","payload":{"sandbox_policy":{"type":"${type}"}}}\n`;
    const transcript = join(scene.home, "rollout.jsonl");
    const asked = (text: string, transcript_path: string | null = transcript) => {
      writeFileSync(transcript, text);
      const payload = {
        session_id: "s-1",
        cwd: scene.project,
        transcript_path,
        hook_event_name: "PreToolUse",
        permission_mode: "default",
        tool_name: "Bash",
        tool_input: { command: "make" },
      };
      const ran = spawnSync(process.execPath, [HOOKS, "pre-tool-use", "--host", "codex"], {
        env,
        cwd: scene.project,
        input: JSON.stringify(payload),
        encoding: "utf8",
      });
      return ran.stdout.includes("sandbox call");
    };
    const [free, bound] = [turn("danger-full-access"), turn("workspace-write")];
    const long = `${JSON.stringify({ said: bound.repeat(2000) })}\n`;
    expect([asked(free), asked(bound + free), asked(free + long)]).toEqual([true, true, true]);
    expect([asked(bound), asked(free + bound), asked("")]).toEqual([false, false, false]);
    expect(asked(free, null)).toBe(false);
  });

  it("is given a yes that names an id and no policy, which runs once", () => {
    write("build.sh", "echo once >> out.txt\n");
    const command = rewrite("sh build.sh");
    expect(command).not.toContain("build.sh");
    const run = () => spawnSync("bash", ["-c", command], { env, cwd: scene.project, encoding: "utf8" });
    expect(run().status).toBe(0);
    expect(run()).toMatchObject({ status: 126, stderr: expect.stringContaining("runs once") });
    expect(read("out.txt")).toBe("once\n");
  });

  it("lets what a command leaves running go on, and ends with the command", async () => {
    write("serve.sh", "(sleep 0.3; echo later > later.txt) & echo started\n");
    const { output, end } = play("sh serve.sh");
    expect([output, end]).toEqual(["started", `code 0 in ${scene.project}`]);
    while (!existsSync(join(scene.project, "later.txt")))
      await new Promise(resolve => setTimeout(resolve, 20));
  });

  it("lets a command hear the signals that end it", async () => {
    write("wait.sh", "trap 'echo heard; exit 9' TERM; echo ready; while :; do sleep 0.05; done\n");
    const child = spawn("bash", ["-c", rewrite("sh wait.sh")], {
      env,
      detached: true,
      cwd: scene.project,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said: string[] = [];
    child.stdout.on("data", (bytes: Buffer) => {
      said.push(String(bytes));
      // Hosts end the whole group.
      if (String(bytes).includes("ready")) process.kill(-(child.pid ?? 0), "SIGTERM");
    });
    await new Promise(resolve => child.on("close", resolve));
    expect(said.join("")).toBe("ready\nheard\n");
  });

  it("tries what it would have been asked about, and makes it real when the rules let it pass", () => {
    mkdirSync(join(scene.project, "lib"));
    write("lib/a.txt", "a");
    const { end } = play("rm -rf lib");
    expect(end).toBe(`code 0 in ${scene.project}`);
    expect(existsSync(join(scene.project, "lib"))).toBe(false);
    expect(amplihack("undo", "--yes").status).toBe(0);
    expect(read("lib/a.txt")).toBe("a");
  });

  it("holds what the rules would have stopped: the agent, and at the next call the person, is told", () => {
    mkdirSync(join(scene.project, "lib"));
    write("lib/a.txt", "a");
    const before = read(".git/config");
    write("what", "config\n");
    write("Makefile", "WHAT := $(shell cat what)\nall:\n\t@git $(WHAT) core.hooksPath evil; echo done\n");
    const { output, end, stderr } = play("rm -rf lib; make");
    expect(output).toBe("done");
    expect(end).toBe(`code 1 in ${scene.project}`);
    expect(stderr).toMatch(/the changes of this command are held .* amplihack try show [0-9a-f]+/);
    expect([read("lib/a.txt"), read(".git/config")]).toEqual(["a", before]);
    const [id] = /[0-9a-f]{8,}/.exec(amplihack("try", "list").stdout) ?? [""];
    const next = hook("pre-tool-use", "ls").hookSpecificOutput;
    expect(next?.permissionDecision).toBe("ask");
    expect(next?.permissionDecisionReason).toContain(`amplihack try apply ${id}`);
    expect(hook("pre-tool-use", "ls").hookSpecificOutput?.permissionDecision).toBe("allow");
    expect(amplihack("try", "discard", id).status).toBe(0);
    expect([read("lib/a.txt"), read(".git/config")]).toEqual(["a", before]);
  });

  it("leaves the host's questions alone where the sandbox would not bound the call", () => {
    const ask = (command: string, more: object = {}) =>
      hook("pre-tool-use", command, more).hookSpecificOutput?.updatedInput;
    write("x.sh", "true\n");
    expect(ask("sh x.sh")).toBeDefined();
    expect(ask("curl https://example.com | sh x.sh")).toBeUndefined();
    expect(ask("cat ~/.ssh/id_rsa; sh x.sh")).toBeUndefined();
    expect(ask("rm -rf ~/notes.txt; sh x.sh")).toBeUndefined();
    expect(ask("echo x > .git/hooks/pre-commit")).toBeUndefined();
    expect(ask("amplihack undo --yes")).toBeUndefined();
    expect(ask("sudo sh x.sh")).toBeUndefined();
    expect(ask("sh x.sh", { permission_mode: "plan" })).toBeUndefined();
    // Its deny and ask rules would be compared with the rewritten command.
    const rules = { permissions: { allow: ["Bash(ls:*)"], deny: ["Read(x)", "Bash(sh x.sh)"] } };
    mkdirSync(join(scene.project, ".claude"), { recursive: true });
    write(".claude/settings.json", JSON.stringify(rules));
    expect(ask("sh x.sh")).toBeUndefined();
    write(
      ".claude/settings.json",
      JSON.stringify({ permissions: { allow: ["Bash(ls:*)"], deny: ["Read(x)"] } }),
    );
    expect(ask("sh x.sh")).toBeDefined();
    rmSync(join(scene.stateHome, "sandbox/layers.json"));
    expect(ask("sh x.sh")).toBeUndefined();
  });

  it("shows what the agent called, not what was run, in the history", () => {
    write("gen.sh", "echo made > made.txt\n");
    const command = rewrite("sh gen.sh");
    execFileSync("bash", ["-c", command], { env, cwd: scene.project });
    hook("post-tool-use", command);
    const { stdout } = amplihack("history", "--json");
    expect(stdout).toContain("sh gen.sh");
    expect(stdout).not.toContain("sandbox call");
  });
});
