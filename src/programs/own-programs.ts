import type { OwnProgram } from "../config/sections.ts";
import { splitWords } from "../shell/options.ts";
import { programsOf } from "./operation-table.ts";
import type { Operation, Program } from "./program.ts";

/** The user's records, ready to be looked up. */
export interface OwnPrograms {
  find(name: string): Program | undefined;
  operationRowsOf(name: string): readonly Operation[];
}

const known = new WeakMap<readonly OwnProgram[], OwnPrograms>();

export function ownPrograms(records: readonly OwnProgram[]): OwnPrograms {
  const made = known.get(records) ?? makeTable(records);
  known.set(records, made);
  return made;
}

function makeTable(records: readonly OwnProgram[]): OwnPrograms {
  const byName = new Map<string, Program>();
  for (const record of records)
    for (const name of splitWords(record.names)) byName.set(name, programOf(record));
  const rows = records.flatMap(({ names, operations = [] }) =>
    operations.map(one => ({ ...one, command: `${splitWords(names).join("|")} ${one.command}`.trim() })),
  );
  return {
    find: name => byName.get(name),
    operationRowsOf: name => rows.filter(({ command }) => programsOf(command).includes(name)),
  };
}

function programOf({ names, options, reads, effects }: OwnProgram): Program {
  return {
    names,
    ...(reads === "nothing" ? { is: ["readsNothing"] } : {}),
    ...(options === undefined ? {} : { options: { ...options, abbreviates: false } }),
    ...(effects === undefined ? {} : { effects }),
  };
}
