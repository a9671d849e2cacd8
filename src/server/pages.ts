import { html, line, type Markup, NOTHING, type Rendered, renderBare } from "../dashboard/index.ts";
import { type Database, type Row, SCHEMA } from "../postgres/index.ts";
import { HttpError } from "./http.ts";
import {
  type Change,
  hiddenFields,
  isAtLeast,
  moment,
  namesTable,
  noteChange,
  type PageVisitor,
} from "./own-page.ts";
import { passkeysView } from "./passkeys.ts";
import { dropLinks, isPersonName, type Login, makeLink } from "./people.ts";
import { policyStates } from "./policies.ts";
import { readSettings } from "./settings.ts";
import { ROLES, type Role } from "./tables.ts";

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Somebody follows a link: a program that only looks at it does not use it up. */
export function linkView(link: string | null, target?: string): Rendered {
  const body =
    link !== null && SECRET.test(link)
      ? html`<p>This link lets you in once.</p><form action="/login" method="post"><input type="hidden" name="link" value="${link}"><button type="submit" class="primary">Come in</button></form>`
      : html`<form action="/login/passkey" method="post" data-passkey="use" class="answer"><input type="hidden" name="answer"><button type="submit" class="${target === undefined ? "primary" : ""}">Log in with a passkey</button> <output></output></form><p>The first time you need a link to come in, and each counts once. Ask an administrator of your team for one; the owner of the server makes one with <code>amplihack serve link</code>.</p>`;
  const provider =
    target === undefined
      ? NOTHING
      : html`<p><a class="button primary" href="/login/provider?${new URLSearchParams({ to: target }).toString()}">Log in with your organisation</a></p>`;
  return renderBare("Log in", html`${provider}${body}`);
}

export function joinView(login: Login, code: string | undefined, machine: string | undefined): Rendered {
  const teams = [...login.teams].filter(([, role]) => role !== "viewer").map(([team]) => team);
  if (code === undefined || machine === undefined)
    return renderBare(
      "Let a machine join",
      html`${code === undefined ? NOTHING : html`<p class="notice">There is no such code, or it is too old.</p>`}<form action="/join" method="get"><label>The code on its screen <input name="code" autocomplete="off" maxlength="20"></label> <button type="submit">Go on</button></form>`,
    );
  if (teams.length === 0)
    return renderBare("Let a machine join", html`<p>You may look, and let no machine join.</p>`);
  const choices = teams.map(team => html`<option value="${team}">${line(team)}</option>`);
  return renderBare(
    "Let a machine join",
    html`<p>A machine that calls itself <b>${line(machine, 100)}</b> shows the code <b>${code.slice(0, 4)}-${code.slice(4)}</b>. Say yes only if that is what you see on your own screen: what it ships then counts as yours.</p>
<form action="/join" method="post"><input type="hidden" name="csrf" value="${login.csrf}"><input type="hidden" name="code" value="${code}"><label>Team <select name="team">${choices}</select></label>
<button type="submit" name="answer" value="yes" class="primary">Yes, it is mine</button> <button type="submit" name="answer" value="no">No</button></form>`,
  );
}

const SHOWN = 1_000;
const HOUR_MS = 3_600_000;

/** What an admin can act on first: silent ones, and those without the policy that they should have. */
export async function machinesView(visitor: PageVisitor, database: Database): Promise<Markup> {
  const machines = await database.run(
    `SELECT id, machine, person, program, policy, server_policy, autonomy, hosts, seen, since, revoked
     FROM ${SCHEMA}.server_machines ORDER BY revoked IS NOT NULL, seen NULLS FIRST, machine LIMIT ${SHOWN}`,
  );
  const { silentHours } = await readSettings(database.run);
  const policies = await policyStates(database, machines);
  const usualPolicy = mostFrequent(machines, "policy");
  const usualProgram = mostFrequent(machines, "program");
  const rows = machines.map(row => {
    const { id, machine, person, program, policy, autonomy, hosts, seen, revoked } = row;
    const isActive = revoked === null;
    const isSilent = seen === null || visitor.nowMs - (seen as Date).getTime() > silentHours * HOUR_MS;
    const state = policies.get(String(id));
    const mark = (isMarked: boolean, word: string) =>
      isActive && isMarked ? html` <b>${word}</b>` : NOTHING;
    const differs = (value: unknown, usual: string) => mark(value !== usual && value !== "", "differs");
    const names = hosts as readonly string[];
    return [
      html`${line(String(machine), 60)}`,
      html`${line(String(person), 60)}`,
      html`${line(String(program), 20)}${differs(program, usualProgram)}`,
      html`${state?.has === "" ? NOTHING : html`${state?.has} `}${line(String(policy).slice(0, 12))}${mark(state?.isBehind === true, "behind")}${differs(policy, usualPolicy)}`,
      html`${line(names.join(", "), 100)}${mark(names.length === 0, "none")}`,
      html`${line(String(autonomy), 20)}`,
      html`${moment(seen)}${isActive ? mark(isSilent, "silent") : html` <b>revoked</b>`}`,
      isActive ? revokeForm(visitor, row) : NOTHING,
    ];
  });
  const titles = ["Machine", "Person", "Program", "Policy", "Hosts", "Autonomy", "Last seen (UTC)", ""];
  const limit = machines.length < SHOWN ? NOTHING : html`<p class="soft">The first ${SHOWN} are shown.</p>`;
  return html`<h1>Machines</h1><p class="lead">A new one joins with <code>amplihack join</code> and the address of this server.</p>
${namesTable("Machines", titles, rows)}${limit}`;
}

function mostFrequent(machines: readonly Row[], column: string): string {
  const counted = new Map<string, number>();
  for (const row of machines)
    if (row["revoked"] === null)
      counted.set(String(row[column]), (counted.get(String(row[column])) ?? 0) + 1);
  return [...counted].sort(([, one], [, other]) => other - one)[0]?.[0] ?? "";
}

function revokeForm(visitor: PageVisitor, { id }: Row): Markup {
  if (!isAtLeast(visitor.role, "admin")) return NOTHING;
  return html`<form action="/machines" method="post">${hiddenFields(visitor)}<input type="hidden" name="id" value="${String(id)}"><button type="submit">Revoke</button></form>`;
}

export async function revokeMachine({ database, team, person, form }: Change): Promise<undefined> {
  await database.transaction(async run => {
    const [row] = await run(
      `UPDATE ${SCHEMA}.server_machines SET revoked = now() WHERE id = $1 AND revoked IS NULL RETURNING machine`,
      [(form.get("id") ?? "").replace(/[^0-9a-f-]/g, "")],
    );
    if (row === undefined) throw new HttpError(404, "there is no such machine");
    await noteChange(run, team, person, "revoked the key of a machine", String(row["machine"]));
  });
  return undefined;
}

export async function peopleView(visitor: PageVisitor, database: Database): Promise<Markup> {
  const { run } = database;
  const people = await run(
    `SELECT person, role, since FROM ${SCHEMA}.server_people ORDER BY person LIMIT ${SHOWN}`,
  );
  const log = await run(
    `SELECT at, who, what, about FROM ${SCHEMA}.server_log ORDER BY number DESC LIMIT 100`,
  );
  const isAdmin = isAtLeast(visitor.role, "admin");
  const rows = people.map(({ person, role, since }) => [
    html`${line(String(person), 60)}`,
    html`${String(role)}`,
    html`${(since as Date).toISOString().slice(0, 10)}`,
  ]);
  const roles = ROLES.filter(role => ROLES.indexOf(role) <= ROLES.indexOf(visitor.role)).map(
    role => html`<option>${role}</option>`,
  );
  const forms = isAdmin
    ? html`<section class="card"><h2>Let somebody in</h2><form action="/people" method="post">${hiddenFields(visitor)}<label>Name or address <input name="person" maxlength="60" required></label> <label>Role <select name="role">${roles}</select></label> <button type="submit" name="do" value="invite">Make a link</button> <button type="submit" name="do" value="add">Add without a link</button> <button type="submit" name="do" value="remove">Remove</button></form></section>`
    : NOTHING;
  const events = log.map(
    ({ at, who, what, about }) =>
      html`<li>${moment(at)} <b>${line(String(who), 60)}</b> ${line(String(what), 80)}: ${line(String(about), 80)}</li>`,
  );
  return html`<h1>People</h1>${namesTable("People", ["Person", "Role", "Since"], rows)}${forms}${await passkeysView(visitor, database)}
<section class="card"><h2>What was changed</h2><ul>${events}</ul></section>`;
}

/** Nobody gives or takes more than they are; a team keeps its last owner. Answers a link that was made. */
export async function changePeople(
  { database: scoped, team, person: by, role: own, form }: Change,
  url: string,
): Promise<string | undefined> {
  const person = (form.get("person") ?? "").trim();
  if (!isPersonName(person)) throw new HttpError(400, "a person is named by letters, digits and . _ @ + -");
  const [known] = await scoped.run(`SELECT role FROM ${SCHEMA}.server_people WHERE person = $1`, [person]);
  const isAbove = (role: unknown) => !isAtLeast(own, role as Role);
  if (known !== undefined && isAbove(known["role"]))
    throw new HttpError(403, "this person is more than you are in the team");
  const action = form.get("do");
  const note = (what: string, about: string) => noteChange(scoped.run, team, by, what, about);
  if (action === "remove") {
    await scoped.transaction(async run => {
      await run(`SELECT FROM ${SCHEMA}.teams FOR NO KEY UPDATE`);
      const gone = await run(
        `DELETE FROM ${SCHEMA}.server_people p WHERE person = $1 AND (role <> 'owner' OR EXISTS (
           SELECT FROM ${SCHEMA}.server_people o WHERE o.role = 'owner' AND o.person <> p.person
         )) RETURNING person`,
        [person],
      );
      const hadLink = await dropLinks(run, person);
      if (gone.length === 0 && !hadLink)
        throw new HttpError(409, "this person is not in the team, or is its only owner");
    });
    await note("removed a person and the keys of their machines", person);
    return undefined;
  }
  const role = ROLES.find(each => each === form.get("role"));
  if ((action !== "invite" && action !== "add") || role === undefined)
    throw new HttpError(400, "this is not known here");
  if (isAbove(role)) throw new HttpError(403, "nobody gives more than they have");
  // Whoever logs in with a provider needs no link.
  if (action === "add") {
    await dropLinks(scoped.run, person);
    const [added] = await scoped.run(
      `INSERT INTO ${SCHEMA}.server_people (team, person, role) VALUES ($1, $2, $3)
       ON CONFLICT (team, person) DO UPDATE SET role = $3, by_claims = false RETURNING person`,
      [team, person, role],
    );
    if (added === undefined) throw new HttpError(409, "this person is the only owner of the team");
    await note("added a person", `${person}, ${role}`);
    return undefined;
  }
  const link = await makeLink(scoped, { team, person, role, by });
  await note("made a link", `${person}, ${role}`);
  return `Give this link to that person alone. It counts once, within two days: ${url}/login?link=${link}`;
}
