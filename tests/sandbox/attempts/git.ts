import { OPEN_WHERE_NONE_WAS, OPEN_WITHOUT_VIEW, python, refused, sh } from "./attempt.ts";

const OPEN = OPEN_WITHOUT_VIEW;
const NONE_WAS = OPEN_WHERE_NONE_WAS;

/** Ways to let git run something outside, later. */
export const GIT = [
  refused("writes .git/config", "echo '[a] b = c' >> .git/config", OPEN),
  refused("configures the repository", "git config a.b c", OPEN),
  refused("renames a file over .git/config", "cp .git/config .git/x && mv .git/x .git/config", OPEN),
  refused("removes .git/config", "rm .git/config", OPEN),
  refused("links .git/config and writes to the link", "ln .git/config c && echo x >> c", OPEN),
  refused("writes a hook", "echo x > .git/hooks/pre-commit", OPEN),
  refused("moves the hooks", "mv .git/hooks .git/old", OPEN),
  refused("removes the hooks", "rm -r .git/hooks", OPEN),
  refused("moves .git", "mv .git old", OPEN),
  refused("moves .git and puts another in its place", "cp -r .git next && mv .git old && mv next .git", OPEN),
  refused("makes .git/commondir", "rm -f .git/commondir; echo ../evil > .git/commondir", NONE_WAS),
  refused("renames a file to .git/commondir", "echo ../evil > .git/x && mv .git/x .git/commondir", NONE_WAS),
  refused("makes .git/config.worktree", "echo '[core] fsmonitor = x' > .git/config.worktree", NONE_WAS),
  refused("makes .git/info/attributes", "echo '* filter=x' > .git/info/attributes", NONE_WAS),
  refused("moves .git/info", "mv .git/info .git/old", OPEN),
  refused("writes the configuration of a submodule", "echo x >> .git/modules/sub/config", OPEN),
  refused("writes a hook of a submodule", "echo x > .git/modules/sub/hooks/post-checkout", OPEN),
  refused(
    "makes commondir of a submodule",
    "rm -f .git/modules/sub/commondir; echo /tmp/evil > .git/modules/sub/commondir",
    NONE_WAS,
  ),
  refused("moves the folder of submodules", "mv .git/modules .git/old", OPEN),
  refused("replaces .git of a submodule", "rm sub/.git && echo 'gitdir: ../evil' > sub/.git", OPEN),
  refused("moves a submodule away", "mv sub old && mkdir sub", OPEN),
  refused("writes the configuration of a nested repository", "echo x >> nested/.git/config", OPEN),
  refused("writes a hook of a nested repository", "echo x > nested/.git/hooks/pre-commit", OPEN),
  refused("moves .git of a nested repository", "mv nested/.git nested/old", OPEN),
  refused("moves a nested repository away", "mv nested old", OPEN),
  refused("redirects a worktree", "echo /tmp/evil > .git/worktrees/tree/commondir", OPEN),
  refused("points a worktree elsewhere", "echo /tmp/evil > .git/worktrees/tree/gitdir", OPEN),
  refused("writes a file that the configuration includes", "echo x >> extra.gitconfig", OPEN),
  refused("writes into the configured folder of hooks", "echo x > .githooks/pre-push", OPEN),
  refused("writes a program that the configuration names", "echo x >> tools/clean.sh", OPEN),
  refused("moves the folder of that program", "mv tools old", OPEN),
  python(
    "exchanges .git with another folder",
    `
os.mkdir("evil"); check(syscall("renameat2", -100, b".git", -100, b"evil", 2))`,
    OPEN,
  ),
  python(
    "exchanges the hooks with another folder",
    `
os.mkdir(".git/evil"); check(syscall("renameat2", -100, b".git/evil", -100, b".git/hooks", 2))`,
    OPEN,
  ),
  refused("writes settings of a host", "echo x >> .claude/settings.json", OPEN),
  refused("replaces settings of a host", "echo x > .claude/x && mv .claude/x .claude/settings.json", OPEN),
  refused("moves the folder of a host", "mv .claude old", OPEN),
  refused("writes a workflow", "echo x >> .github/workflows/ci.yml", OPEN),
  refused("adds a workflow", "echo x > .github/workflows/evil.yml", OPEN),
  refused("moves the folder of workflows", "mv .github old", OPEN),
  refused("writes what a shell loads on entering", "echo x >> .envrc", OPEN),
  refused("replaces what a shell loads on entering", "echo x > new && mv new .envrc", OPEN),
  sh("makes a task of an editor", "mkdir -p .vscode && echo x > .vscode/tasks.json", {
    open: ["bwrap"],
    leaves: ".vscode/tasks.json",
  }),
  sh("makes hooks of a manager", "mkdir .husky && echo x > .husky/pre-commit", {
    open: ["bwrap"],
    leaves: ".husky/pre-commit",
  }),
  sh("makes settings of a host that is not used here", "mkdir -p .cursor && echo x > .cursor/hooks.json", {
    open: ["bwrap"],
    leaves: ".cursor/hooks.json",
  }),
  sh("makes them behind a link", "mkdir evil && echo x > evil/hooks.json && ln -s evil .cursor", {
    open: ["bwrap"],
    leaves: ".cursor/hooks.json",
  }),
];
