import { html, line, type Markup, NOTHING, type Rendered, renderBare } from "../dashboard/index.ts";
import { type Database, type Row, SCHEMA } from "../postgres/index.ts";
import { HttpError } from "./http.ts";
import { isPersonName, type Login, makeLink } from "./people.ts";
import { ROLE, ROLES, type Role } from "./tables.ts";

const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Somebody follows a link: a program that only looks at it does not use it up. */
export function linkView(link: string | null): Rendered {
  const body =
    link !== null && SECRET.test(link)
      ? html`<p>This link lets you in once.</p><form action="/login" method="post"><input type="hidden" name="link" value="${link}"><button type="submit" class="primary">Come in</button></form>`
      : html`<p>You need a link to come in, and each counts once. Ask an administrator of your team for one; the owner of the server makes one with <code>amplihack serve link</code>.</p>`;
  return renderBare("Log in", body);
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

interface Visitor extends Login {
  readonly team: string;
  readonly role: Role;
  readonly nowMs: number;
}

const SHOWN = 1_000;
const DAY_MS = 24 * 3_600_000;

export function readMachines({ run }: Database): Promise<readonly Row[]> {
  return run(
    `SELECT id, machine, person, program, policy, autonomy, seen, since, revoked FROM ${SCHEMA}.server_machines
     ORDER BY revoked IS NOT NULL, seen NULLS FIRST, machine LIMIT ${SHOWN}`,
  );
}

/** Those that have been silent for longest first: what an admin can act on. */
export function machinesView(visitor: Visitor, machines: readonly Row[]): Markup {
  const counted = new Map<string, number>();
  for (const { policy, revoked } of machines)
    if (revoked === null) counted.set(String(policy), (counted.get(String(policy)) ?? 0) + 1);
  const [usual = ""] = [...counted].sort(([, one], [, other]) => other - one)[0] ?? [];
  const rows = machines.map(row => {
    const { machine, person, program, policy, autonomy, seen, revoked } = row;
    const isSilent = revoked === null && (seen === null || visitor.nowMs - (seen as Date).getTime() > DAY_MS);
    const isOther = revoked === null && policy !== usual && policy !== "";
    const state = revoked !== null ? "revoked" : isSilent ? "silent" : "";
    return html`<tr><th scope="row">${line(String(machine), 60)}</th><td>${line(String(person), 60)}</td><td>${line(String(program), 20)}</td><td>${line(String(policy).slice(0, 12))}${isOther ? html` <b>differs</b>` : NOTHING}</td><td>${line(String(autonomy), 20)}</td><td>${seen === null ? "never" : (seen as Date).toISOString().slice(0, 16).replace("T", " ")} ${state === "" ? NOTHING : html`<b>${state}</b>`}</td><td>${revoked === null ? revokeForm(visitor, row) : NOTHING}</td></tr>`;
  });
  const limit = machines.length < SHOWN ? NOTHING : html`<p class="soft">The first ${SHOWN} are shown.</p>`;
  return html`<h1>Machines</h1><p class="lead">A new one joins with <code>amplihack join</code> and the address of this server.</p>
<div class="scroll" tabindex="0" role="region" aria-label="Machines"><table><thead><tr>${["Machine", "Person", "Program", "Policy", "Autonomy", "Last seen (UTC)", ""].map(title => html`<th scope="col">${title}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>${limit}`;
}

function revokeForm({ csrf, team, role }: Visitor, { id }: Row): Markup {
  if (ROLES.indexOf(role) < ROLES.indexOf("admin")) return NOTHING;
  return html`<form action="/machines" method="post"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="team" value="${team}"><input type="hidden" name="id" value="${String(id)}"><button type="submit">Revoke</button></form>`;
}

export interface PeopleFacts {
  readonly people: readonly Row[];
  readonly log: readonly Row[];
}

export async function readPeople({ run }: Database): Promise<PeopleFacts> {
  return {
    people: await run(
      `SELECT person, role, since FROM ${SCHEMA}.server_people ORDER BY person LIMIT ${SHOWN}`,
    ),
    log: await run(`SELECT at, who, what, about FROM ${SCHEMA}.server_log ORDER BY number DESC LIMIT 100`),
  };
}

export function peopleView(visitor: Visitor, { people, log }: PeopleFacts, link: string | undefined): Markup {
  const isAdmin = ROLES.indexOf(visitor.role) >= ROLES.indexOf("admin");
  const rows = people.map(
    ({ person, role, since }) =>
      html`<tr><th scope="row">${line(String(person), 60)}</th><td>${String(role)}</td><td>${(since as Date).toISOString().slice(0, 10)}</td></tr>`,
  );
  const roles = ROLES.filter(role => ROLES.indexOf(role) <= ROLES.indexOf(visitor.role)).map(
    role => html`<option>${role}</option>`,
  );
  const hidden = html`<input type="hidden" name="csrf" value="${visitor.csrf}"><input type="hidden" name="team" value="${visitor.team}">`;
  const forms = isAdmin
    ? html`<section class="card"><h2>Let somebody in</h2><form action="/people" method="post">${hidden}<label>Name or address <input name="person" maxlength="60" required></label> <label>Role <select name="role">${roles}</select></label> <button type="submit" name="do" value="invite">Make a link</button> <button type="submit" name="do" value="remove">Remove</button></form></section>`
    : NOTHING;
  const made =
    link === undefined
      ? NOTHING
      : html`<p class="notice">Give this link to that person alone. It counts once, within two days: <code>${link}</code></p>`;
  const events = log.map(
    ({ at, who, what, about }) =>
      html`<li>${(at as Date).toISOString().slice(0, 16).replace("T", " ")} <b>${line(String(who), 60)}</b> ${line(String(what), 80)}: ${line(String(about), 80)}</li>`,
  );
  return html`<h1>People</h1>${made}<div class="scroll" tabindex="0" role="region" aria-label="People"><table><thead><tr><th scope="col">Person</th><th scope="col">Role</th><th scope="col">Since</th></tr></thead><tbody>${rows}</tbody></table></div>${forms}
<section class="card"><h2>What was changed</h2><ul>${events}</ul></section>`;
}

/** Nobody gives or takes more than they are; a team keeps its last owner. Answers the secret of a link that was made. */
export async function changePeople(
  database: Database,
  team: string,
  by: { readonly person: string; readonly role: Role },
  form: URLSearchParams,
): Promise<string | undefined> {
  const person = (form.get("person") ?? "").trim();
  if (!isPersonName(person)) throw new HttpError(400, "a person is named by letters, digits and . _ @ + -");
  const scoped = database.ofTeam(ROLE, team);
  const [known] = await scoped.run(`SELECT role FROM ${SCHEMA}.server_people WHERE person = $1`, [person]);
  const isAbove = (role: unknown) => ROLES.indexOf(role as Role) > ROLES.indexOf(by.role);
  if (known !== undefined && isAbove(known["role"]))
    throw new HttpError(403, "this person is more than you are in the team");
  const action = form.get("do");
  const note = (what: string, about: string) =>
    scoped.run(`INSERT INTO ${SCHEMA}.server_log (team, who, what, about) VALUES ($1, $2, $3, $4)`, [
      team,
      by.person,
      what,
      about,
    ]);
  if (action === "remove") {
    await scoped.transaction(async run => {
      await run(`SELECT FROM ${SCHEMA}.teams FOR NO KEY UPDATE`);
      const gone = await run(
        `DELETE FROM ${SCHEMA}.server_people p WHERE person = $1 AND (role <> 'owner' OR EXISTS (
           SELECT FROM ${SCHEMA}.server_people o WHERE o.role = 'owner' AND o.person <> p.person
         )) RETURNING person`,
        [person],
      );
      if (gone.length === 0) throw new HttpError(409, "this person is not in the team, or is its only owner");
      await run(
        `UPDATE ${SCHEMA}.server_machines SET revoked = now() WHERE person = $1 AND revoked IS NULL`,
        [person],
      );
    });
    await note("removed a person and the keys of their machines", person);
    return undefined;
  }
  const role = ROLES.find(each => each === form.get("role"));
  if (action !== "invite" || role === undefined) throw new HttpError(400, "this is not known here");
  if (isAbove(role)) throw new HttpError(403, "nobody gives more than they have");
  const link = await makeLink(database, { team, person, role });
  await note("made a link", `${person}, ${role}`);
  return link;
}
