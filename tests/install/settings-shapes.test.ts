import { chmodSync, lstatSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { install } from "../../src/install/install.ts";
import { uninstall } from "../../src/install/uninstall.ts";
import { createQuickSandbox, INSTALL, link, makeQuickPackage, type Sandbox, UNINSTALL } from "./sandbox.ts";

const PACKAGE = makeQuickPackage();

const SETTINGS = "home/.claude/settings.json";
const foreign = { type: "command", command: "/work/amplihack-notes/check.sh" };

/** Settings as people have them. Each is registered in, and then again what it was to the last byte. */
const EDITABLE: Readonly<Record<string, string>> = {
  "an empty file": "",
  "blanks only": " \n\n",
  "an empty object": "{}",
  "an empty object with a newline": "{}\n",
  "an empty object over two lines": "{\n}\n",
  "plain settings": '{\n  "model": "opus",\n  "theme": "dark"\n}\n',
  "no newline at the end": '{\n  "model": "opus"\n}',
  "several newlines at the end": '{\n  "model": "opus"\n}\n\n\n',
  "four blanks": '{\n    "model": "opus"\n}\n',
  tabs: '{\n\t"model": "opus",\n\t"env": {\n\t\t"A": "1"\n\t}\n}\n',
  "Windows line ends": '{\r\n  "model": "opus",\r\n  "env": {}\r\n}\r\n',
  "a byte order mark": '\uFEFF{\n  "model": "opus"\n}\n',
  "a mark and Windows line ends": '\uFEFF{\r\n\t"a": 1\r\n}\r\n',
  "line comments": '// mine\n{\n  // the model\n  "model": "opus" // best\n  // end\n}\n// bye\n',
  "block comments": '/* a */{ /* b */ "model": /* c */ "opus" /* d */ }/* e */\n',
  "a trailing comma": '{\n  "model": "opus",\n}\n',
  "one line": '{"model":"opus","permissions":{"allow":["Bash(ls:*)"],"deny":[]}}',
  "a foreign hook": JSON.stringify(
    { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [foreign] }] } },
    null,
    2,
  ),
  "a foreign hook on one line": JSON.stringify({ hooks: { Stop: [{ hooks: [foreign] }] }, model: "x" }),
  "an empty hooks object": '{\n  "hooks": {},\n  "model": "opus"\n}\n',
  "empty lists of hooks": '{\n  "hooks": {\n    "Stop": [],\n    "PreToolUse": [\n    ]\n  }\n}\n',
  "hooks in an unknown event": JSON.stringify({ hooks: { Later: [{ hooks: [foreign] }] } }, null, 4),
  "groups that are no objects": '{"hooks":{"PreToolUse":["odd",null,3,{"hooks":"odd"}]}}\n',
  "a foreign xpia hook": JSON.stringify(
    {
      hooks: {
        PreToolUse: [
          {
            matcher: "*",
            hooks: [{ type: "command", command: "~/.claude/tools/xpia/hooks/pre_tool_use.py" }],
          },
        ],
      },
    },
    null,
    2,
  ),
  "keys of many kinds": '{"":0,"ключ":"значение","\\u0041":[1,2,[3]],"hooks_":{},"n":1e400,"z":-0.0}\n',
  "a key that looks like a prototype": '{\n  "__proto__": {"hooks": 1},\n  "constructor": 2\n}\n',
  "very long lines": `{"a":"${"x".repeat(100_000)}"}\n`,
  "deep nesting": `{"a":${"[".repeat(150)}${"]".repeat(150)}}\n`,
};

/** Files that could only be edited by guessing. They are left alone and the message says where and why. */
const REFUSED: Readonly<Record<string, readonly [content: string | Uint8Array, message: RegExp]>> = {
  "invalid JSON": ['{\n  "model": opus\n}\n', /it is not valid JSON: invalid symbol \(line 2, column 12\)/],
  "an unclosed object": ['{"model": "opus"', /line 1/],
  "two documents": ["{}{}", /line 1, column 3/],
  "an array at the top": ["[]\n", /expected an object at the top, found array.*line 1, column 1/],
  "a string at the top": ['"hooks"\n', /expected an object at the top, found string/],
  null: ["null\n", /expected an object at the top, found null/],
  "hooks that are a list": ['{"hooks": []}', /"hooks" must be an object, found array/],
  "an event that is no list": ['{"hooks": {"PreToolUse": {}}}', /"PreToolUse" must be a list/],
  "hooks written twice": ['{"hooks": {}, "hooks": {}}', /appears twice/],
  "an event written twice": ['{"hooks": {"Stop": [], "Stop": []}}', /appears twice/],
  "bytes that are not UTF-8": [Uint8Array.from([0x7b, 0xff, 0x7d]), /not UTF-8/],
  "nesting without end": [`{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`, /nested too deeply/],
};

const options = { ...INSTALL, hosts: ["claude-code"] } as const;

/** Of `EDITABLE`: hooks are written there, but the host runs none of them. */
const LOOSE: readonly string[] = ["line comments", "block comments", "a trailing comma"];

/** Installs, installs again, which changes no byte of anything, and takes it back. */
async function roundTrip(sandbox: Sandbox, during: () => void, isLoose = false): Promise<void> {
  const first = await install(sandbox.system, PACKAGE, options);
  expect(first.hosts).toMatchObject([{ host: "claude-code", status: isLoose ? "failed" : "registered" }]);
  during();
  const after = sandbox.snapshot();
  const second = await install(sandbox.system, PACKAGE, options);
  expect(second.hosts).toMatchObject([{ status: isLoose ? "failed" : "unchanged" }]);
  expect(sandbox.snapshot()).toEqual(after);
  const taken = await uninstall(sandbox.system, UNINSTALL);
  expect(taken).toMatchObject({ success: true, hosts: [{ status: "removed" }] });
}

describe("install and uninstall", () => {
  it.each(Object.entries(EDITABLE))("give back %s to the last byte", async (name, content) => {
    const sandbox = createQuickSandbox();
    sandbox.write(SETTINGS, content);
    const before = sandbox.snapshot();
    const during = () => {
      const registered = sandbox.read(SETTINGS);
      expect(registered).toContain("amplihack-hooks pre-tool-use");
      expect(registered.startsWith("\uFEFF")).toBe(content.startsWith("\uFEFF"));
      expect(registered.includes("\r\n")).toBe(content.includes("\r\n"));
    };
    await roundTrip(sandbox, during, LOOSE.includes(name));
    expect(sandbox.snapshot()).toEqual(before);
  });

  it("tell that Claude Code runs no hook of a file with comments or trailing commas", async () => {
    for (const content of ['{\n  "model": "opus" // best\n}\n', '{\n  "model": "opus",\n}\n']) {
      const sandbox = createQuickSandbox();
      sandbox.write(SETTINGS, content);
      const { warnings, ...report } = await install(sandbox.system, PACKAGE, options);
      expect(warnings).toEqual([expect.stringMatching(/settings\.json, line \d+, .*ignores a file/)]);
      expect(report).toMatchObject({
        success: false,
        hosts: [
          { status: "failed", reason: expect.stringMatching(/runs no hook of this file before it is plain/) },
        ],
      });
      sandbox.write(
        SETTINGS,
        sandbox
          .read(SETTINGS)
          .replace(" // best", "")
          .replace(/,(?=\s*\}\s*$)/, ""),
      );
      const again = await install(sandbox.system, PACKAGE, options);
      expect(again).toMatchObject({ success: true, hosts: [{ status: "unchanged" }], warnings: [] });
    }
  });

  it.each([
    [
      "claude-code",
      SETTINGS,
      '{"disableAllHooks": true}',
      /no hook fires, .*"disableAllHooks": true; remove it/,
    ],
    [
      "gemini-cli",
      "home/.gemini/settings.json",
      '{"hooksConfig": {"enabled": false}}',
      /hooks are switched off in/,
    ],
    ["codex", "home/.codex/config.toml", "[features]\nhooks = false\n", /switched off under \[features\]/],
  ] as const)("tell that all hooks of %s are switched off", async (host, path, content, reason) => {
    const sandbox = createQuickSandbox();
    sandbox.write(path, content);
    for (let time = 0; time < 2; time++) {
      const report = await install(sandbox.system, PACKAGE, { ...options, hosts: [host] });
      expect(report).toMatchObject({ success: false, hosts: [{ host, status: "failed" }] });
      expect(report.hosts[0]?.reason).toMatch(reason);
    }
  });

  it.each(Object.entries(REFUSED))("leave %s alone and say why", async (_, [content, message]) => {
    const sandbox = createQuickSandbox();
    sandbox.write(SETTINGS, content);
    const before = sandbox.snapshot()[SETTINGS];
    const report = await install(sandbox.system, PACKAGE, options);
    expect(report.success).toBe(false);
    expect(report.hosts).toMatchObject([{ status: "failed", reason: expect.stringMatching(message) }]);
    expect(sandbox.snapshot()[SETTINGS]).toBe(before);
    expect(Object.keys(sandbox.snapshot()).filter(name => name.startsWith(`${SETTINGS}.`))).toEqual([]);
  });

  it("make and remove a file that was not there, and its folder", async () => {
    const sandbox = createQuickSandbox();
    await roundTrip(sandbox, () => {
      expect(statSync(join(sandbox.root, SETTINGS)).mode & 0o777).toBe(0o600);
      expect(sandbox.read(SETTINGS).endsWith("}\n")).toBe(true);
    });
    expect(sandbox.snapshot()).toEqual({});
    expect(() => lstatSync(join(sandbox.home, ".claude"))).toThrow();
  });

  it("follow a link and leave it a link", async () => {
    const sandbox = createQuickSandbox();
    const target = sandbox.write("home/dotfiles/claude.json", '{\n  "model": "opus"\n}\n', 0o640);
    link("../dotfiles/claude.json", join(sandbox.root, SETTINGS));
    const before = sandbox.snapshot();
    await roundTrip(sandbox, () => {
      expect(lstatSync(join(sandbox.root, SETTINGS)).isSymbolicLink()).toBe(true);
      expect(readFileSync(target, "utf8")).toContain("amplihack-hooks");
      expect(statSync(target).mode & 0o777).toBe(0o640);
    });
    expect(sandbox.snapshot()).toEqual(before);
  });

  it("write through a link whose target is not there yet", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write("home/dotfiles/.keep", "");
    link("../dotfiles/claude.json", join(sandbox.root, SETTINGS));
    await roundTrip(sandbox, () =>
      expect(sandbox.read("home/dotfiles/claude.json")).toContain("amplihack-hooks"),
    );
    expect(sandbox.snapshot()["home/dotfiles/claude.json"]).toBeUndefined();
  });

  it.each([0o600, 0o644, 0o664])("keep the mode %o", async mode => {
    const sandbox = createQuickSandbox();
    chmodSync(sandbox.write(SETTINGS, "{}\n"), mode);
    await roundTrip(sandbox, () => expect(statSync(join(sandbox.root, SETTINGS)).mode & 0o777).toBe(mode));
    expect(statSync(join(sandbox.root, SETTINGS)).mode & 0o777).toBe(mode);
  });

  it("leave a read-only file alone unless forced", async () => {
    const sandbox = createQuickSandbox();
    chmodSync(sandbox.write(SETTINGS, "{}\n"), 0o444);
    const refused = await install(sandbox.system, PACKAGE, options);
    expect(refused.hosts).toMatchObject([{ status: "failed", reason: expect.stringMatching(/read-only/) }]);
    expect(sandbox.read(SETTINGS)).toBe("{}\n");
    const forced = await install(sandbox.system, PACKAGE, { ...options, isForced: true });
    expect(forced.hosts).toMatchObject([{ status: "registered" }]);
    expect(statSync(join(sandbox.root, SETTINGS)).mode & 0o777).toBe(0o444);
  });

  it("leave a folder in the file's place alone", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write(`${SETTINGS}/inside`, "x");
    const report = await install(sandbox.system, PACKAGE, options);
    expect(report.hosts).toMatchObject([{ status: "failed", reason: expect.stringMatching(/EISDIR/) }]);
  });
});

describe("entries of earlier versions", () => {
  const legacy = (command: string) => ({ type: "command", command });
  const own = "/home/ines/.cargo/bin/amplihack-hooks";
  const before = {
    hooks: {
      PreToolUse: [
        {
          matcher: "*",
          hooks: [legacy("$HOME/.amplihack/.claude/tools/amplihack/hooks/pre_tool_use.py"), foreign],
        },
        { matcher: "Bash", hooks: [legacy(`${own} pre-tool-use`)] },
      ],
      Stop: [{ hooks: [{ ...legacy("python3 ~/.claude/tools/amplihack/hooks/stop.py"), timeout: 5 }] }],
      SessionStart: [{ hooks: [{ ...legacy(`"${own}" session-start`), timeout: 99 }] }],
    },
  };

  it("are replaced one by one; what is not ours stays, and a limit somebody raised is kept and told", async () => {
    const sandbox = createQuickSandbox();
    sandbox.write(SETTINGS, JSON.stringify(before, null, 2));
    const report = await install(sandbox.system, PACKAGE, options);
    const text = sandbox.read(SETTINGS);
    expect(text).not.toMatch(/\.py|cargo/);
    expect(text).toContain(foreign.command);
    expect(report.warnings).toEqual([expect.stringMatching(/session-start on SessionStart stays at 99/)]);
    const { hooks } = JSON.parse(text) as { hooks: Record<string, { hooks: object[] }[]> };
    expect(hooks["PreToolUse"]).toMatchObject([
      { matcher: "*", hooks: [{ command: expect.stringMatching(/amplihack-hooks pre-tool-use$/) }] },
      { matcher: "*", hooks: [foreign] },
    ]);
    expect(hooks["SessionStart"]).toMatchObject([{ hooks: [{ timeout: 99 }] }]);
  });

  it("do not come back by uninstalling, unless the backup is asked for", async () => {
    const sandbox = createQuickSandbox();
    const content = JSON.stringify(before, null, 2);
    sandbox.write(SETTINGS, content);
    await install(sandbox.system, PACKAGE, options);
    await uninstall(sandbox.system, UNINSTALL);
    expect(JSON.parse(sandbox.read(SETTINGS))).toEqual({
      hooks: { PreToolUse: [{ matcher: "*", hooks: [foreign] }] },
    });

    const other = createQuickSandbox();
    other.write(SETTINGS, content);
    await install(other.system, PACKAGE, options);
    await uninstall(other.system, { ...UNINSTALL, isBackupWanted: true });
    expect(other.read(SETTINGS)).toBe(content);
  });
});
