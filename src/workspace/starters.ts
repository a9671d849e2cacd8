import { join } from "../system/index.ts";
import type { Disk } from "./disk.ts";

/** Below a project: what a server, an editor, git or a shell runs later, or reads before it runs something. */
const STARTERS = [
  ...[".github/workflows", ".github/actions", ".gitlab-ci.yml", ".circleci", ".buildkite", ".travis.yml"],
  ...[".drone.yml", ".woodpecker.yml", ".woodpecker", "azure-pipelines.yml", "bitbucket-pipelines.yml"],
  ...["appveyor.yml", "Jenkinsfile", ".husky", ".githooks", ".pre-commit-config.yaml"],
  ...["lefthook.yml", ".lefthook.yml", "lefthook.yaml", ".vscode/tasks.json", ".vscode/settings.json"],
  ...[
    ".vscode/launch.json",
    ".zed/tasks.json",
    ".zed/settings.json",
    ".idea/runConfigurations",
    ".devcontainer",
  ],
  ...[
    ".devcontainer.json",
    ".envrc",
    ".mise.toml",
    "mise.toml",
    ".tool-versions",
    ".exrc",
    ".vimrc",
    ".nvimrc",
  ],
];

/** Those that are there, and names that would be ones if something were there. */
export function startersBelow(
  disk: Pick<Disk, "kind">,
  project: string,
): { readonly existing: readonly string[]; readonly missing: readonly string[] } {
  const paths = STARTERS.map(name => join(project, name));
  const isThere = (path: string) => disk.kind(path) !== undefined;
  return { existing: paths.filter(isThere), missing: paths.filter(path => !isThere(path)) };
}
