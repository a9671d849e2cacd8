import { createHookEngine, type HookEngine } from "amplihack/engine";
import { guard } from "amplihack/guard";
import { vi } from "vitest";

/** What every test's tool does; the tests look at how it was called. */
export const run = vi.fn(async ({ command }: { command: string }) => `ran ${command}`);

export type PlainEngine = HookEngine<Record<never, never>>;

export function newEngine(): PlainEngine {
  run.mockClear();
  return createHookEngine({ projectDir: "/project", env: { HOME: "/home/user" } });
}

export function guardedEngine(): PlainEngine {
  const engine = newEngine();
  engine.use(guard({ home: "/home/user", cwd: "/project" }));
  return engine;
}

/** Rewrites every command, adds a note, and hides what it prints. */
export function changingEngine(): PlainEngine {
  const engine = newEngine();
  engine.beforeToolCall("*", () => ({ args: { command: "ls -l" }, context: "be careful" }));
  engine.afterToolCall("*", ({ result }) => ({
    result: JSON.parse(JSON.stringify(result).replace("ran", "[redacted]")),
  }));
  return engine;
}

export function askingEngine(): { readonly engine: PlainEngine; readonly before: ReturnType<typeof vi.fn> } {
  const engine = newEngine();
  const before = vi.fn(() => ({ decision: "ask", reason: "really?" }) as const);
  engine.beforeToolCall("*", before);
  return { engine, before };
}
