import { type Table, tool } from "../row.ts";

const patch = (...lines: readonly string[]) => `*** Begin Patch\n${lines.join("\n")}\n*** End Patch\n`;
const NOTEBOOK = { notebook_path: "@/book.ipynb", cell_id: "c1", new_source: "print(2)" };

export const FILE_TOOLS: Table = {
  clean: [
    tool("claude write", { file_path: "@/README.md", content: "all new\n" }),
    tool("claude write", { file_path: "@/fresh.txt", content: "fresh\n" }),
    tool("claude write", { file_path: "@/fresh/deep/file.txt", content: "fresh\n" }),
    tool("claude write", { file_path: "@/../elsewhere/report.txt", content: "lost\n" }),
    tool("claude write", { file_path: "@/link", content: "through the link\n" }),
    tool("claude edit", {
      file_path: "@/src/a.ts",
      old_string: "work",
      new_string: "edited",
      replace_all: false,
    }),
    tool("claude edit", { file_path: "@/win.bat", old_string: "off", new_string: "on", replace_all: false }),
    tool(
      "claude edit",
      {
        file_path: "@/src/a.ts",
        edits: [
          { old_string: "work", new_string: "one" },
          { old_string: "rest", new_string: "two" },
        ],
      },
      "MultiEdit",
    ),
    tool("codex patch", { command: patch("*** Add File: fresh.txt", "+alpha") }),
    tool("codex patch", { command: patch("*** Update File: README.md", "@@", " one", "-two", "+2") }),
    tool("codex patch", { command: patch("*** Delete File: docs/api.md") }),
    tool("codex patch", {
      command: patch("*** Update File: docs/api.md", "*** Move to: docs/moved/api.md", "@@", "-api", "+API"),
    }),
    tool("codex patch", {
      command: patch(
        "*** Delete File: docs/api.md",
        "*** Add File: docs/new.md",
        "+new",
        "*** Update File: src/a.ts",
        "@@",
        "-// end",
        "+// END",
      ),
    }),
    tool("copilot create", { path: "@/README.md", file_text: "all new\n" }),
    tool("copilot edit", { path: "@/README.md", old_str: "one", new_str: "1" }),
    tool("copilot edit", patch("*** Update File: README.md", "@@", "-one", "+1"), "apply_patch"),
    tool("gemini write", { file_path: "@/README.md", content: "all new\n" }),
    tool("gemini replace", {
      file_path: "@/README.md",
      old_string: "one",
      new_string: "1",
      instruction: "x",
    }),
    tool("opencode write", { filePath: "@/README.md", content: "all new\n" }),
    tool("opencode edit", { filePath: "@/README.md", oldString: "one", newString: "1" }),
    tool("opencode edit", { patchText: patch("*** Delete File: README.md") }, "apply_patch"),
    tool("pi write", { path: "@/README.md", content: "all new\n" }),
    tool("pi edit", { path: "@/README.md", edits: [{ oldText: "one", newText: "1" }] }),
    tool("cursor write", { file_path: "@/README.md", content: "all new\n" }, "Write"),
  ],
  dirty: [
    tool("claude write", { file_path: "@/src/a.ts", content: "lost\n" }),
    tool("claude write", { file_path: "@/notes.txt", content: "lost\n" }),
    tool("claude write", { file_path: "@/docs/api.md", content: "there again\n" }),
    tool("claude edit", {
      file_path: "@/src/c.ts",
      old_string: "staged",
      new_string: "lost",
      replace_all: false,
    }),
    tool("codex patch", { command: patch("*** Delete File: notes.txt", "*** Delete File: src/a.ts") }),
    tool("copilot create", { path: "@/src/b.ts", file_text: "lost\n" }),
    tool("gemini write", { file_path: "@/added.txt", content: "lost\n" }),
    tool("opencode write", { filePath: "@/src/c.ts", content: "lost\n" }),
    tool("pi write", { path: "@/notes.txt", content: "lost\n" }),
    tool("cursor write", { file_path: "@/notes.txt", content: "lost\n" }, "Write"),
  ],
  untracked: [
    tool("claude write", { file_path: "@/new/draft.md", content: "lost\n" }),
    tool("claude write", { file_path: "@/new/dangling", content: "through a dangling link\n" }),
    tool("claude edit", {
      file_path: "@/top two.txt",
      old_string: "two",
      new_string: "2",
      replace_all: false,
    }),
    tool("codex patch", {
      command: patch("*** Update File: top.txt", "*** Move to: new/top.txt", "@@", "-top", "+TOP"),
    }),
    tool("gemini replace", {
      file_path: "@/new/draft.md",
      old_string: "draft",
      new_string: "x",
      instruction: "x",
    }),
  ],
  precious: [
    tool("claude write", { file_path: "@/local/settings.txt", content: "lost\n" }),
    tool("gemini write", { file_path: "@/debug.log", content: "" }),
  ],
  plain: [
    tool("claude write", { file_path: "@/src/a.ts", content: "lost\n" }),
    tool("claude write", { file_path: "@/book.ipynb", content: '{"cells":[]}\n' }),
    tool("codex patch", { command: patch("*** Delete File: src/b.ts", "*** Add File: src/e.ts", "+e") }),
    tool("copilot edit", { path: "@/docs/guide.md", old_str: "guide", new_str: "x" }),
    tool("opencode write", { filePath: "@/docs/new/x.md", content: "x\n" }),
  ],
  odd: [
    tool("claude write", { file_path: "@/with space.txt", content: "lost\n" }),
    tool("claude write", { file_path: "@/größe ✓ 日本", content: "lost\n" }),
    tool("claude write", { file_path: "@/new\nline", content: "lost\n" }),
    tool("claude write", { file_path: "@/to-directory/inner/a b", content: "lost\n" }),
  ],
  notebook: [tool("claude edit", NOTEBOOK, "NotebookEdit")],
  readOnly: [tool("claude write", { file_path: "@/fixed/other", content: "x\n" })],
  submodule: [tool("claude write", { file_path: "@/vendor/library/lib.c", content: "lost\n" })],
  inLinked: [tool("claude write", { file_path: "@/there.txt", content: "lost\n" })],
  sparse: [tool("claude write", { file_path: "@/bin/run.sh", content: "outside the cone\n" })],
};
