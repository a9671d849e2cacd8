import { blankSeparated, words } from "../../shell/index.ts";
import { shellWordSetBy } from "../records/shell-words.ts";
import { EVERYDAY, OTHERS } from "./fields.ts";
import { listPrograms, operationsOfRecord } from "./operations.ts";
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
const reaching = new Set<Program>();

/** Names come from commands, so that what is remembered of them has an end. */
const MAX_NAMES = 2000;

function remember<Answer>(answers: Map<string, Answer>, name: string, answer: Answer): Answer {
  if (answers.size >= MAX_NAMES) answers.clear();
  answers.set(name, answer);
  return answer;
}

function getTable(field: Field): Table {
  const known = tables.get(field);
  if (known !== undefined) return known;
  const programs = field.programs();
  const byName = new Map(programs.flatMap(program => words(program.names).map(name => [name, program])));
  if (field.reaches === true) for (const program of programs) reaching.add(program);
  if (field.tellsChanges === true)
    for (const program of programs) if (program.changesMore !== true && !isBare(program)) told.add(program);
  const table = { programs, byName };
  tables.set(field, table);
  return table;
}

function programIndex(): ProgramIndex {
  index ??= makeProgramIndex();
  return index;
}

function findField(name: string): Field | undefined {
  const known = fieldsByName.get(name);
  if (known !== undefined || fieldsByName.has(name) || name.includes(" ")) return known;
  const { everyday, others } = programIndex();
  const isListed = (names: string): boolean => names.includes(` ${name} `);
  const field = EVERYDAY[everyday.findIndex(isListed)] ?? OTHERS[others.findIndex(isListed)];
  return remember(fieldsByName, name, field);
}

/** It is given code, which tells by itself what it sends. */
export function isInterpreter(name: string): boolean {
  const program = findProgram(name);
  return program?.language !== undefined || program?.is?.includes("shell") === true;
}

/** One of those that only show, list, find, copy or delete files here. */
export function isEveryday(name: string): boolean {
  const field = findField(name);
  return field !== undefined && EVERYDAY.includes(field);
}

/** Programs that people and others start by name all day: what is found under such a name is trusted by habit. */
const STARTED_BY_NAME = new Set("git sudo ssh su sh bash zsh".split(" "));

export function isStartedByName(name: string): boolean {
  return isEveryday(name) || STARTED_BY_NAME.has(name);
}

function findListed(name: string): Program | undefined {
  const field = findField(name);
  return field === undefined ? undefined : getTable(field).byName.get(name);
}

function findByPattern(name: string): Program | undefined {
  const [, at = -1, place = -1] = programIndex().patterns.find(([pattern]) => pattern.test(name)) ?? [];
  const field = OTHERS[at];
  return field === undefined ? undefined : getTable(field).programs[place];
}

/** The record of a program, also by the name it has beside another of its kind. */
export function findProgram(name: string): Program | undefined {
  const found = programs.get(name);
  return found !== undefined || programs.has(name) ? found : remember(programs, name, lookUp(name));
}

function lookUp(name: string): Program | undefined {
  const listed = findListed(name);
  // A spelling that is found by a pattern has that record's behaviour, whatever operations it has of its own.
  const known = listed === undefined || isBare(listed) ? (findByPattern(name) ?? listed) : listed;
  if (known !== undefined || !name.startsWith("g")) return known;
  const plain = findListed(name.slice(1));
  return plain?.isGnu === true ? plain : undefined;
}

/** Nothing is known of it but operations. */
export function isBare(program: Program): boolean {
  if (program.operations === undefined) return false;
  for (const member in program) if (member !== "names" && member !== "operations") return false;
  return true;
}

/** Variables of the environment that give it more options, or say what it reads first. */
export function variablesThatSet(name: string): readonly string[] {
  return words(findProgram(name)?.setBy ?? shellWordSetBy(name));
}

/** Files below the home that it reads first and that may change what its words mean. */
export function filesThatSet(name: string): readonly string[] {
  return words(findProgram(name)?.setByFiles ?? "");
}

/** The name as the record lists it: `find` for `gfind`. */
export function canonicalName(name: string, program: Program | undefined): string {
  if (program?.isGnu !== true || words(program.names).includes(name)) return name;
  return name.startsWith("g") ? name.slice(1) : name;
}

/** A name under which something runs that is known, of programs or of the shell. */
export function isProgramName(name: string): boolean {
  return findProgram(name) !== undefined;
}

export function hasTrait(name: string | undefined, trait: Trait): boolean {
  return name !== undefined && findProgram(name)?.is?.includes(trait) === true;
}

/** Everything that the program of this record changes is in its effects. */
export function tellsChanges(program: Program): boolean {
  return told.has(program);
}

/** The program of this record works with other machines, services or processes, as all of its field. */
export function isOfReachingField(program: Program): boolean {
  return reaching.has(program);
}

/** The operations of a program, rule by rule; everyday programs have none. */
export function findOperationRows(name: string): readonly (readonly Operation[])[] {
  if (isEveryday(name)) return [];
  const known = operations.get(name);
  if (known !== undefined) return known;
  // Cmdlets are written in any case.
  const rows = [name, name.toLowerCase()].map(listedOperations).find(found => found.length > 0) ?? [];
  const rules = [...new Set(rows.map(({ rule }) => rule))];
  return remember(
    operations,
    name,
    rules.map(rule => rows.filter(row => row.rule === rule)),
  );
}

function listedOperations(name: string): readonly Operation[] {
  const program = findListed(name);
  const rows = program === undefined ? [] : operationsOfRecord(program);
  return rows.filter(({ command }) => listPrograms(command).includes(name));
}

/** Every name that is listed. */
export function programNames(): readonly string[] {
  const { everyday, others } = programIndex();
  return blankSeparated([...everyday, ...others].join(""));
}

/** Every record, in the order in which they are looked at. */
export function allPrograms(): readonly Program[] {
  return [...EVERYDAY, ...OTHERS].flatMap(field => getTable(field).programs);
}

/** The names of every record that has the trait. */
export function namesWithTrait(trait: Trait): readonly string[] {
  return allPrograms()
    .filter(program => program.is?.includes(trait) === true)
    .flatMap(program => words(program.names));
}

export function allOperations(): readonly Operation[] {
  return allPrograms().flatMap(operationsOfRecord);
}

/** Commands of shells that run text. */
const BUILTINS = "eval exec source";

let names: ReadonlySet<string> | undefined;

/** Programs that, named in text which could not be read, are reason enough to ask. */
export function dangerousNames(): ReadonlySet<string> {
  // A single letter stands in any text.
  names ??= new Set([...words(BUILTINS), ...namesWithTrait("dangerous").filter(name => name.length > 1)]);
  return names;
}

/**
 * Names of dangerous programs in text that could not be analysed: a plain scan for words, quotes and backslashes
 * ignored. Answers each word once, in order.
 */
export function findDangerous(region: string): readonly string[] {
  const found = new Set<string>();
  const bare = region.replace(/[\\'"]/g, "");
  for (const match of bare.matchAll(/[A-Za-z][\w-]*/g)) {
    const word = match[0].toLowerCase();
    if (dangerousNames().has(word)) found.add(word);
    else if (word.startsWith("mkfs")) found.add("mkfs");
  }
  return [...found];
}
