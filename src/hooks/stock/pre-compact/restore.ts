import { runtimePath } from "../../../state/index.ts";
import { hasErrorCode, join, type System } from "../../../system/index.ts";
import { MARKDOWN_NAME } from "./export.ts";

export interface RestoredConversation {
  readonly source: "transcript";
  readonly path: string;
  readonly session: string;
}

/** The newest exported conversation of a project, as a list of one; empty when there is none. */
export function restoreLatestConversation(
  system: Pick<System, "files">,
  projectRoot: string,
): readonly RestoredConversation[] {
  const directory = runtimePath(projectRoot, "logs");
  const exports = listNames(system, directory).flatMap(session => {
    const path = join(directory, session, MARKDOWN_NAME);
    const facts = lookAt(system, path);
    return facts?.kind === "file" ? [{ session, path, modifiedMs: facts.modifiedMs }] : [];
  });
  const [newest] = exports.sort(
    (one, other) => other.modifiedMs - one.modifiedMs || (one.session < other.session ? 1 : -1),
  );
  return newest === undefined ? [] : [{ source: "transcript", path: newest.path, session: newest.session }];
}

function listNames({ files }: Pick<System, "files">, directory: string): readonly string[] {
  try {
    return files.list(directory);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR", "EACCES")) return [];
    throw error;
  }
}

function lookAt({ files }: Pick<System, "files">, path: string) {
  try {
    return files.follow(path);
  } catch {
    return undefined;
  }
}
