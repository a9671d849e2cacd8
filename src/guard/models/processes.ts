import { describe } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";
import type { Model, ModelTable } from "./call.ts";

/** The process number -1 means all of them; in front of other numbers it is a signal. */
const kill: Model = call => {
  const words = call.argv.slice(1).map(describe);
  if (words.includes("-l") || words.includes("-L")) return [];
  const last = words.at(-1);
  const isAll = last === "-1" && (words.length === 1 || words.length > 1);
  if (!isAll) return [];
  return [
    {
      kind: "operation",
      by: call.by,
      rule: "sys.kill",
      what: "end every process",
      target: `kill ${words.join(" ")}`,
      names: [],
      verdict: "deny",
    },
  ];
};

/** Without a file it reads the new table from its input. */
const crontab: Model = call => {
  const { stdin, redirections } = call.invocation;
  const isBare = call.argv.slice(1).every(word => describe(word).startsWith("-u"));
  const isFed = stdin !== undefined || redirections.some(redirection => redirection.operation === "read");
  if (!isBare || !isFed) return [];
  const effect: CommandEffect = {
    kind: "operation",
    by: call.by,
    rule: "sys.cron",
    what: "replace the schedule",
    target: "crontab",
    names: [],
  };
  return [effect];
};

export const processes: ModelTable = { kill, crontab };
