import { findPackage } from "../../install/index.ts";
import type { SandboxPlaces } from "../../sandbox/index.ts";
import { requireDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";

export function sandboxPlaces(system: System): SandboxPlaces {
  const { home, stateHome } = requireDirectories(system);
  const platform = `${process.platform}-${process.arch}`;
  return { home, stateHome, packageRoot: findPackage(system).root, platform };
}

/** How a sandbox starts the program that serves its network. */
export function proxyWords(): readonly string[] {
  return [process.execPath, process.argv[1] ?? "amplihack", "sandbox", "proxy"];
}
