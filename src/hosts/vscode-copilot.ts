import {
  block,
  doubleContext,
  doublePermission,
  nested,
  nestedInput,
  stopTurn,
  systemMessage,
} from "./claude-words.ts";
import type { HostDescriptor, Speech } from "./host.ts";

const refuseTurn = (reason: string) => ({ ...block.deny(reason), ...stopTurn.halt(reason) });

/**
 * Words for payloads with Claude's event names, which VS Code and one dialect of Copilot CLI send and which do not
 * always tell them apart: nested for the one, flat for the other, both in every answer.
 */
export const claudeNamesSpeech: Readonly<Record<string, Speech>> = {
  SessionStart: doubleContext,
  UserPromptSubmit: { ...doubleContext, deny: refuseTurn },
  PreToolUse: {
    ...doubleContext,
    ...doublePermission,
    input: (value, on) => ({ modifiedArgs: value, ...nestedInput.input(value, on) }),
  },
  PostToolUse: { ...doubleContext, ...block },
  PreCompact: { deny: refuseTurn, unproven: ["deny"] },
  SubagentStart: doubleContext,
  SubagentStop: block,
  Stop: {
    deny: (reason, on) => ({ ...block.deny(reason), ...nested(on, block.deny(reason)) }),
  },
};

export const vscodeCopilot: HostDescriptor = {
  id: "vscode-copilot",
  events: {},
  usesCanonicalEvents: true,
  tools: {
    run_in_terminal: "Bash",
    runTerminalCommand: "Bash",
    runInTerminal: "Bash",
    editFiles: "Edit",
    replace_string_in_file: "Edit",
    insert_edit_into_file: "Edit",
    apply_patch: "Edit",
    createFile: "Write",
    create_file: "Write",
    readFile: "Read",
    read_file: "Read",
    grep_search: "Grep",
    file_search: "Glob",
    fetch_webpage: "WebFetch",
    runSubagent: "Agent",
  },
  speech: Object.fromEntries(
    Object.entries(claudeNamesSpeech).map(([event, speech]) => [
      event,
      { ...systemMessage, ...stopTurn, ...speech },
    ]),
  ),
  silence: "{}\n",
  closed: "exit",
  // No registration of its own: it reads the files of Claude Code and of Copilot CLI.
};
