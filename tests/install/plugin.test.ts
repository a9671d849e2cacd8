import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildProgram, LaunchMachine } from "../launcher/launch-machine.ts";

const program = buildProgram();

/** A plugin with hooks and a file of its own, in a directory of its own. */
function makePlugin(machine: LaunchMachine, name = "helper", version = "1.0.0"): string {
  const directory = join(machine.home, "sources", name);
  machine.write(join(directory, ".claude-plugin/plugin.json"), JSON.stringify({ name, version }));
  machine.write(join(directory, "hooks/hooks.json"), JSON.stringify({ hooks: { Stop: [] } }));
  machine.write(join(directory, "commands/hello.md"), "hello");
  return directory;
}

function copyOf(machine: LaunchMachine, name: string): string {
  return join(machine.home, ".amplihack/.claude/plugins", name);
}

describe("plugin install", () => {
  it("copies a directory", () => {
    const machine = new LaunchMachine(program);
    const { code, stdout } = machine.run("plugin", "install", makePlugin(machine));
    expect(code).toBe(0);
    expect(stdout).toContain("helper 1.0.0 is installed");
    expect(readFileSync(join(copyOf(machine, "helper"), "commands/hello.md"), "utf8")).toBe("hello");
  });

  it("clones a repository, without its history", () => {
    const machine = new LaunchMachine(program);
    const source = makePlugin(machine);
    const git = (...words: string[]) =>
      spawnSync("git", ["-C", source, "-c", "user.name=n", "-c", "user.email=e@example.com", ...words], {
        env: machine.env,
      });
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "-m", "plugin");
    expect(machine.run("plugin", "install", `file://${source}`).code).toBe(0);
    expect(readdirSync(copyOf(machine, "helper")).sort()).toEqual([".claude-plugin", "commands", "hooks"]);
  });

  it("replaces one that is there only with --force", () => {
    const machine = new LaunchMachine(program);
    machine.run("plugin", "install", makePlugin(machine));
    machine.write(join(copyOf(machine, "helper"), "old"), "");
    const again = machine.run("plugin", "install", makePlugin(machine, "helper", "2.0.0"));
    expect(again.code).toBe(1);
    expect(again.stderr).toContain("--force");
    expect(existsSync(join(copyOf(machine, "helper"), "old"))).toBe(true);
    expect(machine.run("plugin", "install", "--force", makePlugin(machine, "helper", "2.0.0")).code).toBe(0);
    expect(existsSync(join(copyOf(machine, "helper"), "old"))).toBe(false);
  });

  it("keeps links inside of the plugin and refuses those that lead out of it", () => {
    const machine = new LaunchMachine(program);
    const source = makePlugin(machine);
    symlinkSync(join(source, "commands/hello.md"), join(source, "commands/link.md"));
    expect(machine.run("plugin", "install", source).code).toBe(0);
    const link = join(copyOf(machine, "helper"), "commands/link.md");
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(link, "utf8")).toBe("hello");
    symlinkSync("/etc/passwd", join(source, "evil"));
    const { code, stderr } = machine.run("plugin", "install", "--force", source);
    expect(code).toBe(1);
    expect(stderr).toContain("points out of the plugin");
    expect(existsSync(link)).toBe(true);
  });

  it.each([
    ["no manifest", undefined],
    ["a name with a path in it", { name: "../up", version: "1" }],
    ["no version", { name: "helper" }],
    ["no object", []],
  ])("refuses a plugin with %s", (_, manifest) => {
    const machine = new LaunchMachine(program);
    const source = join(machine.home, "source");
    mkdirSync(source);
    if (manifest !== undefined) machine.write(join(source, "plugin.json"), JSON.stringify(manifest));
    expect(machine.run("plugin", "install", source).code).toBe(1);
    expect(existsSync(join(machine.home, ".amplihack/.claude/plugins"))).toBe(false);
  });
});

describe("plugin link, verify, list and uninstall", () => {
  it("switch it on in the settings, tell so, and take it back", () => {
    const machine = new LaunchMachine(program);
    const before = '{\n  // mine\n  "model": "x"\n}\n';
    const settings = machine.write(join(machine.home, ".claude/settings.json"), before);
    machine.run("plugin", "install", makePlugin(machine));
    expect(machine.run("plugin", "verify", "helper").code).toBe(1);
    expect(machine.run("plugin", "link", "helper").code).toBe(0);
    expect(readFileSync(settings, "utf8")).toContain('"helper": true');
    expect(readFileSync(settings, "utf8")).toContain("// mine");
    expect(machine.run("plugin", "link", "helper").stdout).toContain("already");
    const verified = machine.run("plugin", "verify", "helper", "--format", "json");
    expect(verified.code).toBe(0);
    expect(JSON.parse(verified.stdout)).toMatchObject({
      installed: true,
      discoverable: true,
      hooks_loaded: true,
    });
    expect(JSON.parse(machine.run("plugin", "list", "--format", "json").stdout)).toMatchObject([
      { name: "helper", version: "1.0.0", discoverable: true },
    ]);
    expect(machine.run("plugin", "uninstall", "helper").code).toBe(0);
    expect(existsSync(copyOf(machine, "helper"))).toBe(false);
    expect(readFileSync(settings, "utf8")).not.toContain("helper");
    const again = machine.run("plugin", "uninstall", "helper");
    expect([again.code, again.stdout]).toEqual([1, ""]);
    expect(again.stderr).toContain("the plugin helper is not installed");
  });

  it("understand settings that hold a list, or switch it off", () => {
    const machine = new LaunchMachine(program);
    machine.run("plugin", "install", makePlugin(machine));
    const path = join(machine.home, ".claude/settings.json");
    machine.write(path, '{"enabledPlugins":["other"]}');
    machine.run("plugin", "link", "helper");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ enabledPlugins: ["helper", "other"] });
    machine.write(path, '{"enabledPlugins":{"helper":false}}');
    machine.run("plugin", "link", "helper");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ enabledPlugins: { helper: true } });
  });

  it("leave settings that are no JSON as they are", () => {
    const machine = new LaunchMachine(program);
    machine.run("plugin", "install", makePlugin(machine));
    const path = machine.write(join(machine.home, ".claude/settings.json"), "{ oops");
    expect(machine.run("plugin", "link", "helper").code).toBe(1);
    expect(readFileSync(path, "utf8")).toBe("{ oops");
  });

  it("do not link what is not installed", () => {
    expect(new LaunchMachine(program).run("plugin", "link").code).toBe(1);
  });
});

describe("mode", () => {
  function withPlugin(): LaunchMachine {
    const machine = new LaunchMachine(program);
    machine.run("plugin", "install", makePlugin(machine, "amplihack"));
    machine.run("plugin", "link");
    return machine;
  }
  const detect = (machine: LaunchMachine): string => machine.run("mode", "detect").stdout.trim();

  it("is none, plugin or local", () => {
    expect(detect(new LaunchMachine(program))).toBe("none");
    const machine = withPlugin();
    expect(detect(machine)).toBe("plugin");
    expect(machine.run("mode", "to-local").code).toBe(0);
    expect(detect(machine)).toBe("local");
    expect(machine.run("mode", "to-plugin").code).toBe(0);
    expect(detect(machine)).toBe("plugin");
  });

  it("keeps what the user wrote or changed", () => {
    const machine = withPlugin();
    const own = machine.write(join(machine.project, ".claude/commands/hello.md"), "my own");
    const toLocal = machine.run("mode", "to-local");
    expect(toLocal.stdout).toContain("kept as it is: .claude/commands/hello.md");
    expect(readFileSync(own, "utf8")).toBe("my own");
    const changed = machine.write(join(machine.project, ".claude/hooks/hooks.json"), '{"hooks":{}}');
    const mine = machine.write(join(machine.project, ".claude/mine.md"), "mine");
    expect(machine.run("mode", "to-plugin").stdout).toContain("kept as it is: .claude/hooks/hooks.json");
    expect(readFileSync(changed, "utf8")).toBe('{"hooks":{}}');
    expect(readFileSync(own, "utf8")).toBe("my own");
    expect(readFileSync(mine, "utf8")).toBe("mine");
    expect(existsSync(join(machine.project, ".claude/.claude-plugin"))).toBe(false);
  });

  it("refuses when both are there, unless forced", () => {
    const machine = withPlugin();
    machine.run("mode", "to-local");
    machine.run("plugin", "install", makePlugin(machine, "amplihack"));
    expect(machine.run("mode", "to-plugin").code).toBe(1);
    expect(machine.run("mode", "to-local").code).toBe(1);
    expect(machine.run("mode", "to-plugin", "--force").code).toBe(0);
    expect(detect(machine)).toBe("plugin");
  });

  it("has nothing to convert where nothing is", () => {
    expect(new LaunchMachine(program).run("mode", "to-plugin").code).toBe(1);
    expect(new LaunchMachine(program).run("mode", "to-local").code).toBe(1);
  });
});
