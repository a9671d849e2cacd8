import { AGENT_PROGRAMS, type AgentProgram } from "../../hosts/index.ts";
import { baseName, describe, type Invocation } from "../../shell/index.ts";
import { hasTrait } from "../model/registry.ts";

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
  agentNames ??= new Set(AGENTS.flatMap(({ names }) => names));
  return agentNames.has(name) ? name : undefined;
}

let agentNames: ReadonlySet<string> | undefined;

const INTERPRETER = /^-?(node|nodejs|bun|deno|python[\d.]*|ruby|(ba|z|da|k)?sh)$/;

/** The agent that a running process is, by its words and the names it goes by. */
export function agentOfProcess(argv: readonly string[], names: readonly string[]): string | undefined {
  const [program = "", ...rest] = argv;
  const script = INTERPRETER.test(baseName(program)) ? rest.find(word => !word.startsWith("-")) : undefined;
  const named = [program, ...names, ...(script === undefined ? [] : [script])].map(word =>
    baseName(word).replace(/\.(c?js|mjs|ts|exe|sh)$/, ""),
  );
  const found = AGENTS.find(
    agent =>
      agent.names.some(name => named.includes(name)) ||
      (agent.package !== undefined && script?.includes(`/node_modules/${agent.package}/`) === true),
  );
  return found?.names[0];
}

/** A word that switches the questions of this agent off; of any agent when none is given. */
export function turnsPermissionsOff(word: string, agent?: string): boolean {
  return AGENTS.some(
    ({ names, bypass }) => (agent === undefined || names.includes(agent)) && bypass.test(word),
  );
}
