import { describe, expect, it } from "vitest";
import { printModeArguments } from "../../src/exports/hosts.ts";

const full = {
  prompt: "do it",
  systemPrompt: "be brief",
  model: "m1",
  directory: "/srv/shop",
  allowAllTools: true,
};

describe("one prompt without a person at the screen", () => {
  it.each([
    ["claude", ["-p", "do it", "--system-prompt", "be brief", "--add-dir", "/srv/shop", "--model", "m1"]],
    ["copilot", ["-p", "be brief\n\ndo it", "--add-dir", "/srv/shop", "--model", "m1", "--allow-all-tools"]],
    [
      "codex",
      ["exec", "--skip-git-repo-check", "--add-dir", "/srv/shop", "--model", "m1", "be brief\n\ndo it"],
    ],
    ["amplifier", ["run", "--model", "m1", "be brief\n\ndo it"]],
    ["gemini", ["-p", "be brief\n\ndo it", "--include-directories", "/srv/shop", "--model", "m1"]],
    ["pi", ["-p", "do it", "--append-system-prompt", "be brief", "--model", "m1"]],
  ] as const)("%s", (agent, args) => {
    expect(printModeArguments(agent, full)).toEqual({ args });
  });

  it("always comes on stdin to OpenCode, which puts quotes around an argument with blanks", () => {
    expect(printModeArguments("opencode", full)).toEqual({
      args: ["run", "--model", "m1"],
      stdin: "be brief\n\ndo it",
    });
  });

  it("is as short as can be with the prompt alone", () => {
    expect(printModeArguments("claude", { prompt: "go" })).toEqual({ args: ["-p", "go"] });
    expect(printModeArguments("copilot", { prompt: "go" })).toEqual({ args: ["-p", "go"] });
  });

  it("comes on stdin when prompt and system prompt together pass 32 KiB", () => {
    const prompt = "é".repeat(16 * 1024 - 4);
    expect(printModeArguments("claude", { prompt, systemPrompt: "12345678" }).stdin).toBeUndefined();
    expect(printModeArguments("claude", { prompt, systemPrompt: "123456789" })).toEqual({
      args: ["-p", "--system-prompt", "123456789"],
      stdin: prompt,
    });
    expect(printModeArguments("codex", { prompt, systemPrompt: "123456789" })).toEqual({
      args: ["exec", "--skip-git-repo-check", "-"],
      stdin: `123456789\n\n${prompt}`,
    });
    const long = "x".repeat(40_000);
    expect(printModeArguments("claude", { prompt: "go", systemPrompt: long })).toEqual({
      args: ["-p"],
      stdin: `${long}\n\ngo`,
    });
  });

  it("comes on stdin when the agent would take it for something else", () => {
    expect(printModeArguments("claude", { prompt: "--version" })).toEqual({
      args: ["-p"],
      stdin: "--version",
    });
    expect(printModeArguments("pi", { prompt: "@secrets.txt" })).toEqual({
      args: ["-p"],
      stdin: "@secrets.txt",
    });
    expect(printModeArguments("opencode", { prompt: "-h" })).toEqual({ args: ["run"], stdin: "-h" });
  });
});
