import { basename, type ExactFacts, type Files, SystemError } from "../system/index.ts";

export interface Visitor {
  /** Sees every name; for a directory, before what is in it. False does not go into it. */
  visit(path: string, facts: ExactFacts): boolean;
  /** a directory that cannot be listed */
  fail(path: string, why: string): void;
  isLate(): boolean;
}

/** Everything below a directory, in order of names, links not followed. False when time ran out. */
export function walkTree(files: Pick<Files, "listFacts">, top: string, visitor: Visitor): boolean {
  const waiting = [top];
  for (let directory = waiting.pop(); directory !== undefined; directory = waiting.pop()) {
    if (visitor.isLate()) {
      visitor.fail(directory, "there was no time to look at it (history.budgetMs)");
      return false;
    }
    const below: string[] = [];
    try {
      for (const { name, ...facts } of files.listFacts(directory)) {
        const path = `${directory === "/" ? "" : directory}/${name}`;
        if (visitor.visit(path, facts) && facts.kind === "directory") below.push(path);
      }
    } catch (error) {
      if (!(error instanceof SystemError)) throw error;
      if (error.code === "ENOENT" || error.code === "ENOTDIR") continue;
      visitor.fail(directory, `it cannot be listed: ${error.code}`);
    }
    waiting.push(...below.reverse());
  }
  return true;
}

export function isGitEntry(path: string): boolean {
  return basename(path) === ".git";
}
