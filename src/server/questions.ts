import { randomUUID } from "node:crypto";
import { block, diffText, html, line, type Markup, NOTHING } from "../dashboard/index.ts";
import { type Database, type Row, type RunSql, SCHEMA } from "../postgres/index.ts";
import { booleanAt, type JsonObject, stringAt, stringsAt } from "../protocol/index.ts";
import { QUESTION_LIMITS, type QuestionFacts, shownDigest } from "../ship/index.ts";
import { clip } from "../text/index.ts";
import { queueAlert } from "./alerts.ts";
import { HttpError, hashSecret } from "./http.ts";
import type { Machine } from "./machine.ts";
import { type Change, hiddenFields, isAtLeast, moment, noteChange, type PageVisitor } from "./own-page.ts";
import { readSettings } from "./settings.ts";
import { signStatement } from "./signing.ts";
import { ROLE } from "./tables.ts";

const TABLE = `${SCHEMA}.server_questions`;
const MAX_OPEN = 50;
/** After this long a question is asked anew, and an answer that nobody came for does not count any more. */
const LIFE = "24 hours";
const SHOWN = 100;
const MAX_DAYS = 366;
const DAY_MS = 24 * 3_600_000;

/**
 * A machine asks, again and again until it has an answer. An answer for once is told to one asking alone: that asking may
 * hear it twice, should the line break; no other does.
 */
export async function takeQuestion(database: Database, machine: Machine, body: JsonObject) {
  const [nonce, digest] = [stringAt(body, "nonce") ?? "", stringAt(body, "digest") ?? ""];
  if (!/^[A-Za-z0-9_-]{43}$/.test(nonce) || !/^[0-9a-f]{64}$/.test(digest))
    throw new HttpError(400, "nonce and digest are missing");
  const facts = readFacts(body);
  const shown = shownDigest(facts);
  // Asked by ship for a call that is over: an answer that is there waits for the next try of the call.
  const isSpooled = booleanAt(body, "isSpooled") === true;
  return database.ofTeam(ROLE, machine.team).transaction(async run => {
    // The same machine asks one after the other.
    await run(`SELECT FROM ${SCHEMA}.server_machines WHERE id = $1 FOR UPDATE`, [machine.id]);
    const [found] = await run(
      `SELECT id, answer, answered_by, until FROM ${TABLE}
       WHERE machine_id = $1 AND digest = $2 AND shown = $3 AND (
         answer = 'always' AND until > now()
         OR answer IS DISTINCT FROM 'always' AND asked > now() - interval '${LIFE}' AND (used IS NULL OR nonce = $4))
       ORDER BY answer = 'always' DESC NULLS LAST, asked DESC LIMIT 1`,
      [machine.id, digest, shown, hashSecret(nonce)],
    );
    if (found === undefined) return { state: "waiting", id: await add(run, machine, digest, shown, facts) };
    const { id, answer, answered_by: by, until } = found;
    if (answer === null || isSpooled) return { state: "waiting", id };
    if (answer === "once")
      await run(`UPDATE ${TABLE} SET used = coalesce(used, now()), nonce = $2 WHERE id = $1`, [
        String(id),
        hashSecret(nonce),
      ]);
    if (answer === "always")
      await noteChange(run, machine.team, String(by), "allowed by an earlier answer", facts.command);
    const statement = JSON.stringify({
      for: "amplihack question",
      nonce,
      digest,
      shown,
      answer: answer === "no" ? "no" : "yes",
      by,
      until: until instanceof Date ? until.toISOString() : null,
    });
    return { state: "answered", id, ...(await signStatement(run, statement)) };
  });
}

async function add(
  run: RunSql,
  { id: machineId, team, machine, person }: Machine,
  digest: string,
  shown: string,
  facts: QuestionFacts,
): Promise<string> {
  const [open] = await run(
    `SELECT count(*)::int AS count FROM ${TABLE}
     WHERE machine_id = $1 AND answer IS NULL AND asked > now() - interval '${LIFE}'`,
    [machineId],
  );
  if (Number(open?.["count"]) >= MAX_OPEN)
    throw new HttpError(429, "too many questions of this machine are open", { "retry-after": "60" });
  const id = randomUUID();
  await run(
    `INSERT INTO ${TABLE} (id, team, machine_id, machine, person, digest, shown, facts)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, team, machineId, machine, person, digest, shown, JSON.stringify(facts)],
  );
  await queueAlert(run, team, {
    event: "question",
    key: id,
    title: `${person} on ${machine} asks: ${clip(facts.command, 300)}`,
    rules: facts.rules,
    facts: { machine, person, ...facts },
    path: `/questions?team=${encodeURIComponent(team)}`,
  });
  return id;
}

/** Taken as it is or not at all: what is signed for is what the machine compares. */
function readFacts(body: JsonObject): QuestionFacts {
  const { command: longest, text: longer, diff: longestDiff, items } = QUESTION_LIMITS;
  const check = (value: string, length: number) => {
    if (value.length > length || value.includes("\0") || /\p{Surrogate}/u.test(value))
      throw new HttpError(400, "a text of the question cannot be shown whole");
    return value;
  };
  const text = (member: string) => check(stringAt(body, member) ?? "", longer);
  const texts = (member: string) => {
    const values = stringsAt(body, member);
    if (values.length > items) throw new HttpError(400, `${member} has too many entries`);
    return values.map(each => check(each, longer));
  };
  const command = check(stringAt(body, "command") ?? "", longest);
  if (command === "") throw new HttpError(400, "command is missing");
  return {
    command,
    cwd: text("cwd"),
    rules: texts("rules"),
    found: texts("found"),
    session: text("session"),
    host: text("host"),
    project: text("project"),
    diff: check(stringAt(body, "diff") ?? "", longestDiff),
  };
}

/** An approver answers, or takes an answer back that counts until a date. */
export async function answerQuestion({ database, team, person, form, nowMs }: Change): Promise<undefined> {
  const id = form.get("id") ?? "";
  const answer = ["once", "always", "no", "revoke"].find(each => each === form.get("answer"));
  if (answer === undefined) throw new HttpError(400, "answer is once, always, no or revoke");
  const until = answer === "always" ? readUntil(form.get("until") ?? "", nowMs) : null;
  await database.transaction(async run => {
    const [question] = await run(`SELECT person, facts, answer FROM ${TABLE} WHERE id = $1 FOR UPDATE`, [id]);
    if (question === undefined) throw new HttpError(404, "there is no such question");
    const { fourEyes } = await readSettings(run);
    if (fourEyes && answer !== "no" && answer !== "revoke" && question["person"] === person)
      throw new HttpError(403, "this is a question of your own session; in this team somebody else answers");
    const isRevoked = answer === "revoke";
    const rows = isRevoked
      ? await run(
          `UPDATE ${TABLE} SET until = now() WHERE id = $1 AND answer = 'always' AND until > now() RETURNING id`,
          [id],
        )
      : await run(
          `UPDATE ${TABLE} SET answer = $2, answered_by = $3, answered = now(), until = $4
           WHERE id = $1 AND answer IS NULL AND asked > now() - interval '${LIFE}' RETURNING id`,
          [id, answer, person, until],
        );
    if (rows.length === 0) throw new HttpError(409, "this question was answered already, or is too old");
    const { command } = question["facts"] as QuestionFacts;
    const word = isRevoked
      ? "took an answer back"
      : `answered ${answer === "always" ? `yes until ${until?.toISOString().slice(0, 10)}` : answer === "once" ? "yes, once" : "no"}`;
    await noteChange(run, team, person, word, `${String(question["person"])}: ${command}`);
  });
  return undefined;
}

/** The end of that day, in UTC. */
function readUntil(text: string, nowMs: number): Date {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T23:59:59Z`) : Number.NaN;
  if (!(ms > nowMs && ms < nowMs + MAX_DAYS * DAY_MS))
    throw new HttpError(400, "until must be a day within the next year, as YYYY-MM-DD");
  return new Date(ms);
}

export async function questionsView(visitor: PageVisitor, { run }: Database): Promise<Markup> {
  const open = await run(
    `SELECT * FROM ${TABLE} WHERE answer IS NULL AND asked > now() - interval '${LIFE}' ORDER BY asked DESC LIMIT ${SHOWN}`,
  );
  const standing = await run(
    `SELECT * FROM ${TABLE} WHERE answer = 'always' AND until > now() ORDER BY until LIMIT ${SHOWN}`,
  );
  const past = await run(
    `SELECT * FROM ${TABLE} WHERE answer IS NOT NULL ORDER BY answered DESC LIMIT ${SHOWN}`,
  );
  const { fourEyes } = await readSettings(run);
  const may = isAtLeast(visitor.role, "approver");
  const cards = open.map(row =>
    card(row, may && !(fourEyes && row["person"] === visitor.person) ? answerForm(visitor, row) : NOTHING),
  );
  const kept = standing.map(row => card(row, may ? revokeForm(visitor, row) : NOTHING));
  const answered = past.map(
    row =>
      html`<li>${moment(row["answered"])} <b>${line(String(row["answered_by"]), 60)}</b>: ${String(row["answer"])} <code>${line(questionFacts(row).command, 120)}</code></li>`,
  );
  return html`<h1>Questions</h1><p class="lead">Calls of agents whose session has nobody to ask.${fourEyes ? " Nobody answers for their own session here." : ""}</p>
${cards.length === 0 ? html`<p>Nothing waits for an answer.</p>` : cards}
${kept.length === 0 ? NOTHING : html`<h2>Allowed until a date</h2>${kept}`}
<section class="card"><h2>Answered</h2>${answered.length === 0 ? html`<p>None yet.</p>` : html`<ul>${answered}</ul>`}</section>`;
}

/** Those of questions that were asked before there were diffs have none. */
function questionFacts(row: Row): Omit<QuestionFacts, "diff"> & { readonly diff?: string } {
  return row["facts"] as QuestionFacts;
}

function card(row: Row, form: Markup): Markup {
  const { command, cwd, found, rules, host, project, diff = "" } = questionFacts(row);
  const reasons = found.length > 0 ? found : rules;
  return html`<section class="card"><pre class="command">${block(command, command.length)}</pre><p>in <code>${line(cwd, 200)}</code>${project === "" ? NOTHING : html`, project <b>${line(project, 100)}</b>`}</p>
<ul>${reasons.map(reason => html`<li>${line(reason)}</li>`)}</ul>${diff === "" ? NOTHING : html`<h3>What would become real</h3>${diffText(diff)}`}
<p class="soft">${line(String(row["person"]), 60)} on ${line(String(row["machine"]), 60)}${host === "" ? NOTHING : html`, ${line(host, 30)}`}, ${moment(row["asked"])} UTC</p>${form}</section>`;
}

function answerForm(visitor: PageVisitor, { id }: Row): Markup {
  const week = new Date(visitor.nowMs + 7 * DAY_MS).toISOString().slice(0, 10);
  return html`<form action="/questions" method="post" class="answer">${hiddenFields(visitor)}<input type="hidden" name="id" value="${String(id)}"><button type="submit" name="answer" value="once" class="primary">Yes, once</button> <button type="submit" name="answer" value="no">No</button> <label>Always here until <input type="date" name="until" value="${week}"></label> <button type="submit" name="answer" value="always">Allow until then</button></form>`;
}

function revokeForm(visitor: PageVisitor, { id, until }: Row): Markup {
  return html`<form action="/questions" method="post">${hiddenFields(visitor)}<input type="hidden" name="id" value="${String(id)}">until ${moment(until)} <button type="submit" name="answer" value="revoke">Take it back</button></form>`;
}
