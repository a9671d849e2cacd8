import { describe, expect, it } from "vitest";
import { judgeTool } from "../../src/exports/guard.ts";
import { normalise } from "../../src/exports/hosts.ts";
import { isEmptyFootprint } from "../../src/guard/footprint.ts";
import { HOSTS, type HostId } from "../../src/hosts/descriptors.ts";
import { deriveFacts } from "../../src/hosts/facts.ts";
import { checkInput, type Json, type JsonObject } from "../../src/protocol/index.ts";
import { contextFor, HOME, PROJECT, readCorpus } from "./scene.ts";

/** The call as a host with no tools of its own hands it over. */
function judgeCall(name: string, input: Json) {
  const tool = { name, canonicalName: name, input };
  return judgeTool({ tool, facts: deriveFacts(HOSTS["claude-code"], name, name, input) }, contextFor());
}

function callsOf(file: string): readonly (readonly [string, Json, string])[] {
  return readCorpus(file).map(line => {
    const [, name = "", input = ""] = /^(\S+) (.*)$/s.exec(line) ?? [];
    return [name, JSON.parse(input), line];
  });
}

describe("tools of any name", () => {
  it("are stopped where their arguments are dangerous", () => {
    const calls = callsOf("tool-calls-dangerous.txt");
    expect(calls.length).toBeGreaterThanOrEqual(120);
    const passed = calls.filter(([name, input]) => judgeCall(name, input).verdict === "allow");
    expect(passed.map(([, , line]) => line)).toEqual([]);
  });

  it("are left alone where they are not", () => {
    const calls = callsOf("tool-calls-ordinary.txt");
    expect(calls.length).toBeGreaterThanOrEqual(120);
    const bothered = calls.flatMap(([name, input, line]) => {
      const { verdict, findings } = judgeCall(name, input);
      return verdict === "allow"
        ? []
        : [`${line} → ${findings.map(({ rule, target }) => `${rule} ${target}`)}`];
    });
    expect(bothered).toEqual([]);
  });
});

/** A payload as the host sends it. */
function judgePayload(host: HostId, payload: JsonObject) {
  const read = normalise(JSON.stringify(payload), { host, env: { get: () => undefined } });
  if (!read.ok) throw new Error(read.message);
  const checked = checkInput(read.value);
  if (!checked.ok || checked.input.kind !== "tool") throw new Error("no tool call");
  return judgeTool(checked.input, contextFor());
}

const claude = (tool_name: string, tool_input: JsonObject) => ({
  hook_event_name: "PreToolUse",
  tool_name,
  tool_input,
});
const augment = (tool_name: string, tool_input: JsonObject) => ({
  ...claude(tool_name, tool_input),
  conversation_id: "c",
  workspace_roots: [PROJECT],
});
const opencode = (tool: string, args: JsonObject) => ({
  hook_event_name: "tool.execute.before",
  input: { tool, sessionID: "s", callID: "c" },
  output: { args },
});
const gemini = (tool_name: string, tool_input: JsonObject) => ({
  ...claude(tool_name, tool_input),
  hook_event_name: "BeforeTool",
});

describe("tools of hosts", () => {
  it.each<[HostId, JsonObject, string]>([
    [
      "cursor",
      { ...claude("Delete", { path: "src" }), hook_event_name: "preToolUse", cursor_version: "3" },
      "ask",
    ],
    ["augment", augment("remove-files", { file_paths: ["src"] }), "ask"],
    [
      "cline",
      {
        clineVersion: "3",
        hookName: "PreToolUse",
        preToolUse: { toolName: "read_files", parameters: { files: [{ path: "a" }, { path: ".env" }] } },
      },
      "ask",
    ],
    ["opencode", opencode("shell_run", { command: "rm -rf ~" }), "deny"],
    ["opencode", opencode("filesystem_delete_directory", { path: "src" }), "ask"],
    ["claude-code", claude("Monitor", { command: "rm -rf ~", description: "x" }), "deny"],
    ["gemini-cli", gemini("mcp_tool", { command: ["bash", "-lc", "rm -rf ~"] }), "deny"],
    [
      "copilot-cli",
      {
        toolName: "str_replace_editor",
        toolArgs: JSON.stringify({ command: "view", path: "/etc/hosts" }),
        hook_event_name: "PreToolUse",
      },
      "allow",
    ],
  ])("%s %j is %s", (host, payload, verdict) => {
    expect(judgePayload(host, payload).verdict).toBe(verdict);
  });
});

describe("the directory that a call names", () => {
  const elsewhere = { command: "rm -rf other" };

  it.each<[HostId, JsonObject]>([
    ["opencode", opencode("bash", { ...elsewhere, workdir: HOME })],
    ["augment", augment("launch-process", { ...elsewhere, cwd: HOME })],
    ["gemini-cli", gemini("run_shell_command", { ...elsewhere, directory: ".." })],
    ["qwen-code", claude("run_shell_command", { ...elsewhere, directory: "~" })],
    ["claude-code", claude("mcp__shell__run", { ...elsewhere, working_directory: HOME })],
    ["claude-code", claude("mcp__shell__run", { argv: ["rm", "-rf", "other"], cwd: HOME })],
  ])("of %s is where its command runs: %j", (host, payload) => {
    const { verdict, findings } = judgePayload(host, payload);
    expect(findings[0]?.target).toBe(`${HOME}/other`);
    expect(verdict).not.toBe("allow");
  });

  it("also makes harmless what is harmless there", () => {
    const there = (workdir: string) =>
      judgePayload("opencode", opencode("bash", { command: "rm -rf file", workdir }));
    expect(there("/tmp/scratch").verdict).toBe("allow");
    expect(there("/tmp/scratch").footprint().targets).toMatchObject([
      { path: "/tmp/scratch/file", how: "delete" },
    ]);
  });

  it("is where programs that change anything do it", () => {
    const build = judgePayload("opencode", opencode("bash", { command: "npm test", workdir: "frontend" }));
    expect(build.footprint().unknownIn).toEqual([`${PROJECT}/frontend`]);
  });

  it("does not move the session: its own directory stays protected", () => {
    const gone = judgePayload("opencode", opencode("bash", { command: "rm -rf project", workdir: HOME }));
    expect(gone.findings.map(({ rule }) => rule)).toContain("fs.cwd");
  });
});

describe("what any tool changes", () => {
  const footprint = (name: string, input: Json) => judgeCall(name, input).footprint();

  it("is told to the history", () => {
    const notes = `${PROJECT}/notes.txt`;
    expect(footprint("mcp__fs__delete", { path: "notes.txt" }).targets).toMatchObject([
      { path: notes, how: "delete" },
    ]);
    expect(footprint("mcp__fs__write", { path: "notes.txt" }).targets).toMatchObject([
      { path: notes, how: "write" },
    ]);
    expect(footprint("mcp__fs__move", { source: "notes.txt", destination: "b.txt" }).targets).toMatchObject([
      { path: notes, how: "move" },
      { path: `${PROJECT}/b.txt`, how: "write" },
    ]);
    expect(footprint("mcp__acme__frob", { path: "notes.txt" }).targets).toMatchObject([
      { path: notes, how: "write" },
    ]);
    expect(footprint("terminal", { command: "rm notes.txt" }).targets).toMatchObject([
      { path: notes, how: "delete" },
    ]);
    expect(footprint("mcp__py__run", { code: "import os; os.remove('notes.txt')" }).targets).toMatchObject([
      { path: notes, how: "delete" },
    ]);
    expect(
      footprint("mcp__shell__exec", { commands: [{ command: "rm notes.txt" }, { command: "make" }] }),
    ).toMatchObject({
      targets: [{ path: notes, how: "delete" }],
      unknownIn: [PROJECT],
    });
  });

  it("is nothing for tools that read, search or speak to a service", () => {
    for (const [name, input] of [
      ["mcp__fs__read_file", { path: "notes.txt" }],
      ["mcp__fs__search_files", { path: "src", pattern: "x" }],
      ["mcp__github__delete_file", { owner: "o", repo: "r", path: "notes.txt" }],
      ["mcp__postgres__query", { sql: "SELECT 1" }],
      ["WebSearch", { query: "rm -rf" }],
    ] as const)
      expect([name, isEmptyFootprint(footprint(name, input))]).toEqual([name, true]);
  });
});

describe("arguments of any form", () => {
  it("never make the guard fail, however deep and large they are", () => {
    let deep: Json = { command: "rm -rf ~" };
    for (let level = 0; level < 150; level += 1) deep = { input: deep };
    const wide = {
      files: Array.from({ length: 5000 }, (_, index) => ({ path: `a${index}`, name: "x".repeat(50) })),
    };
    for (const input of [deep, wide, null, 5, "text", [], [["rm"]], { command: null }, { path: { path: 1 } }])
      expect(judgeCall("mcp__any__thing", input).failure).toBeUndefined();
  });

  it("are asked about below the depth that is read", () => {
    let deep: Json = { command: "rm -rf ~" };
    for (let level = 0; level < 60; level += 1) deep = { input: deep };
    expect(judgeCall("mcp__any__thing", deep).verdict).not.toBe("allow");
  });
});
