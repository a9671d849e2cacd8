import { canonicalInput } from "../../hosts/tool-input.ts";
import { errorText } from "../../protocol/error-text.ts";
import { describeEvent, type HookInput } from "../../protocol/index.ts";
import { findHome, findProjectRoot, findStateHome } from "../../state/index.ts";
import type { System } from "../../system/system.ts";
import { compileCondition } from "../handlers/condition.ts";
import { compileMatcher, isMatch, subjectOf } from "../handlers/match.ts";
import {
  type BuiltFile,
  type BuiltHandler,
  type BuiltHook,
  type Manifest,
  readManifest,
} from "./manifest.ts";
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
  /** in the order in which they stand in their files */
  readonly handlers: readonly BuiltHandler[];
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
  const handlers = manifest.handlers.filter(
    handler =>
      (handler.project === undefined || handler.project === projectRoot) &&
      isHandlerWanted(handler, input, projectRoot, findHome(system)),
  );
  return hooks.length === 0 && handlers.length === 0 ? undefined : { manifest, stateHome, hooks, handlers };
}

/** By event, host, matcher and `if`; what cannot be compared is run. */
function isHandlerWanted(
  handler: BuiltHandler,
  input: HookInput,
  projectDir: string,
  home: string | undefined,
): boolean {
  if (handler.event !== input.event || handler.exceptHosts.includes(input.host)) return false;
  const event = describeEvent(input.event);
  const names = input.kind === "tool" ? [input.tool.canonicalName] : [];
  const subjects = input.kind === "tool" ? names : [subjectOf(event, input.raw)];
  const compiled = compileMatcher("claude", handler.matcher, event);
  if (compiled.ok && !isMatch(compiled.matcher, subjects)) return false;
  const rule = handler.condition === undefined ? undefined : compileCondition(handler.condition);
  if (rule?.ok !== true || input.kind !== "tool") return true;
  const { canonicalName, input: given } = input.tool;
  const cwd = input.cwd ?? projectDir;
  return rule.condition({
    toolNames: names,
    input: canonicalInput(canonicalName, given, input.facts),
    cwd,
    projectDir,
    home,
  });
}

/** By `order`, then by name: never by the order in which files were found. */
function compareHooks(one: BuiltHook, other: BuiltHook): number {
  return one.order - other.order || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
