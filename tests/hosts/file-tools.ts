import type { ScriptStep, ToolCall } from "../../src/verify/live/scripted-model.ts";

/** Hosts that are driven. */
export type DrivenHost = "claude-code" | "codex" | "copilot-cli" | "gemini-cli" | "opencode" | "pi";

/** How the model works on a file with the tools of one host. Paths are whole. */
export interface FileTools {
  write(path: string, text: string): ScriptStep;
  read(path: string): ScriptStep;
  /** replaces the one place in which `before` stands */
  edit(path: string, before: string, after: string): ScriptStep;
}

export const call = (name: string, input: ToolCall["input"], namespace?: string): ScriptStep => ({
  kind: "call",
  call: namespace === undefined ? { name, input } : { name, input, namespace },
});
export const command = (text: string): ScriptStep => ({ kind: "command", command: text });

export const FILE_TOOLS: Readonly<Record<DrivenHost, FileTools>> = {
  "claude-code": {
    write: (file_path, content) => call("Write", { file_path, content }),
    read: file_path => call("Read", { file_path }),
    edit: (file_path, old_string, new_string) => call("Edit", { file_path, old_string, new_string }),
  },
  // It has no tools for files: everything goes through its shell, in which `apply_patch` is a command.
  codex: {
    write: (path, text) => command(`cat > '${path}' <<'END'\n${text}END`),
    read: path => command(`cat '${path}'`),
    edit: (path, before, after) => {
      const lines = (mark: string, text: string) => text.split("\n").map(line => `${mark}${line}`);
      const patch = [
        "*** Begin Patch",
        `*** Update File: ${path}`,
        "@@",
        ...lines("-", before),
        ...lines("+", after),
        "*** End Patch",
      ];
      return command(`apply_patch <<'END'\n${patch.join("\n")}\nEND`);
    },
  },
  "copilot-cli": {
    write: (path, file_text) => call("create", { path, file_text }),
    read: path => call("view", { path }),
    edit: (path, old_str, new_str) => call("edit", { path, old_str, new_str }),
  },
  "gemini-cli": {
    write: (file_path, content) => call("write_file", { file_path, content }),
    read: file_path => call("read_file", { file_path }),
    edit: (file_path, old_string, new_string) =>
      call("replace", { file_path, instruction: "change this text", old_string, new_string }),
  },
  opencode: {
    write: (filePath, content) => call("write", { filePath, content }),
    read: filePath => call("read", { filePath }),
    edit: (filePath, oldString, newString) => call("edit", { filePath, oldString, newString }),
  },
  pi: {
    write: (path, content) => call("write", { path, content }),
    read: path => call("read", { path }),
    edit: (path, oldText, newText) => call("edit", { path, edits: [{ oldText, newText }] }),
  },
};
