import type { Diagnostic, FailurePolicy, JsonObject } from "../protocol/index.ts";
import type { Dialect, HookSource } from "./options.ts";

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
