import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { prepareRuntime } from "../../src/hooks/program/telemetry.ts";
import { install } from "../../src/install/install.ts";
import { renderUninstall } from "../../src/install/render-report.ts";
import { uninstall } from "../../src/install/uninstall.ts";
import { LogFile, Problem } from "../../src/state/index.ts";
import { createQuickSandbox, INSTALL, makeQuickPackage, quickSystemIn, UNINSTALL } from "./sandbox.ts";

const PACKAGE = makeQuickPackage();
const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));

const SETTINGS = "home/.claude/settings.json";
const MANIFEST = "home/.amplihack/.claude/install/amplihack-manifest.json";
const CLAUDE = { ...INSTALL, hosts: ["claude-code"] } as const;

describe("uninstalling after somebody changed the file", () => {
  const before = '{\n  "model": "opus", // best\n  "hooks": { "Stop": [] }\n}\n';

  it("takes out our entries and keeps the change, with a backup", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write(SETTINGS, before);
    await install(sandbox.system, PACKAGE, CLAUDE);
    sandbox.write(SETTINGS, sandbox.read(SETTINGS).replace('"opus"', '"sonnet"'));
    await uninstall(sandbox.system, UNINSTALL);
    expect(sandbox.read(SETTINGS)).toBe(before.replace('"opus"', '"sonnet"'));
    expect(readdirSync(join(sandbox.home, ".claude")).length).toBeGreaterThan(1);
  });

  it("explains why a backup that was asked for is not put back", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write(SETTINGS, before);
    await install(sandbox.system, PACKAGE, CLAUDE);
    sandbox.write(SETTINGS, sandbox.read(SETTINGS).replace('"opus"', '"sonnet"'));
    const report = await uninstall(sandbox.system, { ...UNINSTALL, isBackupWanted: true });
    expect(report.warnings).toEqual([expect.stringMatching(/changed since the installation/)]);
    expect(sandbox.read(SETTINGS)).toContain('"sonnet"');
  });

  it("keeps a file that we made but that holds something else by now", async () => {
    const sandbox = createQuickSandbox();
    await install(sandbox.system, PACKAGE, CLAUDE);
    sandbox.write(SETTINGS, sandbox.read(SETTINGS).replace("{", '{\n  "model": "opus",'));
    await uninstall(sandbox.system, UNINSTALL);
    expect(JSON.parse(sandbox.read(SETTINGS))).toEqual({ model: "opus" });
  });

  it("keeps a generated file that was changed under another name, which the host does not load", async () => {
    const sandbox = createQuickSandbox();
    const plugin = "home/.config/opencode/plugins/amplihack.js";
    await install(sandbox.system, PACKAGE, { ...INSTALL, hosts: ["opencode"] });
    sandbox.write(plugin, `${sandbox.read(plugin)}// mine\n`);
    const { kept } = await uninstall(sandbox.system, UNINSTALL);
    expect(kept).toEqual([expect.stringMatching(/amplihack\.js\.kept-\d+$/)]);
    expect(readFileSync(kept[0] ?? "", "utf8")).toMatch(/\/\/ mine\n$/);
    expect(existsSync(join(sandbox.root, plugin))).toBe(false);
  });
});

describe("a dry run", () => {
  it("tells what would be done, and does not claim that it was", async () => {
    const sandbox = createQuickSandbox();
    await install(sandbox.system, PACKAGE, CLAUDE);
    const report = await uninstall(sandbox.system, { ...UNINSTALL, isDryRun: true });
    const view = { paint: (_: string, words: string) => words, home: sandbox.root, project: "/" };
    const full = renderUninstall(report, { ...view, isFull: true });
    expect(full).toMatch(/✓ claude-code would be taken out of .*settings\.json\n✓ would remove /);
    expect(full).not.toMatch(/✓ removed|code taken out of/);
    const short = renderUninstall(report, { ...view, isFull: false });
    expect(short).toMatch(
      /✓ claude-code would be taken out of .*settings\.json\n✓ \d+ paths would be removed: /,
    );
    expect(short).toMatch(
      /\nEvery change as a diff: amplihack uninstall --dry-run --full\nNothing was written\.\n$/,
    );
    expect(short.split("\n").length).toBeLessThan(8);
    expect(full).toContain("@@");
    expect(short).not.toContain("@@");
  });
});

describe("the baseline of a file", () => {
  it("is what was there before the first install, however often it was installed since", async () => {
    const sandbox = createQuickSandbox();
    const before = '{ "model": "opus" }';
    sandbox.write(SETTINGS, before);
    for (const failure of ["closed", "open", "ask"] as const)
      await install(sandbox.system, PACKAGE, {
        ...INSTALL,
        hosts: ["claude-code", "cursor"],
        isForced: true,
        failure,
      });
    await uninstall(sandbox.system, { ...UNINSTALL, isPurging: true });
    expect(sandbox.read(SETTINGS)).toBe(before);
    expect(readdirSync(join(sandbox.home, ".claude"))).toEqual(["settings.json"]);
  });

  it("has at most five backups beside it, the first among them", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write(SETTINGS, '{ "n": 0 }');
    for (let n = 1; n <= 8; n++) {
      await install(sandbox.system, PACKAGE, CLAUDE);
      // Somebody removes one entry, so that the next install has something to do.
      sandbox.write(SETTINGS, sandbox.read(SETTINGS).replace('"timeout": 30', '"timeout": 3'));
    }
    const backups = readdirSync(join(sandbox.home, ".claude")).filter(name => name.includes(".backup."));
    expect(backups).toHaveLength(5);
  });
});

describe("parts of an installation", () => {
  it("go one by one; the programs go with the last", async () => {
    const sandbox = createQuickSandbox();
    await install(sandbox.system, PACKAGE, { ...INSTALL, hosts: ["claude-code", "gemini-cli"] });
    await uninstall(sandbox.system, { ...UNINSTALL, hosts: ["gemini-cli"] });
    expect(sandbox.read(SETTINGS)).toContain("amplihack-hooks");
    expect(existsSync(join(sandbox.home, ".gemini"))).toBe(false);
    expect(existsSync(join(sandbox.home, ".amplihack/.claude/bin/amplihack-hooks"))).toBe(true);
    await uninstall(sandbox.system, { ...UNINSTALL, hosts: ["claude-code"] });
    expect(sandbox.snapshot()).toEqual({});
  });

  it("include registrations in other projects", async () => {
    const sandbox = createQuickSandbox();
    const other = join(sandbox.root, "other");
    mkdirSync(join(other, ".git"), { recursive: true });
    await install(quickSystemIn(other, sandbox.env), PACKAGE, { ...CLAUDE, scope: "project" });
    expect(existsSync(join(other, ".claude/settings.json"))).toBe(true);
    await uninstall(sandbox.system, UNINSTALL);
    expect(existsSync(join(other, ".claude"))).toBe(false);
  });

  it("are no reason to leave what hooks wrote in projects; what others have there stays", async () => {
    const sandbox = createQuickSandbox();
    await install(sandbox.system, PACKAGE, CLAUDE);
    const roots = ["one", "two", "three"].map(name => join(sandbox.root, "work", name));
    const [one = "", two = "", three = ""] = roots;
    sandbox.write("work/two/.claude/settings.json", "{}");
    mkdirSync(join(sandbox.root, "elsewhere/runtime/logs"), { recursive: true });
    // As every hook does before it logs, where state was begun in the project.
    for (const root of roots) {
      mkdirSync(join(root, ".claude/runtime"), { recursive: true });
      const log = new LogFile(join(root, ".claude/runtime/logs/stop.log"), { system: sandbox.system });
      prepareRuntime(sandbox.system, root, log);
    }
    // What became a link since leads to somebody else's files.
    rmSync(join(three, ".claude"), { recursive: true });
    symlinkSync(join(sandbox.root, "elsewhere"), join(three, ".claude"));
    const wanted = [one, two].map(root => join(root, ".claude/runtime"));
    const kept = await uninstall(sandbox.system, { ...UNINSTALL, isDryRun: true, isDataKept: true });
    expect(kept.removed).not.toEqual(expect.arrayContaining(wanted));
    const planned = await uninstall(sandbox.system, { ...UNINSTALL, isDryRun: true });
    expect(planned.removed).toEqual(expect.arrayContaining(wanted));
    await uninstall(sandbox.system, UNINSTALL);
    expect(existsSync(join(one, ".claude"))).toBe(false);
    expect(readdirSync(join(two, ".claude"))).toEqual(["settings.json"]);
    expect(existsSync(join(sandbox.root, "elsewhere/runtime/logs"))).toBe(true);
  });

  it("keep memory and configuration unless purged, and logs of runs on request", async () => {
    const sandbox = createQuickSandbox();
    const data = [
      "memory.db",
      "config.jsonc",
      "logs/audit.jsonl",
      "logs/runs.jsonl",
      "guard/machine.key",
      "hooks/.build/a.js",
      "hooks/.types/a.d.ts",
    ];
    const kept = async (options: Partial<typeof UNINSTALL>) => {
      await install(sandbox.system, PACKAGE, CLAUDE);
      for (const name of data)
        sandbox.write(`home/.amplihack/${name}`, name === "config.jsonc" ? "{}" : "x", 0o600);
      await uninstall(sandbox.system, { ...UNINSTALL, ...options });
      return data.filter(name => existsSync(join(sandbox.home, ".amplihack", name)));
    };
    expect(await kept({ isDataKept: true })).toEqual(data);
    expect(await kept({})).toEqual(data.filter(name => name !== "logs/runs.jsonl"));
    expect(await kept({ isPurging: true })).toEqual([]);
    expect(existsSync(join(sandbox.home, ".amplihack"))).toBe(false);
    sandbox.write("home/.amplihack/hooks/mine.ts", "// mine");
    await kept({ isPurging: true });
    expect(existsSync(join(sandbox.home, ".amplihack/hooks/mine.ts"))).toBe(true);
  });

  it("a purge knows all that the program writes below its home, and leaves what a person made", async () => {
    const sandbox = createQuickSandbox();
    await install(sandbox.system, PACKAGE, CLAUDE);
    const written = new Set(["hooks/.state/x", "hooks/.trusted.json", "session-trees/x", "memory-sync.json"]);
    for (const name of readdirSync(SOURCES, { recursive: true }).map(String)) {
      if (!name.endsWith(".ts")) continue;
      const text = readFileSync(join(SOURCES, name), "utf8");
      const folder = /^const FOLDER = "([^"/]+)";/m.exec(text)?.[1];
      for (const [, name, constant] of text.matchAll(/join\((?:\w+\.)?stateHome, (?:"([^"/]+)"|(FOLDER)\b)/g))
        written.add(`${name ?? (constant && folder)}/x`);
      for (const [, kind] of text.matchAll(/repositoryDirectory\(system, "([^"]+)"/g))
        written.add(`${kind}/x`);
    }
    expect(written.size).toBeGreaterThan(15);
    // What the installation stages is taken out by its own record.
    for (const name of [".claude/x", "amplifier-bundle/x", "versions/x"]) written.delete(name);
    for (const name of ["config.jsonc/x", "hooks.jsonc/x", "server.json/x", ".installed-version/x"])
      if (written.delete(name)) written.add(name.slice(0, -2));
    for (const name of written)
      if (!existsSync(join(sandbox.home, ".amplihack", name)))
        sandbox.write(`home/.amplihack/${name}`, name.endsWith(".jsonc") ? "{}" : "x", 0o600);
    for (const name of ["hooks/mine.ts", "workstreams/shop/work.txt"])
      sandbox.write(`home/.amplihack/${name}`, "x");
    await uninstall(sandbox.system, { ...UNINSTALL, isPurging: true });
    const left = readdirSync(join(sandbox.home, ".amplihack"), { recursive: true }).map(String);
    expect(left.filter(name => name.startsWith("hooks/")).sort()).toEqual(["hooks/mine.ts", "hooks/x"]);
    expect([...new Set(left.map(name => name.split("/")[0]))].sort()).toEqual([
      "hooks",
      "hooks.jsonc",
      "workstreams",
    ]);
  });
});

describe("the record of the installation", () => {
  it.each([
    ["broken JSON", "{", /not valid JSON/],
    ["a list", "[]", /must be an object/],
    ["another version", '{"version": 2}', /version is not 1/],
    [
      "a file outside",
      '{"version":1,"amplihack_version":"","installed_at":"","hosts":[],"files":["../../x"],"dirs":[],"binaries":[]}',
      /without "\.\."/,
    ],
    [
      "an absolute file",
      '{"version":1,"amplihack_version":"","installed_at":"","hosts":[],"files":["/etc/passwd"],"dirs":[],"binaries":[]}',
      /relative path/,
    ],
  ])(
    "is refused when damaged (%s), and --force goes by what the settings hold",
    async (_, content, cause) => {
      const sandbox = createQuickSandbox();
      await install(sandbox.system, PACKAGE, CLAUDE);
      sandbox.write(MANIFEST, content);
      const refused = uninstall(sandbox.system, UNINSTALL);
      await expect(refused).rejects.toThrow(Problem);
      await expect(refused).rejects.toMatchObject({
        causes: [expect.stringMatching(cause)],
        fix: expect.stringMatching(/--force/),
      });
      expect(sandbox.read(SETTINGS)).toContain("amplihack-hooks");
      await uninstall(sandbox.system, { ...UNINSTALL, isForced: true });
      expect(sandbox.read(SETTINGS)).toBe("{}\n");
    },
  );

  it("does not lead to files of others", async () => {
    const sandbox = createQuickSandbox();
    await install(sandbox.system, PACKAGE, CLAUDE);
    const victim = sandbox.write("home/precious", "x");
    const tool = sandbox.write("home/.local/bin/precious", "x", 0o755);
    const manifest = JSON.parse(sandbox.read(MANIFEST)) as {
      binaries: string[];
      edited_files: Record<string, object>;
    };
    manifest.binaries.push(victim, tool);
    manifest.edited_files[victim] = {
      kind: "generated",
      host: null,
      backup_path: null,
      backups: [victim],
      created_file: true,
      sha256_before: null,
      sha256_after: "x",
      created_dirs: [],
      empty_containers: {},
    };
    sandbox.write(MANIFEST, JSON.stringify(manifest));
    await uninstall(sandbox.system, UNINSTALL);
    expect([victim, tool].map(path => readFileSync(path, "utf8"))).toEqual(["x", "x"]);
  });

  it("is not needed: entries without one are found by what they are", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write(
      SETTINGS,
      '{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"amplihack-hooks stop"}]}]}}',
    );
    expect(await uninstall(sandbox.system, UNINSTALL)).toMatchObject({
      hosts: [{ host: "claude-code", status: "removed" }],
    });
    expect(sandbox.read(SETTINGS)).toBe("{}");
  });

  it("starts anew, and the damaged one is kept, when something is installed", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write(MANIFEST, '{"files":[],"hook_registrations":[]}');
    const report = await install(sandbox.system, PACKAGE, CLAUDE);
    expect(report.warnings).toEqual([
      expect.stringMatching(/damaged; starting a new one, the old one is .*corrupt-/),
    ]);
    expect(report.success).toBe(true);
  });
});
