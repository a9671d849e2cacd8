import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { type CallToolResult, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import { createServer, type ServerHandle } from "../../src/mcp/server.ts";
import type { ServerContext } from "../../src/mcp/tool.ts";
import { systemIn } from "../install/sandbox.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

type Answer = { action: "accept" | "decline" | "cancel"; content?: { run: boolean } };

export interface Connected extends ServerHandle {
  readonly home: string;
  readonly project: string;
  readonly client: Client;
  readonly context: ServerContext;
  readonly warnings: readonly string[];
  /** what the person was asked */
  readonly questions: readonly string[];
  call(tool: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  /** as `call`, for tools that must succeed */
  json<T = Record<string, unknown>>(tool: string, args?: Record<string, unknown>): Promise<T>;
}

/** Clients wait for a minute by default; a busy machine may need longer to load what a tool is made of. */
export const PATIENT = { timeout: 200_000 } as const;

export function textOf({ content }: CallToolResult): string {
  return content.map(part => (part.type === "text" ? part.text : "")).join("");
}

export function makeContext(
  env: Readonly<Record<string, string>> = {},
  home: string = temporaryDirectory(),
): { home: string; project: string; context: ServerContext; warnings: string[] } {
  const project = join(home, "work", "project");
  mkdirSync(join(project, ".claude"), { recursive: true });
  const warnings: string[] = [];
  const context: ServerContext = {
    system: systemIn(project, { PATH: process.env["PATH"] ?? "", HOME: home, ...env }),
    launcher: [process.execPath, "amplihack"],
    mayAsk: () => true,
    warn: message => warnings.push(message),
  };
  return { home, project, context, warnings };
}

/** A real client of the SDK and the server in one process. Without `answer` the client cannot ask anybody. */
export async function connect(
  options: {
    answer?: () => Answer;
    env?: Readonly<Record<string, string>>;
    home?: string;
    /** questions do not reach a person */
    isUnheard?: boolean;
  } = {},
): Promise<Connected> {
  const made = makeContext(options.env, options.home);
  const { home, project, warnings } = made;
  const context = { ...made.context, mayAsk: () => options.isUnheard !== true };
  const handle = createServer(context);
  const { answer } = options;
  const client = new Client(
    { name: "test client", version: "1.0.0" },
    { capabilities: answer === undefined ? {} : { elicitation: {} } },
  );
  const questions: string[] = [];
  if (answer !== undefined)
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      questions.push(params.message);
      return answer();
    });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await handle.server.connect(other);
  await client.connect(one);
  onTestFinished(async () => {
    await client.close();
    await handle.idle();
  });
  const call = async (tool: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name: tool, arguments: args }, undefined, PATIENT)) as CallToolResult;
  return {
    ...handle,
    home,
    project,
    client,
    context,
    warnings,
    questions,
    call,
    async json<T>(tool: string, args?: Record<string, unknown>): Promise<T> {
      const result = await call(tool, args);
      if (result.isError === true) throw new Error(textOf(result));
      return JSON.parse(textOf(result)) as T;
    },
  };
}
