import { HOOK_REGISTRY } from "../hosts/index.ts";
import type { System } from "../system/index.ts";
import type { HookEngine } from "./hook-engine.ts";
import { runProgram } from "./run-program.ts";

const TIMEOUT_MS = 5_000;
const UNKNOWN_SUBCOMMAND = 1;

/** Which subcommands the hook program knows. Our own knows all; one that the user names is asked. */
export async function findSupported(
  system: System,
  engine: HookEngine,
  temporaryFolder: string,
): Promise<(subcommand: string) => boolean> {
  if (engine.kind !== "given") return () => true;
  const names = [...new Set(HOOK_REGISTRY.map(row => row.subcommand))];
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
