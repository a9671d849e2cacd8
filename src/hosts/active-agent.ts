import { errorText, parseJsonObject, stringAt } from "../protocol/index.ts";
import { readText, runtimePath, VARIABLES } from "../state/index.ts";
import { ancestors, join, type System } from "../system/index.ts";

/** The agents that can be started, in the order in which they are listed; each is the `agent` of a descriptor. */
export const AGENTS = ["claude", "copilot", "codex", "amplifier", "gemini", "opencode", "pi"] as const;
export type AgentName = (typeof AGENTS)[number];
const DEFAULT_AGENT: AgentName = "claude";

const CONTEXT_NAME = "launcher_context.json";
const CONTEXT_LIMIT = 64 * 1024;
const CONTEXT_LIFE_MS = 24 * 60 * 60 * 1000;
const MAX_NAME_LENGTH = 32;

/** An agent's name in any case and with blanks around it; undefined for everything else. */
export function parseAgentName(raw: string): AgentName | undefined {
  if (raw.length > MAX_NAME_LENGTH) return undefined;
  const name = raw.trim().toLowerCase();
  return AGENTS.find(agent => agent === name);
}

/** An agent, and what named it: a variable, a file, or nothing. */
interface ActiveAgent {
  readonly agent: AgentName;
  readonly by: string | undefined;
}

/** As `locateActiveAgent`, the agent alone. */
export function findActiveAgent(
  system: Pick<System, "env" | "files" | "text" | "clock">,
  projectDirectory: string,
  warn: (message: string) => void,
): AgentName {
  return locateActiveAgent(system, projectDirectory, warn).agent;
}

/**
 * The agent that is running, where no command says it: `AMPLIHACK_AGENT_BINARY`, the launcher's record in
 * `AMPLIHACK_RUNTIME_ROOT`, the one of the project or a directory above it, the default. What is there but not
 * usable is warned about, without its value, and passed over.
 */
export function locateActiveAgent(
  system: Pick<System, "env" | "files" | "text" | "clock">,
  projectDirectory: string,
  warn: (message: string) => void,
): ActiveAgent {
  const announced = system.env.get("AMPLIHACK_AGENT_BINARY") ?? "";
  if (announced !== "") {
    const agent = parseAgentName(announced);
    if (agent !== undefined) return { agent, by: "AMPLIHACK_AGENT_BINARY" };
    warn(`AMPLIHACK_AGENT_BINARY names no known agent; expected one of ${AGENTS.join(", ")}`);
  }
  const runtimeRoot = VARIABLES.AMPLIHACK_RUNTIME_ROOT.tryGet(system);
  const contexts = [
    ...(runtimeRoot === undefined ? [] : [join(runtimeRoot, CONTEXT_NAME)]),
    ...ancestors(projectDirectory).map(directory => runtimePath(system, directory, CONTEXT_NAME)),
  ];
  for (const path of contexts) {
    const found = readLauncher(system, path);
    if (found === undefined) continue;
    if ("agent" in found) return { agent: found.agent, by: path };
    warn(`${path} is ignored: ${found.problem}`);
  }
  return { agent: DEFAULT_AGENT, by: undefined };
}

function readLauncher(
  system: Pick<System, "files" | "text" | "clock">,
  path: string,
): { readonly agent: AgentName } | { readonly problem: string } | undefined {
  let text: string | undefined;
  let writtenMs: number | undefined;
  try {
    text = readText(system, path, CONTEXT_LIMIT);
    writtenMs = system.files.follow(path)?.modifiedMs;
  } catch (error) {
    return { problem: errorText(error) };
  }
  if (text === undefined) return undefined;
  const record = parseJsonObject(text, 20);
  if (record === undefined) return { problem: "it is not a JSON object" };
  const statedMs = Date.parse(stringAt(record, "timestamp") ?? "");
  const ageMs = system.clock.nowMs() - (Number.isNaN(statedMs) ? (writtenMs ?? 0) : statedMs);
  if (ageMs > CONTEXT_LIFE_MS) return undefined;
  const agent = parseAgentName(stringAt(record, "launcher") ?? "");
  return agent === undefined ? { problem: 'its "launcher" names no known agent' } : { agent };
}
