import { type Json, listAt, memberAt, parseJsonObject, stringAt } from "../../../../protocol/index.ts";
import { runtimePath } from "../../../../state/index.ts";
import { basename, dirname, resolve } from "../../../../system/index.ts";
import type { HookContext } from "../../../program/hook-context.ts";
import { askGit, askGitHub } from "../../../program/programs.ts";

const GIT_LIMIT_MS = 5_000;
const GITHUB_LIMIT_MS = 10_000;

/**
 * The run-time directory that all work trees of a repository share: the main checkout's for a linked work tree,
 * else the project's own. `isRepository` spares the questions that only a repository can answer.
 */
export async function findSharedRuntime(
  context: HookContext,
): Promise<{ readonly path: string; readonly root: string; readonly isRepository: boolean }> {
  const root = context.projectRoot;
  const question = ["rev-parse", "--git-common-dir", "--git-dir"];
  const asked = await askGit(context.system, question, call(context, GIT_LIMIT_MS));
  const own = { path: runtimePath(context.system, root), root, isRepository: asked.ok };
  if (!asked.ok) return own;
  const [common = "", git = ""] = asked.text.split("\n").map(line => resolve(root, line.trim()));
  const isLinked = common !== git && basename(common) === ".git";
  if (!isLinked) return own;
  const main = dirname(common);
  return { path: runtimePath(context.system, main), root: main, isRepository: true };
}

export interface PullRequest {
  readonly state: string;
  readonly isMergeable: boolean;
  readonly areChecksGreen: boolean;
}

/** The pull request of the current branch; undefined when there is none or it cannot be found out. */
export async function findPullRequest(context: HookContext): Promise<PullRequest | undefined> {
  const fields = "state,mergeable,statusCheckRollup";
  const asked = await askGitHub(
    context.system,
    ["pr", "view", "--json", fields],
    call(context, GITHUB_LIMIT_MS),
  );
  if (!asked.ok) {
    context.log("DEBUG", `gh pr view: ${asked.failed}`);
    return undefined;
  }
  const answer = parseJsonObject(asked.text, 16);
  if (answer === undefined) return undefined;
  return {
    state: stringAt(answer, "state") ?? "",
    isMergeable: stringAt(answer, "mergeable") === "MERGEABLE",
    areChecksGreen: listAt(answer, "statusCheckRollup").every(isGreen),
  };
}

const GREEN = new Set(["SUCCESS", "NEUTRAL", "SKIPPED"]);

/** A check run has a conclusion, a commit status a state. */
function isGreen(check: Json): boolean {
  return GREEN.has(String(memberAt(check, "conclusion") ?? memberAt(check, "state") ?? ""));
}

/** After a compaction the transcript is no longer the whole story: what the repository itself says counts. */
export async function isStateVerified(
  context: HookContext,
  pullRequest: PullRequest | undefined,
): Promise<boolean> {
  if (pullRequest !== undefined) {
    return pullRequest.state === "OPEN" && pullRequest.isMergeable && pullRequest.areChecksGreen;
  }
  for (const base of ["origin/main", "origin/master", "main", "master"]) {
    const range = ["rev-list", "--count", `HEAD..${base}`];
    const asked = await askGit(context.system, range, call(context, GIT_LIMIT_MS));
    if (asked.ok) return asked.text.trim() === "0";
  }
  return false;
}

function call(context: HookContext, limitMs: number) {
  return { cwd: context.projectRoot, timeoutMs: Math.min(limitMs, context.remainingMs()) };
}
