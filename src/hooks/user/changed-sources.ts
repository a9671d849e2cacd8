import type { HookInput } from "../../protocol/index.ts";
import { childEnvironment, type System, sha256Hex } from "../../system/index.ts";
import { deeperEnvironment } from "./depth.ts";
import type { BuiltFile, Manifest, SourceFile } from "./manifest.ts";
import { findWanted, looksChanged, type WantedHooks } from "./wanted.ts";

const BUILD_TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 64 * 1024;

/** Larger files, which somebody else wrote and a hook imports, are compared by size and time alone. */
const MAX_COMPARED_BYTES = 64 * 1024;

/** Whether the hook that is about to run, or something it imports, is not what was compiled: by content. */
export function hasChanged(file: Pick<BuiltFile, "inputs">, system: Pick<System, "files">): boolean {
  return file.inputs.some(one => looksChanged(one, system) || differs(one, system));
}

function differs({ path, size, sha256 }: SourceFile, { files }: Pick<System, "files">): boolean {
  if (size > MAX_COMPARED_BYTES) return false;
  try {
    return sha256Hex(files.read(path, size + 1)) !== sha256;
  } catch {
    return true;
  }
}

/**
 * The same hooks after a build, when something of the user's own changed since the last. What belongs to a project is
 * never built here: what changed is not what was trusted.
 */
export async function rebuildChanged(
  wanted: WantedHooks,
  input: HookInput,
  system: System,
  deadlineMs: number,
): Promise<WantedHooks | undefined> {
  const isChanged =
    wanted.isStale || wanted.hooks.some(({ file }) => file.project === undefined && hasChanged(file, system));
  if (!isChanged) return wanted;
  await build(wanted.manifest, system, deadlineMs - system.clock.monotonicMs());
  const found = findWanted(system, input);
  return found === undefined || "problem" in found ? undefined : found;
}

/** Runs `amplihack hooks build`; what it says goes to stderr, and to the person. */
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
  const said = system.text.decode(stderr).text;
  system.stdio.writeError(said);
  for (const line of said.split("\n"))
    if (/\S/.test(line)) system.onComplaint?.(line.replace(/^Warning: /, ""));
  return end.kind === "exit" && end.code === 0;
}
