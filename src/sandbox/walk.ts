import { join, type NamedFacts, type System } from "../system/index.ts";

export interface WalkLimits {
  /** names that are looked at; the rest is not */
  readonly entries: number;
  readonly depth: number;
}

export interface WalkedEntry {
  readonly path: string;
  readonly facts: NamedFacts;
}

/**
 * Everything below a folder, the nearest first, so that a bound cuts off what lies deep. `entersFolder` decides which
 * folders are listed; links are never followed.
 */
export function walkBelow(
  { files }: Pick<System, "files">,
  root: string,
  limits: WalkLimits,
  entersFolder: (path: string, name: string) => boolean,
): { readonly entries: readonly WalkedEntry[]; readonly isWhole: boolean } {
  const entries: WalkedEntry[] = [];
  let level: readonly string[] = [root];
  for (let depth = 0; depth < limits.depth && level.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      for (const facts of listOrNothing(files, folder)) {
        if (entries.length >= limits.entries) return { entries, isWhole: false };
        const path = join(folder, facts.name);
        entries.push({ path, facts });
        if (facts.kind === "directory" && entersFolder(path, facts.name)) next.push(path);
      }
    }
    level = next;
  }
  return { entries, isWhole: level.length === 0 };
}

/** What this user cannot list, the command cannot list either. */
function listOrNothing(files: System["files"], folder: string): readonly NamedFacts[] {
  try {
    return files.listFacts(folder);
  } catch {
    return [];
  }
}
