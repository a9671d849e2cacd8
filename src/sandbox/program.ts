import { join, type System } from "../system/index.ts";

const NAME = "amplihack-sandbox";

/** The program that a package brings along, to be installed; undefined where there is none for this machine. */
export function findPackagedProgram(
  { files }: Pick<System, "files">,
  { packageRoot, platform }: { readonly packageRoot: string; readonly platform: string },
): string | undefined {
  const candidates = [
    join(packageRoot, "..", `amplihack-${platform}`, NAME),
    join(packageRoot, "node_modules", `amplihack-${platform}`, NAME),
    join(packageRoot, "dist/native", NAME),
  ];
  return candidates.find(path => files.follow(path)?.kind === "file");
}

/**
 * The enforcing program: the one that was installed, else that of the npm package for this machine, else the one that
 * was built here. Undefined where there is none. It is never looked for in `PATH`.
 */
export function findSandboxProgram(
  system: Pick<System, "files">,
  places: { readonly stateHome: string; readonly packageRoot: string; readonly platform: string },
): string | undefined {
  const installed = join(places.stateHome, ".claude/bin", NAME);
  return system.files.follow(installed)?.kind === "file" ? installed : findPackagedProgram(system, places);
}
