import { listEntries, type OwnedCommand, ownedHandler, planRegistrations } from "../hosts/index.ts";
import { errorText } from "../protocol/index.ts";
import { basename, expandHomeWord, join, type System } from "../system/index.ts";
import { readFile } from "./file-edit.ts";
import type { RegistrationTarget } from "./targets.ts";
import { timeoutIn } from "./user-changes.ts";
import { callOf } from "./wanted-entries.ts";

/** One hook of ours as it stands in a host's configuration. */
export interface OwnEntry extends OwnedCommand {
  /** the host's name for it */
  readonly event: string;
  readonly matcher: string | undefined;
  /** in the host's unit */
  readonly timeout: number | undefined;
}

/** What a host's configuration says about us. */
export interface FoundRegistration {
  readonly target: RegistrationTarget;
  readonly isThere: boolean;
  readonly entries: readonly OwnEntry[];
  /** why the configuration cannot be read */
  readonly problem?: string;
}

const GENERATED_HEADS = [
  "// Written by amplihack ",
  "#!/bin/sh\n# Written by amplihack ",
  "---\n# Written by amplihack.",
  "# Written by amplihack.",
];

/** Whether a file that we would generate is one that we generated. */
export function isGenerated(text: string): boolean {
  return GENERATED_HEADS.some(head => text.startsWith(head));
}

/** The files behind a target: one, or one per event where a host takes programs. */
export function filesOf({ registration, owner, path }: RegistrationTarget): readonly string[] {
  if (registration.layout.kind !== "executables") return [path];
  const names = new Set(planRegistrations(owner).registrations.map(each => each.nativeEvent));
  return [...names].map(name => join(path, name));
}

export function readRegistration(system: System, target: RegistrationTarget): FoundRegistration {
  try {
    const texts = filesOf(target).map(path => ({ path, text: readFile(system, path) }));
    const isThere = texts.some(({ text }) => text !== undefined);
    const home = system.env.get("HOME");
    const entries = texts.flatMap(({ path, text }) =>
      (text === undefined ? [] : entriesIn(target, path, text)).map(entry => ({
        ...entry,
        program: expandHomeWord(entry.program, home),
      })),
    );
    return { target, isThere, entries };
  } catch (error) {
    return { target, isThere: true, entries: [], problem: errorText(error) };
  }
}

function entriesIn(target: RegistrationTarget, path: string, text: string): readonly OwnEntry[] {
  const { layout } = target.registration;
  if (layout.kind === "module") return isGenerated(text) ? moduleEntries(target, text) : [];
  if (layout.kind === "executables") return isGenerated(text) ? scriptEntries(path, text) : [];
  const listed = listEntries(text, layout);
  if (!listed.ok) throw new Error(`${listed.problem} (line ${listed.line}, column ${listed.column})`);
  return listed.entries.flatMap(({ event, matcher, handler, owned }) =>
    owned === undefined ? [] : [{ ...owned, event, matcher, timeout: timeoutIn(handler) }],
  );
}

/** A module starts every hook that the host can take; which program stands in its text. */
function moduleEntries({ owner }: RegistrationTarget, text: string): readonly OwnEntry[] {
  const written = /^const PROGRAM = (".*");$/m.exec(text)?.[1];
  if (written === undefined) return [];
  const program = String(JSON.parse(written));
  return planRegistrations(owner).registrations.map(each => ({
    event: each.nativeEvent,
    subcommand: each.subcommand,
    matcher: undefined,
    timeout: undefined,
    program,
    words: callOf(owner, each),
    line: `${program} ${each.subcommand}`,
    kind: "program",
  }));
}

function scriptEntries(path: string, text: string): readonly OwnEntry[] {
  const owned = ownedHandler({ command: /^exec (.*)$/m.exec(text)?.[1] ?? "" });
  return owned === undefined
    ? []
    : [{ ...owned, event: basename(path), matcher: undefined, timeout: undefined }];
}
