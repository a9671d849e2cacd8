import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import type { HostId } from "../../src/exports/hosts.ts";
import { describeAge, examine, findLastFired } from "../../src/install/doctor/doctor.ts";
import { repair } from "../../src/install/doctor/fix.ts";
import { checkHookProgram, findRepair } from "../../src/install/doctor/machine.ts";
import { install } from "../../src/install/install.ts";
import { listHooks } from "../../src/install/list-hooks.ts";
import { versionStampPath } from "../../src/install/package.ts";
import { askVersion } from "../../src/install/targets.ts";
import { hookWrapper } from "../../src/install/user-commands.ts";
import { STOCK_HOOKS } from "../../src/protocol/stock-hooks.ts";
import {
  createQuickSandbox,
  createSandbox,
  INSTALL,
  makeQuickPackage,
  PACKAGE,
  type Sandbox,
  systemIn,
} from "./sandbox.ts";

const QUICK = makeQuickPackage(STOCK_HOOKS.map(({ name }) => name));
const STAGED = "home/.amplihack/.claude/bin/amplihack-hooks";

const placesOf = ({ home, project }: Sandbox) => ({
  home,
  stateHome: join(home, ".amplihack"),
  projectRoot: project,
});

async function installed(hosts: readonly HostId[], { isTrustAgreed = true } = {}): Promise<Sandbox> {
  const sandbox = createQuickSandbox();
  await install(sandbox.system, QUICK, { ...INSTALL, hosts, isTrustAgreed });
  return sandbox;
}

const look = (sandbox: Sandbox, pkg = QUICK, probeTimeoutMs?: number) =>
  examine(sandbox.system, placesOf(sandbox), pkg, {
    hosts: undefined,
    nodeVersion: process.versions.node,
    self: "/nowhere",
    ...(probeTimeoutMs === undefined ? {} : { probeTimeoutMs }),
  });

/** What is wrong, without what the machine of the test brings along. */
async function problems(sandbox: Sandbox): Promise<readonly string[]> {
  return relevant((await look(sandbox)).checks);
}

function relevant(checks: Awaited<ReturnType<typeof look>>["checks"]): readonly string[] {
  return checks
    .filter(
      ({ status, id }) =>
        status !== "pass" && /^(registered|hooks|armed|probe|double|configuration)/.test(id),
    )
    .map(({ status, message }) => `${status}: ${message}`);
}

function edit(sandbox: Sandbox, name: string, change: (text: string) => string): void {
  const before = sandbox.read(name);
  const after = change(before);
  expect(after, `the test changes ${name}`).not.toBe(before);
  sandbox.write(name, after);
}

describe("a settings file that its host passes over", () => {
  it("fails, because no hook of it runs", async () => {
    const sandbox = await installed(["claude-code"]);
    edit(sandbox, "home/.claude/settings.json", text => `// mine\n${text}`);
    expect((await problems(sandbox)).join("\n")).toContain("fail: claude-code: no hook runs");
  });

  it("fails for Codex, too", async () => {
    const sandbox = await installed(["codex"]);
    edit(sandbox, "home/.codex/hooks.json", text => `${text}// mine\n`);
    expect((await problems(sandbox)).join("\n")).toContain("fail: codex: no hook runs");
  });
});

describe("a healthy installation", () => {
  it("has nothing to complain about, on any host", async () => {
    const hosts = [
      "claude-code",
      "codex",
      "gemini-cli",
      "opencode",
      "pi",
      "amplifier-shell",
      "qwen-code",
      "factory-droid",
      "windsurf",
      "cline",
      "kiro",
      "augment",
      "goose",
    ] as const;
    const sandbox = createSandbox();
    await install(sandbox.system, PACKAGE, { ...INSTALL, hosts, isTrustAgreed: true });
    const { checks } = await look(sandbox, PACKAGE);
    expect(relevant(checks)).toEqual([]);
    expect(checks.filter(({ id }) => id.startsWith("probe."))).toHaveLength(13);
    expect(checks.every(({ message }) => message.length <= 200)).toBe(true);
  });
});

describe("hooks that are there but would not fire", () => {
  const CLAUDE = "home/.claude/settings.json";

  it.each<readonly [string, HostId, string, (text: string) => string, RegExp]>([
    [
      "a wrong event name",
      "claude-code",
      CLAUDE,
      text => text.replace('"PreToolUse"', '"preToolUse"'),
      /fail: .*preToolUse never fires there: the event is called PreToolUse/,
    ],
    [
      "a missing event",
      "claude-code",
      CLAUDE,
      text => text.replace('"PreToolUse"', '"Elicitation"'),
      /fail: .*pre-tool-use is not registered on PreToolUse/,
    ],
    [
      "a narrowed matcher",
      "claude-code",
      CLAUDE,
      text => text.replace('"matcher": "*"', '"matcher": "Edit"'),
      /fail: .*sees only what matches Edit/,
    ],
    [
      "milliseconds for seconds",
      "claude-code",
      CLAUDE,
      text => text.replace('"timeout": 10', '"timeout": 10000'),
      /warn: .*10000 seconds there; milliseconds were meant/,
    ],
    [
      "seconds for milliseconds",
      "gemini-cli",
      "home/.gemini/settings.json",
      text => text.replace('"timeout": 10000', '"timeout": 10'),
      /fail: .*10 milliseconds there/,
    ],
    [
      "too little time",
      "gemini-cli",
      "home/.gemini/settings.json",
      text => text.replace('"timeout": 120000', '"timeout": 2000'),
      /warn: .*less than the hook needs/,
    ],
    [
      "a subcommand that is not there",
      "claude-code",
      CLAUDE,
      text => text.replace("amplihack-hooks stop", "amplihack-hooks stopp"),
      /fail: .*Stop calls a hook that does not exist/,
    ],
    [
      "a script of an earlier version",
      "claude-code",
      CLAUDE,
      text => text.replace(/"[^"]*amplihack-hooks stop"/, '"~/.claude/tools/amplihack/hooks/stop.py"'),
      /fail: .*Stop still calls a script/,
    ],
    [
      "all hooks switched off",
      "claude-code",
      CLAUDE,
      text => text.replace("{", '{ "disableAllHooks": true,'),
      /fail: .*no hook fires.*disableAllHooks/,
    ],
    [
      "hooks switched off in Gemini",
      "gemini-cli",
      "home/.gemini/settings.json",
      text => text.replace("{", '{ "hooksConfig": { "enabled": false },'),
      /fail: gemini-cli: hooks are switched off/,
    ],
    [
      "hooks switched off in Codex",
      "codex",
      "home/.codex/config.toml",
      text => `${text}\n[features]\nhooks = false\n`,
      /fail: codex: hooks are switched off under \[features\]/,
    ],
    [
      "a hook changed after it was trusted",
      "codex",
      "home/.codex/hooks.json",
      text => text.replace('"timeout": 120', '"timeout": 121'),
      /fail: codex: 1 of 9 hooks are not trusted/,
    ],
    [
      "an unknown member in Codex's file",
      "codex",
      "home/.codex/hooks.json",
      text => text.replace("{", '{ "version": 1,'),
      /fail: codex: .*is ignored because of "version"/,
    ],
    [
      "an event Cursor does not know",
      "cursor",
      "home/.cursor/hooks.json",
      text => text.replace('"preToolUse"', '"PreToolUse"'),
      /fail: cursor: .*is ignored because of the unknown event "PreToolUse"/,
    ],
    [
      "no version in Cursor's file",
      "cursor",
      "home/.cursor/hooks.json",
      text => text.replace('"version": 1,', ""),
      /fail: cursor: .*no "version": 1/,
    ],
    ["settings that are not JSON", "claude-code", CLAUDE, text => text.slice(1), /fail: .*cannot be read/],
  ])("are found: %s", async (_, host, file, change, expected) => {
    const sandbox = await installed([host]);
    edit(sandbox, file, change);
    const { ok, checks } = await look(sandbox);
    expect(relevant(checks)).toEqual(expect.arrayContaining([expect.stringMatching(expected)]));
    expect(ok).toBe(!expected.source.startsWith("fail"));
  });

  it("are found: a program that is not executable, is gone, or can be changed by others", async () => {
    const sandbox = await installed(["claude-code"]);
    chmodSync(join(sandbox.root, STAGED), 0o777);
    expect(await problems(sandbox)).toEqual([expect.stringMatching(/can be changed by others/)]);
    chmodSync(join(sandbox.root, STAGED), 0o644);
    expect(await problems(sandbox)).toEqual([
      expect.stringMatching(/is not executable/),
      expect.stringMatching(/fail: claude-code: .* could not be started \(EACCES\) \(and 8 more\)/),
    ]);
  });

  it("are found: a hook that answers nonsense, breaks, or does not end", async () => {
    const sandbox = await installed(["claude-code"]);
    for (const [script, expected] of [
      ["echo nonsense", /answered with something that is not a JSON object/],
      ["exit 3", /ended with code 3/],
    ] as const) {
      sandbox.write(STAGED, `#!/bin/sh\n${script}\n`, 0o755);
      expect(await problems(sandbox)).toEqual([expect.stringMatching(expected)]);
    }
    sandbox.write(STAGED, "#!/bin/sh\nsleep 60\n", 0o755);
    const { checks } = await look(sandbox, QUICK, 100);
    expect(relevant(checks)).toEqual([expect.stringMatching(/did not end in time/)]);
  });

  it("are found: hooks that Codex does not trust", async () => {
    const sandbox = await installed(["codex"], { isTrustAgreed: false });
    expect(await problems(sandbox)).toEqual(["fail: codex: 9 of 9 hooks are not trusted and never fire"]);
  });

  it("are found: two copies in one file and in two files", async () => {
    const sandbox = await installed(["claude-code"]);
    const settings = JSON.parse(sandbox.read(CLAUDE)) as { hooks: { Stop: object[] } };
    settings.hooks.Stop.push(...settings.hooks.Stop);
    sandbox.write(CLAUDE, JSON.stringify(settings));
    expect(await problems(sandbox)).toEqual(["warn: claude-code: stop runs 2 times on Stop"]);
    await install(sandbox.system, QUICK, { ...INSTALL, hosts: ["claude-code"] });
    await install(sandbox.system, QUICK, { ...INSTALL, hosts: ["claude-code"], scope: "project" });
    expect(await problems(sandbox)).toEqual([expect.stringMatching(/warn: claude-code reads both/)]);
  });
});

describe("a machine without hooks", () => {
  it("fails and says what to do; a host that is there but not registered is named", async () => {
    const sandbox = createSandbox();
    mkdirSync(join(sandbox.home, ".gemini"));
    const { ok, checks } = await look(sandbox);
    expect(ok).toBe(false);
    expect(checks).toContainEqual({
      id: "registered",
      status: "fail",
      message: "the hooks are registered with no host",
      fix: "amplihack install",
    });
    expect(checks).toContainEqual(expect.objectContaining({ id: "hooks.gemini-cli", status: "warn" }));
  });

  it("is told which host another one serves", async () => {
    const sandbox = await installed(["claude-code"]);
    mkdirSync(join(sandbox.home, ".cursor"));
    const { checks } = await look(sandbox);
    expect(checks).toContainEqual(expect.objectContaining({ id: "hooks.cursor", status: "pass" }));
  });
});

describe("an agent", () => {
  it.each(["", " >&2"])("tells its version wherever it prints it (%j)", async where => {
    const sandbox = await installed(["pi"]);
    const program = sandbox.write("bin/pi", `#!/bin/sh\necho 0.74.2${where}\n`, 0o755);
    const { checks } = await look(sandbox);
    expect(checks).toContainEqual(expect.objectContaining({ id: "agent.pi", message: "Pi 0.74.2" }));
    expect(await askVersion(sandbox.system, program)).toBe("0.74.2");
  });
});

describe("the files of Copilot CLI", () => {
  it("are looked at whether or not hooks are registered there", async () => {
    const sandbox = await installed(["claude-code"]);
    const found = async () => (await look(sandbox)).checks.filter(({ id }) => id === "copilot-config");
    expect(await found()).toEqual([]);
    sandbox.write("home/.copilot/config.json", '// mine\n{ "banner": "never" }\n');
    expect(await found()).toMatchObject([{ status: "pass" }]);
    const broken = sandbox.write("home/.copilot/settings.json", "{ nonsense");
    expect(await found()).toEqual([
      {
        id: "copilot-config",
        status: "fail",
        message: `${broken} is not valid JSON`,
        fix: `repair ${broken}`,
      },
    ]);
  });
});

describe("configuration", () => {
  it("of a rule that does not exist, or can never be loosened, warns", async () => {
    const sandbox = await installed(["claude-code"]);
    const rules = '{ "git.psh": "ask", "fs.root": "off", "git.*": "ask" }';
    sandbox.write("home/.amplihack/config.jsonc", `{ "guard": { "rules": ${rules} } }`, 0o600);
    expect(await problems(sandbox)).toEqual([
      expect.stringMatching(/warn: guard\.rules: there is no rule 'git\.psh'; did you mean git\.push\?/),
      expect.stringMatching(/warn: guard\.rules: the rule 'fs\.root' always says deny/),
    ]);
  });

  it("that is broken fails, that is ignored warns, and a policy that cannot hold everywhere is told", async () => {
    const sandbox = await installed(["claude-code"]);
    sandbox.write("home/.amplihack/config.jsonc", "{ nonsense", 0o600);
    expect(await problems(sandbox)).toEqual([expect.stringMatching(/fail: .*config\.jsonc is ignored/)]);
    sandbox.write("home/.amplihack/config.jsonc", '{ "guard": { "level": "strict", },\n  "histry" ', 0o600);
    const broken = (await look(sandbox)).checks.find(({ status }) => status === "fail");
    expect(broken?.message).toMatch(
      /config\.jsonc: not valid JSON; what can be read applies, the rest is ignored$/,
    );
    expect(broken?.fix).toMatch(/^repair .*config\.jsonc: line 2, column \d+: /);
    sandbox.write("home/.amplihack/config.jsonc", '{ "guard": { "levl": "strict" } }', 0o600);
    expect(await problems(sandbox)).toEqual([
      expect.stringMatching(/warn: .*guard\.levl is ignored: expected level/),
    ]);
    sandbox.write(
      "home/.amplihack/config.jsonc",
      '{ "unknown": 1, "failure": { "default": "closed" } }',
      0o600,
    );
    expect(await problems(sandbox)).toEqual([
      expect.stringMatching(/warn: .*config\.jsonc: unknown is ignored/),
    ]);
    const { checks } = await look(sandbox);
    expect(checks).toContainEqual(expect.objectContaining({ id: "failure-policy" }));
  });

  it("of the engine that names no engine fails", async () => {
    const sandbox = createSandbox({ AMPLIHACK_HOOK_ENGINE: "rust" });
    const { checks } = await look(sandbox);
    expect(checks).toContainEqual(expect.objectContaining({ id: "hook-engine", status: "fail" }));
  });

  it("tells which program answers the hosts, and when an installation would choose another", async () => {
    const engineCheck = async (sandbox: Sandbox) =>
      (await look(sandbox, PACKAGE)).checks.find(({ id }) => id === "hook-engine");
    const sandbox = createSandbox({ AMPLIHACK_HOOK_ENGINE: "node" });
    expect(await engineCheck(sandbox)).toMatchObject({ status: "warn", fix: "amplihack install" });
    const { program } = await install(sandbox.system, PACKAGE, { ...INSTALL, hosts: ["claude-code"] });
    expect(program).toBe(join(PACKAGE.root, "dist/bin/amplihack-hooks.cjs"));
    expect(await engineCheck(sandbox)).toEqual({
      id: "hook-engine",
      status: "pass",
      message: `hook program: on Node, ${program}`,
    });
    const own = sandbox.write("bin/own-hooks", "#!/bin/sh\necho '{}'\n", 0o755);
    const system = systemIn(sandbox.project, { ...sandbox.env, AMPLIHACK_AMPLIHACK_HOOKS_BIN: own });
    expect(await engineCheck({ ...sandbox, system })).toMatchObject({
      status: "warn",
      message: `hook program: on Node, ${program}; an installation would choose: the one you named, ${own}`,
    });
    sandbox.write("home/.amplihack/.claude/bin/amplihack-hooks", "no text of ours", 0o755);
    expect(await engineCheck(sandbox)).toMatchObject({
      status: "warn",
      message: expect.stringMatching(/^hook program: native, .*would choose: on Node, /),
    });
  });
});

describe("files of the hook program", () => {
  /** A checkout with hooks that parse and do nothing. */
  async function withCheckout() {
    const sandbox = createQuickSandbox();
    sandbox.write("checkout/.git/HEAD", "");
    const bin = "checkout/dist/bin";
    for (const { name } of STOCK_HOOKS) sandbox.write(`${bin}/hook-entries/${name}.cjs`, "(function(){})");
    const script = sandbox.write(`${bin}/amplihack-hooks.cjs`, "#!/usr/bin/env node\n0;\n");
    const source = { ...QUICK, root: join(sandbox.root, "checkout") };
    const command = [process.execPath, script];
    sandbox.write(STAGED, hookWrapper({ version: "1", command, policyOf: () => "open" }), 0o755);
    const check = () => checkHookProgram(sandbox.system, placesOf(sandbox), source);
    return { sandbox, bin, source, check };
  }

  it("that are missing or cut off fail in a checkout with the build as remedy", async () => {
    const { sandbox, bin, source, check } = await withCheckout();
    const fix = `npm --prefix ${sandbox.root}/checkout run build`;
    expect(check().status).toBe("pass");
    expect(findRepair(sandbox.system, placesOf(sandbox), source)).toBe("amplihack install");
    const entry = sandbox.write(`${bin}/hook-entries/stop.cjs`, "(function(){ const a = ");
    expect(check()).toMatchObject({ status: "fail", message: expect.stringContaining("SyntaxError"), fix });
    rmSync(entry);
    expect(check()).toMatchObject({
      status: "fail",
      message: expect.stringContaining("stop.cjs is missing"),
      fix,
    });
    expect(findRepair(sandbox.system, placesOf(sandbox), source)).toBe(fix);
    for (const { name } of STOCK_HOOKS)
      rmSync(join(sandbox.root, bin, "hook-entries", `${name}.cjs`), { force: true });
    expect(check()).toMatchObject({ status: "fail", fix });
    rmSync(join(sandbox.root, bin), { recursive: true });
    expect(check()).toMatchObject({ status: "fail", fix: expect.stringContaining("npm run build") });
  });

  it("of an installed package fail with the installation of the package as remedy", async () => {
    const { sandbox, source } = await withCheckout();
    const bin = "lib/node_modules/amplihack/dist/bin";
    const script = sandbox.write(`${bin}/amplihack-hooks.cjs`, "#!/usr/bin/env node\n0;\n");
    const command = [process.execPath, script];
    sandbox.write(STAGED, hookWrapper({ version: "1", command, policyOf: () => "open" }), 0o755);
    expect(checkHookProgram(sandbox.system, placesOf(sandbox), source)).toMatchObject({
      status: "fail",
      fix: `npm install -g amplihack@${source.version}`,
    });
  });
});

describe("when a hook last ran", () => {
  it("is read from the log of all runs, by host", async () => {
    const sandbox = await installed(["claude-code", "codex"]);
    const ts = new Date(Date.now() - 3 * 60 * 60 * 1000).toISOString();
    sandbox.write(
      "home/.amplihack/logs/runs.jsonl",
      `{"host":"claude-code","ts":"2020-01-01T00:00:00.000Z"}\n{"host":"claude-code","ts":"${ts}"}\nnonsense\n{"host":3}\n`,
    );
    expect(findLastFired(sandbox.system, placesOf(sandbox))).toEqual(new Map([["claude-code", ts]]));
    const { checks } = await look(sandbox);
    expect(checks).toContainEqual({
      id: "last-fired.claude-code",
      status: "pass",
      message: "claude-code: a hook last ran 3 hours ago",
    });
    expect(checks).toContainEqual(expect.objectContaining({ id: "last-fired.codex", status: "warn" }));
  });

  it("is told in words", () => {
    const now = Date.parse("2026-01-10T00:00:00Z");
    expect(describeAge(now, "2026-01-09T23:59:30Z")).toBe("just now");
    expect(describeAge(now, "2026-01-09T23:00:00Z")).toBe("60 minutes ago");
    expect(describeAge(now, "2026-01-01T00:00:00Z")).toBe("9 days ago");
    expect(describeAge(now, "2030-01-01T00:00:00Z")).toBe("2030-01-01T00:00:00Z");
  });
});

describe("repairing", () => {
  it("puts registrations right in their scopes and trusts Codex only where it was trusted", async () => {
    const sandbox = await installed(["claude-code", "codex"]);
    edit(sandbox, "home/.claude/settings.json", text => text.replace('"PreToolUse"', '"preToolUse"'));
    edit(sandbox, "home/.codex/hooks.json", text => text.replace('"timeout": 10', '"timeout": 9'));
    chmodSync(join(sandbox.root, STAGED), 0o644);
    await repair(sandbox.system, placesOf(sandbox), QUICK, undefined);
    expect(await problems(sandbox)).toEqual([]);

    const untrusted = await installed(["codex"], { isTrustAgreed: false });
    await repair(untrusted.system, placesOf(untrusted), QUICK, undefined);
    expect(await problems(untrusted)).toEqual([expect.stringMatching(/not trusted/)]);
  });
});

describe("the list of hooks", () => {
  it("says for every hook which host calls it and whether its program is there", async () => {
    const sandbox = await installed(["claude-code"]);
    mkdirSync(join(sandbox.home, ".codex"));
    const hooks = listHooks(sandbox.system, placesOf(sandbox));
    const program = join(sandbox.root, STAGED);
    expect(hooks).toHaveLength(10);
    expect(hooks.find(({ event }) => event === "PreToolUse")).toEqual({
      event: "PreToolUse",
      subcommand: "pre-tool-use",
      timeout: 10,
      matcher: "*",
      hosts: [
        { host: "claude-code", scope: "user", registered: true, path: program, path_ok: true },
        { host: "codex", scope: "user", registered: false, path: null, path_ok: false },
      ],
    });
    expect(hooks.find(({ event }) => event === "PostToolUseFailure")?.hosts.map(({ host }) => host)).toEqual([
      "claude-code",
    ]);
  });
});

describe("the history", () => {
  const checked = async (sandbox: Sandbox) => (await look(sandbox)).checks.find(({ id }) => id === "history");

  it("is said to be writable, with its size", async () => {
    expect(await checked(createQuickSandbox())).toEqual({
      id: "history",
      status: "pass",
      message: "the history can be written: 0 changes, 0 bytes",
    });
  });

  it("is said to be switched off, or why nothing can be kept", async () => {
    const off = createQuickSandbox();
    off.write("home/.amplihack/config.jsonc", '{"history":{"enabled":false}}');
    expect(await checked(off)).toMatchObject({
      status: "pass",
      message: expect.stringContaining("switched off"),
    });
    const blocked = createQuickSandbox();
    blocked.write("home/.amplihack/history", "a file where a folder belongs");
    expect(await checked(blocked)).toMatchObject({
      status: "fail",
      message: expect.stringContaining("what agents change cannot be kept"),
    });
  });
});

describe("the version that doctor tells", () => {
  it.each([
    ["0.0.1", /^amplihack .*, but 0\.0\.1 is installed$/, "amplihack install"],
    ["99.0.0", /^amplihack .*, but the hooks are of the newer 99\.0\.0$/, "bin/amplihack doctor"],
  ])("beside hooks of %s never advises to go back", async (stamp, message, fix) => {
    const sandbox = await installed(["claude-code"]);
    writeFileSync(versionStampPath(placesOf(sandbox)), stamp);
    const check = (await look(sandbox)).checks.find(({ id }) => id === "version");
    expect(check?.message).toMatch(message);
    expect(check?.fix).toContain(fix);
  });
});

const HOST_FOLDERS: Readonly<Partial<Record<HostId, string>>> = {
  "claude-code": ".claude",
  codex: ".codex",
  "gemini-cli": ".gemini",
};

describe("autonomy", () => {
  const autonomyOf = async (
    configuration: object,
    hosts: readonly HostId[] = ["claude-code", "gemini-cli"],
    files: Readonly<Record<string, string>> = {},
  ) => {
    const sandbox = await installed(hosts);
    const { home, stateHome } = placesOf(sandbox);
    for (const host of hosts) mkdirSync(join(home, HOST_FOLDERS[host] ?? ""), { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(home, name)), { recursive: true });
      writeFileSync(join(home, name), text);
    }
    writeFileSync(join(stateHome, "config.jsonc"), JSON.stringify(configuration));
    const { checks } = await look(sandbox);
    return checks.filter(({ id }) => id.startsWith("autonomy")).map(({ id, message }) => `${id} ${message}`);
  };

  it("is said for each host where it is on, and not at all where it is off", async () => {
    expect(await autonomyOf({})).toEqual([]);
    expect(await autonomyOf({ autonomy: "understood" })).toEqual([
      expect.stringMatching(/^autonomy\.claude-code .*are answered for you/),
      expect.stringMatching(/^autonomy\.gemini-cli .*stay yours, because it /),
    ]);
  });

  it("says which rule of the person's keeps a host's questions theirs, and its commands out of the sandbox", async () => {
    const rules = {
      ".codex/rules/default.rules": 'prefix_rule(pattern=["touch"], decision="prompt")\n',
      ".gemini/policies/own.toml": 'decision = "deny"\n',
    };
    expect(await autonomyOf({ autonomy: "sandbox" }, ["codex", "gemini-cli"], rules)).toEqual([
      expect.stringMatching(
        /^autonomy\.codex .*stay yours while you have .*default\.rules.*none of its commands/,
      ),
      expect.stringMatching(
        /^autonomy\.gemini-cli .*none of its commands run in the sandbox while you have .*own\.toml/,
      ),
    ]);
    expect(await autonomyOf({ autonomy: "sandbox" }, ["codex", "gemini-cli"])).toEqual([
      expect.stringMatching(/^autonomy\.codex .*answered for you; .*sandbox while its own is off$/),
      expect.stringMatching(
        /^autonomy\.gemini-cli .*; its commands run in the sandbox while it is started with --yolo$/,
      ),
    ]);
  });

  it("that is set and does not count is a warning", async () => {
    expect(await autonomyOf({ autonomy: "understood", guard: { level: "strict" } })).toEqual([
      "autonomy autonomy is set to understood and is off: guard.level is strict",
    ]);
  });
});
