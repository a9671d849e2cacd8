import { execFileSync } from "node:child_process";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildFolder } from "../build-folder.ts";
import { SECRETS_IN_HOME, TOKEN_IN_CACHE } from "./secrets-in-home.ts";

const PACKAGE_ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "");
export const PROGRAM = join(PACKAGE_ROOT, "dist/native/amplihack-sandbox");
export const CLI = join(PACKAGE_ROOT, "dist/bin/amplihack.cjs");

/**
 * Below the home, where nobody would look for them. With the paths of the checkout and of the scene in front, each has at most
 * the 107 letters that a name of a socket may have.
 */
export const DEEP_SOCKETS = ["a/b/c/d/deep.sock", ".cache/git/credential/socket"];

/** Named pipes of others: where a sandbox looks for them, deep in the home, and outside it. */
export const PIPES = ["home/pipe", "home/a/b/c/d/deep.pipe", "outside/others.pipe"];

/** Below a cache, which a command may change: what a try of a project there has caught. */
export const CAUGHT = ".npm/.amplihack-try/5f0c/0";

/** What every secret of a scene holds. */
export const MARK = "secret-7f3a9c-not-for-you";

/** A home with secrets, a project in it, and files of others. Nothing of it is in a temporary folder. */
export interface Scene {
  readonly root: string;
  readonly home: string;
  readonly project: string;
  readonly outside: string;
  readonly stateHome: string;
}

/** Temporary folders may be written to in the sandbox, so a scene lies elsewhere. */
export function placeForScenes(): string {
  const isTemporary = (path: string) =>
    ["/tmp", "/var/tmp", "/dev", tmpdir()].some(temp => path.startsWith(temp));
  const builds = realpathSync(buildFolder());
  // An ordinary user must find the scenes, too.
  chmodSync(builds, 0o755);
  const place = [builds, homedir()].find(path => !isTemporary(path));
  if (place === undefined) throw new Error("scenes need a folder that is not temporary");
  return place;
}

export function makeScene(): Scene {
  const root = mkdtempSync(join(placeForScenes(), "s-"));
  chmodSync(root, 0o755);
  const home = join(root, "home");
  const scene = placesIn(root);
  for (const file of [...SECRETS_IN_HOME, TOKEN_IN_CACHE]) write(join(home, file), `${MARK}\n`, 0o600);
  chmodSync(join(home, ".amplihack"), 0o700);
  for (const file of [
    ".bashrc",
    "notes.txt",
    ".cache/kept",
    ".cache/p10k-dump-home.zsh",
    ".cache/nvim/kept",
    ".npm/kept",
    ".deno/bin/deno",
    ".pub-cache/bin/x",
  ])
    write(join(home, file), "text\n");
  write(join(home, CAUGHT, "upper/file"), "text\n");
  for (const folder of DEEP_SOCKETS.map(dirname)) mkdirSync(join(home, folder), { recursive: true });
  write(join(scene.outside, "file"), "text\n");
  mkdirSync(join(scene.outside, "empty"));
  makeRepository(join(scene.outside, "repository"));
  makeProject(scene.project);
  return scene;
}

function placesIn(root: string): Scene {
  const home = join(root, "home");
  return {
    root,
    home,
    project: join(home, "project"),
    outside: join(root, "outside"),
    stateHome: join(home, ".amplihack"),
  };
}

/** The same scene once more, for one attempt alone. */
export function copyScene(scene: Scene): Scene {
  const root = mkdtempSync(join(dirname(scene.root), "s-"));
  execFileSync("cp", ["-a", `${scene.root}/.`, root]);
  return placesIn(root);
}

export function removeScene({ root }: Scene): void {
  rmSync(root, { recursive: true, force: true });
}

function write(path: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text, { mode });
}

const GIT_ENV = { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const git = (folder: string, ...words: readonly string[]) =>
  execFileSync("git", ["-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", ...words], {
    env: GIT_ENV,
  });

function makeRepository(folder: string): void {
  mkdirSync(folder, { recursive: true });
  // Without the samples of hooks, which would be most of a scene.
  git(folder, "init", "-q", "--template=");
  for (const name of ["hooks", "info"]) mkdirSync(join(folder, ".git", name));
  writeFileSync(join(folder, ".git/info/exclude"), "");
  git(folder, "commit", "-q", "--allow-empty", "-m", "first");
}

/** With a submodule, a nested repository, a worktree, and configuration that names files of the project. */
function makeProject(project: string): void {
  makeRepository(project);
  for (const file of [
    "a.txt",
    "deeper.gitconfig",
    ".githooks/pre-commit",
    ".morehooks/pre-push",
    "tools/clean.sh",
    "tools/alias.sh",
    "packages/a/.envrc",
    "packages/a/.vscode/tasks.json",
    "envs/tools",
    ".claude/settings.json",
    ".github/workflows/ci.yml",
    ".envrc",
  ])
    write(join(project, file), "");
  write(
    join(project, "extra.gitconfig"),
    "[include]\n\tpath = deeper.gitconfig\n[core]\n\thooksPath = .morehooks\n",
  );
  symlinkSync("envs/tools", join(project, ".tool-versions"));
  git(project, "add", "-A");
  git(project, "commit", "-q", "-m", "second");
  git(project, "config", "include.path", "../extra.gitconfig");
  git(project, "config", "alias.st", "!sh tools/alias.sh");
  git(project, "config", "core.hooksPath", ".githooks");
  git(project, "config", "filter.x.clean", "sh tools/clean.sh %f");
  makeRepository(join(project, "nested"));
  makeRepository(join(project, "made"));
  mkdirSync(join(project, ".git/modules"));
  execFileSync("mv", [join(project, "made/.git"), join(project, ".git/modules/sub")]);
  execFileSync("mv", [join(project, "made"), join(project, "sub")]);
  write(join(project, "sub/.git"), "gitdir: ../.git/modules/sub\n");
  git(project, "worktree", "add", "-q", join(dirname(project), "tree"));
  write(join(project, "deploy.key"), `${MARK}\n`);
  write(join(project, ".env"), "SETTING=1\n");
}

/** Everything outside the project, with contents, modes and times of modification. */
export function describeOutside({ home, outside, project }: Scene): string {
  const isPassed = (path: string) =>
    path === project ||
    path.startsWith(join(home, ".amplihack/sandbox")) ||
    [".cache", ".npm"].some(cache => path === join(home, cache));
  const lines: string[] = [];
  const walk = (path: string): void => {
    if (isPassed(path)) return;
    const facts = lstatSync(path);
    const content = facts.isFile()
      ? readFileSync(path, "latin1")
      : facts.isSymbolicLink()
        ? readlinkSync(path)
        : "";
    lines.push(`${path} ${facts.mode.toString(8)} ${facts.isDirectory() ? "" : facts.mtimeMs} ${content}`);
    if (facts.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name));
  };
  walk(home);
  walk(outside);
  return lines.sort().join("\n");
}
