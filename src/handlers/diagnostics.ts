import type { Diagnostic } from "../protocol/index.ts";

type Severity = Diagnostic["severity"];

/** The closed list: every diagnostic the engine gives has one of these codes, always with the same severity. */
const SEVERITY = {
  // while loading: the thing named does not run
  "config-unreadable": "error",
  "config-malformed": "error",
  "config-shape": "error",
  "handler-invalid": "error",
  "handler-type-unknown": "error",
  "matcher-invalid": "error",
  "if-invalid": "error",
  // while loading: worth knowing
  "event-unknown": "warning",
  "field-unknown": "warning",
  "timeout-invalid": "warning",
  "matcher-ignored": "warning",
  "matcher-mcp-prefix": "warning",
  "if-not-applicable": "warning",
  "handler-unsupported": "warning",
  "trust-refused": "warning",
  // while running
  timeout: "error",
  killed: "warning",
  aborted: "info",
  signal: "error",
  "spawn-failed": "error",
  "command-not-found": "error",
  "exit-nonblocking": "error",
  "cwd-missing": "warning",
  "pipe-held": "info",
  "output-truncated": "warning",
  "stderr-truncated": "info",
  "output-overflow": "error",
  "output-noise": "warning",
  "noise-privilege-dropped": "warning",
  "output-invalid-json": "error",
  "output-invalid-utf8": "warning",
  "field-type": "warning",
  "event-mismatch": "warning",
  "proto-key-dropped": "warning",
  "reason-missing": "info",
  "context-truncated": "warning",
  "decision-ignored": "warning",
  "rewrite-conflict": "warning",
  "rewrite-invalid": "error",
  "hook-threw": "error",
  "late-result": "warning",
  deduplicated: "info",
  "env-context-omitted": "warning",
  "http-status": "error",
  "http-transport": "error",
  "http-redirect": "error",
  "http-url-refused": "error",
  "fail-closed": "warning",
  "fail-ask": "warning",
  "stop-cap": "warning",
  // of the guard that an agent embeds
  "tool-unread": "warning",
  "history-incomplete": "warning",
} as const satisfies Record<string, Severity>;

export type DiagnosticCode = keyof typeof SEVERITY;
export const DIAGNOSTIC_CODES = Object.keys(SEVERITY) as readonly DiagnosticCode[];

export function diagnose(code: DiagnosticCode, detail: string, hook?: string): Diagnostic {
  const severity = SEVERITY[code];
  return hook === undefined ? { code, severity, detail } : { code, severity, hook, detail };
}

export function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
