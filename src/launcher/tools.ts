import { type AgentLaunch, HOST_LIST, type HostId } from "../hosts/index.ts";
import type { AgentName } from "../state/index.ts";

/** What the launcher knows about one agent: its host's own facts, with what counts where they are silent. */
interface LaunchTool extends Required<Omit<AgentLaunch, "minimumVersion" | "printMode" | Flag>> {
  readonly host: HostId;
  readonly minimumVersion: string | undefined;
  readonly resumes: boolean;
  readonly skipsPermissions: boolean;
  readonly takesModel: boolean;
}
type Flag = "resumes" | "skipsPermissions" | "takesModel";

export const LAUNCH_TOOLS = Object.fromEntries(
  HOST_LIST.flatMap(({ id, setup }) => {
    const { agent, title } = setup?.() ?? {};
    if (agent === undefined || title === undefined) return [];
    const tool: LaunchTool = {
      title,
      minimumVersion: undefined,
      resumes: false,
      skipsPermissions: false,
      answersOnce: "-p",
      takesModel: false,
      ownDirectories: [],
      ...agent,
      host: id,
    };
    return [[agent.name, tool]];
  }),
) as Readonly<Record<AgentName, LaunchTool>>;
