import { errorText } from "../../protocol/error-text.ts";
import type { HookInput } from "../../protocol/index.ts";
import { findProjectRoot, findStateHome } from "../../state/index.ts";
import type { System } from "../../system/system.ts";
import { type BuiltFile, type BuiltHook, type Manifest, readManifest } from "./manifest.ts";
import { isWanted } from "./wanted.ts";

/** A hook that wants a call, and the file that it is in. */
export interface WantedHook {
  readonly hook: BuiltHook;
  readonly file: BuiltFile;
}

export interface WantedHooks {
  readonly manifest: Manifest;
  readonly stateHome: string;
  readonly hooks: readonly WantedHook[];
}

/**
 * The users' hooks that a call is for, in the order in which they run. Nothing is loaded, and where nobody has written
 * a hook it costs one look for a file.
 */
export function findWanted(
  system: System,
  input: HookInput,
): WantedHooks | undefined | { readonly problem: string } {
  const stateHome = findStateHome(system);
  if (stateHome === undefined) return undefined;
  let manifest: Manifest | undefined;
  try {
    manifest = readManifest(system, stateHome);
  } catch (error) {
    return {
      problem: `your own hooks do not run: their manifest cannot be used (${errorText(error)}); run amplihack hooks build`,
    };
  }
  if (manifest === undefined) return undefined;
  const projectRoot = findProjectRoot(system, input.cwd);
  const hooks = manifest.files
    .filter(({ project }) => project === undefined || project === projectRoot)
    .flatMap(file => file.hooks.map(hook => ({ hook, file })))
    .filter(({ hook }) => isWanted(hook, input))
    .sort((one, other) => compareHooks(one.hook, other.hook));
  return hooks.length === 0 ? undefined : { manifest, stateHome, hooks };
}

/** By `order`, then by name: never by the order in which files were found. */
function compareHooks(one: BuiltHook, other: BuiltHook): number {
  return one.order - other.order || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
