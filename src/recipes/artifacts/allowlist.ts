import { Problem } from "../../state/index.ts";
import { compileGlob, matchesGlob } from "../../system/index.ts";
import { PROHIBITED_FOLDERS } from "./rules.ts";

/** Beside the project's own files, reviewed like code: it lets generated files into commits. */
export const ALLOWLIST_NAME = ".amplihack-artifact-allowlist";

/** True for paths that an entry names. A mistake in any line refuses the whole list. */
export function readAllowlist(text: string, name: string): (path: string) => boolean {
  const entries = text.split(/\r?\n/).flatMap((line, index) => {
    const entry = line.trim();
    if (entry === "" || entry.startsWith("#")) return [];
    const problem = problemOf(entry);
    if (problem !== undefined)
      throw new Problem(`${name}:${index + 1}: ${problem}: ${entry}`, {
        kind: "invalid",
        exitCode: 2,
        fix: "name single files, or a narrow folder of fixtures with /** behind it",
      });
    return [compileGlob(entry, "path")];
  });
  return path => entries.some(entry => matchesGlob(entry, path));
}

function problemOf(entry: string): string | undefined {
  const [first = "", ...more] = entry.split("/");
  if (/^[/~]/.test(entry)) return "an entry is relative to the repository";
  if (/[\\\0]/.test(entry)) return "folders are parted by /";
  if (entry.split("/").some(part => part === ".." || part === ".")) return "an entry has no . or .. in it";
  if (entry.endsWith("/")) return "a folder is written with /** behind it";
  if (/[*?[]/.test(first)) return "an entry begins with the name of a folder or file";
  if (PROHIBITED_FOLDERS.has(first) && /[*?[]/.test(more.join("/")))
    return "a whole folder of artifacts cannot be exempt";
  return undefined;
}
