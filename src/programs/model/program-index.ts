import { words } from "../../shell/index.ts";
import { EVERYDAY, OTHERS } from "./fields.ts";
import type { Field } from "./program.ts";

/** Where programs are found, without making the tables of every field. */
export interface ProgramIndex {
  /** the names of each field's programs, with a blank around each */
  readonly everyday: readonly string[];
  readonly others: readonly string[];
  /** spellings that cannot be listed, with the places of field and program */
  readonly patterns: readonly (readonly [pattern: RegExp, field: number, program: number])[];
}

/** It needs all tables, so that the hook program is built with the answer. */
export function makeProgramIndex(): ProgramIndex {
  return {
    everyday: EVERYDAY.map(listNames),
    others: OTHERS.map(listNames),
    patterns: OTHERS.flatMap((field, at) =>
      field
        .programs()
        .flatMap(({ pattern }, place) => (pattern === undefined ? [] : [[pattern, at, place] as const])),
    ),
  };
}

function listNames(field: Field): string {
  const names = field.programs().flatMap(program => words(program.names));
  return ` ${names.join(" ")} `;
}
