import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { install } from "../../src/install/install.ts";
import { uninstall } from "../../src/install/uninstall.ts";
import { createMemorySystem } from "../../src/system/memory.ts";
import { version } from "../../src/version.ts";
import {
  createQuickSandbox,
  createSandbox,
  INSTALL,
  makeQuickPackage,
  PACKAGE,
  systemIn,
  UNINSTALL,
} from "./sandbox.ts";

const CLAUDE = { ...INSTALL, hosts: ["claude-code"] } as const;
const QUICK = makeQuickPackage();
const STAGED = ".amplihack/.claude/bin/amplihack-hooks";

describe("the staged programs", () => {
  it("are a hook program that answers a host and a command line that knows its version", async () => {
    const sandbox = createSandbox();
    const { binary } = await install(sandbox.system, PACKAGE, CLAUDE);
    expect(binary).toBe(join(sandbox.home, STAGED));
    const answer = execFileSync(binary, ["notification"], {
      input: "{}",
      env: sandbox.env,
      cwd: sandbox.project,
    });
    expect(JSON.parse(answer.toString())).toEqual({});
    const command = join(sandbox.home, ".amplihack/.claude/bin/amplihack");
    expect(execFileSync(command, ["--version"]).toString()).toBe(`amplihack ${version}\n`);
    expect(readFileSync(join(sandbox.home, ".amplihack/.installed-version"), "utf8")).toBe(version);
    expect(
      statSync(join(sandbox.home, ".amplihack/.claude/install/amplihack-manifest.json")).mode & 0o777,
    ).toBe(0o600);
  });

  it("are not replaced by ones that do not work", async () => {
    const sandbox = createSandbox();
    await install(sandbox.system, PACKAGE, CLAUDE);
    const before = sandbox.snapshot();
    const broken = { ...PACKAGE, version: "9.9.9" };
    await expect(install(sandbox.system, broken, CLAUDE)).rejects.toThrow(
      /does not work, so nothing was installed/,
    );
    expect(sandbox.snapshot()).toEqual(before);
  });

  it("quote a home with blanks and quotes in it", async () => {
    const sandbox = createSandbox();
    const home = join(sandbox.root, `it's a "home"`);
    mkdirSync(home);
    const env = { ...sandbox.env, HOME: home };
    await install(systemIn(sandbox.project, env), PACKAGE, CLAUDE);
    const { hooks } = JSON.parse(readFileSync(join(home, ".claude/settings.json"), "utf8")) as {
      hooks: Record<string, { hooks: { command: string }[] }[]>;
    };
    const command = hooks["Stop"]?.[0]?.hooks[0]?.command ?? "";
    const answer = execFileSync("/bin/sh", ["-c", command], { input: "{}", env, cwd: sandbox.project });
    expect(JSON.parse(answer.toString())).toMatchObject({});
    expect(await install(systemIn(sandbox.project, env), PACKAGE, CLAUDE)).toMatchObject({
      hosts: [{ status: "unchanged" }],
    });
  });

  it("never lie in a home that the project supplies", async () => {
    const sandbox = createSandbox();
    const env = { ...sandbox.env, AMPLIHACK_HOME: join(sandbox.project, "home") };
    const { binary } = await install(systemIn(sandbox.project, env), PACKAGE, CLAUDE);
    expect(binary).toBe(join(sandbox.home, STAGED));
    const elsewhere = { ...sandbox.env, AMPLIHACK_HOME: join(sandbox.root, "state") };
    const same = await install(systemIn(sandbox.project, elsewhere), PACKAGE, CLAUDE);
    expect(same.binary).toBe(join(sandbox.home, STAGED));
  });
});

describe("what decides", () => {
  it("comes from where the program was installed, not from a home that the caller or a repository names", async () => {
    const sandbox = createSandbox();
    const { binary } = await install(systemIn(sandbox.project, sandbox.env), PACKAGE, CLAUDE);
    const lax = '{"guard": {"level": "relaxed", "rules": {"*": "allow"}}}';
    sandbox.write("project/evil/.amplihack/config.jsonc", lax, 0o600);
    sandbox.write("project/evil/config.jsonc", lax, 0o600);
    const evil = join(sandbox.project, "evil");
    const input = JSON.stringify({
      hook_event_name: "PreToolUse",
      tool_name: "Bash",
      // Wherever the home is: this repository is not only here.
      tool_input: { command: "git push --force https://git.example/app.git main" },
      cwd: sandbox.project,
    });
    for (const more of [{}, { HOME: evil }, { AMPLIHACK_HOME: evil }, { HOME: evil, AMPLIHACK_HOME: evil }]) {
      const env = { ...sandbox.env, ...more };
      const answer = execFileSync(binary, ["pre-tool-use"], { input, env, cwd: sandbox.project }).toString();
      expect(answer, JSON.stringify(more)).toContain('"permissionDecision":"deny"');
    }
  });
});

describe("the engine behind them", () => {
  const files = {
    "/opt/amplihack/dist/bin/amplihack-hooks.cjs": "hooks",
    "/opt/amplihack/dist/bin/amplihack.cjs": "cli",
    "/opt/amplihack/dist/bin/hook-entries": { kind: "directory" },
    "/opt/amplihack/dist/native/amplihack-hooks": { content: "native", mode: 0o755 },
  } as const;
  const pkg = { root: "/opt/amplihack", version, node: "/usr/bin/node", isEphemeral: false };
  const boot = (env: Readonly<Record<string, string>>, seed: object = files) =>
    createMemorySystem({
      files: seed as typeof files,
      env: { HOME: "/home/user", PATH: "/usr/bin", ...env },
      run: () => ({ stdout: `amplihack-hooks ${version}\n` }),
    });

  it.each([
    [{}, "native", "native"],
    [{ AMPLIHACK_HOOK_ENGINE: "native" }, "native", "native"],
    [{ AMPLIHACK_HOOK_ENGINE: "node" }, "node", "#!/bin/sh"],
  ])("by %j is %s", async (env, engine, content) => {
    const system = boot(env);
    expect(await install(system, pkg, CLAUDE)).toMatchObject({ engine });
    expect(system.peek(`/home/user/${STAGED}`)).toMatch(new RegExp(`^${content}`));
  });

  it.each(["/opt/amplihack/node_modules", "/opt"])(
    "is found in the package of the platform in %s",
    async folder => {
      const { "/opt/amplihack/dist/native/amplihack-hooks": native, ...others } = files;
      const system = boot(
        {},
        { ...others, [`${folder}/amplihack-${process.platform}-${process.arch}/amplihack-hooks`]: native },
      );
      expect(await install(system, pkg, CLAUDE)).toMatchObject({ engine: "native" });
    },
  );

  describe("when the package of the platform has another version", () => {
    const { "/opt/amplihack/dist/native/amplihack-hooks": native, ...others } = files;
    const folder = `/opt/amplihack-${process.platform}-${process.arch}`;
    const upgraded = {
      ...others,
      [`${folder}/amplihack-hooks`]: native,
      [`${folder}/package.json`]: JSON.stringify({ version: "0.0.1" }),
    };
    const told = `${folder}/amplihack-hooks belongs to amplihack 0.0.1, not ${version}`;

    it("is Node, and that is told with the way to have it again", async () => {
      const report = await install(boot({}, upgraded), pkg, CLAUDE);
      expect(report).toMatchObject({ success: true, engine: "node" });
      expect(report.warnings.join("\n")).toContain(told);
      expect(report.warnings.join("\n")).toContain(`npm install ${folder.slice(5)}@${version}`);
    });

    it("is Node without a word for those who asked for it", async () => {
      const report = await install(boot({ AMPLIHACK_HOOK_ENGINE: "node" }, upgraded), pkg, CLAUDE);
      expect(report).toMatchObject({ engine: "node", warnings: [] });
    });

    it("is an error for those who asked for the native one", async () => {
      const system = boot({ AMPLIHACK_HOOK_ENGINE: "native" }, upgraded);
      await expect(async () => install(system, pkg, CLAUDE)).rejects.toMatchObject({ causes: [told] });
      expect(system.peek("/home/user/.claude/settings.json")).toBeUndefined();
    });
  });

  it("is an error when it is unknown, not built, or named and not there", async () => {
    const { "/opt/amplihack/dist/native/amplihack-hooks": _, ...withoutNative } = files;
    await expect(async () => install(boot({ AMPLIHACK_HOOK_ENGINE: "rust" }), pkg, CLAUDE)).rejects.toThrow(
      /AMPLIHACK_HOOK_ENGINE is not usable: expected node or native|AMPLIHACK_HOOK_ENGINE is not usable/,
    );
    await expect(async () =>
      install(boot({ AMPLIHACK_HOOK_ENGINE: "native" }, withoutNative), pkg, CLAUDE),
    ).rejects.toThrow(/not built/);
    await expect(async () =>
      install(boot({ AMPLIHACK_AMPLIHACK_HOOKS_BIN: "/nope" }), pkg, CLAUDE),
    ).rejects.toThrow(/AMPLIHACK_AMPLIHACK_HOOKS_BIN does not point to an executable file/);
    const nothing = boot({}, { "/opt/amplihack/x": "" });
    await expect(async () => install(nothing, pkg, CLAUDE)).rejects.toThrow(/was not found/);
    expect(nothing.peek("/home/user/.claude/settings.json")).toBeUndefined();
  });

  it("may be a program that the user names; hooks it does not know are not registered", async () => {
    const sandbox = createSandbox();
    const program = sandbox.write(
      "bin/other-hooks",
      '#!/bin/sh\ncase "$1" in stop|pre-tool-use|--version) echo "{}";; *) exit 1;; esac\n',
      0o755,
    );
    const env = { ...sandbox.env, AMPLIHACK_AMPLIHACK_HOOKS_BIN: program };
    const report = await install(systemIn(sandbox.project, env), PACKAGE, CLAUDE);
    expect(report).toMatchObject({ engine: "given", hosts: [{ events: ["Stop", "PreToolUse"] }] });
    expect(execFileSync(report.binary, ["stop"]).toString()).toBe("{}\n");
  });
});

describe("a package that will not stay where it is", () => {
  const root = "/home/user/.npm/_npx/abc/node_modules/amplihack";
  const manifest = JSON.stringify({ name: "amplihack", dependencies: { a: "1" } });
  const files = {
    [`${root}/package.json`]: manifest,
    [`${root}/dist/bin/amplihack-hooks.cjs`]: "hooks",
    [`${root}/dist/bin/amplihack.cjs`]: "cli",
    [`${root}/dist/bin/hook-entries/stop.cjs.x64.cache`]: "compiled",
    [`${root}/dist/bin/hook-entries/readme`]: "one file per hook",
    [`${root}/node_modules/a/package.json`]: JSON.stringify({ name: "a", dependencies: { b: "1" } }),
    [`${root}/../b/package.json`]: JSON.stringify({ name: "b", optionalDependencies: { c: "1" } }),
    [`${root}/../b/index.js`]: "b",
    [`${root}/../unrelated/package.json`]: "{}",
  };
  const pkg = { root, version, node: "/usr/bin/node", isEphemeral: true };

  it("is copied with what it needs, and hosts start the copy", async () => {
    const system = createMemorySystem({
      files,
      env: { HOME: "/home/user", PATH: "/usr/bin" },
      run: () => ({ stdout: `amplihack-hooks ${version}\n` }),
    });
    const copy = `/home/user/.amplihack/versions/${version}`;
    const dry = await install(system, pkg, { ...CLAUDE, isDryRun: true });
    expect(dry.package_copy).toBe(copy);
    expect(dry.changes.map(change => change.path)).toEqual([
      "/home/user/.claude/settings.json",
      `/home/user/${STAGED}`,
      "/home/user/.amplihack/.claude/bin/amplihack",
      "/home/user/.local/bin/amplihack",
      "/home/user/.local/bin/amplihack-hooks",
    ]);
    expect(system.files.inspect("/home/user/.amplihack")).toBeUndefined();
    await install(system, pkg, CLAUDE);
    expect(system.peek(`${copy}/dist/bin/amplihack-hooks.cjs`)).toBe("hooks");
    expect(system.peek(`${copy}/node_modules/a/package.json`)).toBeDefined();
    expect(system.peek(`${copy}/node_modules/b/index.js`)).toBe("b");
    expect(system.peek(`${copy}/node_modules/unrelated/package.json`)).toBeUndefined();
    expect(system.peek(`/home/user/${STAGED}`)).toContain(`${copy}/dist/bin/amplihack-hooks.cjs`);
    expect(system.peek(`/home/user/${STAGED}`)).not.toContain("_npx");

    const again = await install(system, pkg, { ...CLAUDE, isDryRun: true });
    expect(again).not.toHaveProperty("package_copy");
    expect(again.changes).toEqual([]);
    const changes = system.calls.length;
    await install(system, pkg, CLAUDE);
    const written = system.calls.slice(changes).filter(call => call.operation === "createExclusive");
    expect(written.map(call => call.path)).toEqual([]);
    await uninstall(system, UNINSTALL);
    expect(system.files.inspect("/home/user/.amplihack")).toBeUndefined();
  });
});

describe("framework files from a folder", () => {
  it("are staged, kept when changed by hand, and taken back", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write("checkout/.claude/agents/builder.md", "build");
    sandbox.write("checkout/.claude/settings.json", "{}");
    sandbox.write("checkout/.claude/bin/evil", "x", 0o755);
    sandbox.write("checkout/amplifier-bundle/bundle.md", "bundle");
    const request = { ...CLAUDE, assets: join(sandbox.root, "checkout") };
    await install(sandbox.system, QUICK, request);
    expect(sandbox.read("home/.amplihack/.claude/agents/builder.md")).toBe("build");
    expect(sandbox.read("home/.amplihack/amplifier-bundle/bundle.md")).toBe("bundle");
    expect(existsSync(join(sandbox.home, ".amplihack/.claude/bin/evil"))).toBe(false);

    sandbox.write("home/.amplihack/.claude/agents/builder.md", "mine");
    sandbox.write("checkout/.claude/agents/builder.md", "build better");
    const second = await install(sandbox.system, QUICK, request);
    expect(second.warnings).toEqual([expect.stringMatching(/builder\.md was changed by hand and is kept/)]);
    expect(sandbox.read("home/.amplihack/.claude/agents/builder.md")).toBe("mine");
    const { kept } = await uninstall(sandbox.system, UNINSTALL);
    expect(kept).toEqual([join(sandbox.home, ".amplihack/.claude/agents/builder.md")]);
    expect(existsSync(join(sandbox.home, ".amplihack/amplifier-bundle"))).toBe(false);
  });

  it("are refused from a folder that has none", async () => {
    const sandbox = createQuickSandbox();
    mkdirSync(join(sandbox.root, "empty"));
    const request = { ...CLAUDE, assets: join(sandbox.root, "empty") };
    await expect(install(sandbox.system, QUICK, request)).rejects.toThrow(
      /neither amplifier-bundle\/ nor \.claude\//,
    );
    expect(sandbox.snapshot()).toEqual({});
  });

  it("make a bundle known to Amplifier, once", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write("checkout/amplifier-bundle/bundle.md", "bundle");
    const log = join(sandbox.root, "log");
    sandbox.write(
      "bin/amplifier",
      `#!/bin/sh\necho "$@" >> '${log}'\n[ "$2" = list ] && [ -e '${log}.added' ] && echo 'amplihack  local'\n[ "$2" = add ] && touch '${log}.added'\nexit 0\n`,
      0o755,
    );
    const request = { ...INSTALL, assets: join(sandbox.root, "checkout") };
    const first = await install(sandbox.system, QUICK, request);
    expect(first.hosts).toMatchObject([{ host: "amplifier-shell", status: "registered" }]);
    await install(sandbox.system, QUICK, request);
    await uninstall(sandbox.system, UNINSTALL);
    expect(readFileSync(log, "utf8").trim().split("\n")).toEqual([
      "bundle list",
      `bundle add ${join(sandbox.home, ".amplihack/amplifier-bundle")}`,
      "bundle list",
      "bundle list",
      "bundle remove amplihack",
    ]);
  });
});
