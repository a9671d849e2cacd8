import { block } from "./claude-words.ts";
import type { HostDescriptor, Occasion, Speech } from "./host.ts";
import { rename } from "./payload-paths.ts";

const toolGate: Speech = block;
/** They fire beside PreToolUse, which is the one known to be able to block. */
const specialisedGate: Speech = { ...block, unproven: ["deny"], ignoresExitCode: true };

function speech({ nativeEvent }: Occasion): Readonly<Record<string, Speech>> {
  return {
    PreToolUse: nativeEvent.startsWith("Before") ? specialisedGate : toolGate,
    PostToolUse: {},
    PostToolUseFailure: {},
    SessionStart: {},
    SessionEnd: {},
    UserPromptSubmit: { ignoresExitCode: true },
    Stop: { ...block, caveats: { deny: "hold → honoured by later builds only" } },
  };
}

export const goose: HostDescriptor = {
  id: "goose",
  events: {
    BeforeReadFile: "PreToolUse:Read",
    AfterFileEdit: "PostToolUse:Edit",
    BeforeShellExecution: "PreToolUse:Bash",
    AfterShellExecution: "PostToolUse:Bash",
  },
  usesCanonicalEvents: true,
  tools: { developer__shell: "Bash", developer__text_editor: "Edit" },
  reading: {
    assembledInput: {
      BeforeShellExecution: { command: "matcher_context" },
      AfterShellExecution: { command: "matcher_context" },
      BeforeReadFile: { path: "matcher_context" },
      AfterFileEdit: { path: "matcher_context" },
    },
    aliases: payload => rename(payload, { prompt: "message", tool_response: "tool_output" }),
  },
  speech,
  silence: "",
  closed: "exit",
  registration: {
    events: {
      SessionStart: ["SessionStart"],
      Stop: ["Stop"],
      PreToolUse: ["PreToolUse"],
      PostToolUse: ["PostToolUse"],
      PostToolUseFailure: ["PostToolUseFailure"],
      UserPromptSubmit: ["UserPromptSubmit"],
      SessionEnd: ["SessionEnd"],
    },
    timeout: { key: "timeout", unit: "s" },
    layout: {
      kind: "groups",
      root: ["hooks"],
      commandKey: "command",
      hasType: true,
      closedMember: { on_failure: "block" },
    },
    files: [
      { scope: "user", path: ".agents/plugins/amplihack/hooks/hooks.json", isShared: false },
      { scope: "project", path: ".agents/plugins/amplihack/hooks/hooks.json", isShared: false },
    ],
  },
};
