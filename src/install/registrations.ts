import {
  generateFiles,
  listEntries,
  type OwnedCommand,
  ownedCommand,
  ownedHandler,
  planRegistrations,
} from "../hosts/index.ts";
import { type JsonObject, ownValue } from "../protocol/index.ts";
import { join } from "../system/paths.ts";
import type { System } from "../system/system.ts";
import { readFile } from "./file-edit.ts";
import { textOf } from "./problem.ts";
import type { Target } from "./targets.ts";

/** One hook of ours as it stands in a host's configuration. */
export interface OwnEntry {
  /** the host's name for it */
  readonly event: string;
  readonly subcommand: string | undefined;
  readonly matcher: string | undefined;
  /** in the host's unit */
  readonly timeout: number | undefined;
  /** path of the program, quotes removed */
  readonly program: string;
  /** the words after the program */
  readonly words: readonly string[];
  readonly command: string;
  readonly kind: OwnedCommand["kind"];
}

/** What a host's configuration says about us. */
export interface FoundRegistration {
  readonly target: Target;
  readonly isThere: boolean;
  readonly entries: readonly OwnEntry[];
  /** why the configuration cannot be read */
  readonly problem?: string;
}

const TIMEOUT_KEYS = ["timeout", "timeoutSec", "timeout_ms"];
const GENERATED_HEADS = ["// Written by amplihack ", "#!/bin/sh\n# Written by amplihack "];

/** Whether a file that we would generate is one that we generated. */
export function isGenerated(text: string): boolean {
  return GENERATED_HEADS.some(head => text.startsWith(head));
}

/** The files behind a target: one, or one per event where a host takes programs. */
export function filesOf(target: Target): readonly string[] {
  if (target.registration.layout.kind !== "executables") return [target.path];
  const names = new Set(planRegistrations(target.owner).registrations.map(each => each.nativeEvent));
  return [...names].map(name => join(target.path, name));
}

export function readRegistration(system: System, target: Target): FoundRegistration {
  try {
    const texts = filesOf(target).map(path => ({ path, text: readFile(system, path) }));
    const isThere = texts.some(({ text }) => text !== undefined);
    const entries = texts.flatMap(({ path, text }) =>
      text === undefined ? [] : entriesIn(target, path, text),
    );
    return { target, isThere, entries };
  } catch (error) {
    return { target, isThere: true, entries: [], problem: textOf(error) };
  }
}

function entriesIn(target: Target, path: string, text: string): readonly OwnEntry[] {
  const { layout } = target.registration;
  if (layout.kind === "module") return isGenerated(text) ? moduleEntries(target, text) : [];
  if (layout.kind === "executables") return isGenerated(text) ? scriptEntries(path, text) : [];
  const listed = listEntries(text, layout);
  if (!listed.ok) throw new Error(`${listed.problem} (line ${listed.line}, column ${listed.column})`);
  return listed.entries.flatMap(({ event, matcher, handler, owned }) =>
    owned === undefined ? [] : [entryOf(event, matcher, handler, owned)],
  );
}

function entryOf(
  event: string,
  matcher: string | undefined,
  handler: JsonObject,
  owned: OwnedCommand,
): OwnEntry {
  const timeout = TIMEOUT_KEYS.map(key => ownValue(handler, key)).find(value => typeof value === "number");
  const line = ["command", "bash", "powershell"]
    .map(key => ownValue(handler, key))
    .find((value): value is string => typeof value === "string" && ownedCommand(value) !== undefined);
  const given = ownValue(handler, "args");
  const args = Array.isArray(given) ? given.filter(word => typeof word === "string") : [];
  return {
    event,
    subcommand: owned.subcommand,
    matcher,
    timeout: typeof timeout === "number" ? timeout : undefined,
    program: owned.program,
    words: [...wordsAfter(line ?? "", owned.program), ...args],
    command: [line ?? "", ...args].join(" "),
    kind: owned.kind,
  };
}

/** Our own command lines quote nothing after the program but plain words. */
function wordsAfter(line: string, program: string): readonly string[] {
  const at = line.indexOf(program);
  const rest = at < 0 ? "" : line.slice(at + program.length).replace(/^['"]/, "");
  return rest.split(/\s+/).filter(word => word !== "");
}

/** A module starts every hook that the host can take; which program stands in its text. */
function moduleEntries(target: Target, text: string): readonly OwnEntry[] {
  const written = /^const PROGRAM = (".*");$/m.exec(text)?.[1];
  if (written === undefined) return [];
  const program = String(JSON.parse(written));
  return planRegistrations(target.owner).registrations.map(({ nativeEvent, subcommand }) => ({
    event: nativeEvent,
    subcommand,
    matcher: undefined,
    timeout: undefined,
    program,
    words: [subcommand, "--host", target.owner, "--event", nativeEvent],
    command: `${program} ${subcommand}`,
    kind: "program",
  }));
}

function scriptEntries(path: string, text: string): readonly OwnEntry[] {
  const line = /^exec (.*)$/m.exec(text)?.[1] ?? "";
  const owned = ownedHandler({ command: line });
  return owned === undefined
    ? []
    : [entryOf(path.slice(path.lastIndexOf("/") + 1), undefined, { command: line }, owned)];
}

/** The texts of a host that takes files of ours as a whole, by path. */
export function generatedTexts(
  target: Target,
  options: Parameters<typeof generateFiles>[1],
): ReadonlyMap<string, { readonly text: string; readonly isExecutable: boolean }> {
  const { owner, path } = target;
  if (owner !== "opencode" && owner !== "pi" && owner !== "cline") return new Map();
  return new Map(
    generateFiles(owner, options).map(({ name, text, isExecutable }) => [
      name === "" ? path : join(path, name),
      { text, isExecutable },
    ]),
  );
}
