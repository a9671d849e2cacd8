import type { Action } from "../handlers/index.ts";
import { defined } from "../protocol/index.ts";
import { clip, escapeControls } from "../text/index.ts";
import type { Listing } from "./options.ts";
import type { ListedHandler } from "./source/load.ts";

const SUMMARY_CHARS = 200;

export function listHandler(candidate: ListedHandler, isEnabled: boolean): Listing {
  const { spec, onFailure, trust } = candidate;
  return {
    id: spec.id,
    event: spec.event,
    kind: spec.action.kind,
    source: spec.source.kind,
    dialect: spec.dialect,
    ...defined({ matcher: spec.matcher }),
    summary: clip(escapeControls(summarise(spec.action)), SUMMARY_CHARS),
    timeoutMs: spec.timeoutMs,
    onFailure,
    identity: candidate.identity(),
    trust,
    enabled: isEnabled,
  };
}

function summarise(action: Action): string {
  switch (action.kind) {
    case "command":
      return [action.command, ...(action.args ?? [])].join(" ");
    case "http":
      return `POST ${action.url}`;
    case "mcp_tool":
      return `${action.server}: ${action.tool}`;
    case "prompt":
    case "agent":
      return action.prompt;
  }
}
