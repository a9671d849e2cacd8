import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkLiveFiles, livePaths } from "../../scripts/check-live-files.mjs";
import { projectConfigFile } from "../../src/config/load.ts";
import { HOST_LIST } from "../../src/hosts/descriptors.ts";
import { WIRING_FILES, WIRING_TREES } from "../../src/hosts/protected-files.ts";
import { isIgnored, parseIgnoreFile } from "../../src/workspace/ignore.ts";

const MODULES = { WIRING_FILES, WIRING_TREES, HOST_LIST, projectConfigFile, isIgnored, parseIgnoreFile };
const GITIGNORE = readFileSync(new URL("../../.gitignore", import.meta.url), "utf8");

describe("live configuration of hosts", () => {
  it("has a place for every host that a project can be registered with", () => {
    const registered = HOST_LIST.flatMap(({ registration }) => registration?.files.project ?? []);
    const paths = livePaths(MODULES);
    expect(registered.length).toBeGreaterThan(10);
    for (const path of registered)
      expect(
        paths.some(live => live.startsWith(path)),
        path,
      ).toBe(true);
    expect(paths).toContain(".mcp.json");
    expect(paths).toContain(".amplihack/config.jsonc");
  });

  it("is ignored here, all of it", () => {
    expect(checkLiveFiles(MODULES, GITIGNORE, ["README.md", ".github/workflows/test.yml"])).toEqual([]);
  });

  it("is named when no rule covers it, or one takes it in again", () => {
    const [claude] = checkLiveFiles(MODULES, GITIGNORE.replace(".claude/\n", ""), []);
    expect(claude).toMatch(/^\.gitignore does not cover \.claude\//);
    const server = `${GITIGNORE}!.mcp.json\n`;
    expect(checkLiveFiles(MODULES, server, [])).toEqual([
      ".gitignore does not cover .mcp.json, which an agent host reads: add a line for it",
    ]);
  });

  it("is named when it is tracked or staged, wherever it lies", () => {
    const tracked = [".claude/settings.json", "examples/x/.codex/hooks.json", "src/index.ts"];
    expect(checkLiveFiles(MODULES, GITIGNORE, tracked)).toEqual([
      expect.stringMatching(/^\.claude\/settings\.json is tracked and must not be: git rm --cached -- /),
      expect.stringMatching(/^examples\/x\/\.codex\/hooks\.json is tracked and must not be/),
    ]);
  });
});
