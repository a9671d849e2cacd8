import type { Subcommand } from "../../hosts/index.ts";
import type { Effect, Hook } from "../../protocol/index.ts";
import type { System } from "../../system/index.ts";
import { escapeControls } from "../../text/index.ts";
import { configurationFor } from "./configuration.ts";
import type { HookOptions } from "./context.ts";

/** One subcommand and the hook behind it; without a hook every payload is answered with "no opinion". */
export interface HookProgram {
  readonly subcommand: Subcommand;
  readonly hook: Hook<System> | undefined;
  /** what "nothing to say" is for this hook */
  readonly silence?: Effect;
  /** a guard is not switched off by the environment, nor by the size of what it is asked */
  readonly isGuard?: boolean;
}

/** A hook that is yet to learn where it runs: how the sibling program is started, and what is configured. */
export interface HookDefinition extends Omit<HookProgram, "subcommand" | "hook"> {
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
  if (usesBridge !== true) return { ...rest, subcommand, hook: hook({ program: amplihack }) };
  const loaded = configurationFor(system, undefined);
  for (const { message } of loaded?.notices ?? []) writeNotice(subcommand, message, system);
  return {
    ...rest,
    subcommand,
    hook: hook({ program: amplihack, bridgeCommand: loaded?.config.bridge.command }),
  };
}

export function writeNotice({ hookName }: Subcommand, text: string, system: System): void {
  system.stdio.writeError(`amplihack ${hookName}: ${escapeControls(text)}\n`);
}
