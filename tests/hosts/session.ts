import type { Delegation, ScriptStep } from "../../src/verify/live/scripted-model.ts";
import { call, command, type DrivenHost, FILE_TOOLS } from "./file-tools.ts";

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

/** First of all: they run on while other things happen. */
const AGENTS: Readonly<Partial<Record<DrivenHost, ScriptStep>>> = {
  "claude-code": call("Agent", {
    description: "look around",
    prompt: MARK,
    subagent_type: "general-purpose",
  }),
  codex: call("spawn_agent", { message: MARK }, "multi_agent_v1"),
  "gemini-cli": call("invoke_agent", { agent_name: "generalist", prompt: MARK }),
  "copilot-cli": call("task", {
    description: "look around",
    prompt: MARK,
    agent_type: "general-purpose",
    name: "looker",
    mode: "sync",
  }),
  opencode: call("task", { description: "look around", prompt: MARK, subagent_type: "general" }),
};

const GREP = command("grep -rn another .");
const SEARCHES: Readonly<Record<DrivenHost, (project: string) => readonly Operation[]>> = {
  "claude-code": () => [{ does: "search", step: GREP }],
  codex: () => [{ does: "search", step: GREP }],
  "gemini-cli": project => [
    { does: "search", step: call("grep_search", { pattern: "another" }) },
    { does: "find files", step: call("glob", { pattern: "*.txt" }) },
    { does: "list a folder", step: call("list_directory", { dir_path: project }) },
  ],
  "copilot-cli": () => [
    { does: "search", step: call("grep", { pattern: "another", output_mode: "content" }) },
    { does: "find files", step: call("glob", { pattern: "*.txt" }) },
  ],
  opencode: () => [
    { does: "search", step: call("grep", { pattern: "another" }) },
    { does: "find files", step: call("glob", { pattern: "*.txt" }) },
    {
      does: "plan",
      step: call("todowrite", { todos: [{ content: "look", status: "pending", priority: "low", id: "1" }] }),
    },
  ],
  pi: () => [{ does: "search", step: GREP }],
};

function toolOperations(host: DrivenHost, project: string): readonly Operation[] {
  const { write, read, edit } = FILE_TOOLS[host];
  const agent = AGENTS[host];
  const notes = `${project}/notes.txt`;
  return [
    ...(agent === undefined ? [] : [{ does: "start an agent", step: agent }]),
    { does: "write", step: write(notes, NOTES) },
    { does: "read", step: read(notes) },
    { does: "edit", step: edit(notes, "second line", "another line") },
    ...SEARCHES[host](project),
    { does: "read what is missing", step: read(`${project}/missing.txt`) },
  ];
}

export function operationsOf(host: DrivenHost, project: string): readonly Operation[] {
  return [...toolOperations(host, project), ...COMMANDS];
}

/** What the agent that was sent to look around does. */
export const DELEGATION: Delegation = {
  mark: MARK,
  steps: [command("pwd"), { kind: "text", text: "There is nothing to see." }],
};
