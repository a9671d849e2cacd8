import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { PROFILES } from "../../src/config/levels.ts";
import { HOSTS, type HostId } from "../../src/hosts/descriptors.ts";
import { examine } from "../../src/install/doctor/doctor.ts";
import { install } from "../../src/install/install.ts";
import type { InstallRequest } from "../../src/install/install-report.ts";
import { addServer, findServer, removeServer } from "../../src/install/mcp-entries.ts";
import { hostSetup, INSTALLABLE_HOSTS } from "../../src/install/targets.ts";
import { uninstall } from "../../src/install/uninstall.ts";
import { requireDirectories } from "../../src/state/directories.ts";
import { createQuickSandbox, INSTALL, makeQuickPackage, type Sandbox, UNINSTALL } from "./sandbox.ts";

const PACKAGE = makeQuickPackage();
const WITH_SERVER: InstallRequest = { ...INSTALL, parts: [...PROFILES.full, "mcp"], isTrustAgreed: true };
const WITH_MCP = INSTALLABLE_HOSTS.filter(host => hostSetup(host).mcp !== undefined);
const PROGRAM = "/home/ana/.amplihack/.claude/bin/amplihack";

const JSON_TEXTS = [
  "{}",
  "{}\n",
  '{\n  "theme": "dark"\n}\n',
  '{"a":1,"b":[true]}',
  '{\r\n\t"a": 1\r\n}\r\n',
  '\uFEFF{ "a": 1 }',
];
const jsonTexts = (key: string) => [
  ...JSON_TEXTS,
  `{ "${key}": {} }`,
  `{\n  "${key}": {\n  },\n  "last": 1\n}\n`,
  `{\n  // mine\n  "${key}": {\n    "other": { "command": "x" } // theirs\n  },\n}\n`,
  `{"${key}":{"other":{"command":"x","args":["mcp"]}}}`,
];
const TOML_TEXTS = [
  "",
  'model = "o9"\n',
  'model = "o9" # no end of line',
  '[mcp_servers.other]\ncommand = "x"\n\n# last\n',
  'model = "o9"\r\n\r\n[a.b]\r\nc = 1\r\n',
];

describe("the entry of the server", () => {
  const hosts = WITH_MCP.map(host => [host, HOSTS[host].setup?.().mcp] as const);

  it.each(hosts)("comes and goes byte by byte in the file of %s", (_, servers) => {
    if (servers === undefined) throw new Error("no servers");
    const texts = servers.format === "toml" ? TOML_TEXTS : jsonTexts(servers.key ?? "mcpServers");
    for (const text of texts) {
      const added = addServer(text, servers, PROGRAM);
      if (!added.ok || added.text === undefined) throw new Error(JSON.stringify(added));
      expect(findServer(added.text, servers)).toBeDefined();
      expect(addServer(added.text, servers, PROGRAM)).toEqual({ ok: true, text: added.text });
      const moved = addServer(added.text, servers, "/elsewhere/amplihack");
      expect(moved.ok && JSON.stringify(findServer(moved.text ?? "", servers))).toContain("/elsewhere/");
      const empty = /"(\w+)": (\{\s*\})/.exec(text);
      const before: Record<string, string> = empty === null ? {} : { [empty[1] ?? ""]: empty[2] ?? "" };
      const removed = removeServer(added.text, servers, before);
      // A last line without an end gets one where a table follows it.
      const expected = servers.format === "toml" && text !== "" && !text.endsWith("\n") ? `${text}\n` : text;
      expect(removed).toMatchObject({ ok: true, text: expected });
    }
  });

  it("leaves a server of others alone, and files that it does not understand", () => {
    const servers = hostSetup("claude-code").mcp;
    const codex = hostSetup("codex").mcp;
    if (servers === undefined || codex === undefined) throw new Error("no servers");
    const theirs = '{"mcpServers":{"amplihack":{"command":"/x/notes"}}}';
    expect(addServer(theirs, servers, PROGRAM)).toMatchObject({ ok: false, line: 1 });
    expect(removeServer(theirs, servers, {})).toMatchObject({ ok: true, text: theirs });
    expect(findServer(theirs, servers)).toBeUndefined();
    const guarded = '{"mcpServers":{"amplihack":{"command":"/x/amplihack","args":["mcp","guard","--","y"]}}}';
    expect(removeServer(guarded, servers, {})).toMatchObject({ text: guarded });
    for (const broken of ["[]", '{"mcpServers": 3}', "{ nope"]) {
      expect(addServer(broken, servers, PROGRAM).ok).toBe(false);
      expect(removeServer(broken, servers, {}).ok).toBe(false);
    }
    expect(addServer("[mcp_servers", codex, PROGRAM).ok).toBe(false);
    expect(removeServer("[mcp_servers", codex, {}).ok).toBe(false);
    expect(addServer('[mcp_servers.amplihack]\ncommand = "x"\n', codex, PROGRAM).ok).toBe(false);
    expect(addServer("mcp_servers = { }\n", codex, PROGRAM).ok).toBe(false);
  });

  it("keeps what a person added to it, and goes with what the host wrote below it", () => {
    const servers = hostSetup("claude-code").mcp;
    const codex = hostSetup("codex").mcp;
    if (servers === undefined || codex === undefined) throw new Error("no servers");
    const old = '{"mcpServers":{"amplihack":{"command":"/old/amplihack","args":["mcp"],"env":{"A":"1"}}}}';
    const added = addServer(old, servers, PROGRAM);
    expect(added.ok && findServer(added.text ?? "", servers)).toMatchObject({
      command: PROGRAM,
      env: { A: "1" },
    });
    const table = addServer('model = "o9"\n', codex, PROGRAM);
    const text = `${table.ok ? table.text : ""}\n[mcp_servers.amplihack.tools.memory_search]\napproval = "auto"\n`;
    expect(removeServer(text, codex, {})).toMatchObject({ ok: true, text: 'model = "o9"\n' });
  });
});

/** Every host is there, with settings of its own where its servers stand. */
function everyHost(): Sandbox {
  const sandbox = createQuickSandbox();
  for (const host of WITH_MCP) {
    const { folders, mcp } = hostSetup(host);
    mkdirSync(join(sandbox.home, folders[0] ?? ""), { recursive: true });
    const path = join(sandbox.home, mcp?.user[0] ?? "");
    mkdirSync(dirname(path), { recursive: true });
    const key = mcp?.key ?? "mcpServers";
    const text =
      mcp?.format === "toml"
        ? 'model = "o9"\n'
        : `{\n  "theme": "dark",\n  "${key}": { "other": { "command": "x" } }\n}\n`;
    writeFileSync(path, text, { mode: 0o640 });
  }
  return sandbox;
}

const filesOf = (sandbox: Sandbox) =>
  Object.fromEntries(
    WITH_MCP.map(host => {
      const path = join(sandbox.home, hostSetup(host).mcp?.user[0] ?? "");
      return [path, existsSync(path) ? readFileSync(path, "utf8") : undefined];
    }),
  );

const checksOf = async ({ system }: Sandbox, hosts?: readonly HostId[]) => {
  const places = requireDirectories(system);
  const { checks } = await examine(system, places, PACKAGE, {
    hosts,
    nodeVersion: process.versions.node,
    self: "/x",
  });
  return checks.filter(({ id }) => id.startsWith("mcp."));
};

describe("install with the part mcp", () => {
  it("registers the server with every host that has MCP; a second run changes nothing; uninstall restores", async () => {
    const sandbox = everyHost();
    const before = sandbox.snapshot();
    const report = await install(sandbox.system, PACKAGE, { ...WITH_SERVER, hosts: "all" });
    expect(report.success).toBe(true);
    expect(report.mcp_servers.map(({ host, status }) => [host, status]).sort()).toEqual(
      WITH_MCP.map(host => [host, "registered"]).sort(),
    );
    for (const host of WITH_MCP) {
      const { mcp } = hostSetup(host);
      const path = join(sandbox.home, mcp?.user[0] ?? "");
      const entry = mcp === undefined ? undefined : findServer(readFileSync(path, "utf8"), mcp);
      expect(JSON.stringify(entry)).toContain(join(sandbox.home, ".amplihack/.claude/bin/amplihack"));
      expect(statSync(path).mode & 0o777).toBe(0o640);
    }
    expect((await checksOf(sandbox)).map(({ status }) => status)).toEqual(WITH_MCP.map(() => "pass"));

    const after = sandbox.snapshot();
    const again = await install(sandbox.system, PACKAGE, { ...WITH_SERVER, hosts: "all" });
    expect(again.mcp_servers.every(({ status }) => status === "unchanged")).toBe(true);
    expect(sandbox.snapshot()).toEqual(after);

    const preview = await uninstall(sandbox.system, { ...UNINSTALL, isDryRun: true });
    expect(preview.changes.map(({ path }) => path)).toEqual(
      expect.arrayContaining(Object.keys(filesOf(sandbox))),
    );
    const { success } = await uninstall(sandbox.system, UNINSTALL);
    expect(success).toBe(true);
    const { "home/.amplihack/config.jsonc": _, ...left } = sandbox.snapshot();
    expect(left).toEqual(before);
  });

  it("makes files that are not there, and removes them again", async () => {
    const sandbox = createQuickSandbox();
    mkdirSync(join(sandbox.home, ".cursor"));
    mkdirSync(join(sandbox.home, ".codex"));
    const before = sandbox.snapshot();
    await install(sandbox.system, PACKAGE, WITH_SERVER);
    expect(sandbox.read("home/.cursor/mcp.json")).toContain('"amplihack"');
    expect(sandbox.read("home/.codex/config.toml")).toContain('[mcp_servers."amplihack"]');
    await uninstall(sandbox.system, UNINSTALL);
    const { "home/.amplihack/config.jsonc": _, ...left } = sandbox.snapshot();
    expect(left).toEqual(before);
  });

  it("takes only its own entry out of files that changed since", async () => {
    const sandbox = everyHost();
    await install(sandbox.system, PACKAGE, { ...WITH_SERVER, hosts: "all" });
    const edited = Object.entries(filesOf(sandbox)).map(([path, text = ""]) => {
      const changed = path.endsWith(".toml")
        ? `${text}\n[later]\nadded = 1\n`
        : text.replace('"dark"', '"light"');
      writeFileSync(path, changed);
      return [path, changed] as const;
    });
    const { success } = await uninstall(sandbox.system, UNINSTALL);
    expect(success).toBe(true);
    for (const [path, changed] of edited) {
      const text = readFileSync(path, "utf8");
      expect(text).not.toMatch(/amplihack/);
      expect(text).toContain(path.endsWith(".toml") ? "[later]\nadded = 1\n" : '"theme": "light"');
      expect(changed).toContain("amplihack");
    }
  });

  it("keeps what was written into a file of ours meanwhile, also after another installation", async () => {
    const sandbox = createQuickSandbox();
    mkdirSync(join(sandbox.home, ".cursor"));
    await install(sandbox.system, PACKAGE, WITH_SERVER);
    const mine = {
      mcpServers: { mine: { command: "x" }, amplihack: { command: "/old/amplihack", args: ["mcp"] } },
    };
    sandbox.write("home/.cursor/mcp.json", JSON.stringify(mine));
    await install(sandbox.system, PACKAGE, WITH_SERVER);
    await uninstall(sandbox.system, UNINSTALL);
    expect(JSON.parse(sandbox.read("home/.cursor/mcp.json"))).toEqual({
      mcpServers: { mine: { command: "x" } },
    });
  });

  it("takes the server back when the part is switched off", async () => {
    const sandbox = everyHost();
    const before = filesOf(sandbox);
    await install(sandbox.system, PACKAGE, {
      ...INSTALL,
      parts: PROFILES.full,
      hosts: "all",
      isTrustAgreed: true,
    });
    const withHooks = filesOf(sandbox);
    expect(await checksOf(sandbox)).toEqual([]);
    await install(sandbox.system, PACKAGE, { ...WITH_SERVER, hosts: "all" });
    const report = await install(sandbox.system, PACKAGE, {
      ...INSTALL,
      parts: PROFILES.full,
      hosts: "all",
      isTrustAgreed: true,
    });
    expect(new Set(report.mcp_servers.map(({ status }) => status))).toEqual(new Set(["removed"]));
    expect(filesOf(sandbox)).toEqual(withHooks);
    await uninstall(sandbox.system, UNINSTALL);
    expect(filesOf(sandbox)).toEqual(before);
  });

  it("shows beforehand what it would change, and goes on where one file cannot be changed", async () => {
    const sandbox = createQuickSandbox();
    mkdirSync(join(sandbox.home, ".gemini"));
    sandbox.write("home/.gemini/settings.json", "{}\n");
    sandbox.write("home/.cursor/mcp.json", '{"mcpServers":{"amplihack":{"command":"theirs"}}}');
    const preview = await install(sandbox.system, PACKAGE, { ...WITH_SERVER, isDryRun: true });
    const diff = preview.changes.filter(({ path }) => path.endsWith(".gemini/settings.json"));
    expect(diff.map(each => each.diff).join("")).toContain('+    "amplihack": {');
    const report = await install(sandbox.system, PACKAGE, WITH_SERVER);
    expect(report.success).toBe(false);
    expect(report.mcp_servers).toMatchObject([
      { host: "cursor", status: "failed", reason: expect.stringContaining("another MCP server") },
      { host: "gemini-cli", status: "registered" },
    ]);
    expect((await checksOf(sandbox)).map(({ id, status }) => [id, status])).toEqual([
      ["mcp.cursor", "warn"],
      ["mcp.gemini-cli", "pass"],
    ]);
  });

  it("follows folders that were moved, and writes a project's files for a project", async () => {
    const sandbox = createQuickSandbox();
    const moved = join(sandbox.root, "codex");
    const env = { ...sandbox.env, CODEX_HOME: moved };
    const system = {
      ...sandbox.system,
      env: { get: (name: string) => (env as Record<string, string>)[name], names: () => Object.keys(env) },
    };
    mkdirSync(moved);
    const report = await install(system, PACKAGE, { ...WITH_SERVER, hosts: ["codex"] });
    expect(report.mcp_servers).toMatchObject([{ path: join(moved, "config.toml"), status: "registered" }]);
    const project = await install(system, PACKAGE, {
      ...WITH_SERVER,
      scope: "project",
      hosts: ["claude-code", "copilot-cli"],
    });
    expect(project.mcp_servers).toMatchObject([
      { path: join(sandbox.project, ".mcp.json"), status: "registered" },
    ]);
    await uninstall(system, UNINSTALL);
    expect(existsSync(join(moved, "config.toml"))).toBe(false);
    expect(existsSync(join(sandbox.project, ".mcp.json"))).toBe(false);
  });
});
