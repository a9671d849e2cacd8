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
      results: resultsIn(parts),
      text: JSON.stringify([body["systemInstruction"], body["contents"]]),
    };
  },
  answer(answer, _, path) {
    const response = responseOf(answer);
    return path.includes(":stream") ? events([response], false) : json(response);
  },
};

/** A session that is resumed names results several times, with the same id. */
function resultsIn(parts: readonly Members[]): readonly string[] {
  const results = new Map<string, string>();
  for (const [index, { functionResponse }] of parts.entries()) {
    if (functionResponse === undefined) continue;
    const id = isJsonObject(functionResponse) ? functionResponse["id"] : undefined;
    results.set(typeof id === "string" ? id : String(index), asText(functionResponse));
  }
  return [...results.values()];
}

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
