/** `amplihack/engine/mcp`: hooks before and after the tools of an MCP server, at the server or at the client. */
import type { CallResult } from "../calls/types.ts";
import { type AdapterOptions, type AnyEngine, callOptions, derive, listNotes, toText } from "./shared.ts";

export type { AdapterOptions } from "./shared.ts";

interface Extra {
  readonly signal?: AbortSignal;
  readonly sessionId?: string;
  readonly requestId?: string | number;
}
/** The members of an `McpServer` that hooks have to do with. */
interface Server {
  registerTool(name: string, config: never, callback: never): unknown;
  tool?(name: string, ...rest: never[]): unknown;
}
/** The members of a `Client` that hooks have to do with. */
interface Client {
  callTool(params: never, schema?: never, options?: never): Promise<unknown>;
}
interface CallParams {
  readonly name: string;
  readonly arguments?: Readonly<Record<string, unknown>>;
}
export interface ToolResult {
  readonly content?: readonly unknown[];
  readonly isError?: boolean;
  readonly [member: string]: unknown;
}

/**
 * The same server; every tool that is registered through it has the engine's hooks before and after it. A refusal
 * is a result with `isError`, which the model reads.
 */
export function hookServer<S extends Server>(engine: AnyEngine, server: S, options: AdapterOptions = {}): S {
  const hook = (name: string, callback: unknown): unknown => {
    if (typeof callback !== "function") throw new TypeError(`tool ${name} needs a function`);
    return async (...given: readonly unknown[]): Promise<ToolResult> => {
      // Without an input schema the SDK passes the extra as the only parameter.
      const hasInput = given.length > 1;
      const extra = given.at(-1) as Extra | undefined;
      const sessionId = options.sessionId ?? extra?.sessionId;
      const call = callOptions({ ...options, sessionId }, undefined, extra?.signal);
      const run = async (args: unknown): Promise<unknown> =>
        failOnError(await (hasInput ? callback(args, extra) : callback(extra)));
      return toResult(name, await engine.untyped.call(name, hasInput ? given[0] : {}, run, call));
    };
  };
  const { tool } = server;
  return derive(server, {
    registerTool: (name: string, config: never, callback: unknown) =>
      server.registerTool(name, config, hook(name, callback) as never),
    // The older way to register, with the callback as the last of several parameters.
    tool:
      tool &&
      ((name: string, ...rest: readonly unknown[]) =>
        Reflect.apply(tool, server, [name, ...rest.slice(0, -1), hook(name, rest.at(-1))])),
  });
}

/** The same client, with the engine's hooks before and after every call; tools are named `mcp__<server>__<tool>`. */
export function hookClient<C extends Client>(
  engine: AnyEngine,
  client: C,
  serverName: string,
  options: AdapterOptions = {},
): C {
  // Before the options, the first version of the SDK takes a schema of the result.
  const callTool = async (params: CallParams, ...rest: readonly unknown[]): Promise<ToolResult> => {
    const run = async (changed: unknown): Promise<unknown> =>
      failOnError(await Reflect.apply(client.callTool, client, [{ ...params, arguments: changed }, ...rest]));
    const tool = `mcp__${serverName}__${params.name}`;
    const signal = rest.map(signalIn).find(found => found !== undefined);
    const call = callOptions(options, undefined, signal);
    return toResult(params.name, await engine.untyped.call(tool, params.arguments ?? {}, run, call));
  };
  return derive(client, { callTool });
}

function signalIn(options: unknown): AbortSignal | undefined {
  const signal: unknown = (options as { readonly signal?: unknown } | null | undefined)?.signal;
  return signal instanceof AbortSignal ? signal : undefined;
}

/** A tool that reports its failure as a result; hooks see it as a failed call. */
export class ReportedFailure {
  readonly result: ToolResult;

  constructor(result: ToolResult) {
    this.result = result;
  }

  toJSON(): unknown {
    return this.result;
  }
}

function failOnError(result: ToolResult): ToolResult {
  if (result.isError === true) throw new ReportedFailure(result);
  return result;
}

export function toResult(tool: string, called: CallResult<unknown>): ToolResult {
  const notes = listNotes(called).map(text => ({ type: "text", text }));
  switch (called.status) {
    case "done":
      return withNotes(asResult(called.result), notes);
    case "failed":
      if (called.error instanceof ReportedFailure) return withNotes(called.error.result, notes);
      if (called.error instanceof Error) throw called.error;
      return withNotes({ ...asResult(called.error), isError: true }, notes);
    case "denied":
      return withNotes(refusal(tool, called.reason), notes);
    case "pending":
      return withNotes(refusal(tool, `${called.reason} (nobody is there to be asked)`), notes);
  }
}

export function refusal(tool: string, reason: string): ToolResult {
  return { content: [{ type: "text", text: `${tool} did not run: ${reason}` }], isError: true };
}

export function asResult(value: unknown): ToolResult {
  const isResult = typeof value === "object" && value !== null && "content" in value;
  return isResult ? (value as ToolResult) : { content: [{ type: "text", text: toText(value) }] };
}

function withNotes(result: ToolResult, notes: readonly object[]): ToolResult {
  return notes.length === 0 ? result : { ...result, content: [...(result.content ?? []), ...notes] };
}
