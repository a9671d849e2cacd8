/** A leading slash command stands for the agent that carries it out. */
const COMMAND_AGENTS: Readonly<Record<string, string>> = {
  ultrathink: "orchestrator",
  fix: "fix-agent",
  analyze: "analyzer",
  improve: "reviewer",
  socratic: "ambiguity",
  debate: "multi-agent-debate",
  reflect: "reflection",
  xpia: "xpia-defense",
};

/** Agents that may be called by a slash command of their own name. */
const KNOWN_AGENTS: ReadonlySet<string> = new Set([
  ...Object.values(COMMAND_AGENTS),
  ...(
    "api-designer architect builder cleanup database integration optimizer patterns philosophy-guardian " +
    "prompt-writer security tester"
  ).split(" "),
]);

const FILE_MENTIONS = [/@\.claude\/agents\/(?:[\w-]+\/)*([\w-]+)\.md/gi, /\buse\s+([\w-]+)\.md\s+agent\b/gi];

/**
 * The agents a text mentions by file, and the one its leading slash command stands for; sorted. A slash anywhere
 * else is a path.
 */
export function mentionedAgents(text: string): readonly string[] {
  const agents = new Set<string>();
  for (const pattern of FILE_MENTIONS) {
    for (const [, name] of text.matchAll(pattern)) if (name !== undefined) agents.add(agentName(name));
  }
  const command = /^\s*\/(?:\.?[\w-]+:)*([\w-]+)(?=\s|$)/.exec(text)?.[1]?.toLowerCase();
  const agent = command === undefined ? undefined : agentOfCommand(command);
  if (agent !== undefined) agents.add(agent);
  return [...agents].sort();
}

function agentOfCommand(command: string): string | undefined {
  if (Object.hasOwn(COMMAND_AGENTS, command)) return COMMAND_AGENTS[command];
  return KNOWN_AGENTS.has(agentName(command)) ? agentName(command) : undefined;
}

function agentName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}
