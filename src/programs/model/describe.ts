import { blankSeparated } from "../../shell/index.ts";
import { listPrograms } from "./operations.ts";
import type { OwnPrograms } from "./own-programs.ts";
import type { Operation, Program } from "./program.ts";
import { allOperations, findProgram } from "./registry.ts";

/** What is known about one program, for people and as JSON. */
export interface ProgramDescription {
  readonly name: string;
  /** every name the record holds for */
  readonly names: readonly string[];
  readonly traits: readonly string[];
  readonly options: { readonly flags: string; readonly values: string; readonly optional: string };
  /** rows of the record as sentences, or that a function reads the words */
  readonly effects: readonly string[];
  readonly runs: boolean;
  readonly operations: readonly Operation[];
}

export function describeProgram(name: string, own?: OwnPrograms): ProgramDescription | undefined {
  const program = own?.find(name) ?? findProgram(name);
  const operations = [
    ...allOperations().filter(({ command }) => listPrograms(command).includes(name)),
    ...(own?.operationRowsOf(name) ?? []),
  ];
  if (program === undefined && operations.length === 0) return undefined;
  const { flags = "", values = "", optional = "" } = program?.options ?? {};
  return {
    name,
    names: blankSeparated(program?.names ?? name),
    traits: program?.is ?? [],
    options: { flags: oneLine(flags), values: oneLine(values), optional: oneLine(optional) },
    effects: program === undefined ? [] : describeEffects(program),
    runs: program?.run !== undefined,
    operations,
  };
}

function oneLine(list: string): string {
  return blankSeparated(list).join(" ");
}

function describeEffects({ effects, is, reads }: Program): readonly string[] {
  if (typeof effects === "function")
    return ["reads its own words: they decide what it reads, writes and deletes"];
  if (effects === undefined) {
    if (is?.includes("readsNothing") === true) return [];
    return [reads?.text === undefined ? "reads its operands" : "reads its operands after the first"];
  }
  return effects.map(row => {
    const verb =
      row.delete !== undefined
        ? "deletes"
        : row.read !== undefined
          ? "reads"
          : `writes (${row.how ?? "replace"})`;
    const parts = [
      `${verb} ${row.delete ?? row.read ?? row.write ?? ""}`,
      row.recursive === undefined
        ? ""
        : row.recursive === "always"
          ? "and all below"
          : `and all below with ${row.recursive}`,
      row.when === undefined ? "" : `when ${row.when}`,
      row.unless === undefined ? "" : `unless ${row.unless}`,
    ];
    return parts.filter(part => part !== "").join(" ");
  });
}
