import { CommandError, defineCommand, option } from "../cli/index.ts";
import { AGENTS, type AgentName, printModeArguments, screenArguments } from "../hosts/index.ts";
import { LAUNCH_TOOLS } from "../launcher/index.ts";
import { requireDirectories } from "../state/index.ts";
import { launchCommand } from "./launch/launch-command.ts";

export const command = defineCommand({
  name: "handover",
  summary: "carry a session over to another agent",
  group: "Work",
  details: `
Reads the record of the newest session of this project, or of the one that SESSION names, and starts the other agent with a
first prompt: the task, what you said since, decisions, open points, where the other one stopped, and the changes in the
working tree. No model is asked; secrets are cut out. The records of Claude Code, Codex, Copilot CLI, Pi and other hosts that
keep lines of JSON are read.`,
  options: {
    to: option.choice(AGENTS, "the agent that takes over"),
    once: option.boolean("let it answer once, without a screen"),
    "dry-run": option.boolean("print the prompt, and start nothing"),
  },
  positionals: [
    { name: "SESSION", summary: "file of a session's record, or part of its name", isOptional: true },
  ],
  ownsTerminal: true,
  forAgents: { use: "asks", passesWith: ["dry-run"] },
  examples: {
    "amplihack handover --to codex": "Codex goes on where the last session in this project stopped",
    "amplihack handover --dry-run": "shows what another agent would be told",
  },
  async run(invocation) {
    const { options, positionals, system, terminal } = invocation;
    const { composeHandover, findSession } = await import("./handover/compose.ts");
    const { home, projectRoot } = requireDirectories(system);
    const session = findSession(system, home, projectRoot, positionals[0]);
    if (session === undefined)
      throw new CommandError(
        positionals[0] === undefined
          ? `no agent's record of a session in ${projectRoot} was found`
          : `no record of a session is called ${positionals[0]}`,
        { kind: "failed", fix: "amplihack usage --by session" },
      );
    const prompt = await composeHandover(system, session, projectRoot);
    if (options["dry-run"] || options.to === undefined) {
      terminal.print(`${prompt}\n`);
      if (options.to === undefined && !options["dry-run"])
        terminal.note("To start an agent with it: --to AGENT\n");
      return 0;
    }
    const agent: AgentName = options.to;
    terminal.note(`${LAUNCH_TOOLS[agent].title} takes over from ${session.title} (${session.path}).\n`);
    const onScreen = options.once ? undefined : screenArguments(agent, prompt);
    const rest = onScreen ?? printModeArguments(agent, { prompt }).args;
    return launchCommand(agent).run({ ...invocation, options: {} as never, positionals: [], rest });
  },
});
