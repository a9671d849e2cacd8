import type { UserDirectories } from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import { runProgram } from "./run-program.ts";
import { findHostProgram, INSTALLABLE_HOSTS, setupOf } from "./targets.ts";

const TIMEOUT_MS = 30_000;
const NAME = "amplihack";

/** Makes a staged bundle known to the host that takes one. Warns with the command to run where that fails. */
export async function addBundle(system: System, places: UserDirectories): Promise<readonly string[]> {
  const bundle = join(places.stateHome, "amplifier-bundle");
  if (system.files.follow(join(bundle, "bundle.md"))?.kind !== "file") return [];
  return withBundles(system, async ({ title, name, program, hasBundle }) => {
    if (hasBundle || (await run(system, program, "add", bundle)).code === 0) return [];
    return [`${title} did not take the bundle; run: ${name} bundle add ${bundle}`];
  });
}

/** Takes the bundle away again, if the host has it. */
export async function removeBundle(system: System): Promise<readonly string[]> {
  return withBundles(system, async ({ title, name, program, hasBundle }) => {
    if (!hasBundle || (await run(system, program, "remove", NAME)).code === 0) return [];
    return [`${title} kept the bundle; run: ${name} bundle remove ${NAME}`];
  });
}

interface BundleHost {
  readonly title: string;
  readonly name: string;
  readonly program: string;
  readonly hasBundle: boolean;
}

async function withBundles(
  system: System,
  act: (host: BundleHost) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  for (const id of INSTALLABLE_HOSTS) {
    const { title, programs, takesBundles } = setupOf(id);
    const program = takesBundles === true ? findHostProgram(system, id) : undefined;
    if (program === undefined) continue;
    const { code, stdout } = await run(system, program, "list");
    const hasBundle = code === 0 && /(^|[^\w-])amplihack($|[^\w-])/m.test(stdout);
    warnings.push(...(await act({ title, name: programs[0] ?? id, program, hasBundle })));
  }
  return warnings;
}

function run(system: System, program: string, ...words: readonly string[]) {
  return runProgram(system, [program, "bundle", ...words], { timeoutMs: TIMEOUT_MS });
}
