import { compileCondition, compileMatcher, isMatch, matchSubject, mayRun } from "../../handlers/index.ts";
import { canonicalInput } from "../../hosts/index.ts";
import { describeEvent, errorText, findEvent, type HookInput } from "../../protocol/index.ts";
import { findHome, findProjectRoot, findStateHome, listIfThere } from "../../state/index.ts";
import { compileGlob, join, matchesGlob, type System } from "../../system/index.ts";
import { nativeNames } from "./claude-payload.ts";
import {
  type BuiltFile,
  type BuiltHandler,
  type BuiltHook,
  buildFolder,
  MAX_MANIFEST_BYTES,
  type Manifest,
  readManifest,
  type SourceFile,
  type Wants,
  type When,
} from "./manifest.ts";

export function toWhen(when: RegExp | string | readonly string[] | undefined): When | undefined {
  if (when === undefined) return undefined;
  if (when instanceof RegExp) return { pattern: when.source, flags: when.flags.replace(/[gy]/g, "") };
  return { words: typeof when === "string" ? [when] : when };
}

/** Whether a hook is to run. Every doubt is a yes: `when` only saves work. */
export function isWanted(wants: Wants, input: HookInput): boolean {
  if (!wants.events.includes(findEvent(input.event)?.name ?? input.event)) return false;
  if (wants.hosts.length > 0 && !wants.hosts.includes(input.host)) return false;
  return (
    wantsTool(wants, input) && (wants.when === undefined || matchesWhen(wants.when, searchedText(input)))
  );
}

function wantsTool({ tools, hostTools }: Wants, input: HookInput): boolean {
  if (tools.length === 0 && hostTools.length === 0) return true;
  if (input.kind !== "tool") return true;
  const { name, canonicalName } = input.tool;
  return hostTools.includes(name) || tools.some(tool => isTool(tool, canonicalName));
}

function isTool(selector: string, name: string): boolean {
  if (selector === name) return true;
  return selector.includes("*") && matchesGlob(compileGlob(selector, "text"), name);
}

/** The command, the paths of a file tool, or the prompt; undefined for events without a text. */
function searchedText(input: HookInput): string | undefined {
  if (input.kind === "prompt") return input.prompt;
  if (input.kind !== "tool") return undefined;
  if (input.facts.command !== null) return input.facts.command;
  return input.facts.paths.length === 0 ? undefined : input.facts.paths.join("\n");
}

function matchesWhen(when: When, text: string | undefined): boolean {
  if (text === undefined) return true;
  if ("words" in when) return when.words.some(word => hasWord(text, word));
  try {
    return new RegExp(when.pattern, when.flags).test(text);
  } catch {
    // What one engine takes for a pattern another may refuse.
    return true;
  }
}

/** As a word of its own: `deploy` is in `make deploy` and in `./deploy.sh`, not in `redeployed`. */
function hasWord(text: string, word: string): boolean {
  const isPartOfWord = (character: string | undefined) =>
    character !== undefined && /[A-Za-z0-9_]/.test(character);
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isPartOfWord(text[at - 1]) && !isPartOfWord(text[at + word.length])) return true;
  return word === "";
}

/** What decides whether a handler is for a call. */
type HandlerWants = Pick<
  BuiltHandler,
  "event" | "matcher" | "condition" | "exceptHosts" | "project" | "writtenFor"
>;

/**
 * What decides whether any hook is for a call, and nothing else: it is read before every tool call of whoever has a
 * hook, so it is small and taken as it was written.
 */
interface WantedIndex {
  /** of the manifest's text, by which it is known again */
  readonly manifestLength: number;
  readonly hooks: readonly (Wants & { readonly project?: string })[];
  readonly handlers: readonly HandlerWants[];
  /** the user's own files that the manifest was made of; absent in one of an earlier version */
  readonly sources?: readonly SourceFile[];
}

const INDEX_VERSION = 1;

export function indexFile(stateHome: string): string {
  return join(buildFolder(stateHome), "wanted.json");
}

/** The index of a manifest, as it is written. */
export function indexText({ files, handlers, configurations }: Manifest, manifestLength: number): string {
  const hooks = files.flatMap(({ project, hooks: all }) =>
    all.map(({ events, tools, hostTools, hosts, when }) => ({
      events,
      tools,
      hostTools,
      hosts,
      when,
      project,
    })),
  );
  const wants = handlers.map(({ event, matcher, condition, exceptHosts, project, writtenFor }) => ({
    event,
    matcher,
    condition,
    exceptHosts,
    project,
    writtenFor,
  }));
  const sources = [
    ...files.filter(({ project }) => project === undefined).flatMap(({ inputs }) => inputs),
    ...configurations.filter(({ project }) => project === undefined),
  ];
  return `${JSON.stringify({ version: INDEX_VERSION, manifestLength, hooks, handlers: wants, sources })}\n`;
}

/** By size and time: two system calls for each file, before every call. What runs is compared by content too. */
export function looksChanged(
  { path, size, modifiedMs }: SourceFile,
  { files }: Pick<System, "files">,
): boolean {
  const facts = followed(files, path);
  return facts === undefined || facts.size !== size || Math.abs(facts.modifiedMs - modifiedMs) > 1;
}

/** Undefined also where links lead nowhere: one file that cannot be looked at switches off no other's hooks. */
export function followed(files: System["files"], path: string): ReturnType<System["files"]["follow"]> {
  try {
    return files.follow(path);
  } catch {
    return undefined;
  }
}

/** Whether a file of the user's own was changed, taken away or added since the build. */
function isStale({ sources }: WantedIndex, system: System, stateHome: string): boolean {
  if (sources === undefined || sources.some(one => looksChanged(one, system))) return true;
  const known = new Set(sources.map(({ path }) => path));
  const configured = join(stateHome, "hooks.jsonc");
  if (!known.has(configured) && followed(system.files, configured)?.kind === "file") return true;
  return listSources(system, join(stateHome, "hooks")).some(path => !known.has(path));
}

const SOURCE = /^[^.].*\.(?:[mc]?ts|[mc]?js)$/;
const NOT_A_SOURCE = /\.d\.[mc]?ts$|\.(?:test|spec)\.[mc]?[tj]s$/;

/** Declarations and tests are no hooks. */
export function isSourceName(name: string): boolean {
  return SOURCE.test(name) && !NOT_A_SOURCE.test(name);
}

/** The hook files of a folder. */
export function listSources(system: Pick<System, "files">, folder: string): readonly string[] {
  return listIfThere(system.files, folder)
    .filter(isSourceName)
    .sort()
    .map(name => join(folder, name));
}

/** Undefined when there is none: no hook was ever built. Throws for one that cannot be read. */
function readIndex(
  { files, text }: Pick<System, "files" | "text">,
  stateHome: string,
): WantedIndex | undefined {
  const path = indexFile(stateHome);
  // Most people have none, and this is asked before every tool call: a look costs less than a failed read.
  if (files.follow(path) === undefined) return undefined;
  const index = JSON.parse(text.decode(files.read(path, MAX_MANIFEST_BYTES)).text) as WantedIndex & {
    readonly version: number;
  };
  if (index.version !== INDEX_VERSION) throw new Error("it was made by another version");
  return index;
}

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
  /** a file of the user's own is not what was built: which hooks want the call is known after the next build */
  readonly isStale: boolean;
}

export const NOT_BUILT = "your own hooks are not built and do not run; run: amplihack hooks build";

/**
 * The users' hooks that a call is for, in the order in which they run. Nothing is loaded. Where nobody has written a
 * hook it costs two looks for files, and where none wants the call one small file is read and its sources are looked at.
 */
export function findWanted(
  system: System,
  input: HookInput,
): WantedHooks | undefined | { readonly problem: string } {
  const stateHome = findStateHome(system);
  if (stateHome === undefined) return undefined;
  try {
    const index = readIndex(system, stateHome);
    if (index !== undefined) return select(index, new Selection(system, input), stateHome);
    return listSources(system, join(stateHome, "hooks")).length === 0 ? undefined : { problem: NOT_BUILT };
  } catch (error) {
    return {
      problem: `your own hooks do not run: their manifest cannot be used (${errorText(error)}); run amplihack hooks build`,
    };
  }
}

function select(index: WantedIndex, selection: Selection, stateHome: string): WantedHooks | undefined {
  const isChanged = isStale(index, selection.system, stateHome);
  const isWantedAtAll =
    isChanged ||
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
  if (!isChanged && hooks.length === 0 && handlers.length === 0) return undefined;
  return { manifest, stateHome, hooks, handlers, isStale: isChanged };
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
  const names = input.kind === "tool" ? listToolNames(input.tool.canonicalName, writtenFor?.host) : [];
  const subjects = input.kind === "tool" ? names : [matchSubject(event, input.raw)];
  const compiled = compileMatcher(writtenFor?.dialect ?? "claude", handler.matcher, event);
  if (compiled.ok && !isMatch(compiled.matcher, subjects)) return false;
  const rule = handler.condition === undefined ? undefined : compileCondition(handler.condition, mayRun);
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
function listToolNames(canonicalName: string, host: string | undefined): readonly string[] {
  return host === undefined ? [canonicalName] : [canonicalName, ...nativeNames(canonicalName, host)];
}

/** By `order`, then by name: never by the order in which files were found. */
function compareHooks(one: BuiltHook, other: BuiltHook): number {
  return one.order - other.order || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
