import { knownText, type ProgramCall } from "../../shell/index.ts";
import { globMatches, sha256Hex, utf8 } from "../../system/index.ts";
import { isDistinctiveName } from "../records/regenerable.ts";

const MAX_FILES = 8_192;
const MAX_NAMES = 4_096;
const MAX_FOLDERS_ABOVE = 10;
/** What git runs, and what says where else it lies. */
const GIT_HOOKS = ["/.git/hooks", "/.husky", "/.githooks", "/.lefthook"];
const GIT_FILES = [
  "/.git/config",
  "/.gitmodules",
  "/.gitattributes",
  "/.pre-commit-config.yaml",
  "/lefthook.yml",
];
/** Written by whatever works there, and run by nothing. */
const NOISE = /\.(?:log|pid|tmp|swp|swo|sock)$|~$/;
/** Of hosts and of ours: what a call runs of these is read file by file. */
const RECORDS = /^(?:\.git|\.amplihack|\.claude)$/;

/** Files that a call may run though no word of it names them: changed, added or taken away, they are another question. */
export interface ProjectTree {
  readonly top: string;
  readonly digest: string;
  /** false where there are more than can be compared */
  readonly isWhole: boolean;
}

/**
 * The files of the project whose names fit `patterns`, as `filesRunBy` has them, each with the mark of its last change.
 * Below the root of the repository, for programs look for their sources upwards; folders that only hold dependencies and
 * caches are left out, and so are the files in `read`, which are compared by what is in them.
 */
export function readProjectTree(
  call: ProgramCall,
  patterns: string,
  read: ReadonlySet<string>,
): ProjectTree | undefined {
  const { files } = call.scope.session.context;
  const cwd = knownText(call.cwd);
  if (cwd === undefined || call.place.kind !== "local" || files?.stamp === undefined) return undefined;
  const top = topOf(cwd, call);
  const isOfGit = patterns === "hooks";
  const wanted = isOfGit ? ["*"] : patterns.split(" ");
  const isWanted = (name: string) => !NOISE.test(name) && wanted.some(pattern => globMatches(pattern, name));
  const found: string[] = [];
  const seen = new Set<string>();
  const pending = isOfGit ? GIT_HOOKS.map(folder => top + folder) : [top];
  const note = (path: string) => found.push(`${path}\0${files.stamp?.(path) ?? ""}`);
  if (isOfGit) for (const file of GIT_FILES) if (files.kind(top + file) === "file") note(top + file);
  let isWhole = true;
  for (let folder = pending.shift(); folder !== undefined; folder = pending.shift()) {
    // Links may lead in circles.
    const identity = files.stamp(folder)?.split(":").slice(0, 2).join(":") ?? folder;
    if (seen.has(identity)) continue;
    seen.add(identity);
    if (files.kind(folder) !== "directory") continue;
    const names = files.list(folder, MAX_NAMES);
    isWhole &&= names !== undefined;
    for (const name of [...(names ?? [])].sort()) {
      if (found.length >= MAX_FILES || seen.size + pending.length >= MAX_FILES)
        return close(top, found, false);
      const path = `${folder}/${name}`;
      const kind = files.kind(path);
      if (kind === "directory" && !RECORDS.test(name) && !isDistinctiveName(name)) pending.push(path);
      if (kind === "file" && isWanted(name) && !read.has(path)) note(path);
    }
  }
  return close(top, found, isWhole);
}

function close(top: string, found: readonly string[], isWhole: boolean): ProjectTree {
  return { top, digest: sha256Hex(utf8.encode(found.join("\n"))), isWhole };
}

function topOf(cwd: string, { scope }: ProgramCall): string {
  const { files } = scope.session.context;
  let folder = cwd;
  for (let above = 0; above <= MAX_FOLDERS_ABOVE && folder.includes("/", 1); above++) {
    if (files?.kind(`${folder}/.git`) !== undefined) return folder;
    folder = folder.slice(0, folder.lastIndexOf("/"));
  }
  return cwd;
}
