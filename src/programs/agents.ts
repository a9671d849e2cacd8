import { AGENT_PROGRAMS } from "../hosts/protected-files.ts";
import type { Invocation } from "../shell/facts.ts";
import { describe } from "../shell/value.ts";
import { hasTrait } from "./registry.ts";

/** Options that switch an agent's own questions off, by its program. Those that are no hosts stand here. */
const PERMISSIONS_OFF: Readonly<Record<string, RegExp>> = {
  aider: /^--(yes-always|yes)$/,
  q: /^--trust-all-tools$/,
  crush: /^(--yolo|-y)$/,
  ...Object.fromEntries(AGENT_PROGRAMS.flatMap(({ names, bypass }) => names.map(name => [name, bypass]))),
};

/** Agents by the package that runners start. */
const AGENT_PACKAGES: ReadonlyMap<string, string> = new Map(
  AGENT_PROGRAMS.flatMap(({ package: name, names: [program] }) =>
    name === undefined || program === undefined ? [] : [[name, program]],
  ),
);

/** The agent that a program is, or starts as a package; undefined for every other program. */
export function agentOf({ program = "", argv }: Invocation): string | undefined {
  const packages = hasTrait(program, "mayRunPackage") ? argv.slice(1).map(describe) : [];
  const started = packages
    .map(word => AGENT_PACKAGES.get(word.replace(/(?<=.)@[^/@]*$/, "")))
    .find(agent => agent !== undefined);
  const name = started ?? program;
  return Object.hasOwn(PERMISSIONS_OFF, name) ? name : undefined;
}

/** A word that switches the questions of this agent off; of any agent when none is given. */
export function turnsPermissionsOff(word: string, agent?: string): boolean {
  return Object.entries(PERMISSIONS_OFF).some(
    ([name, pattern]) => (agent === undefined || name === agent) && pattern.test(word),
  );
}
