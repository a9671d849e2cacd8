import { type JsonObject, readJson } from "../../protocol/index.ts";
import { asArguments } from "../calls/describe-value.ts";

/** Arguments as the model wrote them. */
export function readJsonText(text: string): JsonObject {
  const read = readJson(text);
  return asArguments(read.ok ? read.value : text);
}
