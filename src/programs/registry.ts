import { words } from "../shell/options.ts";
import { EVERYDAY, OTHERS } from "./fields.ts";
import { operationsOfField } from "./operation-table.ts";
import { indexOperations } from "./operations.ts";
import type { Field, Operation, Program, Trait } from "./program.ts";
import { makeProgramIndex, type ProgramIndex } from "./program-index.ts";

interface Table {
  readonly programs: readonly Program[];
  readonly byName: ReadonlyMap<string, Program>;
}

let index: ProgramIndex | undefined;
/** Tables and operations of the fields that were needed so far. */
const tables = new Map<Field, Table>();
const operations = new Map<Field, ReadonlyMap<string, readonly Operation[]>>();

function tableOf(field: Field): Table {
  const known = tables.get(field);
  if (known !== undefined) return known;
  const programs = field.programs();
  const byName = new Map(programs.flatMap(program => words(program.names).map(name => [name, program])));
  const table = { programs, byName };
  tables.set(field, table);
  return table;
}

function programIndex(): ProgramIndex {
  index ??= makeProgramIndex();
  return index;
}

function fieldOf(name: string, fields: readonly Field[], names: readonly string[]): Field | undefined {
  return name.includes(" ") ? undefined : fields[names.findIndex(list => list.includes(` ${name} `))];
}

export function isEveryday(name: string): boolean {
  return fieldOf(name, EVERYDAY, programIndex().everyday) !== undefined;
}

function findListed(name: string): Program | undefined {
  const { everyday, others } = programIndex();
  const field = fieldOf(name, EVERYDAY, everyday) ?? fieldOf(name, OTHERS, others);
  return field === undefined ? undefined : tableOf(field).byName.get(name);
}

function findByPattern(name: string): Program | undefined {
  const [, at = -1, place = -1] = programIndex().patterns.find(([pattern]) => pattern.test(name)) ?? [];
  const field = OTHERS[at];
  return field === undefined ? undefined : tableOf(field).programs[place];
}

/** The record of a program, also by the name it has beside another of its kind. */
export function findProgram(name: string): Program | undefined {
  const known = findListed(name) ?? findByPattern(name);
  if (known !== undefined || !name.startsWith("g")) return known;
  const plain = findListed(name.slice(1));
  return plain?.isGnu === true ? plain : undefined;
}

/** The name as the record lists it: `find` for `gfind`. */
export function canonicalName(name: string, program: Program | undefined): string {
  if (program?.isGnu !== true || words(program.names).includes(name)) return name;
  return name.startsWith("g") ? name.slice(1) : name;
}

export function hasTrait(name: string | undefined, trait: Trait): boolean {
  return name !== undefined && findProgram(name)?.is?.includes(trait) === true;
}

/** The rows of each field that are about a program; everyday programs have none. */
export function operationRowsOf(name: string): readonly (readonly Operation[])[] {
  if (isEveryday(name)) return [];
  // Cmdlets are written in any case.
  const lower = name.toLowerCase();
  return OTHERS.flatMap(field => {
    const tables = Object.values(field.operations ?? {});
    if (!tables.some(table => table.includes(name) || table.includes(lower))) return [];
    const index = operations.get(field) ?? indexOperations(operationsOfField(field));
    operations.set(field, index);
    const rows = index.get(name) ?? index.get(lower);
    return rows === undefined ? [] : [rows];
  });
}

/** Every name that is listed. */
export function programNames(): readonly string[] {
  const { everyday, others } = programIndex();
  return words([...everyday, ...others].join(""));
}

/** Every record, in the order in which they are looked at. */
export function allPrograms(): readonly Program[] {
  return [...EVERYDAY, ...OTHERS].flatMap(field => tableOf(field).programs);
}

export function allOperations(): readonly Operation[] {
  return OTHERS.flatMap(operationsOfField);
}
