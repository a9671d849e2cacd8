import { isAbsolute, join, type System } from "../system/index.ts";

const EXECUTABLE = 0o111;

/** The first regular file of that name on PATH that may be executed; relative entries are passed over. */
export function findOnPath(
  system: Pick<System, "env" | "files">,
  name: string,
  isWanted: (path: string) => boolean = () => true,
): string | undefined {
  const folders = (system.env.get("PATH") ?? "").split(":").filter(isAbsolute);
  return folders.map(folder => join(folder, name)).find(path => isExecutable(system, path) && isWanted(path));
}

export function isExecutable({ files }: Pick<System, "files">, path: string): boolean {
  try {
    const facts = files.follow(path);
    return facts?.kind === "file" && (facts.mode & EXECUTABLE) !== 0;
  } catch {
    return false;
  }
}
