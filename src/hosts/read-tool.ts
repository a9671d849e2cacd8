import {
  FIELD_NAMES,
  type InputWarning,
  isJsonObject,
  type Json,
  type JsonObject,
  PAYLOAD_DEPTH_LIMIT,
  PAYLOAD_VALUE_LIMIT,
  readJson,
} from "../protocol/index.ts";
import { canonicalToolName, mcpToolName, nativeToolName } from "./canonical-tool.ts";
import type { HostDescriptor } from "./host.ts";
import type { MappedEvent } from "./native-events.ts";
import { readFirst, rename } from "./payload-paths.ts";

/** The tool in the host's spelling; undefined when the payload names none that could be one. */
export function readToolName(
  host: HostDescriptor,
  raw: JsonObject,
  { tool }: MappedEvent,
): string | undefined {
  const paths = [...FIELD_NAMES.toolName, "toolUse.name", ...(host.input?.toolName ?? [])];
  const found = readFirst(raw, paths)?.value;
  if (found === undefined && tool !== undefined && tool !== "mcp") return nativeToolName(host, tool);
  return typeof found === "string" && found !== "" ? found : undefined;
}

/** An event that is made for one tool says which it is, whatever name the payload gives to it. */
export function canonicalName(
  host: HostDescriptor,
  raw: JsonObject,
  { tool }: MappedEvent,
  toolName: string,
): string {
  if (tool !== undefined && tool !== "mcp") return tool;
  const canonical = canonicalToolName(host, toolName, raw);
  if (tool === "mcp") return canonical.startsWith("mcp__") ? canonical : mcpToolName("unknown", toolName);
  return canonical;
}

/**
 * An object, except for plain text that is no JSON and JSON text that holds something else. Undefined where it has more
 * values than are read.
 */
export function readToolInput(
  host: HostDescriptor,
  raw: JsonObject,
  nativeEvent: string,
  warnings: InputWarning[],
): Json | undefined {
  const paths = [...FIELD_NAMES.toolInput, "toolUse.input", ...(host.input?.toolInput ?? [])];
  const field = readFirst(raw, paths) ?? assembleInput(host, raw, nativeEvent);
  if (field === undefined) {
    warnings.push({ code: "missing-tool-input" });
    return {};
  }
  if (isJsonObject(field.value)) return field.value;
  if (typeof field.value === "string") {
    const limits = { maxDepth: PAYLOAD_DEPTH_LIMIT, maxValues: PAYLOAD_VALUE_LIMIT };
    const read = readJson(field.value, { recover: false, ...limits });
    if (read.ok) return read.value;
    if (read.problem === "too-many") return undefined;
    warnings.push({ code: "tool-input-not-json", field: field.name });
    return field.value;
  }
  warnings.push({ code: "tool-input-wrong-type", field: field.name });
  return {};
}

/** Specialised events spread the tool input over the payload. */
function assembleInput(
  host: HostDescriptor,
  raw: JsonObject,
  nativeEvent: string,
): { readonly name: string; readonly value: Json } | undefined {
  const plan = host.input?.assembledInput;
  const sources = plan !== undefined && Object.hasOwn(plan, nativeEvent) ? plan[nativeEvent] : undefined;
  if (sources === undefined) return undefined;
  if (typeof sources === "string") return readFirst(raw, [sources]);
  const value = rename(raw, sources);
  return Object.keys(value).length === 0 ? undefined : { name: nativeEvent, value };
}
