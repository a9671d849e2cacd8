import { type RunSql, SCHEMA } from "../postgres/index.ts";
import { sumGroups, type UsageGroup } from "../transcripts/index.ts";
import type { RecordChoice } from "./team-figures.ts";
import type { UsageFigures } from "./usage-count.ts";
import { usageText } from "./views/usage.ts";

const GROUPINGS = ["day", "person", "project", "model", "host"] as const;

/** What models cost a team, as its machines told it: days of UTC. */
export function teamUsage(run: RunSql, { condition, values }: RecordChoice): UsageFigures {
  const read = async (by: string, fromMs: number, toMs: number): Promise<readonly UsageGroup[]> => {
    const column = GROUPINGS.find(each => each === by) ?? "day";
    const day = (ms: number) => new Date(Math.min(ms, MAX_MS)).toISOString().slice(0, 10);
    const rows = await run(
      `SELECT ${column === "day" ? "to_char(day, 'YYYY-MM-DD')" : column} AS key, sum(answers) AS answers, sum(input) AS input,
         sum(output) AS output, sum(cache_read) AS cache_read, sum(cache_write) AS cache_write, sum(cost) AS cost,
         sum(unpriced) AS unpriced, (extract(epoch FROM max(day)) * 1000) AS last
       FROM ${SCHEMA}.server_usage
       WHERE ${condition} AND day >= $${values.length + 1}::date AND day <= $${values.length + 2}::date
       GROUP BY ${column} ORDER BY ${column === "day" ? "key DESC" : "sum(cost) DESC, key"}`,
      [...values, day(fromMs), day(toMs)],
    );
    return rows.map(row => ({
      key: String(row["key"]) || "unknown",
      answers: Number(row["answers"]),
      tokens: {
        input: Number(row["input"]),
        output: Number(row["output"]),
        cacheRead: Number(row["cache_read"]),
        cacheWrite: Number(row["cache_write"]),
        reasoning: 0,
      },
      cost: Number(row["cost"]),
      unpriced: Number(row["unpriced"]),
      context: undefined,
      workingMs: undefined,
      waitingMs: undefined,
      lastMs: Number(row["last"]),
    }));
  };
  return {
    groupings: GROUPINGS,
    source:
      "As the team's machines told it, once an hour, from the hosts' own records; days are those of UTC.",
    groups: (by, sinceMs) => read(by, sinceMs, MAX_MS),
    problems: () => [],
    async costBetween(fromMs, toMs) {
      const groups = await read("day", fromMs, toMs);
      return groups.length === 0 ? undefined : usageText(sumGroups(groups));
    },
    ofSession: () => undefined,
  };
}

const MAX_MS = Date.UTC(9999, 11, 31);
