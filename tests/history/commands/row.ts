import type { ProjectKind } from "./projects.ts";
import { bash, type PayloadName, type ToolCall } from "./tool-calls.ts";

/**
 * What the guard says: `passes` because the history kept what would be lost, `asks` (or refuses) because it cannot be
 * kept or no history helps, `either` where the contract leaves it open.
 */
export type Expected = "passes" | "asks" | "either";

/** One call that loses something. */
export interface Row {
  readonly title: string;
  readonly call: ToolCall;
  readonly expected: Expected;
  /** directory of the session, relative to the project */
  readonly in?: string;
  /** of the section `history` */
  readonly settings?: object;
  readonly changesTimesOnly?: boolean;
}

export type RowOptions = Partial<Omit<Row, "title" | "call">> & { readonly as?: PayloadName };

/** Rows by the kind of project they run in; a text is a command that passes. */
export type Table = { readonly [kind in ProjectKind]?: readonly (string | Row)[] };

export function shell(command: string, { as = "claude bash", ...options }: RowOptions = {}): Row {
  return { title: command, call: bash(command, as), expected: "passes", ...options };
}

export function asks(command: string, options: RowOptions = {}): Row {
  return shell(command, { ...options, expected: "asks" });
}

/** A call of a file tool. */
export function tool(as: PayloadName, input: ToolCall["input"], name?: string): Row {
  const call: ToolCall = { as, input, ...(name === undefined ? {} : { tool: name }) };
  return { title: `${as} ${name ?? ""} ${JSON.stringify(input)}`, call, expected: "passes" };
}

export interface PlacedRow extends Row {
  readonly kind: ProjectKind;
}

/** The rows of a table in its order, each with its kind of project. */
export function rowsOf(table: Table): readonly PlacedRow[] {
  return Object.entries(table).flatMap(([kind, rows]) =>
    rows.map(row => ({ ...(typeof row === "string" ? shell(row) : row), kind: kind as ProjectKind })),
  );
}
