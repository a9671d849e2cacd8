import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const FOLDER = fileURLToPath(new URL("../../examples/embedding/", import.meta.url));
const CLAUDE = process.env["AMPLIHACK_TEST_CLAUDE"];
/** What an example imports, and does not stand for itself. */
const PARTS = ["agent.ts", "mcp-shell-server.ts", "pi-extension.ts", "scripted-claude.ts"];
const SOURCES = readdirSync(FOLDER).filter(name => name.endsWith(".ts"));
const EXAMPLES = SOURCES.filter(name => !PARTS.includes(name)).map(name => name.replace(".ts", ""));

const run = promisify(execFile);
// Not in a temporary directory: deleting there is no danger to the guard.
const home = mkdtempSync(join(homedir(), ".amplihack-example-test-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What an example prints, by the word in front. */
async function play(example: string): Promise<Map<string, string[]>> {
  const env = { PATH: process.env["PATH"], HOME: home, ...(CLAUDE ? { CLAUDE_CODE_PROGRAM: CLAUDE } : {}) };
  const { stdout } = await run(process.execPath, [join(FOLDER, "build", `${example}.js`)], {
    env,
    cwd: home,
  });
  expect(stdout).not.toContain("sk-live");
  const lines = new Map<string, string[]>();
  for (const line of stdout.trim().split("\n")) {
    const [, who = "", text = ""] = /^(\w+) +(.*)$/.exec(line) ?? [];
    lines.set(who, [...(lines.get(who) ?? []), text]);
  }
  return lines;
}

describe("the examples of embedding", () => {
  it("there is one for each adapter", () => {
    expect(EXAMPLES.sort()).toEqual(
      "ai-sdk claude-agent-sdk langchain mastra mcp-client mcp-proxy mcp-server openai-agents pi-agent-core pi-session".split(
        " ",
      ),
    );
  });

  it.each(EXAMPLES)("%s: a command is refused, a question answered, a result redacted", async example => {
    if (example === "claude-agent-sdk" && CLAUDE === undefined) return;
    const lines = await play(example);
    expect(lines.get("model")).toEqual([
      expect.stringContaining("Blocked [fs.home]"),
      expect.stringContaining("done with token [redacted]"),
    ]);
    expect(lines.get("asked")).toEqual([expect.stringMatching(/git\.push|git push --force/)]);
    // The server behind the proxy is a process of its own.
    expect(lines.get("shell")).toEqual(
      example === "mcp-proxy" ? undefined : ["git push --force origin feature"],
    );
  });

  it.each(SOURCES)("%s has no cast and no type that hides another", name => {
    const code = readFileSync(join(FOLDER, name), "utf8").replace(/\/\/.*|\/\*[\s\S]*?\*\/|"[^"]*"/g, "");
    expect(code).not.toMatch(/\bas\b|\bany\b|(?<!\.)\bobject\b|\bunknown\b|\bnever\b|@ts-|[\w)\]]!(?!=)/);
  });
});
