import { isJsonObject } from "../../protocol/index.ts";
import {
  asText,
  events,
  json,
  type Members,
  type ModelAnswer,
  objectsIn,
  type Protocol,
  parametersOf,
} from "./protocols.ts";

/** OpenAI's chat completions, and what many others copied of it. */
export const openaiChat: Protocol = {
  name: "openai-chat",
  matches: path => /\/chat\/completions$/.test(path),
  read(body) {
    const messages = objectsIn(body["messages"]);
    const functions = objectsIn(body["tools"])
      .map(tool => tool["function"])
      .filter(isJsonObject);
    return {
      tools: functions.map(tool => ({
        name: asText(tool["name"]),
        parameters: parametersOf(tool["parameters"]),
      })),
      results: messages
        .filter(message => message["role"] === "tool")
        .map(message => asText(message["content"])),
      text: JSON.stringify(messages),
    };
  },
  answer(answer, body) {
    const reason = answer.kind === "text" ? "stop" : "tool_calls";
    const base = { id: "chatcmpl-1", created: 0, model: body["model"] };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const message = messageOf(answer);
    if (body["stream"] !== true)
      return json({
        ...base,
        object: "chat.completion",
        choices: [{ index: 0, message, finish_reason: reason }],
        usage,
      });
    const chunk = (delta: Members, finish: string | null) => ({
      ...base,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const chunks = [chunk(withIndexes(message), null), { ...chunk({}, reason), usage }];
    return events(chunks, false, "data: [DONE]\n\n");
  },
};

function messageOf(answer: ModelAnswer): Members {
  if (answer.kind === "text") return { role: "assistant", content: answer.text };
  const { id, call } = answer;
  return {
    role: "assistant",
    content: null,
    tool_calls: [
      { id, type: "function", function: { name: call.name, arguments: JSON.stringify(call.input) } },
    ],
  };
}

/** In a stream the calls of a message are numbered. */
function withIndexes(message: Members): Members {
  const calls = objectsIn(message["tool_calls"]);
  return calls.length === 0
    ? message
    : { ...message, tool_calls: calls.map((call, index) => ({ index, ...call })) };
}
