import type { RuleTable } from "../rule.ts";

export const GIT_BRANCHES = {
  "git.push": {
    title: "rewrites a published branch",
    verdict: "ask",
    when: "A push that forces, deletes, mirrors or prunes; on a protected branch it denies. --force-with-lease to another branch passes.",
    lost: "It would overwrite or delete {target} on the remote, and with it commits of others.",
    person: "Commits that are only there cannot be brought back from here.",
    model: "Push a branch of your own, without force.",
    safer: "git push --force-with-lease origin HEAD",
  },
  "git.main": {
    title: "changes a protected branch directly",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "At standard and strict a commit on main or master denies (the first commit of a new repository asks), and other commits, merges, rebases and pushes on protected branches ask. At relaxed all of these pass.",
    lost: "It would {action} {target} directly. Protected branches change by pull request only.",
    person: "guard.protectedBranches says which branches these are.",
    model: "Work on a branch of its own; skipping hooks does not help.",
    safer: "git switch -c feature/my-change",
  },
  "git.verify": {
    title: "skips the checks of a commit",
    verdict: "ask",
    when: "--no-verify denies; turning hooks off by configuration, by environment or by removing them asks.",
    lost: "It would skip the checks that {target} runs (pre-commit, commit-msg, pre-push).",
    person: "Whatever they would have reported goes in unseen.",
    model: "Fix what they report, then commit normally; only a person may skip them.",
    safer: "pre-commit run --all-files",
  },
} satisfies RuleTable;
