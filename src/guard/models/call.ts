import type { Invocation, ShellFacts } from "../../shell/facts.ts";
import { type OptionSpec, type ParsedOptions, parseOptions } from "../../shell/options.ts";
import { baseName } from "../../shell/paths.ts";
import { concatenate, knownPrefix, knownText, text, type Value } from "../../shell/value.ts";
import type { Workspace } from "../context.ts";
import type { Actor, CommandEffect } from "../effects.ts";
import { localTarget } from "../paths/target.ts";

/** One start of a program that a model turns into effects. */
export interface Call {
  readonly program: string;
  readonly argv: readonly Value[];
  readonly invocation: Invocation;
  readonly by: Actor;
  readonly facts: ShellFacts;
  readonly workspace: Workspace;
}

export type Model = (call: Call) => readonly CommandEffect[];
export type ModelTable = Readonly<Record<string, Model>>;

export function callOf(
  invocation: Invocation,
  program: string,
  facts: ShellFacts,
  workspace: Workspace,
): Call {
  const { argv, cwd, place, span } = invocation;
  return { program, argv, invocation, facts, workspace, by: { cwd, place, program, invocation, span } };
}

/** The program only tells about itself: nothing else happens. `-h` means this only where the model says so. */
export function isOnlyHelp(options: ParsedOptions): boolean {
  return options.has("help", "version");
}

export function readOptions(call: Call, spec: OptionSpec, start = 1): ParsedOptions {
  return parseOptions(call.argv, spec, start);
}

/** Where a file ends up: below `destination` when that is a directory, else at it. */
export function placedAt(call: Call, destination: Value, source: Value, isInto: boolean): Value {
  if (!isInto && !endsInSlash(destination) && !isDirectory(call, destination)) return destination;
  const name = knownText(source);
  return name === undefined ? destination : concatenate([destination, text(`/${baseName(name)}`)]);
}

function endsInSlash(value: Value): boolean {
  const last = value.pieces.at(-1);
  return last?.kind === "text" && last.text.endsWith("/");
}

export function isDirectory(call: Call, value: Value): boolean {
  if (call.by.place.kind !== "local") return false;
  const word = knownText(value);
  if (word === "." || word === "..") return true;
  const path = knownPrefix(value).startsWith("/") ? value : concatenate([call.by.cwd, text("/"), value]);
  const known = knownText(path);
  if (call.facts.links.some(link => link.invocation === call.invocation.id && knownText(link.path) === known))
    return false;
  const target = localTarget(call.workspace.disk, path, { followsLast: true });
  return target.path !== undefined && call.workspace.disk.kind(target.path) === "directory";
}

/** The invocation that started this one, for instance the xargs in front of an rm. */
export function parentOf(call: Pick<Call, "invocation" | "facts">): Invocation | undefined {
  const { parent } = call.invocation;
  return parent === undefined ? undefined : call.facts.invocations[parent.invocation];
}

/** All starters, nearest first. */
export function startersOf(call: Pick<Call, "invocation" | "facts">): readonly Invocation[] {
  const starters: Invocation[] = [];
  let current: Invocation | undefined = parentOf(call);
  while (current !== undefined && starters.length < 16) {
    starters.push(current);
    current = current.parent === undefined ? undefined : call.facts.invocations[current.parent.invocation];
  }
  return starters;
}
