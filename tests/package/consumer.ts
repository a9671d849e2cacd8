// What somebody who installed the package writes. Compiled against the packed declarations by several versions of TypeScript.
import { createHookEngine, type HookEngine, type PendingCall } from "amplihack/engine";
import { hookTools } from "amplihack/engine/ai-sdk";
import { openTelemetry } from "amplihack/engine/otel";
import { guard } from "amplihack/guard";
import { EVENTS, type Outcome } from "amplihack/protocol";
import { z } from "zod";

interface RunContext {
  readonly user: string;
}

const engine = createHookEngine<RunContext>()({
  projectDir: "/work/project",
  telemetry: openTelemetry(),
  tools: {
    bash: { args: z.object({ command: z.string() }), result: z.object({ stdout: z.string() }) },
    write: { args: z.object({ path: z.string(), content: z.string() }) },
  },
});
engine.use(guard({ level: "strict" }));

engine.beforeToolCall("bash", ({ args }, { context }) => {
  const command: string = args.command;
  // @ts-expect-error: there is no such argument
  void args.path;
  if (context.user === "guest" && command.includes("deploy"))
    return { block: true, reason: "not for guests" };
});
engine.afterToolCall("bash", ({ result, isError }) =>
  isError ? undefined : { result: { stdout: result.stdout.trimEnd() } },
);
engine.on("Stop", "*", ({ stop_hook_active }) => {
  const isActive: boolean | undefined = stop_hook_active;
  return isActive ? undefined : { block: true, reason: "the tests have not run" };
});
// @ts-expect-error: a name that is no event
engine.on("Stopp", "*", () => undefined);

export async function call(pending: PendingCall): Promise<string> {
  const context = { user: "guest" };
  const called = await engine.call("bash", { command: "ls" }, ({ command }) => ({ stdout: command }), {
    context,
  });
  if (called.status === "done") return called.result.stdout;
  const resumed = await engine.resume(pending, true, () => "ran", { context });
  return resumed.status === "done" ? resumed.result : called.status;
}

export async function dispatch(): Promise<Outcome["decision"]["kind"]> {
  await using plain = createHookEngine({ projectDir: "/work/project" });
  const tools = hookTools(plain, {
    bash: { description: "runs a command", execute: (text: string) => text },
  });
  const text: string = tools.bash.description;
  const { decision } = await plain.dispatch("PreToolUse", { tool_name: text, tool_input: {} });
  return decision.kind;
}

export const names: readonly string[] = EVENTS.map(({ name }) => name);
export type Engine = HookEngine<Record<never, never>>;
