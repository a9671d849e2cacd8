import type { Subcommand } from "../../hosts/index.ts";
import type { Effect, Hook } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { escapeControls } from "../../text/index.ts";
import { configurationFor } from "./guard-context.ts";
import type { AfterAnswer, HookOptions } from "./hook-context.ts";

/** One subcommand and the hook behind it; without a hook every payload is answered with "no opinion". */
export interface HookProgram {
  readonly subcommand: Subcommand;
  readonly hook: Hook<System> | undefined;
  /** what "nothing to say" is for this hook */
  readonly silence?: Effect;
  /** a guard is not switched off by the environment, nor by the size of what it is asked */
  readonly isGuard?: boolean;
  /** it only answers a question in the person's place: where it cannot run, the question is theirs */
  readonly leavesToPerson?: true;
  /** what is left to be done once the host has its answer; each tells what went wrong */
  readonly tasks?: AfterAnswer[];
}

/** A hook that is yet to learn where it runs: how the sibling program is started, and what is configured. */
export interface HookDefinition extends Omit<HookProgram, "subcommand" | "hook" | "tasks"> {
  readonly hook: ((options: HookOptions) => Hook<System>) | undefined;
  /** starts bridges, so the configured command that may replace our own is looked up */
  readonly usesBridge?: boolean;
}

/** The program of one call. `amplihack` is how the sibling of the hook program is started. */
export function openProgram(
  definition: HookDefinition,
  subcommand: Subcommand,
  amplihack: readonly string[] | undefined,
  system: System,
): HookProgram {
  const { hook, usesBridge, ...rest } = definition;
  if (hook === undefined) return { ...rest, subcommand, hook: undefined };
  const tasks: AfterAnswer[] = [];
  const options = {
    program: amplihack,
    afterAnswer: (task: AfterAnswer) => void tasks.push(task),
  };
  if (usesBridge !== true) return { ...rest, subcommand, tasks, hook: hook(options) };
  const loaded = configurationFor(system, undefined);
  for (const { message } of loaded?.notices ?? []) writeNotice(subcommand, message, system);
  const bridgeCommand = loaded?.config.bridge.command;
  return { ...rest, subcommand, tasks, hook: hook({ ...options, bridgeCommand }) };
}

export function writeNotice({ hookName }: Subcommand, text: string, system: System): void {
  system.stdio.writeError(`amplihack ${hookName}: ${escapeControls(text)}\n`);
}
