import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { readPolicySettings } from "../config/index.ts";
import { block, html, line, type Markup, NOTHING } from "../dashboard/index.ts";
import { unifiedDiff } from "../install/index.ts";
import { type Database, type Row, type RunSql, SCHEMA } from "../postgres/index.ts";
import { errorText, type JsonObject, stringAt } from "../protocol/index.ts";
import { createMemorySystem } from "../system/memory.ts";
import { clip } from "../text/index.ts";
import { loadPolicyCases, type PolicyResult } from "../verify/index.ts";
import { queueAlert } from "./alerts.ts";
import { HttpError } from "./http.ts";
import type { Machine } from "./machine.ts";
import { type Change, hiddenFields, isAtLeast, moment, noteChange, type PageVisitor } from "./own-page.ts";
import { signStatement } from "./signing.ts";
import { ROLE } from "./tables.ts";

const TABLE = `${SCHEMA}.server_policies`;
const MAX_REASON = 1_000;
/** Of a policy, and of its cases: whoever looks at the page has all versions compared. */
const MAX_TEXT = 60_000;
const MAX_CASES = 500;
const MAX_FAILED = 20;
/** As they are judged: in YAML one long command can stand for hundreds. */
const MAX_CASE_CHARACTERS = 512 * 1024;
const SHOWN = 50;

/** A version that machines of ours may have, and what they are sent of it. */
interface Offered {
  readonly version: number;
  readonly share: number;
  readonly sha256: string;
}

/** Which version a machine gets: the newest whose share it is in. The same machine is not always among the first. */
export function policyFor(machineId: string, newestFirst: readonly Offered[]): Offered | undefined {
  return newestFirst.find(({ version, share }) => {
    const digest = createHash("sha256").update(`${machineId} ${version}`).digest();
    return digest.readUInt32BE(0) % 100 < share;
  });
}

async function offeredVersions(run: RunSql): Promise<readonly Offered[]> {
  const rows = await run(`SELECT version, share, sha256 FROM ${TABLE} WHERE share > 0 ORDER BY version DESC`);
  return rows.map(({ version, share, sha256 }) => ({
    version: Number(version),
    share: Number(share),
    sha256: String(sha256),
  }));
}

/** The digests of what machines are to have. */
export async function wantedPolicies(
  run: RunSql,
  machineIds: readonly string[],
): Promise<readonly (string | undefined)[]> {
  const offered = await offeredVersions(run);
  return machineIds.map(id => policyFor(id, offered)?.sha256);
}

/** The policy of a machine, with its text where that is not what it has. */
export async function takePolicy(database: Database, machine: Machine, body: JsonObject) {
  const { run } = database.ofTeam(ROLE, machine.team);
  const wanted = policyFor(machine.id, await offeredVersions(run));
  if (wanted === undefined) return { policy: null };
  const [row] = await run(`SELECT text, statement, signature FROM ${TABLE} WHERE version = $1`, [
    wanted.version,
  ]);
  const { text, ...signed } = row ?? {};
  const isThere = stringAt(body, "sha256") === wanted.sha256;
  return { policy: { version: wanted.version, ...signed, ...(isThere ? {} : { text }) } };
}

/** Writes a new version, which no machine gets yet; or says how many get one. */
export async function changePolicy(change: Change): Promise<string | undefined> {
  return change.form.get("do") === "propose" ? proposePolicy(change) : rollOut(change);
}

async function proposePolicy({ database, team, person, form }: Change): Promise<string> {
  const text = (form.get("text") ?? "").replaceAll("\r\n", "\n");
  const cases = (form.get("cases") ?? "").replaceAll("\r\n", "\n");
  const reason = (form.get("reason") ?? "").trim().slice(0, MAX_REASON);
  if (reason === "") throw new HttpError(400, "say why: a policy needs a reason");
  if (text.length > MAX_TEXT || cases.length > MAX_TEXT)
    throw new HttpError(413, `a policy and its cases have at most ${MAX_TEXT} characters each`);
  const passed = await testPolicy(text, cases);
  const sha256 = createHash("sha256").update(text).digest("hex");
  const version = await database.transaction(async run => {
    await run(`SELECT FROM ${SCHEMA}.teams WHERE team = $1 FOR NO KEY UPDATE`, [team]);
    const [last] = await run(`SELECT coalesce(max(version), 0)::int AS version FROM ${TABLE}`);
    const next = Number(last?.["version"]) + 1;
    const statement = JSON.stringify({ for: "amplihack policy", team, version: next, sha256 });
    const { signature } = await signStatement(run, statement);
    await run(
      `INSERT INTO ${TABLE} (team, version, author, reason, text, cases, sha256, statement, signature)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [team, next, person, reason, text, cases, sha256, statement, signature],
    );
    await noteChange(run, team, person, `wrote version ${next} of the policy`, reason);
    return next;
  });
  return `Version ${version} is written${passed === 0 ? "" : `, and ${passed} cases hold`}. No machine gets it yet.`;
}

/** How many cases hold. Throws where one does not, or the policy could not be read by machines. */
async function testPolicy(text: string, cases: string): Promise<number> {
  const { settings, problems } = readPolicySettings(text);
  if (settings === undefined || problems.length > 0)
    throw new HttpError(
      422,
      `no machine would take this policy: ${problems.slice(0, MAX_FAILED).join("; ")}`,
    );
  if (cases.trim() === "") return 0;
  const { readPolicyCases, runPolicyCases } = await loadPolicyCases();
  try {
    const read = readPolicyCases(cases, "the cases");
    if (read.length > MAX_CASES) throw new HttpError(422, `at most ${MAX_CASES} cases`);
    if (read.reduce((sum, one) => sum + JSON.stringify(one).length, 0) > MAX_CASE_CHARACTERS)
      throw new HttpError(422, "the cases are too long to be tested");
    // Nothing of the server's own machine is looked at.
    const scene = { files: {}, branch: undefined, hasRemote: false };
    const onScenes = read.map(each => ({ ...each, scene: each.scene ?? scene }));
    const system = createMemorySystem();
    const here = { cwd: "/", home: "/root", system, settings };
    const results: PolicyResult[] = [];
    for (const one of onScenes) {
      results.push(...runPolicyCases([one], here));
      // Others are answered between two of them.
      await setImmediate();
    }
    const failed = results.filter(({ problem }) => problem !== undefined);
    if (failed.length === 0) return results.length;
    const told = failed.slice(0, MAX_FAILED).map(({ name, problem }) => `${clip(name, 100)}: ${problem}`);
    throw new HttpError(422, `${failed.length} of ${results.length} cases do not hold: ${told.join("; ")}`);
  } catch (error) {
    if (error instanceof HttpError) throw error;
    throw new HttpError(422, errorText(error));
  }
}

async function rollOut({ database, team, person, form }: Change): Promise<undefined> {
  const [version, share] = [Number(form.get("version")), Number(form.get("share") ?? "")];
  if (!Number.isInteger(version) || !Number.isInteger(share) || share < 0 || share > 100)
    throw new HttpError(400, "expected a version, and a share of 0 to 100");
  await database.transaction(async run => {
    const [row] = await run(`SELECT text, cases FROM ${TABLE} WHERE version = $1 FOR UPDATE`, [version]);
    if (row === undefined) throw new HttpError(404, "there is no such version");
    // A newer program may judge otherwise than the one that it was written with.
    if (share > 0) await testPolicy(String(row["text"]), String(row["cases"]));
    await run(`UPDATE ${TABLE} SET share = $2 WHERE version = $1`, [version, share]);
    await noteChange(
      run,
      team,
      person,
      `rolled out version ${version} of the policy`,
      `to ${share} % of the machines`,
    );
  });
  return undefined;
}

/** Machines that were seen after a version was rolled out to them and still have another one. */
export async function alertDrift(database: Database, team: string): Promise<void> {
  await database.transaction(async run => {
    const offered = await offeredVersions(run);
    if (offered.length === 0) return;
    const machines = await run(
      `SELECT id, machine, person, server_policy, seen FROM ${SCHEMA}.server_machines
       WHERE revoked IS NULL AND seen > now() - interval '1 day'`,
    );
    for (const { id, machine, person, server_policy: has, seen } of machines) {
      const wanted = policyFor(String(id), offered);
      if (wanted === undefined || has === wanted.sha256 || has === "") continue;
      await queueAlert(run, team, {
        event: "drift",
        key: `${String(id)} ${wanted.version} ${moment(seen).slice(0, 10)}`,
        title: `${String(person)} on ${String(machine)} has not taken version ${wanted.version} of the policy`,
        rules: [],
        facts: { machine, person, version: wanted.version },
        path: `/machines?team=${encodeURIComponent(team)}`,
      });
    }
  });
}

/** Of each machine which version it has, and which it should have. */
export async function policyStates(
  { run }: Database,
  machines: readonly Row[],
): Promise<ReadonlyMap<string, { readonly has: string; readonly isBehind: boolean }>> {
  const rows = await run(`SELECT version, sha256, share FROM ${TABLE} ORDER BY version DESC`);
  const offered = await offeredVersions(run);
  return new Map(
    machines.map(({ id, server_policy: digest }) => {
      const wanted = policyFor(String(id), offered);
      const known = rows.find(({ sha256 }) => sha256 === digest);
      const has = known === undefined ? "" : `v${String(known["version"])}`;
      return [String(id), { has, isBehind: wanted !== undefined && wanted.sha256 !== digest }];
    }),
  );
}

export async function policyView(visitor: PageVisitor, { run }: Database): Promise<Markup> {
  const versions = await run(
    `SELECT version, author, reason, text, cases, sha256, made, share FROM ${TABLE} ORDER BY version DESC LIMIT ${SHOWN}`,
  );
  const isAdmin = isAtLeast(visitor.role, "admin");
  const cards = versions.map((row, index) => versionCard(visitor, row, versions[index + 1], isAdmin));
  const [newest] = versions;
  const write = isAdmin
    ? html`<section class="card"><h2>Write a version</h2><form action="/policy" method="post">${hiddenFields(visitor)}
<p><label>Policy, as a configuration file <textarea name="text" rows="12" maxlength="${MAX_TEXT}" required spellcheck="false">${String(newest?.["text"] ?? '{\n  "guard": { "level": "standard" }\n}\n')}</textarea></label></p>
<p><label>Cases that must hold, as <code>guard test --file</code> reads them <textarea name="cases" rows="8" maxlength="${MAX_TEXT}" spellcheck="false">${String(newest?.["cases"] ?? "")}</textarea></label></p>
<p><label>Why <input name="reason" maxlength="${MAX_REASON}" required></label> <button type="submit" name="do" value="propose">Test and write</button></p></form></section>`
    : NOTHING;
  return html`<h1>Policy</h1><p class="lead">Machines whose configuration has <code>"extends": ["server"]</code> take it with <code>amplihack ship --to server</code> or <code>amplihack config pull</code>.</p>
${versions.length === 0 ? html`<p>There is none yet.</p>` : cards}${write}`;
}

function versionCard(visitor: PageVisitor, row: Row, before: Row | undefined, isAdmin: boolean): Markup {
  const [version, share] = [Number(row["version"]), Number(row["share"])];
  const form = isAdmin
    ? html`<form action="/policy" method="post">${hiddenFields(visitor)}<input type="hidden" name="version" value="${version}"><label>Share of the machines in percent <input type="number" name="share" min="0" max="100" value="${share}"></label> <button type="submit" name="do" value="roll">Roll out</button></form>`
    : NOTHING;
  const changes = unifiedDiff("policy.jsonc", before && String(before["text"]), String(row["text"]));
  return html`<section class="card"><h2>Version ${version}: ${share === 0 ? "not rolled out" : `${share} % of the machines`}</h2>
<p>${line(String(row["reason"]))}</p><p class="soft">${line(String(row["author"]), 60)}, ${moment(row["made"])} UTC, sha256-${String(row["sha256"]).slice(0, 12)}…</p>
<details><summary>What it changes</summary><pre>${block(changes, MAX_TEXT)}</pre></details>${form}</section>`;
}
