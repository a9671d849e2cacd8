import { html, type Markup, NOTHING } from "../dashboard/index.ts";
import { type Database, type RunSql, SCHEMA } from "../postgres/index.ts";
import { clip } from "../text/index.ts";
import type { Login } from "./people.ts";
import { ROLES, type Role } from "./tables.ts";

/** Who looks at a page of one team. */
export interface PageVisitor extends Login {
  readonly team: string;
  readonly role: Role;
  readonly nowMs: number;
}

/** A form of such a page, from somebody who may send it. */
export interface Change {
  /** shows rows of the team alone */
  readonly database: Database;
  readonly team: string;
  readonly login: Login;
  readonly person: string;
  readonly role: Role;
  readonly form: URLSearchParams;
  readonly nowMs: number;
}

export function isAtLeast(role: Role, least: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(least);
}

export function hiddenFields({ csrf, team }: PageVisitor): Markup {
  return html`<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="team" value="${team}">`;
}

/** A table whose rows stand below each other on a phone, each cell with its title. The first cell names its row. */
export function namesTable(
  label: string,
  titles: readonly string[],
  rows: readonly (readonly Markup[])[],
): Markup {
  const row = ([name, ...cells]: readonly Markup[]) =>
    html`<tr><th scope="row">${name ?? NOTHING}</th>${cells.map((cell, index) => html`<td data-title="${titles[index + 1] ?? ""}">${cell}</td>`)}</tr>`;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="names stacks"><thead><tr>${titles.map(title => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>${rows.map(row)}</tbody></table></div>`;
}

/** `2026-01-02 03:04`, in UTC */
export function moment(at: unknown): string {
  return at instanceof Date ? at.toISOString().slice(0, 16).replace("T", " ") : "never";
}

/** Everything that people change is told on the page People, and cannot be changed there. */
export async function noteChange(
  run: RunSql,
  team: string,
  who: string,
  what: string,
  about: string,
): Promise<void> {
  await run(`INSERT INTO ${SCHEMA}.server_log (team, who, what, about) VALUES ($1, $2, $3, $4)`, [
    team,
    who,
    what,
    clip(about, 500),
  ]);
}
