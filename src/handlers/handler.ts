import type { Diagnostic, FailurePolicy, JsonObject } from "../protocol/index.ts";

export interface CommandAction {
  readonly kind: "command";
  readonly command: string;
  /** present: the command is started as it is, with these arguments and no shell */
  readonly args?: readonly string[];
  readonly shell?: "bash" | "powershell";
  readonly env?: Readonly<Record<string, string>>;
}
export interface HttpAction {
  readonly kind: "http";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowedEnvVars: readonly string[];
}
export interface McpToolAction {
  readonly kind: "mcp_tool";
  readonly server: string;
  readonly tool: string;
  readonly input: JsonObject;
}
export interface ModelAction {
  readonly kind: "prompt" | "agent";
  readonly prompt: string;
  readonly model?: string;
}
export type Action = CommandAction | HttpAction | McpToolAction | ModelAction;
export type ActionKind = Action["kind"];

/** One configured hook as plain data, in one vocabulary for all dialects. Nothing of it is compiled yet. */
export interface HandlerSpec {
  readonly id: string;
  /** its key in a dialect that names its entries; a later source replaces an earlier one of the same name */
  readonly name?: string;
  readonly event: string;
  readonly dialect: Dialect;
  readonly source: HookSource;
  readonly matcher?: string;
  /** the permission rule of `if` */
  readonly condition?: string;
  readonly action: Action;
  readonly timeoutMs: number;
  readonly onFailure?: FailurePolicy;
  readonly isOnce: boolean;
  readonly isAsync: boolean;
  readonly rewakes: boolean;
  readonly isDisabled: boolean;
  /** why it cannot run; where its event is dispatched, that is a failure of it and meets its failure policy */
  readonly problem?: string;
}

/** The flags of an entry that has none of them. */
export const NO_FLAGS = { isOnce: false, isAsync: false, rewakes: false, isDisabled: false };

/** What one source holds. */
export interface ParsedSource {
  readonly specs: readonly HandlerSpec[];
  readonly problems: readonly Diagnostic[];
  /** `disableAllHooks` */
  readonly disablesAll: boolean;
  /** `allowManagedHooksOnly` */
  readonly isManagedOnly: boolean;
}

export const EMPTY_SOURCE: ParsedSource = {
  specs: [],
  problems: [],
  disablesAll: false,
  isManagedOnly: false,
};

export const DIALECTS = ["claude", "batuta", "atomcode", "atomcode-json"] as const;
/**
 * A configuration format together with its exit-code and output contract. AtomCode has two: `atomcode` is the one that
 * its documents describe up to version 4, `atomcode-json` the one of `hooks.json` and `.hooks.json` since.
 */
export type Dialect = (typeof DIALECTS)[number];

/** Where a handler came from, in rising order of authority: what a later one rewrites, counts. */
export const SOURCE_KINDS = ["builtin", "plugin", "user", "project", "local", "session", "managed"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Configuration as the host read it. The engine never opens the file: what is handed over is a snapshot. */
export interface HookSource {
  readonly kind: SourceKind;
  readonly dialect: Dialect;
  /** a parsed value, or text in JSON, JSON with comments, or TOML; undefined, null and blank text hold nothing */
  readonly data: unknown;
  readonly path?: string;
  readonly pluginRoot?: string;
  readonly pluginId?: string;
}

export interface Limits {
  /** kept from the start of a hook's stdout */
  readonly stdoutBytes: number;
  /** kept from its end once the start is full */
  readonly tailBytes: number;
  readonly stderrBytes: number;
  /** read and thrown away before the hook is stopped */
  readonly drainBytes: number;
  /** per handler */
  readonly contextChars: number;
  readonly reasonChars: number;
  readonly httpBodyBytes: number;
  readonly jsonDepth: number;
  /** below the 128 KiB the kernel allows for one string */
  readonly envValueBytes: number;
}

export const DEFAULT_LIMITS: Limits = {
  stdoutBytes: 1024 * 1024,
  tailBytes: 64 * 1024,
  stderrBytes: 64 * 1024,
  drainBytes: 64 * 1024 * 1024,
  contextChars: 10_000,
  reasonChars: 4_000,
  httpBodyBytes: 1024 * 1024,
  jsonDepth: 200,
  envValueBytes: 96 * 1024,
};

// The closed list: every diagnostic the engine gives has one of these codes, always with the same severity. An error
// while loading means that the thing named does not run.
const ERRORS = [
  "config-unreadable",
  "config-malformed",
  "config-shape",
  "handler-invalid",
  "handler-type-unknown",
  "matcher-invalid",
  "if-invalid",
  "timeout",
  "signal",
  "spawn-failed",
  "command-not-found",
  "exit-nonblocking",
  "output-overflow",
  "output-invalid-json",
  "rewrite-invalid",
  "hook-threw",
  "http-status",
  "http-transport",
  "http-redirect",
  "http-url-refused",
] as const;
const INFOS = ["aborted", "pipe-held", "stderr-truncated", "reason-missing", "deduplicated"] as const;
const WARNINGS = [
  "event-unknown",
  "field-unknown",
  "timeout-invalid",
  "matcher-ignored",
  "matcher-mcp-prefix",
  "if-not-applicable",
  "handler-unsupported",
  "trust-refused",
  "killed",
  "cwd-missing",
  "output-truncated",
  "output-noise",
  "output-invalid-utf8",
  "noise-privilege-dropped",
  "field-type",
  "event-mismatch",
  "proto-key-dropped",
  "context-truncated",
  "decision-ignored",
  "rewrite-conflict",
  "late-result",
  "env-context-omitted",
  "fail-closed",
  "fail-ask",
  "stop-cap",
  "tool-unread",
  "history-incomplete",
] as const;

export type DiagnosticCode = (typeof ERRORS | typeof INFOS | typeof WARNINGS)[number];
export const DIAGNOSTIC_CODES: readonly DiagnosticCode[] = /* @__PURE__ */ [ERRORS, WARNINGS, INFOS].flat();

export function diagnose(code: DiagnosticCode, detail: string, hook?: string): Diagnostic {
  const has = (codes: readonly string[]) => codes.includes(code);
  const severity = has(ERRORS) ? "error" : has(INFOS) ? "info" : "warning";
  return hook === undefined ? { code, severity, detail } : { code, severity, hook, detail };
}

export function describeType(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
