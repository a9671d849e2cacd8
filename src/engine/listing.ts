import type { Action } from "../hooks/handlers/handler.ts";
import { defined } from "../protocol/defined.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import { clip, escapeControls } from "../state/escape.ts";
import type { Listing } from "./options.ts";
import type { RegisteredHook } from "./registration.ts";
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

/** A function is part of the host's own program: it has no file, no identity, and is always trusted. */
export function listFunction(registration: RegisteredHook, event: string, onFailure: FailurePolicy): Listing {
  const { matcherText } = registration;
  return {
    id: registration.id,
    event,
    kind: "function",
    source: "builtin",
    dialect: "claude",
    ...defined({ matcher: matcherText }),
    summary: `function ${registration.id}`,
    timeoutMs: registration.timeoutMs,
    onFailure,
    identity: "",
    trust: "trusted",
    enabled: true,
  };
}
