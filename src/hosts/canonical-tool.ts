import { FIELD_NAMES, type JsonObject, readField } from "../protocol/index.ts";
import type { HostDescriptor } from "./host.ts";

/** Shell tools are recognised whatever their case: a guard that misses `bash` guards nothing. */
const SHELL_NAMES: ReadonlySet<string> = new Set(["bash", "shell"]);

/** The name our rules use for a host's tool; a name that is not listed stays as it is. */
export function canonicalToolName(host: HostDescriptor, toolName: string, payload: JsonObject): string {
  const special = host.input?.canonicalTool?.(toolName, payload);
  if (special !== undefined) return special;
  if (Object.hasOwn(host.tools, toolName)) return host.tools[toolName] ?? toolName;
  return SHELL_NAMES.has(toolName.toLowerCase()) ? "Bash" : toolName;
}

/** The host's own name for a canonical tool, where it has one. */
export function nativeToolName(host: HostDescriptor, canonical: string): string {
  return Object.entries(host.tools).find(([, name]) => name === canonical)?.[0] ?? canonical;
}

export function mcpToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool}`;
}

export function isMcpTool(payload: JsonObject): boolean {
  const name = readField(payload, FIELD_NAMES.toolName)?.value;
  return typeof name === "string" && name.startsWith("mcp__");
}
