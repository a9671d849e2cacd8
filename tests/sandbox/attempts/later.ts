import { type Attempt, NOT_BARE, OPEN_WHERE_NONE_WAS, OPEN_WITHOUT_VIEW, refused, sh } from "./attempt.ts";

const OPEN = OPEN_WITHOUT_VIEW;
const NONE_WAS = OPEN_WHERE_NONE_WAS;

/** What must be gone when the command has ended, though nothing could keep it from being made. */
const leaves = (name: string, path: string, script: string): Attempt =>
  sh(name, script, { open: ["bwrap"], leaves: path });

/** Links in the folder of git, through which git itself would write outside, later. */
const LINKS: readonly Attempt[] = [
  ["the message of a commit", "COMMIT_EDITMSG", '"$HOME/.bashrc"'],
  ["the log of HEAD", "logs/HEAD", '"$HOME/.bashrc"'],
  ["the index", "index", '"$HOME/.bashrc"'],
  ["packed references", "packed-refs", '"$HOME/.bashrc"'],
  ["what was fetched", "FETCH_HEAD", '"$HOME/.bashrc"'],
  ["the log of a stash", "logs/refs/stash", '"$HOME/.bashrc"'],
  ["the log of a branch in a new folder", "logs/refs/heads/new/one", "../../../../../../.bashrc"],
  ["all logs of branches", "logs/refs/heads", '"$HOME"'],
  ["the message of a submodule", "modules/sub/COMMIT_EDITMSG", '"$HOME/.bashrc"'],
  ["the log of a worktree", "worktrees/tree/logs/HEAD", '"$HOME/.bashrc"'],
].map(([name = "", path = "", target = ""]) =>
  leaves(
    `leads ${name} elsewhere by a link`,
    `.git/${path}`,
    `rm -rf .git/${path}; mkdir -p "$(dirname .git/${path})"; ln -s ${target} .git/${path}`,
  ),
);

/** Files that others start or obey after the command has ended. */
export const LATER = [
  ...LINKS,
  refused("writes a file that an included file includes", "echo x >> deeper.gitconfig", OPEN),
  refused("moves an included file away", "mv extra.gitconfig old", OPEN),
  refused("links another file over an included one", "ln -sf a.txt extra.gitconfig", OPEN),
  refused("writes a script that an alias names", "echo x >> tools/alias.sh", OPEN),
  refused("writes hooks that an included file names", "echo x > .morehooks/pre-commit", OPEN),
  refused(
    "makes config.worktree of a worktree",
    "echo '[core] fsmonitor = x' > .git/worktrees/tree/config.worktree",
    NONE_WAS,
  ),
  refused(
    "makes attributes of a submodule",
    "mkdir -p .git/modules/sub/info && echo '* filter=x' > .git/modules/sub/info/attributes",
    NONE_WAS,
  ),
  refused("exchanges the folder of worktrees", "mv .git/worktrees .git/old && mkdir .git/worktrees", OPEN),
  refused("writes what a shell loads in a folder below", "echo x >> packages/a/.envrc", OPEN),
  refused("replaces what a shell loads in a folder below", "echo x > n && mv n packages/a/.envrc", OPEN),
  refused("moves the folder above what a shell loads", "mv packages/a packages/b", OPEN),
  refused("writes a task of an editor in a folder below", "echo x >> packages/a/.vscode/tasks.json", OPEN),
  refused("adds settings of an editor in a folder below", "echo x > packages/a/.vscode/settings.json", OPEN),
  refused("writes what a link leads to that a shell loads", "echo x >> envs/tools", OPEN),
  refused("writes what zsh starts from its cache", 'echo x >> "$HOME/.cache/p10k-dump-home.zsh"', OPEN),
  refused("adds code that an editor starts from its cache", 'echo x > "$HOME/.cache/nvim/luac"', OPEN),
  leaves(
    "makes what zsh starts from its cache",
    "../.cache/p10k-instant-prompt-home.zsh",
    'echo x > "$HOME/.cache/p10k-instant-prompt-home.zsh"',
  ),
  leaves(
    "makes what zsh prefers to it",
    "../.cache/p10k-instant-prompt-home.zsh.zwc",
    'echo x > "$HOME/.cache/p10k-instant-prompt-home.zsh.zwc"',
  ),
  leaves("makes a pipeline of GitLab", ".gitlab-ci.yaml", "echo x > .gitlab-ci.yaml"),
  sh("makes settings of a host for this machine alone", "echo x > .claude/settings.local.json", {
    leaves: ".claude/settings.local.json",
  }),
  leaves(
    "renames a folder to one of an editor",
    ".vscode/tasks.json",
    "mkdir v && echo x > v/tasks.json && mv v .vscode",
  ),
  leaves("links a folder to one of an editor", ".idea/x", "mkdir v && echo x > v/x && ln -s v .idea"),
  leaves("links a file to one that an editor starts", ".lvimrc", "echo x > v && ln v .lvimrc"),
  leaves("makes a pipe where an editor reads", ".exrc", "mkfifo .exrc"),
  leaves(
    "makes a folder of hooks deep in one move",
    ".husky/_/h",
    "mkdir -p v/_ && echo x > v/_/h && mv v .husky",
  ),
  leaves(
    "makes settings of an editor at the very end",
    ".zed/tasks.json",
    "trap 'mkdir .zed; echo x > .zed/tasks.json' EXIT; true",
  ),
  leaves(
    "makes settings in a process of its own that ignores signals",
    ".fleet/run.json",
    "(trap '' TERM HUP INT; mkdir -p .fleet; echo x > .fleet/run.json; sleep 0.2) & wait",
  ),
  sh(
    "leaves a process that makes settings later",
    "(while :; do mkdir -p .idea; echo x > .idea/late; sleep 0.01; done) > /dev/null 2>&1 & true",
    { ...NOT_BARE, open: ["bwrap"], leaves: ".idea/late" },
  ),
];
