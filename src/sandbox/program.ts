import { join, type System } from "../system/index.ts";

const NAME = "amplihack-sandbox";

/**
 * The enforcing program: the one that was installed, else that of the npm package for this machine, else the one that
 * was built here. Undefined where there is none. It is never looked for in `PATH`.
 */
export function findSandboxProgram(
  { files }: Pick<System, "files">,
  places: { readonly stateHome: string; readonly packageRoot: string; readonly platform: string },
): string | undefined {
  const { stateHome, packageRoot, platform } = places;
  const candidates = [
    join(stateHome, ".claude/bin", NAME),
    join(packageRoot, "..", `amplihack-${platform}`, NAME),
    join(packageRoot, "node_modules", `amplihack-${platform}`, NAME),
    join(packageRoot, "dist/native", NAME),
  ];
  return candidates.find(path => files.follow(path)?.kind === "file");
}
