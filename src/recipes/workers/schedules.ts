import { isJsonObject, type Json, numberAt, stringAt } from "../../protocol/index.ts";
import { Problem } from "../../state/index.ts";
import { type Connection, prepareTables, withClient } from "./connection.ts";
import { RUN_VERSION, SCHEDULED, WORKFLOW } from "./dbos.ts";
import { setQueueLimits } from "./queue-limits.ts";
import { idOfKey, type PackedRun, toAttributes } from "./submit.ts";

/** When a recipe is submitted by itself. Workers of the queue look at the clock; without any nothing happens. */
export interface Schedule {
  readonly name: string;
  readonly cron: string;
  readonly recipe: string;
  readonly queue: string;
  readonly timeZone: string | undefined;
  readonly lastMs: number | undefined;
}

const FIELD = String.raw`[\d*,/-]+|[A-Za-z]{3}(?:-[A-Za-z]{3})?`;
/** Five fields, as `crontab` has them. */
const CRON = new RegExp(`^(?:${FIELD})(?: (?:${FIELD})){4}$`);

/** Makes or changes it. */
export async function setSchedule(
  connection: Connection,
  { name, cron, queue, timeZone }: Pick<Schedule, "name" | "cron" | "queue" | "timeZone">,
  run: PackedRun,
): Promise<void> {
  if (!CRON.test(cron))
    throw new Problem(`'${cron}' is not a schedule`, {
      kind: "usage",
      fix: "minute hour day month weekday: '0 3 * * *' is three o'clock every night",
      exitCode: 4,
    });
  await prepareTables(connection);
  const { recipe, stepCount, submitted } = run;
  const context = { ...submitted, schedule: { name, recipe, steps: stepCount, queue } };
  await withClient(connection, async client => {
    await setQueueLimits(client, queue, {});
    await client.applySchedules([
      {
        scheduleName: name,
        workflowName: SCHEDULED,
        schedule: cron,
        context,
        queueName: queue,
        ...(timeZone === undefined ? {} : { cronTimezone: timeZone }),
      },
    ]);
  });
}

export async function listSchedules(connection: Connection): Promise<readonly Schedule[]> {
  const all = await withClient(connection, client => client.listSchedules({ workflowName: SCHEDULED }));
  return all.map(({ scheduleName, schedule, context, cronTimezone, queueName, lastFiredAt }) => ({
    name: scheduleName,
    cron: schedule,
    recipe: stringAt(toSchedule(context as Json), "recipe") ?? "",
    queue: queueName ?? "",
    timeZone: cronTimezone ?? undefined,
    lastMs: lastFiredAt === null ? undefined : Date.parse(String(lastFiredAt)),
  }));
}

/** False where there was none. */
export async function removeSchedule(connection: Connection, name: string): Promise<boolean> {
  return withClient(connection, async client => {
    if ((await client.getSchedule(name)) === null) return false;
    await client.deleteSchedule(name);
    return true;
  });
}

/** The run that a schedule submits at one time: the same id however often that time is met. */
export function scheduledWorkflow(run: Json, occurrence: string) {
  const schedule = toSchedule(run);
  const queue = stringAt(schedule, "queue") ?? "";
  const facts = { recipe: stringAt(schedule, "recipe") ?? "", stepCount: numberAt(schedule, "steps") ?? 0 };
  return {
    queue,
    workflowName: WORKFLOW,
    workflowID: idOfKey(queue, occurrence),
    appVersion: RUN_VERSION,
    attributes: { ...toAttributes(facts, queue), schedule: stringAt(schedule, "name") ?? "" },
  };
}

function toSchedule(run: Json): Json {
  return isJsonObject(run) ? (run["schedule"] ?? {}) : {};
}
