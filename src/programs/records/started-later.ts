import { words } from "../../shell/index.ts";
import { splitRows } from "../model/text-table.ts";

/**
 * Programs that run what a file of the project says without being asked for it, or read it before they run something: when a
 * folder is opened or entered, at a push, at a commit, at a time. Behind them the names at the project's top, then those in
 * any folder, then those in the home that lie among caches. A `/` at the end stands for all below, a `*` for other letters, at the end for all
 * that follows.
 */
const STARTED_LATER = `
  gh act | .github/workflows/ .github/actions/ |
  glab gitlab-runner | .gitlab-ci.yml .gitlab-ci.yaml .gitlab/ |
  circleci | .circleci/ |
  buildkite-agent | .buildkite/ |
  drone | .drone.yml .drone.yaml |
  travis | .travis.yml .travis.yaml |
  woodpecker-cli | .woodpecker.yml .woodpecker.yaml .woodpecker* |
  az | azure-pipelines.yml azure-pipelines* |
  bb | bitbucket-pipelines.yml bitbucket-pipelines* |
  appveyor | appveyor.yml appveyor.yaml |
  jenkins | Jenkinsfile Jenkinsfile* |
  tea | .gitea/workflows/ .gitea/actions/ .forgejo/workflows/ .forgejo/actions/ |
  cirrus | .cirrus.yml .cirrus.star |
  sem | .semaphore/ |
  teamcity | .teamcity/ |
  gcloud | cloudbuild.yaml cloudbuild.yml |
  bitrise | bitrise.yml |
  tkn | .tekton/ |
  gp | .gitpod.yml |
  netlify | netlify.toml .netlify* |
  vercel | vercel.json |
  husky | .husky/ |
  git | .githooks/ .git-hooks/ .gitconfig | | .cache/git/
  pre-commit | .pre-commit-config.yaml .pre-commit* |
  lefthook | lefthook.yml lefthook.yaml .lefthook.yml lefthook* .lefthook* lefthook-local.yml lefthook-local.yaml
        .lefthook-local.yml .lefthook-local.yaml .config/lefthook.yml .config/lefthook-local.yml |
  hg sl | .hg/hgrc .sl/config |
  jj | .jj/repo/config.toml |
  hx | | .helix/
  claude cursor-agent droid kiro-cli | .mcp.json mcp.json .cursor/mcp.json .factory/mcp.json .kiro/settings/mcp.json |
  code cursor windsurf codium | | .vscode/ *.code-workspace
  idea pycharm webstorm goland | | .idea/
  zed | | .zed/
  fleet | | .fleet/
  devcontainer | | .devcontainer/ .devcontainer.json .devcontainer*
  direnv | | .envrc .envrc.local
  mise rtx | mise.toml mise.local.toml mise/config.toml .config/mise.toml .config/mise/ | .mise.toml .mise.local.toml
        .mise/ .mise*
  asdf | .tool-versions |
  shadowenv | | .shadowenv.d/
  autoenv | .autoenv .autoenv.zsh .autoenv* |
  vim nvim vi | | .vimrc .exrc .nvimrc .nvim.lua .lvimrc | .cache/nvim/ .cache/vim/
  R Rscript | | .Rprofile
  irb pry | | .irbrc .pryrc
  ghci | | .ghci
  ocaml utop | | .ocamlinit
  iex | | .iex.exs
  octave | | .octaverc
  pdb | | .pdbrc
  gdb lldb | | .gdbinit .lldbinit
  zsh | | | .cache/p10k-instant-prompt-*.zsh .cache/p10k-instant-prompt-*.zsh.zwc .cache/p10k-dump-*.zsh .cache/p10k-dump-*.zsh.zwc
        .cache/gitstatus/ .cache/zsh/ .cache/oh-my-zsh/ .cache/zinit/ .cache/antidote/ .cache/starship/
  fish | | | .cache/fish/
  bash | | | .cache/bash/ .cache/oh-my-bash/ .cache/ble.sh/
  emacs | | | .cache/emacs/
  wal | | | .cache/wal/
  crontab | crontab* cron.d/ cron.hourly/ cron.daily/ cron.weekly/ cron.monthly/ |
  systemctl | | *.service *.timer
  gtk-launch | | *.desktop
`;

interface StartedLater {
  readonly atTop: readonly string[];
  readonly anywhere: readonly string[];
  readonly inHome: readonly string[];
}

let table: StartedLater | undefined;

export function startedLater(): StartedLater {
  if (table === undefined) {
    const rows = splitRows(STARTED_LATER).map(row => row.split("|"));
    const column = (index: number) => rows.flatMap(cells => words(cells[index] ?? ""));
    table = { atTop: column(1), anywhere: column(2), inHome: column(3) };
  }
  return table;
}
