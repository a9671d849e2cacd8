import type { AgentProgram } from "../hosts/host.ts";
import { AGENT_PROGRAMS } from "../hosts/protected-files.ts";
import type { Invocation } from "../shell/facts.ts";
import { describe } from "../shell/value.ts";
import { hasTrait } from "./registry.ts";

/** Those that are no hosts stand here. */
const AGENTS: readonly AgentProgram[] = [
  ...AGENT_PROGRAMS,
  { names: ["aider"], bypass: /^--(yes-always|yes)$/ },
  { names: ["q"], bypass: /^--trust-all-tools$/ },
  { names: ["crush"], bypass: /^(--yolo|-y)$/ },
];

/** The agent that a program is, or starts as a package; undefined for every other program. */
export function agentOf({ program = "", argv }: Invocation): string | undefined {
  const packages = hasTrait(program, "mayRunPackage") ? argv.slice(1).map(describe) : [];
  const started = packages
    .map(word => word.replace(/(?<=.)@[^/@]*$/, ""))
    .map(name => AGENTS.find(agent => agent.package === name)?.names[0])
    .find(agent => agent !== undefined);
  const name = started ?? program;
  return AGENTS.some(({ names }) => names.includes(name)) ? name : undefined;
}

/** A word that switches the questions of this agent off; of any agent when none is given. */
export function turnsPermissionsOff(word: string, agent?: string): boolean {
  return AGENTS.some(
    ({ names, bypass }) => (agent === undefined || names.includes(agent)) && bypass.test(word),
  );
}
