import { isJsonObject, type Json } from "../../protocol/index.ts";
import { isListed } from "./tool-words.ts";

/** Names under which tools take the directory they work in, without marks and in lower case. */
const DIRECTORY = `
  cwd cwdpath workdir workingdir workingdirectory currentdir currentdirectory chdir basedir basedirectory
  basepath rootdir rootdirectory rootpath root projectroot projectpath projectdir projectdirectory repopath
  repositorypath repodir workspace workspacepath workspaceroot workspacefolder worktree worktreepath
`;
/** These name the directory of a command, and the target of anything else. */
const DIRECTORY_OF_COMMAND = "directory dir folder dirpath directorypath";

export function isDirectoryName(name: string, isOfCommand: boolean): boolean {
  const bare = name.replace(/[_\-\s.]/g, "").toLowerCase();
  return isListed(DIRECTORY, bare) || (isOfCommand && isListed(DIRECTORY_OF_COMMAND, bare));
}

/** The directory that a command's tool was told to run it in; undefined when it says nothing. */
export function directoryOfCommand(input: Json): string | undefined {
  if (!isJsonObject(input)) return undefined;
  for (const [name, value] of Object.entries(input))
    if (typeof value === "string" && value !== "" && isDirectoryName(name, true)) return value;
  return undefined;
}
