import type { HostId } from "../../hosts/index.ts";
import type { UserDirectories } from "../../state/index.ts";
import type { System } from "../../system/index.ts";
import { readFile } from "../file-edit.ts";
import { isServerWanted } from "../mcp/register-servers.ts";
import { findServer } from "../mcp/server-entry.ts";
import { allServerFiles, serverProgram } from "../mcp/server-files.ts";
import { describeProblem } from "../problem.ts";
import { isPresent } from "../targets.ts";
import { type DoctorCheck, fail, pass, warn } from "./check.ts";

const EXECUTABLE = 0o111;

/** Whether the hosts that are there start our MCP server, where the part is on. */
export function checkServers(
  system: System,
  places: UserDirectories,
  isWanted: (host: HostId) => boolean,
): readonly DoctorCheck[] {
  if (!isServerWanted(system, places, { parts: undefined })) return [];
  const program = serverProgram(places);
  const isRunnable = ((system.files.follow(program)?.mode ?? 0) & EXECUTABLE) !== 0;
  const files = allServerFiles(system, places).filter(
    ({ host }) => isWanted(host) && isPresent(system, places, host),
  );
  return [...new Set(files.map(({ host }) => host))].map(host => {
    const id = `mcp.${host}`;
    const fix = `amplihack install --host ${host}`;
    try {
      const found = files.find(
        file =>
          file.host === host && findServer(readFile(system, file.path) ?? "", file.servers) !== undefined,
      );
      if (found === undefined) return warn(id, `${host} does not start the MCP server`, fix);
      return isRunnable
        ? pass(id, `${host} starts the MCP server, by ${found.path}`)
        : fail(id, `${program} is not there or not executable, so ${host} has no MCP server`, fix);
    } catch (error) {
      return fail(id, describeProblem(error), fix);
    }
  });
}
