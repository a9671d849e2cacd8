import { errorText } from "../../protocol/index.ts";
import { isAbsolute, join, removeTree, type System } from "../../system/index.ts";

const PREFIX = "amplihack-recipe-";

/** Makes a directory that only its owner can look into, for the temporary files of one run. */
export function createPrivateDirectory(system: System): string {
  const wanted = system.env.get("TMPDIR") ?? "";
  const base = isAbsolute(wanted) && system.files.follow(wanted)?.kind === "directory" ? wanted : "/tmp";
  const path = join(base, `${PREFIX}${system.random.hex(16)}`);
  system.files.makeDirectory(path, 0o700);
  return path;
}

export function isPrivateDirectory(path: string): boolean {
  return new RegExp(`/${PREFIX}[0-9a-f]{16}$`).test(path);
}

/** Removes a directory with everything in it; says what could not be removed. */
export function removePrivateDirectory({ files }: System, path: string): readonly string[] {
  const problems: string[] = [];
  removeTree(files, path, error => problems.push(errorText(error)));
  return problems;
}
