import { compileCondition, compileMatcher, isMatch, subjectOf } from "../../handlers/index.ts";
import { canonicalInput } from "../../hosts/index.ts";
import { describeEvent, errorText, type HookInput } from "../../protocol/index.ts";
import { findHome, findProjectRoot, findStateHome } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { nativeNames } from "./claude-payload.ts";
import {
  type BuiltFile,
  type BuiltHandler,
  type BuiltHook,
  type Manifest,
  readManifest,
} from "./manifest.ts";
import { isWanted } from "./wanted.ts";
import { type HandlerWants, readIndex, type WantedIndex } from "./wanted-index.ts";

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
 * The users' hooks that a call is for, in the order in which they run. Nothing is loaded. Where nobody has written a
 * hook it costs one look for a file, and where none wants the call one small file is read.
 */
export function findWanted(
  system: System,
  input: HookInput,
): WantedHooks | undefined | { readonly problem: string } {
  const stateHome = findStateHome(system);
  if (stateHome === undefined) return undefined;
  try {
    const index = readIndex(system, stateHome);
    return index === undefined ? undefined : select(index, new Selection(system, input), stateHome);
  } catch (error) {
    return {
      problem: `your own hooks do not run: their manifest cannot be used (${errorText(error)}); run amplihack hooks build`,
    };
  }
}

function select(index: WantedIndex, selection: Selection, stateHome: string): WantedHooks | undefined {
  const isWantedAtAll =
    index.hooks.some(hook => selection.hasHook(hook)) ||
    index.handlers.some(handler => selection.hasHandler(handler));
  if (!isWantedAtAll) return undefined;
  const manifest = readManifest(selection.system, stateHome, index.manifestLength);
  if (manifest === undefined) throw new Error("it is gone");
  const hooks = manifest.files
    .flatMap(file => file.hooks.map(hook => ({ hook, file })))
    .filter(({ hook, file: { project } }) =>
      selection.hasHook(project === undefined ? hook : { ...hook, project }),
    )
    .sort((one, other) => compareHooks(one.hook, other.hook));
  const handlers = manifest.handlers.filter(handler => selection.hasHandler(handler));
  return hooks.length === 0 && handlers.length === 0 ? undefined : { manifest, stateHome, hooks, handlers };
}

/** Which hooks are for one call. Where the project is is found out when a hook belongs to one. */
class Selection {
  readonly system: System;
  private readonly input: HookInput;
  private root: string | undefined;

  constructor(system: System, input: HookInput) {
    this.system = system;
    this.input = input;
  }

  hasHook(hook: WantedIndex["hooks"][number]): boolean {
    return isWanted(hook, this.input) && this.isHere(hook.project);
  }

  hasHandler(handler: HandlerWants): boolean {
    const { input, system } = this;
    if (handler.event !== input.event || handler.exceptHosts.includes(input.host)) return false;
    return (
      this.isHere(handler.project) && isHandlerWanted(handler, input, this.projectRoot(), findHome(system))
    );
  }

  private isHere(project: string | undefined): boolean {
    return project === undefined || project === this.projectRoot();
  }

  private projectRoot(): string {
    this.root ??= findProjectRoot(this.system, this.input.cwd);
    return this.root;
  }
}

/** By matcher and `if`; what cannot be compared is run. */
function isHandlerWanted(
  handler: HandlerWants,
  input: HookInput,
  projectDir: string,
  home: string | undefined,
): boolean {
  const event = describeEvent(input.event);
  const { writtenFor } = handler;
  const names = input.kind === "tool" ? namesOf(input.tool.canonicalName, writtenFor?.host) : [];
  const subjects = input.kind === "tool" ? names : [subjectOf(event, input.raw)];
  const compiled = compileMatcher(writtenFor?.dialect ?? "claude", handler.matcher, event);
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

/** A tool as Claude Code calls it, and as the host does that the hook was written for. */
function namesOf(canonicalName: string, host: string | undefined): readonly string[] {
  return host === undefined ? [canonicalName] : [canonicalName, ...nativeNames(canonicalName, host)];
}

/** By `order`, then by name: never by the order in which files were found. */
function compareHooks(one: BuiltHook, other: BuiltHook): number {
  return one.order - other.order || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
