import { errorText } from "../../protocol/index.ts";
import { hasErrorCode, isAbsolute, join, type System } from "../../system/index.ts";

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

/** Removes a directory with everything in it, never following links; says what could not be removed. */
export function removeTree(system: System, path: string): readonly string[] {
  const { files } = system;
  const problems: string[] = [];
  const attempt = (action: () => void): void => {
    try {
      action();
    } catch (error) {
      if (!hasErrorCode(error, "ENOENT")) problems.push(errorText(error));
    }
  };
  const visit = (entry: string): void => {
    if (files.inspect(entry)?.kind !== "directory") {
      attempt(() => files.remove(entry));
      return;
    }
    attempt(() => {
      if (((files.inspect(entry)?.mode ?? 0) & 0o700) !== 0o700) files.changeMode(entry, 0o700);
      for (const name of files.list(entry)) visit(join(entry, name));
    });
    attempt(() => files.removeDirectory(entry));
  };
  attempt(() => visit(path));
  return problems;
}
