import type { IncomingMessage } from "node:http";
import { isEqual } from "../dashboard/index.ts";
import { type Database, type RunSql, SCHEMA } from "../postgres/index.ts";
import { HttpError, hashSecret, LOGIN_COOKIE, newSecret, readCookie } from "./http.ts";
import { ROLE, ROLES, type Role } from "./tables.ts";

/** Somebody who logged in, with what they are in each of their teams. */
export interface Login {
  readonly person: string;
  readonly csrf: string;
  readonly teams: ReadonlyMap<string, Role>;
  /** the teams that this login opens, whatever else somebody of that name is in; null for all */
  readonly opens: readonly string[] | null;
}

/** How somebody came in: by the link of a team, by a passkey, or by a provider, which knows people in all teams. */
export interface WayIn {
  readonly person: string;
  readonly team?: string;
  readonly passkey?: string;
}

export const LOGIN_SECONDS = 12 * 3600;
const LINK_DAYS = 2;
/** A person is a `name` of PostgreSQL in records. */
const PERSON = /^[\p{L}\p{N}][\p{L}\p{N}._@+-]{0,59}$/u;

export function isPersonName(text: string): boolean {
  return PERSON.test(text) && Buffer.byteLength(text) <= 63;
}

/** Undefined for somebody who is not logged in. */
export async function findLogin({ run }: Database, request: IncomingMessage): Promise<Login | undefined> {
  const secret = readCookie(request, LOGIN_COOKIE);
  const [row] =
    secret === undefined
      ? []
      : await run(`SELECT * FROM ${SCHEMA}.server_find_login($1)`, [hashSecret(secret)]);
  if (row === undefined) return undefined;
  return {
    person: String(row["person"]),
    csrf: String(row["csrf"]),
    teams: new Map(Object.entries(row["roles"] as Record<string, Role>)),
    opens: row["teams"] as readonly string[] | null,
  };
}

/** A new secret at every login: one that somebody put into the browser before counts for nothing. */
export async function logIn(
  { run }: Database,
  { person, team, passkey }: WayIn,
  request: IncomingMessage,
): Promise<string> {
  const secret = newSecret();
  await run(`SELECT ${SCHEMA}.server_come_in($1, $2, $3, $4, $5, $6, $7)`, [
    person,
    team ?? null,
    passkey ?? null,
    hashSecret(secret),
    newSecret(),
    hashSecret(readCookie(request, LOGIN_COOKIE) ?? ""),
    LOGIN_SECONDS,
  ]);
  return secret;
}

export async function logOut({ run }: Database, request: IncomingMessage): Promise<void> {
  await run(`SELECT ${SCHEMA}.server_log_out($1)`, [hashSecret(readCookie(request, LOGIN_COOKIE) ?? "")]);
}

/** Uses up a one-time link. Undefined for one that is unknown, was used, or is too old. */
export async function useLink({ run }: Database, secret: string): Promise<WayIn | undefined> {
  const [row] = await run(`SELECT * FROM ${SCHEMA}.server_use_link($1)`, [hashSecret(secret)]);
  return row === undefined ? undefined : { person: String(row["person"]), team: String(row["team"]) };
}

/** The secret of a link that lets one person in, once. It counts as long as the person who made it may make it. */
export async function makeLink(
  database: Database,
  { team, person, role, by }: { team: string; person: string; role: Role; by?: string },
): Promise<string> {
  const secret = newSecret();
  const { run } = database.ofTeam(ROLE, team);
  await dropLinks(run, person);
  await run(
    `INSERT INTO ${SCHEMA}.server_links (hash, team, person, role, made_by, expires)
     VALUES ($1, $2, $3, $4, $5, now() + interval '${LINK_DAYS} days')`,
    [hashSecret(secret), team, person, role, by ?? null],
  );
  return secret;
}

/** Takes back what was made for a person of the team and was not used. */
export async function dropLinks(run: RunSql, person: string): Promise<boolean> {
  const [row] = await run(`SELECT ${SCHEMA}.server_drop_links($1) AS dropped`, [person]);
  return row?.["dropped"] === true;
}

/** Throws 403 for somebody who is less than that in the team, or not in it. */
export function requireRole({ teams }: Login, team: string, least: Role): Role {
  const role = teams.get(team);
  if (role === undefined || ROLES.indexOf(role) < ROLES.indexOf(least))
    throw new HttpError(403, `only an ${least} of the team may do this`);
  return role;
}

/**
 * What changes something comes from a page of ours: with the secret of the login, which another site does not know, and
 * from our own address, which every browser tells.
 */
export function requireOwnPage(
  request: IncomingMessage,
  form: URLSearchParams,
  login: Login,
  url: string,
): void {
  requireOwnOrigin(request, url);
  if (!isEqual(form.get("csrf") ?? "", login.csrf))
    throw new HttpError(403, "this page is too old; load it again");
}

export function requireOwnOrigin({ headers }: IncomingMessage, url: string): void {
  const site = headers["sec-fetch-site"];
  const isOurs = headers.origin === new URL(url).origin;
  // Our pages tell nobody where they are, so that browsers send the origin "null" with their forms. What they say beside it
  // no page can set.
  const isHidden = headers.origin === "null" && site === "same-origin";
  if (!(isOurs || isHidden) || (site !== undefined && site !== "same-origin"))
    throw new HttpError(403, "requests of other sites are not answered");
}
