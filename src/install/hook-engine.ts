import { VARIABLES } from "../state/index.ts";
import { dirname, join, resolve } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { isExecutable } from "./find-program.ts";
import type { Package } from "./package.ts";
import { InstallProblem } from "./problem.ts";

/** What stands behind the staged hook program. */
export interface HookEngine {
  /** `given`: a program that the user names */
  readonly kind: "native" | "node" | "given";
  /** the executable, or the script for Node */
  readonly program: string;
}

/** In words, with the file that it is. */
export function describeEngine({ kind, program }: HookEngine): string {
  return `${{ native: "native", node: "on Node", given: "the one you named" }[kind]}, ${program}`;
}

/** The rule of all `AMPLIHACK_<NAME>_BIN` variables, and its other spelling. */
const OVERRIDES = ["AMPLIHACK_AMPLIHACK_HOOKS_BIN", "AMPLIHACK_AMPLIHACK_HOOKS_BINARY_PATH"];

/** A named program that cannot be used, or an engine that is not built, is an error: nothing else takes its place. */
export function chooseEngine(system: System, { root }: Pick<Package, "root">): HookEngine {
  const wanted = VARIABLES.AMPLIHACK_HOOK_ENGINE.isSet(system)
    ? VARIABLES.AMPLIHACK_HOOK_ENGINE.getOrError(system)
    : undefined;
  const given = findOverride(system);
  if (given !== undefined) return given;
  const places = nativePlaces(root);
  const missing = `there is no executable file at ${places.join(" or ")}`;
  const script = join(root, "dist", "bin", "amplihack-hooks.cjs");
  const native = places.find(path => isExecutable(system, path));
  if (wanted === "native" && native === undefined)
    throw new InstallProblem("AMPLIHACK_HOOK_ENGINE asks for the native hook program, which is not built", {
      causes: [missing],
      fix: "build it with npm run build:native, or unset AMPLIHACK_HOOK_ENGINE",
    });
  if (native !== undefined && wanted !== "node") return { kind: "native", program: native };
  if (system.files.follow(script)?.kind === "file") return { kind: "node", program: script };
  throw new InstallProblem("the hook program of this package was not found", {
    causes: [...OVERRIDES.map(name => `${name} is not set`), missing, `${script} is not a file`],
    fix: "build it with npm run build, or install the package again",
  });
}

/** Built here, or in the package of this platform, which a package manager puts beside ours or below it. */
function nativePlaces(root: string): readonly string[] {
  const name = `amplihack-${process.platform}-${process.arch}`;
  return [
    join(root, "dist", "native", "amplihack-hooks"),
    join(root, "node_modules", name, "amplihack-hooks"),
    join(dirname(root), name, "amplihack-hooks"),
  ];
}

function findOverride(system: System): HookEngine | undefined {
  for (const name of OVERRIDES) {
    const value = system.env.get(name) ?? "";
    if (value === "") continue;
    const program = resolve(system.files.workingDirectory() ?? "/", value);
    if (isExecutable(system, program)) return { kind: "given", program };
    throw new InstallProblem(`${name} does not lead to an executable file`, {
      fix: `set ${name} to the hook program, or unset it`,
    });
  }
  return undefined;
}
