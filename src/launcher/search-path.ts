import { dirname, isAbsolute, join, normalise, type System } from "../system/index.ts";
import { readScript } from "./find-binary.ts";

/** Directories by whose `amplihack` they hold. */
export interface ProgramPlaces {
  readonly ours: ReadonlySet<string>;
  /** the script of another implementation */
  readonly foreign: ReadonlySet<string>;
}

/**
 * PATH with `first` in front: every directory once, compared as a whole, the order otherwise kept. Directories with
 * another implementation's `amplihack` move behind the first with ours; nothing is dropped but empty entries.
 */
export function buildSearchPath(
  inherited: string,
  first: readonly string[],
  { ours, foreign }: ProgramPlaces,
): string {
  const clean = (entry: string): string => (isAbsolute(entry) ? normalise(entry) : entry.replace(/\/+$/, ""));
  const entries = [...new Set([...first, ...inherited.split(":")].map(clean).filter(entry => entry !== ""))];
  const own = entries.findIndex(entry => ours.has(entry));
  if (own < 0) return entries.join(":");
  const before = entries.slice(0, own);
  return [
    ...before.filter(entry => !foreign.has(entry)),
    entries[own] ?? "",
    ...before.filter(entry => foreign.has(entry)),
    ...entries.slice(own + 1),
  ].join(":");
}

/** Looks at the `amplihack` of each directory. `self` is this very program. */
export function findProgramPlaces(
  system: Pick<System, "files" | "text">,
  directories: readonly string[],
  self: string,
): ProgramPlaces {
  const ours = new Set<string>();
  const foreign = new Set<string>();
  for (const directory of new Set(directories.filter(isAbsolute).map(normalise))) {
    const kind = whose(system, join(directory, "amplihack"), self);
    if (kind !== undefined) (kind === "ours" ? ours : foreign).add(directory);
  }
  return { ours, foreign };
}

function whose(
  system: Pick<System, "files" | "text">,
  path: string,
  self: string,
): "ours" | "foreign" | undefined {
  let real: string;
  try {
    if (system.files.follow(path)?.kind !== "file") return undefined;
    real = system.files.realPath(path);
  } catch {
    return undefined;
  }
  if (real === self || real.endsWith("/dist/bin/amplihack.cjs")) return "ours";
  const text = readScript(system, real);
  if (text === undefined) return undefined;
  const names = [join(dirname(self), "amplihack.cjs"), "dist/bin/amplihack.cjs", "# Written by amplihack "];
  return names.some(name => text.includes(name)) ? "ours" : "foreign";
}
