import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createNodeSystem } from "../../src/system/node.ts";
import type { HostDriver, TemporaryUser } from "../../src/verify/live/live.ts";
import { withTrial } from "../../src/verify/live/live.ts";
import type { ScriptStep } from "../../src/verify/live/scripted-model.ts";
import { bundleProgram } from "../bundle-program.ts";
import { PACKAGE_ROOT } from "../install/sandbox.ts";
import type { DrivenHost } from "./file-tools.ts";
import { allResults, onPath, registerProgram, TIMEOUT_MS } from "./harness.ts";
import { type RecordedCall, readCalls } from "./recording.ts";
import { DELEGATION, type Operation, operationsOf } from "./session.ts";

export const HOOKS = join(PACKAGE_ROOT, "dist/bin/amplihack-hooks.cjs");
export const NATIVE_HOOKS = join(PACKAGE_ROOT, "dist/native/amplihack-hooks");

/** What was left of a long session in a real host. */
export interface PlayedSession {
  readonly operations: readonly Operation[];
  readonly calls: readonly RecordedCall[];
  /** what the model was told about each operation, in order */
  readonly results: readonly string[];
  readonly end: string;
}

const recorder = bundleProgram(new URL("./programs/recording-hook.ts", import.meta.url));

/** Runs the host with our own hooks and keeps every call that it makes. */
export function playSession(driver: HostDriver, program: string): Promise<PlayedSession> {
  const steps: ScriptStep[] = [];
  const operations: Operation[] = [];
  const folderOf = (user: TemporaryUser) => join(user.home, "calls");
  const request = {
    driver,
    program,
    steps,
    delegation: DELEGATION,
    timeoutMs: TIMEOUT_MS,
    env: onPath(program),
    async prepare(user: TemporaryUser) {
      operations.push(...operationsOf(driver.host as DrivenHost, user.project));
      steps.push(...operations.map(({ step }) => step), { kind: "text", text: "All of it is done." });
      const folder = folderOf(user);
      mkdirSync(folder);
      await registerProgram(user, driver, [process.execPath, recorder, folder, user.project, HOOKS], "open");
      // The installer has tried every hook by now, which is no part of the session.
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
    },
  };
  return withTrial(createNodeSystem(), request, ({ user, model, end }) => ({
    operations,
    calls: readCalls(folderOf(user), user),
    results: allResults(model.requests),
    end,
  }));
}
