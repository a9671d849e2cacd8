import { describe, expect, it } from "vitest";
import { OPERATION_RULES } from "../../src/config/rule-ids.ts";
import { analyseCommand } from "../../src/programs/model/analyse.ts";
import { listPrograms, operationsOfRecord } from "../../src/programs/model/operations.ts";
import { allPrograms } from "../../src/programs/model/registry.ts";
import type { OperationEffect } from "../../src/shell/index.ts";
import { words } from "../../src/shell/options.ts";

const RECORDS = allPrograms().filter(({ operations }) => operations !== undefined);
const ROWS = RECORDS.flatMap(record => operationsOfRecord(record).map(row => ({ record, row })));

function operationsIn(command: string): readonly OperationEffect[] {
  const context = { cwd: "/home/user/project", home: "/home/user", user: "user", tmpdir: "/tmp" };
  const { effects } = analyseCommand(command, context);
  return effects.flatMap(each => each ?? []).filter(each => each.kind === "operation");
}

describe("rows of operations", () => {
  it.each(ROWS.map(({ row }) => [row.stops ?? row.command, row] as const))("%s is stopped", (stops, row) => {
    const found = operationsIn(stops).map(({ rule, what }) => ({ rule, what }));
    expect(found).toContainEqual({ rule: row.rule, what: row.what });
  });

  it.each(ROWS.map(({ row }) => [row.passes ?? filled(row.safer, row.command), row] as const))(
    "%s is not",
    (passes, row) => {
      expect(passes).not.toBe("");
      expect(operationsIn(passes).filter(({ what }) => what === row.what)).toEqual([]);
    },
  );

  it("have rules that exist, and names of their record", () => {
    const rules: readonly string[] = OPERATION_RULES;
    expect(ROWS.filter(({ row }) => !rules.includes(row.rule)).map(({ row }) => row.rule)).toEqual([]);
    const strangers = ROWS.flatMap(({ record, row }) =>
      listPrograms(row.command).some(name => words(record.names).includes(name)) ? [] : [row.command],
    );
    expect(strangers).toEqual([]);
  });

  it("have placeholders that are known", () => {
    const placeholders = ROWS.flatMap(({ row }) =>
      [...(row.safer ?? "").matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    );
    expect(placeholders.filter(name => name !== "rest" && name !== "tool")).toEqual([]);
  });

  it("need, and are lifted by, options that the grammar of a record with that operation knows", () => {
    const unknown = ROWS.flatMap(({ row }) => {
      const same = ROWS.filter(other => other.row.rule === row.rule && other.row.what === row.what);
      const grammars = same.map(({ record }) => record.options);
      // Where no grammar is written down an option that is not known is a flag, and the case above holds it.
      if (grammars.some(one => one === undefined || one.stopsAtOperand || one.unknownTakesValue)) return [];
      const known = namesIn(grammars.map(one => `${one?.flags} ${one?.values} ${one?.optional}`).join(" "));
      const asked = words(`${row.needs ?? ""} ${row.unless ?? ""}`.replaceAll("+", " "));
      return asked
        .map(one => one.replace(/=.*/, ""))
        .filter(name => !known.has(name))
        .map(name => `${row.command}: ${name}`);
    });
    expect(unknown).toEqual([]);
  });
});

function filled(safer: string | undefined, command: string): string {
  return (safer ?? "").replaceAll("{rest}", "web").replaceAll("{tool}", listPrograms(command)[0] ?? "");
}

/** `-abc` are letters, `long|l` names of one option, `alias=a` one more name. */
function namesIn(list: string): ReadonlySet<string> {
  return new Set(
    words(list).flatMap(token =>
      token.startsWith("-") && token.length > 1 ? [...token.slice(1)] : token.replace("=", "|").split("|"),
    ),
  );
}
