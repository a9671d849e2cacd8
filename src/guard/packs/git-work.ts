import type { RuleTable } from "../rule.ts";

const GENTLE = { relaxed: "allow" } as const;

export const GIT_WORK = {
  "git.reset": {
    title: "throws away changes",
    verdict: "ask",
    when: "git reset --hard or --merge; --soft, --mixed, --keep and the form with paths are free.",
    lost: "It would throw away every change in {target} that is not committed.",
    safer: "git stash push -u",
  },
  "git.checkout": {
    title: "overwrites changed files",
    verdict: "ask",
    atLevel: GENTLE,
    when: "git checkout with paths, with -f, or over an existing branch with -B.",
    lost: "It would overwrite changes in {target} that are not committed.",
    safer: "git stash push -- {target}",
  },
  "git.restore": {
    title: "overwrites changed files",
    verdict: "ask",
    atLevel: GENTLE,
    when: "git restore that touches the working tree; --staged alone is free.",
    lost: "It would overwrite changes in {target} that are not committed.",
    safer: "git stash push -- {target}",
  },
  "git.switch": {
    title: "throws away changes",
    verdict: "ask",
    atLevel: GENTLE,
    when: "git switch with --force or --discard-changes, or -C over an existing branch.",
    lost: "It would throw away changes on the way to {target}.",
    safer: "git stash push -u",
  },
  "git.clean": {
    title: "deletes untracked files",
    verdict: "ask",
    when: "git clean that really deletes (force without a dry run), except in build output.",
    lost: "It would delete untracked files in {target} for good; git keeps no copy of them.",
    safer: "git clean -nd",
  },
  "git.stash": {
    title: "drops stashed work",
    verdict: "ask",
    atLevel: GENTLE,
    when: "git stash drop or clear.",
    lost: "It would drop {target}, and stashed work is in no branch.",
    safer: "git stash list",
  },
  "git.branch": {
    title: "drops a branch",
    verdict: "ask",
    atLevel: GENTLE,
    when: "git branch -D, -d -f, or -M, -f, -C over an existing branch.",
    lost: "It would drop the branch {target} with commits that may be nowhere else.",
    safer: "git branch -d {target}",
  },
  "git.history": {
    title: "rewrites or prunes history",
    verdict: "ask",
    when: "filter-branch, filter-repo, bfg, reflog expire or delete, gc --prune=now, prune, update-ref, replace.",
    lost: "It would rewrite or prune history ({target}); lost commits cannot be found again.",
    safer: "git tag backup-before-rewrite",
  },
  "git.plumbing": {
    title: "overwrites the working tree",
    verdict: "ask",
    when: "read-tree -u --reset, checkout-index -f, git rm -r -f, worktree remove --force, submodule deinit -f.",
    lost: "It would overwrite or remove files of {target} without asking about changes in them.",
    safer: "git status --short",
  },
} satisfies RuleTable;
