import type { HostId, InstallScope, McpServers } from "../../hosts/index.ts";
import type { UserDirectories } from "../../state/index.ts";
import { dirname, isAbsolute, join, type System } from "../../system/index.ts";
import { programFolder } from "../places.ts";
import { INSTALLABLE_HOSTS, setupOf } from "../targets.ts";

/** Where one host reads its MCP servers in one scope. */
export interface ServerFile {
  readonly host: HostId;
  readonly scope: InstallScope;
  readonly path: string;
  readonly servers: McpServers;
}

/** Undefined for a host without MCP, or without a file of its own in that scope. */
export function serverFile(
  system: Pick<System, "env" | "files">,
  places: UserDirectories,
  host: HostId,
  scope: InstallScope,
): ServerFile | undefined {
  const { mcp } = setupOf(host);
  if (mcp === undefined) return undefined;
  const { project } = mcp;
  if (scope === "project")
    return project === undefined
      ? undefined
      : { host, scope, path: join(places.projectRoot, project), servers: mcp };
  return { host, scope, path: userFile(system, places, mcp), servers: mcp };
}

function userFile(
  { env, files }: Pick<System, "env" | "files">,
  { home }: UserDirectories,
  { user, moved }: McpServers,
): string {
  const folder = moved === undefined ? "" : (env.get(moved.variable) ?? "");
  if (moved !== undefined && isAbsolute(folder) && !folder.split("/").includes(".."))
    return join(folder, moved.file);
  const paths = user.map(name => join(home, name));
  const isThere = (path: string) => files.follow(path) !== undefined;
  return paths.find(isThere) ?? paths.find(path => isThere(dirname(path))) ?? join(home, user[0]);
}

/** The files of all hosts that have MCP. */
export function allServerFiles(
  system: Pick<System, "env" | "files">,
  places: UserDirectories,
): readonly ServerFile[] {
  return INSTALLABLE_HOSTS.flatMap(host =>
    (["user", "project"] as const).flatMap(scope => serverFile(system, places, host, scope) ?? []),
  );
}

/** What hosts are told to start. */
export function serverProgram(places: Pick<UserDirectories, "stateHome">): string {
  return join(programFolder(places), "amplihack");
}
