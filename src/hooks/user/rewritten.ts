import { deriveFacts, hostOrDefault } from "../../hosts/index.ts";
import type { HookInput, JsonObject } from "../../protocol/index.ts";

/** The same call with another tool input, in the host's own form, and the facts that follow from it. */
export function withToolInput(input: HookInput, toolInput: JsonObject): HookInput {
  if (input.kind !== "tool") return input;
  const { name, canonicalName } = input.tool;
  const facts = deriveFacts(hostOrDefault(input.host), name, canonicalName, toolInput);
  return { ...input, tool: { ...input.tool, input: toolInput }, facts };
}
