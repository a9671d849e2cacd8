import { dirname, isInside, join, type System } from "../system/index.ts";
import { projectConfigFile, SYSTEM_CONFIG_FILE, userConfigFile } from "./load.ts";
import type { ConfigNotice } from "./schema.ts";

const DATA = String.raw`\.(?:jsonc?|json5|ya?ml|toml|ini)`;
/** In a folder of ours: other names for `config.jsonc` and `hooks.jsonc`. */
const LIKE_OURS = new RegExp(
  String.raw`^\.?(?:amplihack[._-]?)?(?:conf(?:ig(?:uration)?)?|settings?|hooks?|guard|amplihack)(?:\.local)?(?:${DATA})?(?:\.txt)?$`,
  "i",
);
/** Beside such a folder, or in its place. */
const NAMED_LIKE_US = new RegExp(
  String.raw`^(?:\.amplihack|\.?amplihack(?:[._-]?(?:config|settings|hooks))?${DATA}|\.?amplihack\.config\.[cm]?[jt]s|\.amplihackrc(?:${DATA})?)$`,
  "i",
);
const READ = ["config.jsonc", "hooks.jsonc"];
const MAX_NAMES = 5_000;
const MAX_FOLDERS_ABOVE = 20;

interface Places {
  readonly home: string;
  readonly stateHome: string;
  readonly projectRoot: string | undefined;
  /** where the session works, which may lie below the project's root */
  readonly cwd?: string | undefined;
  readonly systemFile?: string;
}

/**
 * Files that somebody may have written for a configuration and that nobody reads: another ending, another name, another
 * folder. For the start of a session and for commands that say what counts; no call looks for them.
 */
export function findMisplacedConfig(
  { files, env }: Pick<System, "files" | "env">,
  { home, stateHome, projectRoot, cwd, systemFile = SYSTEM_CONFIG_FILE }: Places,
): readonly ConfigNotice[] {
  const notices: ConfigNotice[] = [];
  const seen = new Set<string>();
  const look = (
    folder: string,
    scope: keyof typeof OWNERS,
    right: string,
    isWrong: (name: string) => boolean,
  ) => {
    if (seen.has(folder)) return;
    seen.add(folder);
    for (const name of namesIn(files, folder)) {
      const source = join(folder, name);
      if (!isWrong(name) || !isFile(files, source)) continue;
      const message = `${source} is not read: ${OWNERS[scope]} settings are read from ${right}, hooks from hooks.jsonc beside it`;
      notices.push({ code: "misplaced", scope, source, message });
    }
  };
  const project = projectRoot === undefined ? undefined : join(projectRoot, ".amplihack");
  const read = new Set([dirname(systemFile), stateHome, project]);
  const inOurs = (folder: string, scope: keyof typeof OWNERS, right: string) =>
    look(folder, scope, right, name => {
      if (!LIKE_OURS.test(name)) return false;
      // On a disk that takes no notice of case it is the right one.
      const isRight = READ.some(
        one => one === name || (one === name.toLowerCase() && isFile(files, join(folder, one))),
      );
      return !isRight || !read.has(folder);
    });
  const user = userConfigFile(stateHome);
  const isNamedLikeUs = (name: string) => NAMED_LIKE_US.test(name);
  inOurs(dirname(systemFile), "system", systemFile);
  inOurs(stateHome, "user", user);
  inOurs(join(home, ".amplihack"), "user", user);
  const configHome = env.get("XDG_CONFIG_HOME") ?? "";
  for (const folder of [join(home, ".config"), ...(configHome.startsWith("/") ? [configHome] : [])])
    inOurs(join(folder, "amplihack"), "user", user);
  look(home, "user", user, isNamedLikeUs);
  if (projectRoot === undefined) return notices;
  const right = projectConfigFile(projectRoot);
  for (const folder of foldersAround(projectRoot, cwd, home)) {
    inOurs(join(folder, ".amplihack"), "project", right);
    look(folder, "project", right, isNamedLikeUs);
  }
  return notices;
}

const OWNERS = { system: "the machine's", user: "your", project: "the project's" };

/** The project's root, and where the session works up to it: a configuration in between is not read. */
function foldersAround(projectRoot: string, cwd: string | undefined, home: string): readonly string[] {
  const found = [projectRoot];
  let folder = cwd ?? projectRoot;
  for (let looked = 0; looked < MAX_FOLDERS_ABOVE && folder !== projectRoot && folder !== home; looked++) {
    if (!isInside(projectRoot, folder)) break;
    found.push(folder);
    folder = dirname(folder);
  }
  return found;
}

function namesIn(files: System["files"], folder: string): readonly string[] {
  try {
    return files.list(folder).slice(0, MAX_NAMES);
  } catch {
    // What is not there, or cannot be listed, holds nothing that somebody takes for settings of theirs.
    return [];
  }
}

function isFile(files: System["files"], path: string): boolean {
  try {
    return files.follow(path)?.kind === "file";
  } catch {
    return false;
  }
}
