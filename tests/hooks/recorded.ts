// Sessions as hosts record them, for tests to write in a few words.

export type Said =
  | { user: string }
  | { meta: string }
  | { assistant: string }
  | { use: string; input: unknown; id?: string }
  | { result: string; id?: string; hasFailed?: boolean };

export const user = (text: string): Said => ({ user: text });
/** text in the user's place that the host wrote */
export const meta = (text: string): Said => ({ meta: text });
export const assistant = (text: string): Said => ({ assistant: text });
export const use = (name: string, input: unknown, id?: string): Said => ({
  use: name,
  input,
  ...(id === undefined ? {} : { id }),
});
export const result = (text: string, id?: string, hasFailed?: boolean): Said => ({
  result: text,
  ...(id === undefined ? {} : { id }),
  ...(hasFailed === undefined ? {} : { hasFailed }),
});
export const bash = (command: string, output?: string, hasFailed?: boolean): Said[] => [
  use("Bash", { command }),
  ...(output === undefined ? [] : [result(output, undefined, hasFailed)]),
];
export const write = (path: string, content = "text"): Said => use("Write", { file_path: path, content });
export const todos = (...statuses: string[]): Said =>
  use("TodoWrite", { todos: statuses.map((status, index) => ({ content: `task ${index + 1}`, status })) });

const TIME = "2026-01-02T03:04:05.000Z";

/** Claude Code's session file: results are blocks of user entries. */
export function claudeSession(said: readonly Said[]): string {
  let lastId = "toolu_0";
  const lines = said.map((piece, index) => {
    if ("user" in piece) return claudeLine("user", piece.user);
    if ("meta" in piece) return { ...claudeLine("user", piece.meta), isMeta: true };
    if ("assistant" in piece) return claudeLine("assistant", [{ type: "text", text: piece.assistant }]);
    if ("use" in piece) {
      lastId = piece.id ?? `toolu_${index}`;
      return claudeLine("assistant", [{ type: "tool_use", id: lastId, name: piece.use, input: piece.input }]);
    }
    const id = piece.id ?? lastId;
    const outcome = piece.hasFailed === undefined ? {} : { is_error: piece.hasFailed };
    return claudeLine("user", [{ type: "tool_result", tool_use_id: id, content: piece.result, ...outcome }]);
  });
  return lines.map(line => `${JSON.stringify(line)}\n`).join("");
}

function claudeLine(role: "user" | "assistant", content: unknown) {
  return {
    type: role,
    timestamp: TIME,
    sessionId: "s",
    uuid: "u",
    isSidechain: false,
    message: { role, content },
  };
}

/** Copilot's event file. */
export function copilotSession(said: readonly Said[]): string {
  let lastId = "call_0";
  const lines = said.map((piece, index) => {
    if ("user" in piece) return event("user.message", { content: piece.user });
    if ("meta" in piece) return event("user.message", { content: piece.meta, source: "hook" });
    if ("assistant" in piece)
      return event("assistant.message", { content: piece.assistant, toolRequests: [] });
    if ("use" in piece) {
      lastId = piece.id ?? `call_${index}`;
      return event("tool.execution_start", {
        toolCallId: lastId,
        toolName: piece.use,
        arguments: piece.input,
      });
    }
    return event("tool.execution_complete", {
      toolCallId: piece.id ?? lastId,
      success: true,
      result: { content: piece.result },
    });
  });
  return lines.map(line => `${JSON.stringify(line)}\n`).join("");
}

function event(type: string, data: object) {
  return { type, data, id: "e", timestamp: TIME, parentId: null };
}

/** Codex's rollout file. */
export function codexSession(said: readonly Said[]): string {
  let lastId = "call_0";
  const lines = said.map((piece, index) => {
    if ("user" in piece)
      return item({ type: "message", role: "user", content: [{ type: "input_text", text: piece.user }] });
    if ("meta" in piece) {
      const text = `<environment_context>${piece.meta}</environment_context>`;
      return item({ type: "message", role: "user", content: [{ type: "input_text", text }] });
    }
    if ("assistant" in piece) {
      return item({
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: piece.assistant }],
      });
    }
    if ("use" in piece) {
      lastId = piece.id ?? `call_${index}`;
      const args = JSON.stringify(piece.input);
      return item({ type: "function_call", name: piece.use, arguments: args, call_id: lastId });
    }
    return item({ type: "function_call_output", call_id: piece.id ?? lastId, output: piece.result });
  });
  return lines.map(line => `${JSON.stringify(line)}\n`).join("");
}

function item(payload: object) {
  return { timestamp: TIME, type: "response_item", payload };
}
