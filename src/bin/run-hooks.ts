// `node run-hooks.mjs < request`: loads compiled hooks of users that need Node, and answers one line for each. Whatever
// they print goes to stderr; whatever they do happens to this process alone.

import { readFileSync } from "node:fs";
import { loadCreate, loadOutcomeEffect } from "../engine/index.ts";
import {
  type AskRequest,
  type ChildRequest,
  describeExports,
  isUserHook,
  openCall,
  openFacts,
  readAnswer,
  runInRealm,
  withToolInput,
} from "../hooks/index.ts";
import {
  findServerEntry,
  loadCompiled,
  loadMcpCall,
  type McpServer,
  readServer,
  readSettingsFile,
} from "../install/user-hooks/index.ts";
import { errorText, type JsonObject, stringAt } from "../protocol/index.ts";
import { findProjectRoot } from "../state/index.ts";
import type { System } from "../system/index.ts";
import { createNodeSystem, runRealm } from "../system/node.ts";

/** What `hooks build` asks: which hooks are in these files? */
export interface DescribeRequest {
  readonly mark: string;
  readonly describe: readonly string[];
}

type AskedAction = AskRequest["asked"][number]["action"];

let system: System = createNodeSystem();

function redirectOutput(): void {
  Object.defineProperty(process, "stdout", { value: process.stderr });
}

/** Written at once and completely: the process may be ended by the very next line of a hook. */
function answer(mark: string, index: number, members: object): void {
  system.stdio.writeOutput(`\n${mark}${JSON.stringify({ index, ...members })}\n`);
}

async function runAll({ mark, input: first, hooks, stateHome }: ChildRequest): Promise<void> {
  system = { ...system, installedIn: stateHome };
  let input = first;
  for (const [index, request] of hooks.entries()) {
    try {
      const returned = await inTime(runOne(input, request), request.timeoutMs);
      answer(mark, index, { returned });
      const result = readAnswer(returned, input);
      if (result.ok && result.effect.input !== undefined) input = withToolInput(input, result.effect.input);
    } catch (error) {
      answer(mark, index, { problem: errorText(error) });
    }
  }
}

async function runOne(
  input: ChildRequest["input"],
  { path, name, exportName, timeoutMs, wantsKnownTool, usesFacts }: ChildRequest["hooks"][number],
): Promise<unknown> {
  const deadlineMs = system.clock.monotonicMs() + timeoutMs;
  const facts = await openFacts(usesFacts);
  const services = { hook: name, deadlineMs, facts: () => facts(input, system) };
  const opened = openCall(input, system, services, wantsKnownTool);
  if (!opened.ok) throw new TypeError(opened.problem);
  if (isPortableCode(path)) {
    const code = readFileSync(path, "utf8");
    return JSON.parse(await runInRealm(runRealm)({ code, path, exportName }, opened, timeoutMs));
  }
  const hook = (await loadCompiled(path))[exportName];
  if (!isUserHook(hook)) throw new TypeError(`it exports no hook named ${exportName}`);
  return (await hook.run(opened.call)) ?? null;
}

/** Every other compiled file is a module. */
function isPortableCode(path: string): boolean {
  return path.endsWith(".js");
}

function inTime<V>(work: Promise<V>, timeoutMs: number): Promise<V> {
  return new Promise((resolve, reject) => {
    const late = (): void => reject(new Error(`it gave no answer within ${timeoutMs} ms`));
    const timer = setTimeout(late, timeoutMs);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** The engine asks: it knows where requests may go, and reads every answer like the output of a program. */
async function askElsewhere({ mark, payload, asked }: AskRequest): Promise<void> {
  const { createHookEngine } = await loadCreate();
  const { toEffect } = await loadOutcomeEffect();
  const { callMcpTool } = await loadMcpCall();
  const cwd = stringAt(payload, "cwd") ?? "/";
  await Promise.all(
    asked.map(async ({ event, action, timeoutMs }, index) => {
      const hooks = [{ ...configured(action), timeout: timeoutMs / 1_000 }];
      const data = { hooks: { [event]: [{ hooks }] } };
      const engine = createHookEngine({
        projectDir: cwd,
        sources: [{ kind: "user", dialect: "claude", data }],
        delegates: {
          mcpTool: ({ tool, input, signal }) =>
            callMcpTool(requireServer(action, cwd), { tool, input, cwd, signal }),
        },
      });
      const outcome = await engine.dispatch(event, payload);
      const failed = outcome.runs.find(({ status }) => status === "failed" || status === "timeout");
      const why = outcome.diagnostics.map(({ detail }) => detail).join("; ");
      answer(mark, index, failed === undefined ? { effect: toEffect(outcome) } : { problem: why });
    }),
  );
}

/** As it stood in the settings. */
function configured(action: AskedAction): JsonObject {
  if (action.kind === "mcp_tool")
    return { type: action.kind, server: action.server, tool: action.tool, input: action.input };
  const { kind: type, ...members } = action;
  return { type, ...members };
}

function requireServer(action: AskedAction, cwd: string): McpServer {
  if (action.kind !== "mcp_tool") throw new TypeError("it is not a tool of an MCP server");
  const { server, description, describedIn } = action;
  const entry =
    description ??
    findServerEntry(
      describedIn === undefined ? undefined : readSettingsFile(system, describedIn),
      server,
      findProjectRoot(system, cwd),
    );
  const read = readServer(entry, name => system.env.get(name));
  if (read.ok) return read.server;
  throw new Error(`MCP server ${server}: ${read.problem}`);
}

async function describeAll({ mark, describe }: DescribeRequest): Promise<void> {
  for (const [index, path] of describe.entries()) {
    try {
      answer(mark, index, { hooks: describeExports(await loadCompiled(path)) });
    } catch (error) {
      answer(mark, index, { problem: errorText(error) });
    }
  }
}

// What a hook leaves behind, such as a promise that nobody waits for, is not the end of the others.
for (const event of ["uncaughtException", "unhandledRejection"] as const)
  process.on(event, error => process.stderr.write(`a hook left an error behind: ${errorText(error)}\n`));
redirectOutput();
const request = JSON.parse(readFileSync(0, "utf8")) as ChildRequest | DescribeRequest | AskRequest;
const work =
  "describe" in request ? describeAll(request) : "asked" in request ? askElsewhere(request) : runAll(request);
void work.then(() => process.exit(0));
