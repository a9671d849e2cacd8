import { blankSeparated, words } from "../../shell/index.ts";
import { EVERYDAY, OTHERS } from "./fields.ts";
import { operationsOfField } from "./operation-table.ts";
import type { Field, Operation, Program, Trait } from "./program.ts";
import { makeProgramIndex, type ProgramIndex } from "./program-index.ts";

interface Table {
  readonly programs: readonly Program[];
  readonly byName: ReadonlyMap<string, Program>;
}

let index: ProgramIndex | undefined;
/** The fields of names, the tables of fields and the operations of programs that were needed so far. */
const fieldsByName = new Map<string, Field | undefined>();
const tables = new Map<Field, Table>();
const operations = new Map<string, readonly (readonly Operation[])[]>();
const programs = new Map<string, Program | undefined>();
/** Programs of these tables whose changes are all in their effects. */
const told = new Set<Program>();

/** Names come from commands, so that what is remembered of them has an end. */
const MAX_NAMES = 2000;

function remember<Answer>(answers: Map<string, Answer>, name: string, answer: Answer): Answer {
  if (answers.size >= MAX_NAMES) answers.clear();
  answers.set(name, answer);
  return answer;
}

function tableOf(field: Field): Table {
  const known = tables.get(field);
  if (known !== undefined) return known;
  const programs = field.programs();
  const byName = new Map(programs.flatMap(program => words(program.names).map(name => [name, program])));
  for (const program of toldPrograms(field, programs)) told.add(program);
  const table = { programs, byName };
  tables.set(field, table);
  return table;
}

function toldPrograms({ toldExcept }: Field, programs: readonly Program[]): readonly Program[] {
  if (toldExcept === undefined) return [];
  const untold = words(toldExcept);
  return programs.filter(program => !words(program.names).some(name => untold.includes(name)));
}

function programIndex(): ProgramIndex {
  index ??= makeProgramIndex();
  return index;
}

function fieldOf(name: string): Field | undefined {
  const known = fieldsByName.get(name);
  if (known !== undefined || fieldsByName.has(name) || name.includes(" ")) return known;
  const { everyday, others } = programIndex();
  const isListed = (names: string): boolean => names.includes(` ${name} `);
  const field = EVERYDAY[everyday.findIndex(isListed)] ?? OTHERS[others.findIndex(isListed)];
  return remember(fieldsByName, name, field);
}

export function isEveryday(name: string): boolean {
  const field = fieldOf(name);
  return field !== undefined && EVERYDAY.includes(field);
}

function findListed(name: string): Program | undefined {
  const field = fieldOf(name);
  return field === undefined ? undefined : tableOf(field).byName.get(name);
}

function findByPattern(name: string): Program | undefined {
  const [, at = -1, place = -1] = programIndex().patterns.find(([pattern]) => pattern.test(name)) ?? [];
  const field = OTHERS[at];
  return field === undefined ? undefined : tableOf(field).programs[place];
}

/** The record of a program, also by the name it has beside another of its kind. */
export function findProgram(name: string): Program | undefined {
  const found = programs.get(name);
  return found !== undefined || programs.has(name) ? found : remember(programs, name, lookUp(name));
}

function lookUp(name: string): Program | undefined {
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

/** Everything that the program of this record changes is in its effects. */
export function tellsChanges(program: Program): boolean {
  return told.has(program);
}

/** The operations of a program, field by field; everyday programs have none. */
export function operationRowsOf(name: string): readonly (readonly Operation[])[] {
  if (isEveryday(name)) return [];
  const known = operations.get(name);
  if (known !== undefined) return known;
  // Cmdlets are written in any case.
  const names = [...new Set([name, name.toLowerCase()])];
  const rows = OTHERS.map(
    field => names.map(each => operationsOfField(field, each)).find(found => found.length > 0) ?? [],
  ).filter(found => found.length > 0);
  return remember(operations, name, rows);
}

/** Every name that is listed. */
export function programNames(): readonly string[] {
  const { everyday, others } = programIndex();
  return blankSeparated([...everyday, ...others].join(""));
}

/** Every record, in the order in which they are looked at. */
export function allPrograms(): readonly Program[] {
  return [...EVERYDAY, ...OTHERS].flatMap(field => tableOf(field).programs);
}

export function allOperations(): readonly Operation[] {
  return OTHERS.flatMap(field => operationsOfField(field));
}
