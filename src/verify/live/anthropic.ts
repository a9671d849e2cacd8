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

/** Anthropic's Messages API. */
export const anthropic: Protocol = {
  name: "anthropic",
  matches: path => /\/messages$/.test(path),
  read(body) {
    const messages = objectsIn(body["messages"]);
    const blocks = messages.flatMap(message => objectsIn(message["content"]));
    return {
      tools: objectsIn(body["tools"]).map(tool => ({
        name: asText(tool["name"]),
        parameters: parametersOf(tool["input_schema"]),
      })),
      results: blocks.filter(block => block["type"] === "tool_result").map(block => asText(block["content"])),
      text: JSON.stringify([body["system"], messages]),
    };
  },
  answer(answer, body) {
    const message = messageOf(answer, asText(body["model"]));
    return body["stream"] === true ? stream(message) : json(message);
  },
};

function messageOf(answer: ModelAnswer, model: string): Members {
  const block =
    answer.kind === "text"
      ? { type: "text", text: answer.text }
      : { type: "tool_use", id: answer.id, name: answer.call.name, input: answer.call.input };
  return {
    id: `msg_${answer.kind === "text" ? "text" : answer.id}`,
    type: "message",
    role: "assistant",
    model,
    content: [block],
    stop_reason: answer.kind === "text" ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

function stream(message: Members) {
  const [block] = objectsIn(message["content"]);
  const isCall = isJsonObject(block) && block["type"] === "tool_use";
  const start = isCall ? { ...block, input: {} } : { type: "text", text: "" };
  const delta = isCall
    ? { type: "input_json_delta", partial_json: JSON.stringify(block["input"]) }
    : { type: "text_delta", text: asText(block?.["text"]) };
  return events(
    [
      { type: "message_start", message: { ...message, content: [], stop_reason: null } },
      { type: "content_block_start", index: 0, content_block: start },
      { type: "content_block_delta", index: 0, delta },
      { type: "content_block_stop", index: 0 },
      {
        type: "message_delta",
        delta: { stop_reason: message["stop_reason"], stop_sequence: null },
        usage: { output_tokens: 1 },
      },
      { type: "message_stop" },
    ],
    true,
  );
}
