import { ALL_ROWS } from "../hosts/index.ts";
import { readJson, stringAt } from "../protocol/index.ts";
import { isExecutable, readText, VARIABLES } from "../state/index.ts";
import { dirname, join, resolve, type System } from "../system/index.ts";
import { installProblem } from "./file-edit.ts";
import { runProgram } from "./find-program.ts";
import type { Package } from "./package.ts";

/** What stands behind the staged hook program. */
export interface HookEngine {
  /** `given`: a program that the user names */
  readonly kind: "native" | "node" | "given";
  /** the executable, or the script for Node */
  readonly program: string;
  /** a native program that is there and is not used */
  readonly skipped?: { readonly why: string; readonly fix: string };
}

const MANIFEST_BYTES = 1024 * 1024;

/** In words, with the file that it is. */
export function describeEngine({ kind, program }: HookEngine): string {
  return `${{ native: "native", node: "on Node", given: "the one you named" }[kind]}, ${program}`;
}

export function skippedWarnings({ skipped }: HookEngine): readonly string[] {
  return skipped === undefined ? [] : [`${skipped.why}; hooks run on Node. To use it: ${skipped.fix}`];
}

/** The rule of all `AMPLIHACK_<NAME>_BIN` variables, and its other spelling. */
const OVERRIDES = ["AMPLIHACK_AMPLIHACK_HOOKS_BIN", "AMPLIHACK_AMPLIHACK_HOOKS_BINARY_PATH"];

/**
 * A named program that cannot be used, or an engine that is not built, is an error: nothing else takes its place. A
 * native program of another version, as an incomplete upgrade leaves it, is not used unless it is asked for, and that is reported.
 */
export function chooseEngine(system: System, source: Pick<Package, "root" | "version">): HookEngine {
  const { root, version } = source;
  const wanted = VARIABLES.AMPLIHACK_HOOK_ENGINE.isSet(system)
    ? VARIABLES.AMPLIHACK_HOOK_ENGINE.getOrError(system)
    : undefined;
  const given = findOverride(system);
  if (given !== undefined) return given;
  const script = join(root, "dist", "bin", "amplihack-hooks.cjs");
  const native = findNativeProgram(system, source);
  if (wanted === "native" && native.kind === "other-version")
    throw installProblem("AMPLIHACK_HOOK_ENGINE asks for the native hook program, and its version differs", {
      causes: [native.why],
      fix: `${upgradeCommand(version)}, or unset AMPLIHACK_HOOK_ENGINE`,
    });
  if (wanted === "native" && native.kind === "missing")
    throw installProblem("AMPLIHACK_HOOK_ENGINE asks for the native hook program, which is not built", {
      causes: [native.why],
      fix: "build it with npm run build:native, or unset AMPLIHACK_HOOK_ENGINE",
    });
  if (native.kind === "found" && wanted !== "node") return { kind: "native", program: native.program };
  if (system.files.follow(script)?.kind === "file") {
    if (native.kind !== "other-version" || wanted === "node") return { kind: "node", program: script };
    return { kind: "node", program: script, skipped: { why: native.why, fix: upgradeCommand(version) } };
  }
  const absent = native.kind === "found" ? [] : [native.why];
  throw installProblem("the hook program of this package was not found", {
    causes: [...OVERRIDES.map(name => `${name} is not set`), ...absent, `${script} is not a file`],
    fix: "build it with npm run build, or install the package again",
  });
}

type NativeSearch =
  | { readonly kind: "found"; readonly program: string }
  | { readonly kind: "missing" | "other-version"; readonly why: string };

/** The native program of this version, or why it is missing. */
export function findNativeProgram(
  system: System,
  { root, version }: Pick<Package, "root" | "version">,
): NativeSearch {
  const places = nativePlaces(root);
  const present = places.filter(path => isExecutable(system, path));
  const program = present.find(path => otherVersion(system, path, version) === undefined);
  if (program !== undefined) return { kind: "found", program };
  const [mismatched] = present;
  return mismatched === undefined
    ? { kind: "missing", why: `there is no executable file at ${places.join(" or ")}` }
    : { kind: "other-version", why: describeMismatch(system, mismatched, version) };
}

/** Built here, or in the package of this platform, which a package manager puts beside ours or below it. */
function nativePlaces(root: string): readonly string[] {
  const name = platformPackage();
  return [
    join(root, "dist", "native", "amplihack-hooks"),
    join(root, "node_modules", name, "amplihack-hooks"),
    join(dirname(root), name, "amplihack-hooks"),
  ];
}

function platformPackage(): string {
  return `amplihack-${process.platform}-${process.arch}`;
}

/** Gets the native program of a version. */
export function upgradeCommand(version: string): string {
  return `npm install ${platformPackage()}@${version}`;
}

function describeMismatch(system: System, program: string, version: string): string {
  return `${program} belongs to amplihack ${otherVersion(system, program, version)}, not ${version}`;
}

/** The version of the package a program lies in, where that is another than ours. */
function otherVersion(system: System, program: string, version: string): string | undefined {
  const read = readJson(readText(system, join(dirname(program), "package.json"), MANIFEST_BYTES) ?? "");
  const found = read.ok ? stringAt(read.value, "version") : undefined;
  return found === version ? undefined : found;
}

function findOverride(system: System): HookEngine | undefined {
  for (const name of OVERRIDES) {
    const value = system.env.get(name) ?? "";
    if (value === "") continue;
    const program = resolve(system.files.workingDirectory() ?? "/", value);
    if (isExecutable(system, program)) return { kind: "given", program };
    throw installProblem(`${name} does not point to an executable file`, {
      fix: `set ${name} to the hook program, or unset it`,
    });
  }
  return undefined;
}

const TIMEOUT_MS = 5_000;
const UNKNOWN_SUBCOMMAND = 1;

/** Which subcommands the hook program knows. Our own knows all; one that the user names is asked. */
export async function findSupported(
  system: System,
  engine: HookEngine,
  temporaryFolder: string,
): Promise<(subcommand: string) => boolean> {
  if (engine.kind !== "given") return () => true;
  const names = [...new Set(ALL_ROWS.map(row => row.subcommand))];
  const answers = await Promise.all(
    names.map(async name => {
      const { code } = await runProgram(system, [engine.program, name], {
        timeoutMs: TIMEOUT_MS,
        input: "{}",
        cwd: temporaryFolder,
        env: { PATH: system.env.get("PATH") ?? "", HOME: temporaryFolder },
      });
      return { name, isKnown: code !== undefined && code !== UNKNOWN_SUBCOMMAND };
    }),
  );
  return subcommand => answers.some(({ name, isKnown }) => name === subcommand && isKnown);
}
