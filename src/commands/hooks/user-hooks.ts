import { CommandError, defineCommand, FORMAT_OPTION, option, type Terminal } from "../../cli/index.ts";
import { whyStartedByAgent } from "../../hooks/index.ts";
import {
  type BuildReport,
  loadBuild,
  loadImportSettings,
  loadManage,
  loadOperations,
} from "../../install/index.ts";
import { resolve, type System } from "../../system/index.ts";
import { count } from "../../text/index.ts";

/** An agent must not choose the hooks that watch it. */
function refuseAgents(system: System): void {
  const obstacle = whyStartedByAgent(system);
  if (obstacle !== undefined) throw new CommandError(obstacle, { kind: "not-a-person" });
}

/** Tells what a build made and what is wrong; the exit code: 1 when a file could not be built. */
export async function tellBuild(
  terminal: Terminal,
  format: string,
  report: BuildReport,
  more: Readonly<Record<string, unknown>> = {},
): Promise<number> {
  const { buildProblems } = await loadBuild();
  const problems = buildProblems(report);
  const broken = report.manifest.files.filter(file => file.problem !== undefined);
  const hooks = report.manifest.files.flatMap(({ hooks: found, source, isPortable, problem }) =>
    problem === undefined ? found.map(({ name, events }) => ({ name, events, source, isPortable })) : [],
  );
  for (const problem of problems) terminal.warn(`Warning: ${problem}\n`);
  const handlers = report.manifest.handlers.map(({ id, event, path, action }) => ({
    id,
    event,
    path,
    kind: action.kind,
  }));
  const lines = hooks.map(
    hook => `${hook.name}  ${hook.events.join(", ")}  ${hook.isPortable ? "portable" : "runs on Node"}\n`,
  );
  terminal.printResult(
    format,
    { success: broken.length === 0, ...more, hooks, handlers, problems },
    [...lines, ...handlers.map(({ id, path }) => `${id}  ${path}\n`)].join("") ||
      "no hooks of your own; amplihack hooks new NAME writes one\n",
  );
  return broken.length === 0 ? 0 : 1;
}

export const addCommand = defineCommand({
  name: "add",
  summary: "copy a hook to your own and build it",
  options: { format: FORMAT_OPTION },
  positionals: [{ name: "FILE", summary: "TypeScript or JavaScript", completes: "file" }],
  forAgents: { use: "asks", runs: "code" },
  examples: { "amplihack hooks add ./no-friday-deploys.ts": "runs it from now on in every agent" },
  async run({ options, positionals, system, terminal }) {
    refuseAgents(system);
    const { addHook } = await loadManage();
    const { requireDirectories } = await loadOperations();
    const file = resolve(system.files.workingDirectory() ?? "/", positionals[0] ?? "");
    const { path, report } = await addHook(system, requireDirectories(system), file);
    terminal.note(`copied to ${path}\n`);
    return tellBuild(terminal, options.format, report, { path });
  },
});

export const newCommand = defineCommand({
  name: "new",
  summary: "write a hook of your own to start from, with types for your editor",
  options: {
    project: option.boolean("for all who work on this project; each has to trust it"),
    format: FORMAT_OPTION,
  },
  positionals: [{ name: "NAME", summary: "what to call it" }],
  forAgents: "asks",
  examples: {
    "amplihack hooks new no-friday-deploys": "writes ~/.amplihack/hooks/no-friday-deploys.ts",
  },
  async run({ options, positionals, system, terminal }) {
    refuseAgents(system);
    const { newHook } = await loadManage();
    const { requireDirectories } = await loadOperations();
    const [name = ""] = positionals;
    const { path, report } = await newHook(system, requireDirectories(system), name, options.project);
    terminal.note(`wrote ${path}\nnext: edit it, then amplihack hooks test ${path}\n`);
    return tellBuild(terminal, options.format, report, { path });
  },
});

export const importCommand = defineCommand({
  name: "import",
  summary: "run the hooks that you have for one host in all others",
  details: `
Takes the hooks of your settings of Claude Code, of its plugins that are switched on and, once you trust them, of the
project's settings. They get Claude's payload and answer in Claude's words; names of tools and members of inputs are
translated both ways. The host that runs them itself is left alone. The settings are read again when they change.
With atomcode it takes those of AtomCode's hooks.json and .hooks.json, which get its own names of tools.`,
  options: { format: FORMAT_OPTION },
  positionals: [{ name: "HOST", summary: "claude or atomcode" }],
  forAgents: "asks",
  examples: {
    "amplihack hooks import claude": "runs your hooks of Claude Code in Codex, Gemini, Copilot and the rest",
  },
  async run({ options, positionals, system, terminal }) {
    refuseAgents(system);
    const { importSettings } = await loadImportSettings();
    const { buildHooks } = await loadBuild();
    const { requireDirectories } = await loadOperations();
    const places = requireDirectories(system);
    const path = importSettings(system, places.stateHome, positionals[0] ?? "");
    const report = await buildHooks(system, places);
    const imported = report.manifest.handlers.filter(({ exceptHosts }) => exceptHosts.length > 0).length;
    terminal.note(`${path} imports them: ${count(imported, "hook")}\n`);
    return tellBuild(terminal, options.format, report, { path, imported });
  },
});

export const buildCommand = defineCommand({
  name: "build",
  summary: "compile your own hooks and those of this project that you trust",
  options: { format: FORMAT_OPTION },
  forAgents: "asks",
  examples: { "amplihack hooks build": "compiles what changed and lists the hooks" },
  async run({ options, system, terminal }) {
    const { buildHooks } = await loadBuild();
    const { requireDirectories } = await loadOperations();
    return tellBuild(terminal, options.format, await buildHooks(system, requireDirectories(system)));
  },
});

export const removeCommand = defineCommand({
  name: "remove",
  summary: "take out a hook of your own, or stop trusting one of this project",
  options: { format: FORMAT_OPTION },
  positionals: [{ name: "NAME", summary: "of the hook or of its file" }],
  forAgents: "asks",
  examples: {
    "amplihack hooks remove no-friday-deploys": "takes it out; the source is kept beside the others",
  },
  async run({ options, positionals, system, terminal }) {
    refuseAgents(system);
    const { removeHook } = await loadManage();
    const { requireDirectories } = await loadOperations();
    const { path, keptAs } = await removeHook(system, requireDirectories(system), positionals[0] ?? "");
    const told =
      keptAs === undefined ? `${path} is no longer trusted\n` : `took out ${path}; it is kept as ${keptAs}\n`;
    terminal.printResult(options.format, { success: true, path, keptAs: keptAs ?? null }, told);
    return 0;
  },
});
