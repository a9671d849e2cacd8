import { isJsonObject, type JsonObject, readJson } from "../../protocol/index.ts";

/** Arguments as the model wrote them; what is no object is shown to hooks as it is. */
export function readJsonText(text: string): JsonObject {
  const read = readJson(text);
  const value = read.ok ? read.value : text;
  return isJsonObject(value) ? value : { input: value };
}
