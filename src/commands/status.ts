import { commandInstead, defineCommand, FORMAT_OPTION, ownProgram, type Terminal } from "../cli/index.ts";
import { findMisplacedConfig, loadConfig } from "../config/index.ts";
import { loadUserHookProblems } from "../install/index.ts";
import { type AgentStatus, loadAgentStatus } from "../launcher/index.ts";
import { findHome, findProjectRoot, findStateHome } from "../state/index.ts";
import { join, type System } from "../system/index.ts";
import { escapeControls } from "../text/index.ts";
import { version } from "../version.ts";

/** Run when `amplihack` is called alone. */
export const command = defineCommand({
  name: "status",
  summary: "show where you stand and what to do next",
  group: "Look",
  options: { format: FORMAT_OPTION },
  ignoresHome: true,
  forAgents: { use: "passes", looks: [] },
  examples: {
    amplihack: "shows the agents on this machine, their hooks, and the next step",
    "amplihack status --format json": "the same for programs",
  },
  async run({ options, system, terminal }) {
    const { readAgentStatus, nextStep } = await loadAgentStatus();
    const agents = readAgentStatus(system, ownProgram());
    const { notices, hasTeam } = readConfiguration(system);
    const team = hasTeam
      ? (await import("./memory/background-sync.ts")).describeTeamMemory(system)
      : undefined;
    const brokenHooks = await readBrokenHooks(system);
    const next =
      notices.length > 0 ? CONFIGURATION_STEP : brokenHooks.length > 0 ? HOOKS_STEP : nextStep(agents);
    const instead = commandInstead(system);
    const note = instead === undefined ? "" : `  (not on your PATH yet: type ${instead})`;
    const present = agents.filter(({ isPresent }) => isPresent);
    const absent = agents.filter(({ isPresent }) => !isPresent).map(({ agent }) => agent);
    const lines = [
      terminal.paint("bold", `amplihack ${version}`),
      ...present.map(agent => `  ${agent.title.padEnd(19)}${describe(agent, terminal)}`),
      ...(absent.length === 0 ? [] : [`  ${terminal.paint("dim", `not installed: ${absent.join(", ")}`)}`]),
      ...(team === undefined ? [] : [`  ${terminal.paint("yellow", "!")} memory: ${team}`]),
      ...notices.map(notice => `  ${terminal.paint("yellow", "!")} configuration: ${notice}`),
      ...brokenHooks.map(problem => `  ${terminal.paint("yellow", "!")} hook: ${problem}`),
      `Next: ${terminal.paint("cyan", next.command)}  (${next.why})`,
    ];
    if (lines.length < 10) lines.push(`All commands: ${terminal.paint("cyan", "amplihack --help")}${note}`);
    const documents = agents.map(({ agent, path = null, isRegistered, problem = null }) => ({
      agent,
      path,
      registered: isRegistered,
      problem,
    }));
    terminal.printResult(
      options.format,
      { version, agents: documents, memory: team ?? null, configuration: notices, hooks: brokenHooks, next },
      `${lines.join("\n")}\n`,
    );
    return 0;
  },
});

/** Rules that do not count come before everything else. */
const CONFIGURATION_STEP = { command: "amplihack doctor", why: "says what to fix in the configuration" };
const HOOKS_STEP = { command: "amplihack hooks build", why: "says what to fix in your hooks" };

/** Most people have none, and load nothing for them. */
async function readBrokenHooks(system: System): Promise<readonly string[]> {
  const stateHome = findStateHome(system);
  if (stateHome === undefined || system.files.follow(join(stateHome, "hooks/.build")) === undefined)
    return [];
  const { readOwnProblems } = await loadUserHookProblems();
  return readOwnProblems(system, stateHome).map(problem => escapeControls(problem));
}

function describe({ isRegistered, problem }: AgentStatus, terminal: Terminal): string {
  if (problem !== undefined) return `${terminal.paint("yellow", "!")} ${problem}`;
  return isRegistered ? `${terminal.paint("green", "✓")} hooks registered` : "hooks not registered";
}

/** What of the configuration does not count, until it is mended; and whether memories are a team's. */
function readConfiguration(system: System): {
  readonly notices: readonly string[];
  readonly hasTeam: boolean;
} {
  const [home, stateHome] = [findHome(system), findStateHome(system)];
  if (home === undefined || stateHome === undefined) return { notices: [], hasTeam: false };
  const cwd = system.files.workingDirectory();
  const places = { home, stateHome, projectRoot: findProjectRoot(system, undefined), cwd };
  const { notices, config } = loadConfig(system, places);
  return {
    notices: [...notices, ...findMisplacedConfig(system, places)].map(({ message }) =>
      escapeControls(message),
    ),
    hasTeam: config.memory.url !== undefined,
  };
}
