import { block } from "./claude-encoders.ts";
import type { HostDescriptor, RenderContext, ResponseEncoder, ResponseTable } from "./host.ts";
import { rename } from "./tool-input.ts";

/** They fire beside PreToolUse, which is the one known to be able to block. */
const specialisedGate: ResponseEncoder = { ...block, unproven: ["deny"], ignoresExitCode: true };

function responses({ nativeEvent }: RenderContext): ResponseTable {
  return {
    PreToolUse: nativeEvent.startsWith("Before") ? specialisedGate : block,
    PostToolUse: {},
    PostToolUseFailure: {},
    SessionStart: {},
    SessionEnd: {},
    UserPromptSubmit: { ignoresExitCode: true },
    Stop: { ...block, caveats: { deny: "hold → honoured by later builds only" } },
  };
}

export const goose: HostDescriptor<"goose"> = {
  id: "goose",
  skillFolders: [".goose/skills", ".config/goose/skills", ".claude/skills", ".agents/skills"],
  evidence: { payload: payload => payload["matcher_context"] !== undefined },
  events: {
    BeforeReadFile: "PreToolUse:Read",
    AfterFileEdit: "PostToolUse:Edit",
    BeforeShellExecution: "PreToolUse:Bash",
    AfterShellExecution: "PostToolUse:Bash",
  },
  usesCanonicalEvents: true,
  tools: { developer__shell: "Bash", developer__text_editor: "Edit" },
  input: {
    assembledInput: {
      BeforeShellExecution: { command: "matcher_context" },
      AfterShellExecution: { command: "matcher_context" },
      BeforeReadFile: { path: "matcher_context" },
      AfterFileEdit: { path: "matcher_context" },
    },
    aliases: payload => rename(payload, { prompt: "message", tool_response: "tool_output" }),
  },
  responses,
  noOpinion: "",
  answering: "ignores hooks' approvals",
  closed: "exit",
  registration: {
    timeout: { key: "timeout", unit: "s" },
    layout: { kind: "groups", hasType: true, closedMember: { on_failure: "block" } },
    files: {
      user: ".agents/plugins/amplihack/hooks/hooks.json",
      project: ".agents/plugins/amplihack/hooks/hooks.json",
    },
  },
  protects: { wiring: [".goose/hooks/**", ".config/goose/**", ".agents/plugins/**"] },
  program: { names: ["goose"], bypass: /^--(auto|mode=auto)$/, bypassVariables: ["GOOSE_MODE"] },
  setup: () => ({
    title: "Goose",
    folders: [".config/goose"],
    programs: ["goose"],
    live: "it was not tried with a scripted model yet",
  }),
};
