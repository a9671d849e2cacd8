import {
  CommandError,
  type CommandInvocation,
  defineCommand,
  defineFamily,
  FORMAT_OPTION,
  option,
  ownProgram,
  usageError,
} from "../cli/index.ts";
import { AGENTS } from "../hosts/index.ts";
import { loadInterruption, loadMultitask } from "../recipes/index.ts";
import { quoteWord } from "../system/index.ts";
import { openForCommand } from "./history/open.ts";

const TASK = { name: "NAME", summary: "name of a task; `amplihack multitask` lists them" } as const;
const FOLLOW_MS = 250;

type Here = Pick<CommandInvocation, "system" | "terminal">;

async function openTasks({ system }: Here) {
  const { Multitask } = await loadMultitask();
  return Multitask.open(system, system.files.workingDirectory() ?? "/");
}

type Tasks = Awaited<ReturnType<typeof openTasks>>;

/** The tasks, and who wrote where another works. */
async function look(tasks: Tasks, here: Here) {
  const sinceMs = Math.min(...tasks.tasks().map(({ startedMs }) => startedMs));
  const changes = Number.isFinite(sinceMs)
    ? openForCommand(here).history.listChanges({ sinceMs }).changes
    : [];
  return tasks.look(changes);
}

const start = defineCommand({
  name: "start",
  summary: "start tasks, each on a branch and in a worktree of its own",
  details: `
Every TASK runs the recipe in the background, from the commit that is checked out; changes that are not committed stay
where they are. It goes on when the terminal closes.`,
  positionals: [{ name: "TASK", summary: "what an agent is to do, in quotes", isVariadic: true }],
  options: {
    name: option.string("NAME", "call it so; made from its words otherwise"),
    recipe: option.string("RECIPE", "what is run: task (default), default-workflow or one of yours"),
    agent: option.choice(AGENTS, "the agent that works on it"),
    format: FORMAT_OPTION,
  },
  forAgents: "asks",
  examples: {
    "amplihack multitask start 'Fix the login test' 'Document the API'": "two agents work at the same time",
    "amplihack multitask start --agent codex --name parser 'Speed up the parser'": "one, with another agent",
  },
  async run(invocation) {
    const { options, terminal } = invocation;
    const positionals = [...invocation.positionals, ...invocation.rest];
    if (options.name !== undefined && positionals.length > 1)
      throw usageError("--name is for one task", "start them one by one, or leave --name out");
    if (positionals.some(task => task.trim() === ""))
      throw usageError("a task must not be empty", "amplihack multitask start --help");
    const tasks = await openTasks(invocation);
    const started = await tasks.start({
      tasks: positionals,
      name: options.name,
      recipe: options.recipe ?? "task",
      agent: options.agent,
      launcher: [process.execPath, ownProgram()],
    });
    if (options.format === "json") terminal.print(`${JSON.stringify(started)}\n`);
    else for (const { name, worktree } of started) terminal.print(`${name}: started in ${worktree}\n`);
    terminal.note("See their progress: amplihack multitask\n");
    return 0;
  },
});

const list = defineCommand({
  name: "list",
  summary: "show all tasks of this repository: how far, what they changed, where they meet",
  details: `
Files that two tasks changed are named, since only the first of them can be merged without a look. Files that the session of
one task wrote in the place of another, or in the repository itself, are named from the history of changes.`,
  options: { format: FORMAT_OPTION },
  forAgents: "passes",
  examples: { "amplihack multitask list": "one overview", "amplihack multitask list --json": "for programs" },
  async run(invocation) {
    const { options, terminal } = invocation;
    const views = await look(await openTasks(invocation), invocation);
    if (options.format === "json") {
      terminal.print(`${JSON.stringify(views)}\n`);
      return 0;
    }
    if (views.length === 0)
      terminal.note("No task runs here. Start some: amplihack multitask start 'TASK' …\n");
    const { overview } = await import("./multitask/overview.ts");
    terminal.print(overview(views, terminal));
    return 0;
  },
});

const attach = defineCommand({
  name: "attach",
  summary: "follow what a task prints until it ends; Ctrl-C leaves it running",
  positionals: [TASK],
  options: {},
  forAgents: "passes",
  examples: { "amplihack multitask attach parser": "prints what it did so far, and what it does" },
  async run(invocation) {
    const { positionals, terminal } = invocation;
    const tasks = await openTasks(invocation);
    const task = tasks.find(positionals[0] ?? "");
    const signals = await loadInterruption();
    const interruption = new signals.Interruption();
    const listening = signals.listenForSignals(interruption);
    const decoder = new TextDecoder();
    try {
      for (let from = 0; interruption.signal === undefined; ) {
        const isRunning = tasks.isRunning(task);
        const piece = tasks.readLog(task, from);
        from += piece.length;
        if (piece.length > 0) terminal.print(decoder.decode(piece, { stream: true }));
        else if (!isRunning) break;
        else await interruption.pause(FOLLOW_MS);
      }
    } finally {
      listening.dispose();
    }
    if (interruption.signal !== undefined) {
      terminal.note(`\n${task.name} goes on. To end it: amplihack multitask stop ${task.name}\n`);
      return 0;
    }
    const { state } = (await tasks.look([])).find(({ name }) => name === task.name) ?? {};
    terminal.note(
      `${task.name}: ${state}. To go on by hand: cd ${quoteWord(task.worktree)}. To take it over: amplihack multitask merge ${task.name}\n`,
    );
    return state === "done" ? 0 : 1;
  },
});

const stop = defineCommand({
  name: "stop",
  summary: "end tasks that run; what they did stays in their worktrees",
  positionals: [{ ...TASK, isOptional: true, isVariadic: true }],
  options: { all: option.boolean("all that run") },
  forAgents: "asks",
  examples: { "amplihack multitask stop parser": "ends one", "amplihack multitask stop --all": "ends all" },
  async run(invocation) {
    const { options, positionals, terminal } = invocation;
    if (positionals.length > 0 === options.all)
      throw usageError("name the tasks, or --all", "amplihack multitask stop NAME");
    const tasks = await openTasks(invocation);
    const chosen = options.all
      ? tasks.tasks().filter(task => tasks.isRunning(task))
      : positionals.map(name => tasks.find(name));
    const { Interruption } = await loadInterruption();
    const ended = await Promise.all(chosen.map(task => tasks.stop(task, new Interruption())));
    for (const [index, { name }] of chosen.entries())
      terminal.print(ended[index] === true ? `${name}: stopped\n` : `${name}: had ended already\n`);
    return 0;
  },
});

const merge = defineCommand({
  name: "merge",
  summary: "merge tasks that have ended into the current branch, one by one",
  details: `
Without a name all that are done are merged, the oldest first, until one conflicts. A merge that meets a conflict is taken
back whole; the worktree stays for you to resolve it in. What a task had not committed is committed on its branch first. Hooks
of the repository do not run. A task in whose worktree somebody else wrote is refused, with their names.`,
  positionals: [{ ...TASK, isOptional: true, isVariadic: true }],
  options: { force: option.boolean("although others wrote in its worktree") },
  forAgents: "asks",
  examples: {
    "amplihack multitask merge": "merges all that are done",
    "amplihack multitask merge parser": "merges this one, whether it was finished or stopped",
  },
  async run(invocation) {
    const { options, terminal } = invocation;
    const positionals = [...invocation.positionals, ...invocation.rest];
    const tasks = await openTasks(invocation);
    for (const name of positionals) tasks.find(name);
    const views = await look(tasks, invocation);
    const chosen =
      positionals.length === 0
        ? views.filter(({ state }) => state === "done")
        : positionals.flatMap(name => views.filter(view => view.name === name));
    if (chosen.length === 0)
      throw new CommandError("no task is done", { kind: "nothing", fix: "amplihack multitask list" });
    for (const task of chosen) {
      const { commit, files } = await tasks.merge(task, task.crossings, options.force);
      const count = files.length === 1 ? "1 file" : `${files.length} files`;
      terminal.print(`${task.name}: merged as ${commit?.slice(0, 10)}, ${count}\n`);
      for (const { path, by, into } of task.crossings)
        if (by === task.name) terminal.warn(`It also wrote ${path}, ${into ?? "outside of its worktree"}.\n`);
    }
    return 0;
  },
});

const discard = defineCommand({
  name: "discard",
  summary: "remove a task that has ended, with its worktree and branch",
  positionals: [TASK],
  options: {},
  forAgents: "asks",
  examples: { "amplihack multitask discard parser": "tells which commit still has its work" },
  async run(invocation) {
    const { positionals, terminal } = invocation;
    const tasks = await openTasks(invocation);
    const task = tasks.find(positionals[0] ?? "");
    const { commit } = await tasks.discard(task);
    terminal.print(`${task.name}: discarded\n`);
    if (commit !== undefined) terminal.note(`To have its work back: git branch ${task.branch} ${commit}\n`);
    return 0;
  },
});

export const command = defineFamily({
  name: "multitask",
  summary: "run several tasks at once, each in a worktree of its own",
  group: "Work",
  details: "Alone it lists the tasks of this repository.",
  subcommands: [start, list, attach, stop, merge, discard],
  initial: list,
  examples: {
    "amplihack multitask start 'Fix the login test' 'Document the API'": "two agents work at the same time",
    "amplihack multitask": "shows their progress",
    "amplihack multitask merge": "takes over what is done, one by one",
  },
});
