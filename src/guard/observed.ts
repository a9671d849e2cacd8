import { isRegenerableInProject } from "../programs/index.ts";
import { text } from "../shell/index.ts";
import { ancestors } from "../system/index.ts";
import { classifyPath, partsBelow, type Workspace } from "../workspace/index.ts";
import { collectFindings } from "./collect-findings.ts";
import { collectFootprint } from "./collect-footprint.ts";
import { collectGaps } from "./collect-gaps.ts";
import { conclude } from "./conclude.ts";
import { judgeOrFail } from "./judge.ts";
import type { GuardContext, Judgement } from "./judgement.ts";
import type { Actor, CommandEffect } from "./rule-context.ts";
import { EMPTY_FACTS } from "./tool-calls.ts";

/** What a command was seen to do to one path. Paths are absolute and hold no links. */
interface ObservedChange {
  readonly path: string;
  readonly what: "deleted" | "written";
}

/**
 * Judges what a command did while its changes were caught, by the rules that judge what a command would do. `subject` is
 * the command, for codes and texts. Never throws.
 */
export function judgeObserved(
  changes: readonly ObservedChange[],
  subject: string,
  context: GuardContext,
): Judgement {
  // The rules are asked once, after the command: nothing waits for them that could be late.
  const { isLate: _, ...unhurried } = context;
  return judgeOrFail(subject, unhurried, workspace => {
    const effects = toEffects(changes, workspace);
    const examined = [{ facts: EMPTY_FACTS, effects }];
    return conclude(collectFindings(workspace, EMPTY_FACTS, "", effects), {
      workspace,
      notes: [],
      subject: () => ({ source: subject, tree: [], cwd: workspace.cwd }),
      explain: () => [],
      footprint: () => collectFootprint(examined, workspace),
      gaps: () => collectGaps(examined, workspace),
    });
  });
}

/** Git's own files are its state, which the history keeps as such; these start or redirect something. */
const STARTS_IN_GIT =
  /(?:^|\/)(?:hooks(?:\/|$)|config$|config\.worktree$|info\/attributes$|commondir$|gitdir$)/;
const IN_GIT = /^([\s\S]*\/\.git)\/([\s\S]+)$/;

function toEffects(changes: readonly ObservedChange[], workspace: Workspace): readonly CommandEffect[] {
  const by: Actor = {
    cwd: text(workspace.directory),
    place: { kind: "local" },
    program: "the command",
    invocation: undefined,
    span: { start: 0, end: 0 },
  };
  const deleted = topmostPaths(changes.flatMap(({ path, what }) => (what === "deleted" ? path : [])));
  const isJudged = (path: string): boolean => {
    const inGit = IN_GIT.exec(path)?.[2];
    return inGit === undefined || STARTS_IN_GIT.test(inGit);
  };
  const written = changes.flatMap(({ path, what }) =>
    what === "written" && isJudged(path) && !isOutput(workspace, path) ? path : [],
  );
  return [
    ...deleted
      .filter(isJudged)
      .map((path): CommandEffect => ({ kind: "delete", by, path: text(path), isRecursive: true })),
    ...written.map((path): CommandEffect => ({ kind: "write", by, path: text(path), how: "replace" })),
  ];
}

/** Made by tools, by the name of a folder that it lies in: that it may be lost or is ignored says nothing of what it starts. */
function isOutput(workspace: Workspace, path: string): boolean {
  const { project = workspace.cwd } = workspace;
  return (
    !IN_GIT.test(path) &&
    isRegenerableInProject(partsBelow(project, path) ?? []) &&
    classifyPath(workspace, path) === "regenerable"
  );
}

/** A folder stands for what is below it. */
function topmostPaths(paths: readonly string[]): readonly string[] {
  const all = new Set(paths);
  return paths.filter(path => !ancestors(path).some(above => above !== path && all.has(above)));
}
