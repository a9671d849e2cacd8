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
