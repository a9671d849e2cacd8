import { type Config, type ConfigNotice, type LoadedConfig, loadConfig } from "../../config/index.ts";
import type { GuardContext } from "../../guard/index.ts";
import { findHome, findProjectRoot, findStateHome, readMachineKey } from "../../state/index.ts";
import { join, type ProcessIdentity, type System } from "../../system/index.ts";
import { readSurroundings } from "../../workspace/index.ts";

/** The guard as it is configured for one directory: what the hook and the commands both judge with. */
export interface ConfiguredGuard {
  readonly config: Config;
  readonly notices: readonly ConfigNotice[];
  readonly context: GuardContext;
  readonly home: string;
  readonly stateHome: string;
  readonly project: string;
  /** of the agent, where the hooks run within it */
  readonly agentProcess?: ProcessIdentity;
}

/** `onKeyFailure` hears why no allow-once code can be offered. */
export function openGuard(
  system: System,
  cwd: string | undefined,
  onKeyFailure: (error: unknown) => void,
): ConfiguredGuard {
  const project = findProjectRoot(system, cwd);
  const home = findHome(system) ?? "/root";
  const stateHome = findStateHome(system) ?? join(home, ".amplihack");
  const { config, notices } = loadConfig(system, { home, stateHome, projectRoot: project });
  const context: GuardContext = {
    ...readSurroundings(system, cwd),
    home,
    settings: config.guard,
    stateHome,
    machineKey: () => {
      try {
        return readMachineKey(system, stateHome);
      } catch (error) {
        onKeyFailure(error);
        return undefined;
      }
    },
  };
  return { config, notices, context, home, stateHome, project };
}

/** Somebody else's yes needs no more trust than the person's: with the service of root's, in the server's key too. */
export function asksTeam({ team, guard, consent }: Config): boolean {
  return guard.unattended === "deny" && team.waitMs > 0 && (consent !== "service" || team.key !== undefined);
}

/** Read only where it is needed: most runs that answer do not pay for it. */
export function configurationFor(system: System, cwd: string | undefined): LoadedConfig | undefined {
  const projectRoot = findProjectRoot(system, cwd);
  const stateHome = findStateHome(system);
  const home = findHome(system);
  if (stateHome === undefined || home === undefined) return undefined;
  return loadConfig(system, { home, stateHome, projectRoot });
}
