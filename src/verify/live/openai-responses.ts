import {
  asText,
  events,
  type Members,
  type ModelAnswer,
  objectsIn,
  type Protocol,
  parametersOf,
} from "./protocols.ts";

/** OpenAI's Responses API, always streamed. */
export const openaiResponses: Protocol = {
  name: "openai-responses",
  matches: path => /\/responses$/.test(path),
  read(body) {
    const input = objectsIn(body["input"]);
    const extra = input
      .filter(item => item["type"] === "additional_tools")
      .flatMap(item => objectsIn(item["tools"]));
    return {
      tools: [...objectsIn(body["tools"]), ...extra].map(tool => ({
        name: asText(tool["name"] ?? tool["type"]),
        parameters: parametersOf(tool["parameters"]),
      })),
      results: input
        .filter(item => /_output$/.test(asText(item["type"])))
        .map(item => asText(item["output"])),
      text: JSON.stringify([body["instructions"], input]),
    };
  },
  answer(answer, body) {
    const item = itemOf(answer);
    const response = (status: string, output: readonly Members[]) => ({
      id: "resp_1",
      object: "response",
      created_at: 0,
      status,
      model: body["model"],
      output,
      usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
    });
    return events(
      [
        { type: "response.created", response: response("in_progress", []) },
        { type: "response.output_item.added", output_index: 0, item },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: response("completed", [item]) },
      ],
      true,
    );
  },
};

function itemOf(answer: ModelAnswer): Members {
  if (answer.kind === "text")
    return {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: answer.text, annotations: [] }],
    };
  const { id, call } = answer;
  return {
    type: "function_call",
    id: `fc_${id}`,
    call_id: id,
    status: "completed",
    name: call.name,
    ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
    arguments: JSON.stringify(call.input),
  };
}
