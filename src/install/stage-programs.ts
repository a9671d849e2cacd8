import { failurePolicyOf, loadConfig } from "../config/index.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import type { UserDirectories } from "../state/index.ts";
import { describeEnd, dirname, join, type System } from "../system/index.ts";
import { clip } from "../text/index.ts";
import type { HookEngine } from "./hook-engine.ts";
import type { Package } from "./package.ts";
import { programFolder } from "./places.ts";
import { installProblem } from "./problem.ts";
import { removeTree } from "./remove-tree.ts";
import { repairCommand } from "./repair-command.ts";
import { runProgram } from "./run-program.ts";
import { hookWrapper, programWrapper } from "./wrapper.ts";

/** A program of ours as it lies, or should lie, on the disk. */
export interface ProgramFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const PROGRAM_BYTES = 256 * 1024 * 1024;
const PROBE_TIMEOUT_MS = 10_000;
const SHOWN_LENGTH = 80;

/** What each hook does when it cannot run, by the configuration of machine and user. */
export function configuredPolicy(
  system: System,
  places: UserDirectories,
): (subcommand: string) => FailurePolicy {
  const { home, stateHome } = places;
  const { config } = loadConfig(system, { home, stateHome, projectRoot: undefined });
  return subcommand => failurePolicyOf(config, subcommand);
}

/** The two programs as they should be: the hook program, and the command line beside it. */
export function wantedPrograms(
  system: System,
  places: UserDirectories,
  { version, node, root }: Package,
  engine: HookEngine,
  policyOf: (subcommand: string) => FailurePolicy,
): readonly ProgramFile[] {
  const folder = programFolder(places);
  const command = engine.kind === "node" ? [node, engine.program] : [engine.program];
  const script = join(root, "dist", "bin", "amplihack.cjs");
  const repair = repairCommand(script, version, places.stateHome);
  const hooks =
    engine.kind === "native"
      ? system.files.read(engine.program, PROGRAM_BYTES)
      : system.text.encode(
          hookWrapper({
            version,
            command,
            policyOf,
            ...(engine.kind === "node" ? { repair } : {}),
            stateHome: engine.kind === "node" ? places.stateHome : undefined,
          }),
        );
  return [
    { path: join(folder, "amplihack-hooks"), bytes: hooks },
    {
      path: join(folder, "amplihack"),
      bytes: system.text.encode(programWrapper({ version, command: [node, script], repair })),
    },
  ];
}

/** Those that are not on the disk as they should be. */
export function changedPrograms(system: System, wanted: readonly ProgramFile[]): readonly ProgramFile[] {
  return wanted.filter(({ path, bytes }) => {
    const facts = system.files.inspect(path);
    if (facts?.kind !== "file" || facts.mode !== 0o755 || facts.size !== bytes.length) return true;
    return !isSameBytes(system.files.read(path, PROGRAM_BYTES), bytes);
  });
}

/**
 * Puts programs in their place, all or none of them: they are written to a folder of their own, the hook program is
 * tried there, and only then each takes its name.
 */
export async function stagePrograms(
  system: System,
  places: UserDirectories,
  changed: readonly ProgramFile[],
  expectedVersion: string | undefined,
): Promise<void> {
  if (changed.length === 0) return;
  const { files } = system;
  const folder = programFolder(places);
  files.makeDirectory(places.stateHome, 0o700);
  files.makeDirectory(folder, 0o755);
  const staging = join(dirname(folder), `.staging-${system.random.hex(16)}`);
  files.makeDirectory(staging, 0o700);
  try {
    const staged = changed.map(({ path, bytes }) => {
      const temporary = join(staging, path.slice(folder.length + 1));
      files.createExclusive(temporary, bytes, 0o755);
      if (files.inspect(temporary)?.mode !== 0o755) files.changeMode(temporary, 0o755);
      return { path, temporary };
    });
    // A hook program that stays as it is must still be the one that the rest belongs to.
    const hooks = staged.find(each => each.temporary.endsWith("/amplihack-hooks"));
    await tryProgram(system, hooks?.temporary ?? join(folder, "amplihack-hooks"), expectedVersion);
    for (const { path, temporary } of staged) files.rename(temporary, path);
    files.syncDirectory(folder);
  } finally {
    removeTree(system, staging);
  }
}

/** A program that does not tell its version would not answer a host either. */
async function tryProgram(system: System, program: string, expected: string | undefined): Promise<void> {
  const { code, end, stdout } = await runProgram(system, [program, "--version"], {
    timeoutMs: PROBE_TIMEOUT_MS,
    cwd: dirname(program),
    env: { PATH: system.env.get("PATH") ?? "", HOME: dirname(program) },
  });
  const isRight = expected === undefined || stdout.trim() === `amplihack-hooks ${expected}`;
  if (code === 0 && isRight) return;
  throw installProblem("the hook program does not work, so nothing was installed", {
    causes: [
      code === 0
        ? `it says '${clip(stdout.trim(), SHOWN_LENGTH)}', expected 'amplihack-hooks ${expected}'`
        : `it was asked for its version and ${describeEnd(end)}`,
    ],
    fix: "build or install the package again",
  });
}

function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}
