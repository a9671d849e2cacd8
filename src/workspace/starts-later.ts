import { words } from "../shell/index.ts";
import { isInside, join } from "../system/index.ts";
import { type Disk, partsBelow } from "./disk.ts";
import type { Workspace } from "./workspace.ts";
import { secretAt } from "./zones.ts";

/**
 * Below a project: what a server, an editor, git or a shell runs later, or reads before it runs something. The sandbox
 * keeps these from being written, whether they are there or not.
 */
const STARTERS = words(`
  .github/workflows .github/actions .gitlab-ci.yml .circleci .buildkite .travis.yml .drone.yml .woodpecker.yml .woodpecker
  azure-pipelines.yml bitbucket-pipelines.yml appveyor.yml Jenkinsfile .husky .githooks .pre-commit-config.yaml lefthook.yml
  .lefthook.yml lefthook.yaml .vscode/tasks.json .vscode/settings.json .vscode/launch.json .zed/tasks.json
  .zed/settings.json .idea/runConfigurations .devcontainer .devcontainer.json .envrc .mise.toml mise.toml .tool-versions
  .exrc .vimrc .nvimrc
`);
/** Further names, of which a pattern says more than a path: other spellings, and folders of which a part starts something. */
const OTHER_STARTERS =
  /^(?:\.gitlab-ci\.yaml$|\.gitlab\/|\.drone\.yaml$|\.travis\.yaml$|\.woodpecker|azure-pipelines|bitbucket-pipelines|appveyor\.yaml$|jenkinsfile|\.git-hooks\/|\.pre-commit|lefthook|\.lefthook|\.github$|\.vscode\/|\.idea\/|\.zed\/|\.fleet\/|\.devcontainer|\.mise|\.autoenv|\.netlify|vercel\.json$|\.gitconfig$|cron|.*\.(?:service|timer|desktop|code-workspace)$)/i;
/** In any folder: they decide what git runs, or what a shell loads. */
const ANYWHERE =
  /(?:^|\/)(?:\.gitattributes|\.gitmodules|\.git(?:\/|$)|\.envrc|\.vimrc|\.exrc|\.nvimrc|\.lvimrc)/i;

/** The path starts something later: continuous integration, hooks, tasks of editors, scheduled work. */
export function startsLater(workspace: Workspace, path: string): boolean {
  const { project, home } = workspace;
  if (/^\/etc\/(?:cron|systemd|init|profile|rc)|^\/var\/spool\//.test(path)) return true;
  const below = partsBelow(project, path) ?? partsBelow(home, path);
  if (below === undefined) return ANYWHERE.test(path);
  const name = below.join("/");
  // The folder itself may be one that comes from elsewhere with all that is in it.
  const isOther = OTHER_STARTERS.test(name) || OTHER_STARTERS.test(`${name}/`);
  return isStarter(name) || isOther || ANYWHERE.test(name);
}

function isStarter(name: string): boolean {
  const lowered = name.toLowerCase();
  return STARTERS.some(starter => isInside(starter.toLowerCase(), lowered));
}

/** Those that are there, and names that would be ones if something were there. */
export function startersBelow(
  disk: Pick<Disk, "kind">,
  project: string,
): { readonly existing: readonly string[]; readonly missing: readonly string[] } {
  const paths = STARTERS.map(name => join(project, name));
  const isThere = (path: string) => disk.kind(path) !== undefined;
  return { existing: paths.filter(isThere), missing: paths.filter(path => !isThere(path)) };
}

const MAX_ENTRIES = 4_000;
const MAX_IN_FOLDER = 2_000;
/** What tools make again is not looked through: packages come with keys for their tests. */
const SKIPPED = /^(?:node_modules|\.git|target|dist|build|\.venv|venv|vendor|__pycache__)$/;

/** The folder holds a file that is named like a secret, as far as it can be looked through with bounded work. */
export function hasSecretsIn(workspace: Workspace, path: string): boolean {
  const { disk } = workspace;
  if (disk.kind(path) !== "directory") return false;
  const waiting = [path];
  let seen = 0;
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    const names = disk.names(at, MAX_IN_FOLDER);
    if (names === undefined) return true;
    for (const name of names) {
      const inner = join(at, name);
      if (secretAt(workspace, inner) !== undefined) return true;
      seen += 1;
      if (seen > MAX_ENTRIES) return true;
      if (!SKIPPED.test(name) && disk.kind(inner) === "directory") waiting.push(inner);
    }
  }
  return false;
}
