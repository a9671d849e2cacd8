import type { HookInput } from "../../protocol/index.ts";
import { childEnvironment, hasErrorCode, join, type System } from "../../system/index.ts";
import { deeperEnvironment } from "./depth.ts";
import type { BuiltFile, Manifest } from "./manifest.ts";
import { findWanted, type WantedHooks } from "./wanted.ts";

const BUILD_TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** Whether a source, or something it imports, is not what was compiled. */
export function hasChanged(file: Pick<BuiltFile, "inputs">, system: Pick<System, "files">): boolean {
  return file.inputs.some(({ path, size, modifiedMs }) => {
    const facts = system.files.follow(path);
    return facts === undefined || facts.size !== size || Math.abs(facts.modifiedMs - modifiedMs) > 1;
  });
}

/**
 * The same hooks after a build, when one of the user's own files changed since the last. Those of a project are never
 * built here: what changed is not what was trusted.
 */
export async function rebuildChanged(
  wanted: WantedHooks,
  input: HookInput,
  system: System,
  deadlineMs: number,
): Promise<WantedHooks | undefined> {
  const isChanged = wanted.hooks.some(({ file }) => file.project === undefined && hasChanged(file, system));
  if (!isChanged) return wanted;
  await build(wanted.manifest, system, deadlineMs - system.clock.monotonicMs());
  const found = findWanted(system, input);
  return found === undefined || "problem" in found ? undefined : found;
}

/** Runs `amplihack hooks build`; what it says goes to stderr. */
export async function build(
  manifest: Pick<Manifest, "builder">,
  system: System,
  leftMs: number,
): Promise<boolean> {
  const [node, ...words] = manifest.builder;
  const timeoutMs = Math.min(BUILD_TIMEOUT_MS, leftMs - 1_000);
  if (node === undefined || timeoutMs <= 0) return false;
  const { end, stderr } = await system.processes.start({
    argv: [node, ...words, "hooks", "build", "--quiet"],
    cwd: system.files.workingDirectory() ?? "/",
    env: childEnvironment(system, deeperEnvironment(system)),
    input: new Uint8Array(0),
    timeoutMs,
    limits: {
      stdoutBytes: MAX_OUTPUT_BYTES,
      tailBytes: 0,
      stderrBytes: MAX_OUTPUT_BYTES,
      drainBytes: MAX_OUTPUT_BYTES,
    },
  }).done;
  system.stdio.writeError(system.text.decode(stderr).text);
  return end.kind === "exit" && end.code === 0;
}

const SOURCE = /^[^.].*\.(?:[mc]?ts|[mc]?js)$/;
const NOT_A_SOURCE = /\.d\.[mc]?ts$|\.(?:test|spec)\.[mc]?[tj]s$/;

/** Declarations and tests are no hooks. */
export function isSourceName(name: string): boolean {
  return SOURCE.test(name) && !NOT_A_SOURCE.test(name);
}

/** The hook files of a folder. */
export function listSources(system: Pick<System, "files">, folder: string): readonly string[] {
  try {
    return system.files
      .list(folder)
      .filter(isSourceName)
      .sort()
      .map(name => join(folder, name));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
}
