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

/** Google's generateContent API. */
export const gemini: Protocol = {
  name: "gemini",
  matches: path => /:(?:stream)?[gG]enerateContent$/.test(path),
  read(body) {
    const parts = objectsIn(body["contents"]).flatMap(content => objectsIn(content["parts"]));
    const declarations = objectsIn(body["tools"]).flatMap(tool => objectsIn(tool["functionDeclarations"]));
    return {
      tools: declarations.map(tool => ({
        name: asText(tool["name"]),
        parameters: parametersOf(tool["parametersJsonSchema"] ?? tool["parameters"]),
      })),
      results: parts
        .filter(part => part["functionResponse"] !== undefined)
        .map(part => asText(part["functionResponse"])),
      text: JSON.stringify([body["systemInstruction"], body["contents"]]),
    };
  },
  answer(answer, _, path) {
    const response = responseOf(answer);
    return path.includes(":stream") ? events([response], false) : json(response);
  },
};

function responseOf(answer: ModelAnswer): Members {
  const part =
    answer.kind === "text"
      ? { text: answer.text }
      : { functionCall: { name: answer.call.name, args: answer.call.input } };
  return {
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  };
}
