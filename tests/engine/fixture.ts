import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import {
  createHookEngine,
  type Dialect,
  type EngineOptions,
  type HookEngine,
  type HookSource,
  type JsonObject,
  type Outcome,
  type ToolMap,
} from "../../src/exports/engine.ts";

const engines: Pick<HookEngine<ToolMap>, "close">[] = [];
const folders: string[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map(engine => engine.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own, removed after the test. */
export function temporaryFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "amplihack-engine-")));
  folders.push(folder);
  return folder;
}

/** The environment of tests: enough to find programs, and no real home. */
export function cleanEnvironment(home: string): Record<string, string> {
  return { PATH: process.env["PATH"] ?? "/usr/bin:/bin", HOME: home };
}

type Options<T extends ToolMap> = Omit<EngineOptions<T>, "projectDir"> & { readonly projectDir?: string };

/** Enough for a process to end that was told to, on a machine that is busy with other things. */
export const PATIENT_MS = 200_000;

/** A real engine in a temporary project, closed after the test. It gives up nothing early unless it is told to. */
export function makeEngine<const T extends ToolMap = Record<never, never>>(
  options: Options<T> = {},
): HookEngine<T> {
  const projectDir = options.projectDir ?? temporaryFolder();
  const engine = createHookEngine<T, string>({
    env: cleanEnvironment(projectDir),
    grace: { killMs: PATIENT_MS, pipeMs: PATIENT_MS },
    ...options,
    projectDir,
  });
  engines.push(engine);
  return engine;
}

export function source(dialect: Dialect, data: unknown, more: Partial<HookSource> = {}): HookSource {
  return { kind: "project", dialect, data, ...more };
}

/** Claude settings with one group of command hooks. */
export function claudeCommands(
  event: string,
  commands: readonly (string | JsonObject)[],
  matcher?: string,
): JsonObject {
  const hooks = commands.map(command =>
    typeof command === "string" ? { type: "command", command } : { type: "command", ...command },
  );
  return { hooks: { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks }] } };
}

export function codesOf(outcome: Outcome): string[] {
  return outcome.diagnostics.map(({ code }) => code);
}

export const BASH_CALL: JsonObject = {
  session_id: "s1",
  tool_name: "Bash",
  tool_input: { command: "ls" },
  tool_use_id: "t1",
};
