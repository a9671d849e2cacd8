import type { OperationRule } from "../config/levels.ts";
import type { Operation } from "./program.ts";

/**
 * A table of operations as text, a row a line, cells between ` | `: the command, what it would do, then any of
 * `needs OPTIONS`, `unless OPTIONS`, `free on PATTERNS`, `of unknown`, `answered`, `ask`, `deny` and `safer COMMAND`.
 * A line that is indented further belongs to the one above; ending in a `|` without a blank, it goes on there.
 */
export function operations(rule: OperationRule, table: string): readonly Operation[] {
  return table
    .replace(/(?<=\S\|)\n {8}/g, "")
    .replace(/\n {8}/g, " ")
    .split("\n")
    .filter(line => line.trim() !== "")
    .map(line => readRow(rule, line));
}

function readRow(rule: OperationRule, line: string): Operation {
  const [command = "", what = "", ...cells] = line.trim().split(" | ");
  const after = (word: string) => cells.find(cell => cell.startsWith(`${word} `))?.slice(word.length + 1);
  const [needs, unless, freeOn, safer] = [after("needs"), after("unless"), after("free on"), after("safer")];
  const verdict = cells.find(cell => cell === "ask" || cell === "deny");
  return {
    rule,
    command,
    what,
    ...(needs === undefined ? {} : { needs }),
    ...(unless === undefined ? {} : { unless }),
    ...(freeOn === undefined ? {} : { freeOn }),
    ...(safer === undefined ? {} : { safer }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(cells.includes("of unknown") ? { ofUnknown: true } : {}),
    ...(cells.includes("answered") ? { isAnswered: true } : {}),
  };
}
