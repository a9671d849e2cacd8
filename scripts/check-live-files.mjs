// Keeps the configuration of a contributor's own hosts out of the repository, as a lint: whoever works here with an agent
// would load it. Every file that a host reads its hooks, servers or our settings from must be ignored, and none tracked.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { loadSource } from "./load-source.mjs";

/** What is asked of the sources. */
export const SOURCES = {
  "hosts/protected-files.ts": ["WIRING_FILES", "WIRING_TREES"],
  "hosts/descriptors.ts": ["HOST_LIST"],
  "config/load.ts": ["projectConfigFile"],
  "workspace/ignore.ts": ["isIgnored", "parseIgnoreFile"],
};

/** Paths below a project, one for every file, folder and pattern of the hosts' descriptors. */
export function livePaths({ WIRING_FILES, WIRING_TREES, HOST_LIST, projectConfigFile }) {
  const servers = HOST_LIST.flatMap(({ setup }) => setup?.().mcp?.project ?? []);
  const skills = HOST_LIST.flatMap(({ skillFolders = [] }) => skillFolders.map(folder => `${folder}/x`));
  const trees = WIRING_TREES.map(folder => `${folder}/x`);
  const paths = [...WIRING_FILES, ...trees, ...servers, ...skills, projectConfigFile("")];
  return [...new Set(paths.map(path => path.replace(/^\//, "").replaceAll(/\*+/g, "x")))].sort();
}

/** @param {readonly string[]} tracked files in the index, staged ones included */
export function checkLiveFiles(modules, gitignore, tracked) {
  const { isIgnored, parseIgnoreFile } = modules;
  const files = [{ depth: 0, file: parseIgnoreFile("", gitignore) }];
  const ignores = path => isIgnored(files, path.split("/"));
  return [
    ...livePaths(modules)
      .filter(path => !ignores(path))
      .map(path => `.gitignore does not cover ${path}, which an agent host reads: add a line for it`),
    ...tracked
      .filter(ignores)
      .map(path => `${path} is tracked and must not be: git rm --cached -- ${path} (the file itself stays)`),
  ];
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const listed = spawnSync("git", ["ls-files", "-z"], { encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const modules = await loadSource(SOURCES);
  const tracked = listed.status === 0 ? listed.stdout.split("\0").filter(Boolean) : [];
  if (listed.status !== 0) console.log("Live files: this is no git repository, so nothing can be tracked.");
  const problems = checkLiveFiles(modules, readFileSync(".gitignore", "utf8"), tracked);
  for (const problem of problems) console.error(problem);
  if (problems.length === 0)
    console.log(`Live files: ${livePaths(modules).length} places of hosts are ignored, none is tracked.`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
