import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type {
  CallToolResult,
  ServerNotification,
  ServerRequest,
  ToolAnnotations,
} from "@modelcontextprotocol/sdk/types.js";
import { Problem } from "../state/index.ts";
import type { System } from "../system/index.ts";

/** What every tool of the server works with. The project is that of the working directory. */
export interface ServerContext {
  readonly system: System;
  /** program and first arguments that start an agent for steps of recipes */
  readonly launcher: readonly [string, ...string[]];
  /** whether a question that is sent to the client reaches a person */
  mayAsk(): boolean;
  /** something that the person who looks at the log should know */
  warn(message: string): void;
}

/** What the SDK tells a tool about the request at hand. */
export type CallExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** Texts of results are clipped to these, so that no call fills a model's context. */
export const MAX_TEXT_CHARACTERS = 4_000;
export const MAX_DIFF_CHARACTERS = 60_000;

/** Everything here stays on this machine. */
export const READS: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };

/** The result that a model reads: a document as JSON, or what went wrong and how to put it right. */
export async function answer(work: () => Promise<unknown>): Promise<CallToolResult> {
  try {
    const value = await work();
    return { content: [{ type: "text", text: JSON.stringify(value, null, 2) }] };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const { message, causes, fix } = error;
    const lines = [message, ...causes, ...(fix === undefined ? [] : [`what to do: ${fix}`])];
    return { content: [{ type: "text", text: lines.join("\n") }], isError: true };
  }
}
