import { words } from "../shell/options.ts";
import { accounts } from "./accounts.ts";
import { archives } from "./archives.ts";
import { cloud } from "./cloud.ts";
import { containers } from "./containers.ts";
import { credentials } from "./credentials.ts";
import { databases } from "./databases.ts";
import { editors } from "./editors.ts";
import { encoding } from "./encoding.ts";
import { environment } from "./environment.ts";
import { files } from "./files.ts";
import { versionControl } from "./git.ts";
import { isolation } from "./isolation.ts";
import { jobs } from "./jobs.ts";
import { languages } from "./languages.ts";
import { make } from "./make.ts";
import { network } from "./network.ts";
import { operationsOfField } from "./operation-table.ts";
import { indexOperations } from "./operations.ts";
import { otherLanguages } from "./other-languages.ts";
import { packages } from "./packages.ts";
import { paths } from "./paths.ts";
import { prefixes } from "./prefix.ts";
import { print } from "./print.ts";
import type { Field, Operation, Program, Trait } from "./program.ts";
import { remote } from "./remote.ts";
import { remoteCopy } from "./remote-copy.ts";
import { removal } from "./removal.ts";
import { search } from "./search.ts";
import { shells } from "./shells.ts";
import { system } from "./system.ts";
import { terminals } from "./terminals.ts";
import { textPrograms } from "./text.ts";
import { transfer } from "./transfer.ts";
import { windows } from "./windows.ts";
import { argumentLists } from "./xargs.ts";

/** The programs of most commands, looked at first: the other tables take long to make. They have no operations. */
const EVERYDAY: readonly Field[] = [print, paths, removal, transfer, files, textPrograms, search];

const OTHERS: readonly Field[] = [
  encoding,
  network,
  remoteCopy,
  remote,
  prefixes,
  environment,
  accounts,
  jobs,
  argumentLists,
  versionControl,
  make,
  terminals,
  containers,
  isolation,
  packages,
  archives,
  editors,
  windows,
  languages,
  otherLanguages,
  shells,
  databases,
  cloud,
  system,
  credentials,
];

interface Table {
  readonly programs: readonly Program[];
  readonly byName: ReadonlyMap<string, Program>;
  readonly patterns: readonly Program[];
  /** what they change is all in their effects */
  readonly told: ReadonlySet<Program>;
}

let everyday: Table | undefined;
let others: Table | undefined;
/** Operations of the fields that were needed so far. */
const operations = new Map<Field, ReadonlyMap<string, readonly Operation[]>>();

function makeTable(fields: readonly Field[]): Table {
  const byName = new Map<string, Program>();
  const patterns: Program[] = [];
  const programs: Program[] = [];
  const told = new Set<Program>();
  for (const field of fields) {
    const made = field.programs();
    const untold = field.toldExcept === undefined ? undefined : words(field.toldExcept);
    for (const program of made)
      if (untold !== undefined && !words(program.names).some(name => untold.includes(name)))
        told.add(program);
    programs.push(...made);
  }
  for (const program of programs) {
    for (const name of words(program.names)) byName.set(name, program);
    if (program.pattern !== undefined) patterns.push(program);
  }
  return { programs, byName, patterns, told };
}

export function everydayPrograms(): ReadonlyMap<string, Program> {
  everyday ??= makeTable(EVERYDAY);
  return everyday.byName;
}

function otherPrograms(): Table {
  others ??= makeTable(OTHERS);
  return others;
}

/** The record of a program, also by the name it has beside another of its kind. */
export function findProgram(name: string): Program | undefined {
  const known = everydayPrograms().get(name);
  if (known !== undefined) return known;
  const { byName, patterns } = otherPrograms();
  const other = byName.get(name) ?? patterns.find(program => program.pattern?.test(name) === true);
  if (other !== undefined || !name.startsWith("g")) return other;
  const plain = everydayPrograms().get(name.slice(1)) ?? byName.get(name.slice(1));
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
  return everyday?.told.has(program) === true || others?.told.has(program) === true;
}

/** The rows of each field that are about a program; everyday programs have none. */
export function operationRowsOf(name: string): readonly (readonly Operation[])[] {
  if (everydayPrograms().has(name)) return [];
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
  return [...everydayPrograms().keys(), ...otherPrograms().byName.keys()];
}

/** Every record, in the order in which they are looked at. */
export function allPrograms(): readonly Program[] {
  everydayPrograms();
  return [...(everyday?.programs ?? []), ...otherPrograms().programs];
}

export function allOperations(): readonly Operation[] {
  return OTHERS.flatMap(operationsOfField);
}
