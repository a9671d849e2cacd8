import { readText } from "../../state/index.ts";
import { join, resolve, type System } from "../../system/index.ts";
import { findGitRoot, isDirectory } from "../find/look.ts";

/** What the files of a checkout tell without starting git. */
export interface GitFacts {
  readonly worktree: string;
  readonly branch: string | undefined;
  /** the spelling of `core.bare`; undefined when it is not set */
  readonly coreBare: string | undefined;
}

const FILE_LIMIT = 1_000_000;

export function readGitFacts(system: System, directory: string): GitFacts | undefined {
  const worktree = findGitRoot(system.files, directory);
  if (worktree === undefined) return undefined;
  const gitDir = findGitDir(system, worktree);
  if (gitDir === undefined) return undefined;
  const head = read(system, join(gitDir, "HEAD"))?.trim() ?? "";
  const common = read(system, join(gitDir, "commondir"))?.trim();
  const config = read(system, join(common === undefined ? gitDir : resolve(gitDir, common), "config")) ?? "";
  return {
    worktree,
    branch: /^ref: refs\/heads\/(.+)$/.exec(head)?.[1],
    coreBare: coreBareOf(config),
  };
}

/** `.git` itself, or where it points to in a linked worktree. */
function findGitDir(system: System, worktree: string): string | undefined {
  const entry = join(worktree, ".git");
  if (isDirectory(system.files, entry)) return entry;
  const target = /^gitdir: (.+)$/m.exec(read(system, entry) ?? "")?.[1];
  return target === undefined ? undefined : resolve(worktree, target.trim());
}

function coreBareOf(config: string): string | undefined {
  let section = "";
  let value: string | undefined;
  for (const line of config.split("\n")) {
    const heading = /^\s*\[([^\]]*)\]/.exec(line);
    if (heading !== null) section = (heading[1] ?? "").trim().toLowerCase();
    const entry = /^\s*bare\s*(?:=\s*(.*?))?\s*$/i.exec(line.replace(/[#;].*$/, ""));
    if (section === "core" && entry !== null) value = entry[1] ?? "true";
  }
  return value;
}

function read(system: System, path: string): string | undefined {
  try {
    return readText(system, path, FILE_LIMIT);
  } catch {
    return undefined;
  }
}

/** Puts `core.bare` back as it was; answers what was done, or what went wrong. */
export async function restoreCoreBare(
  system: System,
  before: GitFacts,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const now = readGitFacts(system, before.worktree);
  if (now === undefined || now.coreBare === before.coreBare) return undefined;
  const change = before.coreBare === undefined ? ["--unset", "core.bare"] : ["core.bare", before.coreBare];
  const { end } = await system.processes.start({
    argv: ["git", "--git-dir", join(before.worktree, ".git"), "config", ...change],
    cwd: before.worktree,
    env,
    input: new Uint8Array(0),
    timeoutMs: 10_000,
    limits: { stdoutBytes: 0, tailBytes: 0, stderrBytes: 0, drainBytes: 1_000_000 },
    endsGroup: true,
  }).done;
  return end.kind === "exit" && end.code === 0
    ? `core.bare of ${before.worktree} had changed during the run and was put back`
    : `core.bare of ${before.worktree} has changed during the run; put it back with 'git config ${change.join(" ")}'`;
}
