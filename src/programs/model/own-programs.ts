import type { OwnProgram } from "../../config/index.ts";
import { blankSeparated } from "../../shell/index.ts";
import { listPrograms } from "./operations.ts";
import type { Operation, Program } from "./program.ts";

/** The user's records, ready to be looked up. */
export interface OwnPrograms {
  find(name: string): Program | undefined;
  operationRowsOf(name: string): readonly Operation[];
}

const known = new WeakMap<readonly OwnProgram[], OwnPrograms>();

export function ownPrograms(records: readonly OwnProgram[]): OwnPrograms {
  const made = known.get(records);
  if (made !== undefined) return made;
  const table = makeTable(records);
  known.set(records, table);
  return table;
}

function makeTable(records: readonly OwnProgram[]): OwnPrograms {
  const byName = new Map<string, Program>();
  for (const record of records)
    for (const name of blankSeparated(record.names)) byName.set(name, toProgram(record));
  const rows = records.flatMap(({ names, operations = [] }) =>
    operations.map(one => ({ ...one, command: `${blankSeparated(names).join("|")} ${one.command}`.trim() })),
  );
  return {
    find: name => byName.get(name),
    operationRowsOf: name =>
      rows.length === 0 ? rows : rows.filter(({ command }) => listPrograms(command).includes(name)),
  };
}

function toProgram({ names, options, reads, effects }: OwnProgram): Program {
  return {
    names,
    ...(reads === "nothing" ? { is: ["readsNothing"] } : {}),
    ...(options === undefined ? {} : { options: { ...options, abbreviates: false } }),
    ...(effects === undefined ? {} : { effects }),
  };
}
