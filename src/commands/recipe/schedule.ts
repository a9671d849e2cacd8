import { CommandError, defineCommand, FORMAT_OPTION, option, usageError } from "../../cli/index.ts";
import { loadSchedules, loadSubmitInTerminal } from "../../recipes/index.ts";
import { DATABASE_OPTIONS, QUEUE, resolveQueue, TEAM, withRuns } from "./database.ts";
import { NOT_FOUND_EXIT_CODE, RUN_OPTIONS, toRunRequest } from "./options.ts";

export const scheduleCommand = defineCommand({
  name: "schedule",
  summary: "submit a recipe at set times; list or remove such schedules",
  details: `
Without a recipe it lists the schedules of the database. The recipe is kept as it
is now, with its sub-recipes and variables. Each time starts one run, on whichever
worker of the queue looks first; while no worker runs, nothing happens.`,
  positionals: [
    { name: "RECIPE", summary: "name or path of a recipe", isOptional: true, completes: "recipe" },
  ],
  options: {
    ...DATABASE_OPTIONS,
    name: option.string("NAME", "how the schedule is called"),
    cron: option.string("TIMES", "minute hour day month weekday: '0 3 * * *'"),
    "time-zone": option.string("ZONE", "of the times, Europe/Berlin (the workers' by default)"),
    remove: option.boolean("remove the schedule of this name"),
    queue: QUEUE,
    team: TEAM,
    ...RUN_OPTIONS,
    format: FORMAT_OPTION,
  },
  forAgents: { use: "asks", runs: "recipe", runsFile: ["context-file"] },
  examples: {
    "amplihack recipe schedule nightly-report --name report --cron '0 3 * * *' --url": "every night at three",
    "amplihack recipe schedule --url": "lists them",
    "amplihack recipe schedule --remove --name report --url": "ends one",
  },
  async run({ options, positionals, system, terminal }) {
    const { setSchedule, listSchedules, removeSchedule } = await loadSchedules();
    const [recipe] = positionals;
    const { name, cron, remove, format } = options;
    if (recipe !== undefined && (cron === undefined || name === undefined || remove))
      throw usageError("a recipe needs --cron and --name", "amplihack recipe schedule --help");
    if (remove && name === undefined)
      throw usageError("--remove needs --name", "amplihack recipe schedule --url");
    return withRuns(system, options, async connection => {
      if (recipe !== undefined && cron !== undefined && name !== undefined) {
        const { packRun } = await loadSubmitInTerminal();
        const packed = packRun(system, toRunRequest(recipe, options));
        for (const warning of packed.warnings) terminal.warn(`Warning: ${warning}\n`);
        const queue = resolveQueue(options.queue, options.team);
        await setSchedule(connection, { name, cron, queue, timeZone: options["time-zone"] }, packed);
        terminal.printResult(
          format,
          { success: true, name, cron, queue },
          `${name}: ${packed.recipe} at ${cron}\n`,
        );
        return 0;
      }
      if (remove && name !== undefined) {
        if (!(await removeSchedule(connection, name)))
          throw new CommandError(`there is no schedule '${name}'`, {
            kind: "not-found",
            exitCode: NOT_FOUND_EXIT_CODE,
            fix: "amplihack recipe schedule --url",
          });
        terminal.printResult(format, { success: true, name }, `Removed ${name}\n`);
        return 0;
      }
      const all = await listSchedules(connection);
      const line = (one: (typeof all)[number]): string =>
        `${one.name}  ${one.cron}  ${one.recipe}  ${one.queue}\n`;
      terminal.printResult(
        format,
        { success: true, schedules: all },
        all.map(line).join("") || "No schedules.\n",
      );
      return 0;
    });
  },
});
