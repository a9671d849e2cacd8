import { AGENTS, type AgentName, Problem, requireDirectories } from "../state/index.ts";
import { dirname, type System } from "../system/index.ts";
import { tryFindBinary } from "./find-binary.ts";
import { checkSettings } from "./settings-check.ts";
import { LAUNCH_TOOLS } from "./tools.ts";

export interface AgentStatus {
  readonly agent: AgentName;
  readonly title: string;
  /** undefined when it is not installed */
  readonly path: string | undefined;
  readonly isRegistered: boolean;
  /** why hooks need attention although they are registered, or cannot be read */
  readonly problem: string | undefined;
}

/** Which agents are there, and whether they call our hooks. Starts nothing, writes nothing. */
export function readAgentStatus(system: System, self: string): readonly AgentStatus[] {
  const directories = requireDirectories(system);
  const ownBin = dirname(self);
  return AGENTS.map(agent => {
    const { title, host } = LAUNCH_TOOLS[agent];
    const path = tryFindBinary(system, agent, self);
    try {
      const { isRegistered, findings } = checkSettings(system, host, { ...directories, ownBin });
      return { agent, title, path, isRegistered, problem: findings[0]?.message };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return { agent, title, path, isRegistered: false, problem: error.message };
    }
  });
}

/** The one command that helps most now, and what for. */
export function nextStep(agents: readonly AgentStatus[]): {
  readonly command: string;
  readonly why: string;
} {
  const present = agents.filter(({ path }) => path !== undefined);
  const [first] = present;
  if (first === undefined) {
    const agent = LAUNCH_TOOLS.claude;
    return { command: agent.installHint, why: `installs an agent, here ${agent.title}` };
  }
  const broken = present.find(({ problem }) => problem !== undefined);
  if (broken !== undefined) return { command: "amplihack doctor", why: `says what ${broken.title} needs` };
  const silent = present.filter(({ isRegistered }) => !isRegistered);
  if (silent.length > 0) {
    return {
      command: "amplihack install",
      why: `lets amplihack guard ${silent.map(({ title }) => title).join(", ")}`,
    };
  }
  return { command: `amplihack ${first.agent}`, why: `starts ${first.title}, guarded` };
}
