import type { HostId } from "../../src/hosts/index.ts";
import type { Delegation, ScriptStep, ToolCall } from "../../src/verify/live/script.ts";

/** One thing the model asks for in a long session. */
export interface Operation {
  /** what a user would call it; no two of a session are the same */
  readonly does: string;
  readonly step: ScriptStep;
  /** our guard does not let it happen */
  readonly isRefused?: true;
}

const MARK = "Amplihack trial: you are the agent that was sent to look around.";
const NOTES = "first line\nsecond line\n";
const PATCH = `*** Begin Patch
*** Update File: notes.txt
@@
 first line
-second line
+another line
*** End Patch`;

const call = (name: string, input: ToolCall["input"], namespace?: string): ScriptStep => ({
  kind: "call",
  call: namespace === undefined ? { name, input } : { name, input, namespace },
});
const command = (text: string): ScriptStep => ({ kind: "command", command: text });

/** What every host is asked for through its shell. */
const COMMANDS: readonly Operation[] = [
  { does: "list", step: command("ls -a") },
  { does: "look at the repository", step: command("git status --short") },
  { does: "delete where it stands", step: command("rm -rf ."), isRefused: true },
  { does: "commit past the checks", step: command("git commit --no-verify -m x"), isRefused: true },
  { does: "fail", step: command("cat missing.txt") },
  { does: "write by redirection", step: command("printf 'third line\\n' >> notes.txt") },
  { does: "use a pipe", step: command("cat notes.txt | wc -l") },
  { does: "speak other languages", step: command("echo 'äöü 日本語 🙂' \"it's\"") },
];

/** What the host's own tools are asked for, sub-agents first: they run on while other things happen. */
const TOOLS: Readonly<Partial<Record<HostId, (project: string) => readonly Operation[]>>> = {
  "claude-code": project => [
    {
      does: "start an agent",
      step: call("Agent", { description: "look around", prompt: MARK, subagent_type: "general-purpose" }),
    },
    { does: "write", step: call("Write", { file_path: `${project}/notes.txt`, content: NOTES }) },
    { does: "read", step: call("Read", { file_path: `${project}/notes.txt` }) },
    {
      does: "edit",
      step: call("Edit", {
        file_path: `${project}/notes.txt`,
        old_string: "second",
        new_string: "another",
      }),
    },
    { does: "search", step: command("grep -rn another .") },
    { does: "read what is missing", step: call("Read", { file_path: `${project}/missing.txt` }) },
  ],
  codex: () => [
    { does: "start an agent", step: call("spawn_agent", { message: MARK }, "multi_agent_v1") },
    { does: "write", step: command(`cat > notes.txt <<'END'\n${NOTES}END`) },
    { does: "read", step: command("cat notes.txt") },
    { does: "edit", step: command(`apply_patch <<'END'\n${PATCH}\nEND`) },
    { does: "search", step: command("grep -rn another .") },
  ],
  "gemini-cli": project => [
    { does: "start an agent", step: call("invoke_agent", { agent_name: "generalist", prompt: MARK }) },
    { does: "write", step: call("write_file", { file_path: `${project}/notes.txt`, content: NOTES }) },
    { does: "read", step: call("read_file", { file_path: `${project}/notes.txt` }) },
    {
      does: "edit",
      step: call("replace", {
        file_path: `${project}/notes.txt`,
        instruction: "say another",
        old_string: "second",
        new_string: "another",
      }),
    },
    { does: "search", step: call("grep_search", { pattern: "another" }) },
    { does: "find files", step: call("glob", { pattern: "*.txt" }) },
    { does: "list a folder", step: call("list_directory", { dir_path: project }) },
    { does: "read what is missing", step: call("read_file", { file_path: `${project}/missing.txt` }) },
  ],
  "copilot-cli": project => [
    {
      does: "start an agent",
      step: call("task", {
        description: "look around",
        prompt: MARK,
        agent_type: "general-purpose",
        name: "looker",
        mode: "sync",
      }),
    },
    { does: "write", step: call("create", { path: `${project}/notes.txt`, file_text: NOTES }) },
    { does: "read", step: call("view", { path: `${project}/notes.txt` }) },
    {
      does: "edit",
      step: call("edit", { path: `${project}/notes.txt`, old_str: "second", new_str: "another" }),
    },
    { does: "search", step: call("grep", { pattern: "another", output_mode: "content" }) },
    { does: "find files", step: call("glob", { pattern: "*.txt" }) },
    { does: "read what is missing", step: call("view", { path: `${project}/missing.txt` }) },
  ],
  opencode: project => [
    {
      does: "start an agent",
      step: call("task", { description: "look around", prompt: MARK, subagent_type: "general" }),
    },
    { does: "write", step: call("write", { filePath: `${project}/notes.txt`, content: NOTES }) },
    { does: "read", step: call("read", { filePath: `${project}/notes.txt` }) },
    {
      does: "edit",
      step: call("edit", { filePath: `${project}/notes.txt`, oldString: "second", newString: "another" }),
    },
    { does: "search", step: call("grep", { pattern: "another" }) },
    { does: "find files", step: call("glob", { pattern: "*.txt" }) },
    {
      does: "plan",
      step: call("todowrite", { todos: [{ content: "look", status: "pending", priority: "low", id: "1" }] }),
    },
    { does: "read what is missing", step: call("read", { filePath: `${project}/missing.txt` }) },
  ],
  pi: project => [
    { does: "write", step: call("write", { path: `${project}/notes.txt`, content: NOTES }) },
    { does: "read", step: call("read", { path: `${project}/notes.txt` }) },
    {
      does: "edit",
      step: call("edit", {
        path: `${project}/notes.txt`,
        edits: [{ oldText: "second", newText: "another" }],
      }),
    },
    { does: "search", step: command("grep -rn another .") },
    { does: "read what is missing", step: call("read", { path: `${project}/missing.txt` }) },
  ],
};

export function operationsOf(host: HostId, project: string): readonly Operation[] {
  return [...(TOOLS[host]?.(project) ?? []), ...COMMANDS];
}

/** What the agent that was sent to look around does. */
export const DELEGATION: Delegation = {
  mark: MARK,
  steps: [command("pwd"), { kind: "text", text: "There is nothing to see." }],
};
