import { describe, expect, it } from "vitest";
import { HOSTS, type HostId } from "../../src/hosts/descriptors.ts";
import { deriveFacts } from "../../src/hosts/facts.ts";
import { canonicalInput, nativeInput } from "../../src/hosts/tool-input.ts";
import type { Json, JsonObject } from "../../src/protocol/index.ts";

/** How hosts write one call, and what it is under canonical names. */
const CALLS: readonly [HostId, string, Json, string, JsonObject][] = [
  ["claude-code", "Bash", { command: "ls", description: "d" }, "Bash", { command: "ls", description: "d" }],
  ["gemini-cli", "run_shell_command", { command: "ls" }, "Bash", { command: "ls" }],
  ["cline", "execute_command", { commands: ["ls", "pwd"] }, "Bash", { command: "ls\npwd" }],
  ["codex", "shell", { command: ["bash", "-lc", "ls a"] }, "Bash", { command: "bash -lc 'ls a'" }],
  ["windsurf", "run_command", { command_line: "ls" }, "Bash", { command: "ls" }],
  ["antigravity", "run_command", { CommandLine: "ls" }, "Bash", { command: "ls" }],
  [
    "opencode",
    "write",
    { filePath: "/a", content: "x" },
    "Write",
    { file_path: "/a", content: "x", paths: ["/a"] },
  ],
  [
    "copilot-cli",
    "create",
    { path: "/a", file_text: "x" },
    "Write",
    { file_path: "/a", content: "x", paths: ["/a"] },
  ],
  [
    "pi",
    "edit",
    { path: "/a", oldText: "x", newText: "y" },
    "Edit",
    { file_path: "/a", old_string: "x", new_string: "y", paths: ["/a"] },
  ],
  [
    "gemini-cli",
    "replace",
    { file_path: "/a", old_string: "x", new_string: "y" },
    "Edit",
    { file_path: "/a", old_string: "x", new_string: "y", paths: ["/a"] },
  ],
  [
    "codex",
    "apply_patch",
    { command: "*** Begin Patch\n*** Update File: a.ts\n*** Add File: b.ts\n*** End Patch" },
    "Edit",
    {
      file_path: "a.ts",
      patch: "*** Begin Patch\n*** Update File: a.ts\n*** Add File: b.ts\n*** End Patch",
      paths: ["a.ts", "b.ts"],
    },
  ],
];

describe.each(CALLS)("%s %s", (host, tool, input, canonical, expected) => {
  const facts = deriveFacts(HOSTS[host], tool, canonical, input);

  it("is read under canonical names", () => {
    expect(canonicalInput(canonical, input, facts)).toEqual(expected);
  });

  it("comes back as the host wrote it when nothing was changed", () => {
    expect(nativeInput(canonical, input, facts, expected)).toEqual(input);
  });
});

describe("a change under canonical names", () => {
  const change = (host: HostId, tool: string, canonical: string, input: Json, changes: JsonObject) => {
    const facts = deriveFacts(HOSTS[host], tool, canonical, input);
    return nativeInput(canonical, input, facts, { ...canonicalInput(canonical, input, facts), ...changes });
  };

  it("goes into the member that the host reads", () => {
    expect(
      change("windsurf", "run_command", "Bash", { command_line: "ls", cwd: "/" }, { command: "pwd" }),
    ).toEqual({ command_line: "pwd", cwd: "/" });
    expect(
      change("opencode", "write", "Write", { filePath: "/a", content: "x" }, { file_path: "/b" }),
    ).toEqual({ filePath: "/b", content: "x" });
    expect(change("cline", "run_commands", "Bash", { commands: ["ls"] }, { command: "pwd" })).toEqual({
      commands: ["pwd"],
    });
  });

  it("that a patch given as plain text cannot hold is told", () => {
    expect(
      change("copilot-cli", "apply_patch", "Edit", "*** Begin Patch\n*** Update File: a\n*** End Patch", {
        patch: "x",
      }),
    ).toBeUndefined();
  });

  it("of the list of paths, which is derived, is told", () => {
    expect(
      change("claude-code", "Write", "Write", { file_path: "/a", content: "" }, { paths: ["/b"] }),
    ).toBeUndefined();
  });
});
