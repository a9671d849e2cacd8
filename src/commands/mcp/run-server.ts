import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { loadConfig } from "../../config/index.ts";
import { createHookEngine, type DefinitionKeeper, McpProxy, userSources } from "../../engine/index.ts";
import { loadProcessTree, postToolUse, postToolUseFailure, preToolUse } from "../../hooks/index.ts";
import { errorText } from "../../protocol/index.ts";
import { requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { afterPending, readLines } from "../../system/node.ts";

/** Of a message, either way: results of tools are cut to less. */
const MAX_LINE = 64 * 1024 * 1024;
/** For what a server said last and is still in the pipe; a process that it left behind may hold that open. */
const LAST_WORDS_MS = 5_000;

export interface GuardedServer {
  /** what it is called in rules and logs */
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  /** undefined: its definitions are handed on as they come */
  readonly pins: DefinitionKeeper | undefined;
}

/** Runs an MCP server on our own stdio, with the guard and the user's hooks before its tools. Its exit code is ours. */
export async function runGuardedServer(
  system: System,
  { name, program, args, pins }: GuardedServer,
): Promise<number> {
  const { home, stateHome } = requireDirectories(system);
  const { agentAbove, isStartedByHost } = await loadProcessTree();
  const projectDir = process.cwd();
  await using engine = createHookEngine({ projectDir, sources: userSources({ home }) });
  // The hooks of the hook program: the same verdicts, codes, audit lines, copies and warnings.
  for (const hook of [preToolUse(), postToolUse(), postToolUseFailure()]) engine.use(hook);
  const tell = (message: string) => void process.stderr.write(`amplihack mcp guard: ${message}\n`);
  const server = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const ended = once(server, "exit");
  const closed = new Promise<void>(resolve => server.once("close", () => resolve()));
  // A server that is gone is told by its exit; what is still written to it is lost.
  server.stdin.on("error", () => undefined);
  const proxy = new McpProxy(engine, name, {
    toClient: line => process.stdout.write(`${line}\n`),
    toServer: line => server.stdin.write(`${line}\n`),
    warn: tell,
    // A client that an agent wrote would answer for the person, and accept a tool for good.
    mayAsk: () =>
      loadConfig(system, { home, stateHome, projectRoot: undefined }).config.consent === "terminal" &&
      (isStartedByHost(system, stateHome) || agentAbove(system, stateHome) === undefined),
    ...(pins === undefined ? {} : { definitions: pins }),
  });
  readLines(server.stdout, MAX_LINE, line => proxy.fromServer(line));
  const calls = new Set<Promise<void>>();
  readLines(process.stdin, MAX_LINE, line => {
    const call = proxy.fromClient(line).finally(() => calls.delete(call));
    calls.add(call);
  });
  process.stdin.on("close", () => server.stdin.end());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => server.kill(signal));
  try {
    const [code, signal] = (await ended) as unknown as readonly [number | null, NodeJS.Signals | null];
    await atMost(LAST_WORDS_MS, closed);
    proxy.close();
    await atMost(LAST_WORDS_MS, Promise.allSettled(calls));
    if (signal === null) return code ?? 1;
    tell(`the server ${name} was ended by ${signal}`);
    return 128 + constants.signals[signal];
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    tell(`${program} cannot be started: ${isMissing ? "there is no such program" : errorText(error)}`);
    return isMissing ? 127 : 126;
  } finally {
    proxy.close();
    process.stdin.destroy();
    server.stdout.destroy();
  }
}

async function atMost(ms: number, event: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>(resolve => {
    timer = setTimeout(afterPending, ms, resolve);
  });
  await Promise.race([event, late]);
  clearTimeout(timer);
}
