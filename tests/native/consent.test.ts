import { execFileSync } from "node:child_process";
import { cpSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { findRefusal, grantOnce } from "../../src/hooks/program/grants.ts";
import { createNodeSystem } from "../../src/system/node.ts";
import { runProgram } from "../hooks/executable.ts";
import { temporaryDirectory } from "../temporary-directory.ts";
import { describeNative, NATIVE_FILE } from "./program.ts";

const AMPLIHACK = fileURLToPath(new URL("../../dist/bin/amplihack.cjs", import.meta.url));
const step = (command: string) => `name: x\nsteps:\n  - id: a\n    command: ${command}\n`;

/** Ways in which other bytes come to stand in a file. */
const SWAPS: Readonly<Record<string, (path: string, content: string) => void>> = {
  "in place": writeFileSync,
  "by a rename": (path, content) => {
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  },
  "by a link": (path, content) => {
    writeFileSync(`${path}.other`, content);
    rmSync(path);
    symlinkSync(`${path}.other`, path);
  },
  "by a hard link": (path, content) => {
    writeFileSync(`${path}.other`, content);
    rmSync(path);
    linkSync(`${path}.other`, path);
  },
  "with its folder": (path, content) => {
    const folder = dirname(path);
    renameSync(folder, `${folder}.old`);
    cpSync(`${folder}.old`, folder, { recursive: true });
    writeFileSync(path, content);
    rmSync(`${folder}.old`, { recursive: true });
  },
};

interface Case {
  readonly command: string;
  readonly files: Readonly<Record<string, string>>;
  /** the file that is swapped, and what then stands in it */
  readonly swapped: readonly [string, string];
}

/** What a person is asked about as a whole: the command, and every file that says what it does. */
const CASES: readonly Case[] = [
  {
    command: "amplihack recipe run ./ee.yaml",
    files: { "ee.yaml": step("npm test") },
    swapped: ["ee.yaml", step("npm run more")],
  },
  {
    command: "amplihack recipe run ./outer.yaml",
    files: {
      "outer.yaml": "name: o\nsteps:\n  - id: a\n    recipe: ./inner.yaml\n",
      "inner.yaml": step("npm test"),
    },
    swapped: ["inner.yaml", step("npm run more")],
  },
  {
    command: "amplihack recipe run ./asking.yaml",
    files: {
      "asking.yaml": "name: a\nsteps: [{id: a, agent: helper, prompt: x}]\n",
      ".claude/agents/helper.md": "Help.\n",
    },
    swapped: [".claude/agents/helper.md", "Help, and send it.\n"],
  },
  {
    command: "amplihack recipe run ./shell.yaml",
    files: { "shell.yaml": step("bash build.sh"), "build.sh": ". ./lib.sh\n", "lib.sh": "npm test\n" },
    swapped: ["lib.sh", "npm run more\n"],
  },
  {
    command: "amplihack hooks test ./hh.mjs",
    files: {
      "hh.mjs": 'export { default } from "./lib.mjs";\n',
      "lib.mjs": 'import { execSync } from "node:child_process";\nexecSync("amplihack memory delete a");\n',
    },
    swapped: [
      "lib.mjs",
      'import { execSync } from "node:child_process";\nexecSync("amplihack memory delete b");\n',
    ],
  },
  {
    command: "amplihack mcp guard -- node server.js",
    files: { "server.js": 'require("./tools.js");\n', "tools.js": "1;\n" },
    swapped: ["tools.js", "2;\n"],
  },
  {
    command: "amplihack mcp guard -- bash mm.sh",
    files: { "mm.sh": "npm test\n" },
    swapped: ["mm.sh", "npm run more\n"],
  },
  {
    command: "amplihack claude -- --mcp-config servers.json",
    files: { "servers.json": '{"mcpServers":{}}' },
    swapped: ["servers.json", '{"mcpServers":{"x":{"command":"x"}}}'],
  },
];

// The same on Node, for every command: tests/commands/what-runs.test.ts, history-commands.test.ts.
describeNative("consent in the native program", () => {
  function open() {
    const home = temporaryDirectory();
    const cwd = join(home, "work", "project");
    mkdirSync(cwd, { recursive: true });
    execFileSync("git", ["init", "-q"], { cwd });
    let calls = 0;
    const call = async (command: string, session = "s1", event = "PreToolUse") => {
      calls += event === "PreToolUse" ? 1 : 0;
      const input = JSON.stringify({
        hook_event_name: event,
        session_id: session,
        cwd,
        tool_name: "Bash",
        tool_use_id: `t${calls}`,
        tool_input: { command },
        ...(event === "PreToolUse" ? {} : { tool_response: {} }),
      });
      const subcommand = event === "PreToolUse" ? "pre-tool-use" : "post-tool-use";
      const { stdout } = await runProgram([NATIVE_FILE], [subcommand], { home, cwd, input });
      const { permissionDecision: decision = "none", permissionDecisionReason: reason = "" } =
        (JSON.parse(stdout) as { hookSpecificOutput?: Record<string, string> }).hookSpecificOutput ?? {};
      return { decision, code: /allow-once (\w+)/.exec(reason)?.[1] ?? "" };
    };
    const write = (name: string, content: string) => {
      mkdirSync(dirname(join(cwd, name)), { recursive: true });
      writeFileSync(join(cwd, name), content);
    };
    /** As `amplihack guard allow-once` does when a person has typed the phrase. */
    const permit = (code: string) => {
      const system = createNodeSystem();
      const stateHome = join(home, ".amplihack");
      const refused = findRefusal(system, stateHome, code);
      expect(refused?.code).toBe(code);
      if (refused !== undefined) grantOnce(system, stateHome, refused);
    };
    return { home, cwd, call, write, permit };
  }

  it.each(CASES)(
    "a yes counts for the files as they were, once: $command",
    async ({ command, files, swapped }) => {
      const { cwd, call, write, permit } = open();
      for (const [name, content] of Object.entries(files)) write(name, content);
      const [name, after] = swapped;
      const before = files[name] ?? "";
      const first = await call(command);
      expect(first.decision).toBe("ask");
      permit(first.code);
      for (const [how, swap] of Object.entries(SWAPS)) {
        swap(join(cwd, name), after);
        const { decision, code } = await call(command);
        expect([how, decision, code === first.code]).toEqual([how, "ask", false]);
        // As it was, without what the swap left beside it.
        for (const left of [name, `${name}.other`]) rmSync(join(cwd, left), { force: true });
        write(name, before);
      }
      // Another session does not use it, this one does, and then it is used.
      expect((await call(command, "s2")).decision).toBe("ask");
      expect((await call(command)).decision).not.toBe("ask");
      expect(await call(command)).toEqual(first);
    },
  );

  it.each([
    ["amplihack recipe run ./bad.yaml", "bad.yaml", step("rm -rf ~")],
    ["amplihack recipe run ./bad.yaml", "bad.yaml", 'name: x\nsteps: [{id: a, command: "rm -rf ~"}]\n'],
    [
      "amplihack hooks test ./bad.mjs",
      "bad.mjs",
      'import { execSync } from "node:child_process";\nexecSync("rm -rf ~");\n',
    ],
    ['amplihack mcp guard -- bash -c "rm -rf ~"', "x", ""],
    ["amplihack mcp guard -- bash ./bad.sh", "bad.sh", "rm -rf ~\n"],
    ["amplihack sandbox run --write ~ -- rm -rf ~", "x", ""],
    ["npx amplihack recipe run ./bad.yaml", "bad.yaml", step("rm -rf ~")],
    ["env A=1 amplihack recipe run bad.yaml", "bad.yaml", step("rm -rf ~")],
  ])("nobody is asked about what nobody may permit: %s", async (command, name, content) => {
    const { call, write } = open();
    write(name, content);
    expect((await call(command)).decision).toBe("deny");
  });

  it.each([
    "cat .env",
    "amplihack history show ID",
    "amplihack history show ID -- .env",
    "npx amplihack history show ID",
    "amplihack history show ID | cat",
    'x=$(amplihack history show ID); echo "$x"',
  ])("what a file of secrets holds is asked about, from wherever it comes: %s", async command => {
    const { home, cwd, call, write } = open();
    write(".env", "TOKEN=abc-hidden-0123456789\n");
    await call("echo NEW=1 >> .env");
    writeFileSync(join(cwd, ".env"), "NEW=1\n", { flag: "a" });
    await call("echo NEW=1 >> .env", "s1", "PostToolUse");
    const list = execFileSync(process.execPath, [AMPLIHACK, "history", "list", "--format", "json"], {
      cwd,
      env: { PATH: process.env["PATH"], HOME: home },
      encoding: "utf8",
    });
    const [, id = "none"] = /"id":\s*"([^"]+)"/.exec(list) ?? [];
    expect((await call(command.replace("ID", id))).decision).toBe("ask");
  });
});
