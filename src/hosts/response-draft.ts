import { isJsonObject, type Json, type JsonObject, type Power, type VerdictKind } from "../protocol/index.ts";
import type { HostDescriptor, RenderContext, ResponseEncoder } from "./host.ts";

/** A response while it is being put together. */
export interface ResponseDraft {
  readonly host: HostDescriptor;
  readonly encoder: ResponseEncoder;
  readonly at: RenderContext;
  readonly power: Power;
  verdict: VerdictKind;
  reason: string | undefined;
  /** as the hooks gave it */
  readonly given: string | undefined;
  /** a rewrite that the host can make */
  input: JsonObject | undefined;
  context: string;
  members: JsonObject;
  readonly stderr: string[];
  readonly degraded: string[];
  readonly unsupported: string[];
}

export const NO_REASON = "refused by a hook, which gave no reason";

export function addMembers(draft: ResponseDraft, members: JsonObject | undefined): void {
  draft.members = merge(draft.members, members ?? {});
}

/** Members of both; objects under one name are merged, otherwise the later one counts. */
function merge(left: JsonObject, right: JsonObject): JsonObject {
  const merged: Record<string, Json> = { ...left };
  for (const [name, value] of Object.entries(right)) {
    const before = merged[name];
    merged[name] = isJsonObject(before) && isJsonObject(value) ? merge(before, value) : value;
  }
  return merged;
}

/** A text that says something. Codex throws a refusal away whose reason is empty, and then the tool runs. */
export function unlessBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text;
}
